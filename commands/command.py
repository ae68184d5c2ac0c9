"""What every handler is given: who asks for what, and under which command id."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Generic, TypeVar

from msgspec import Struct

from domain.caller import Caller

R = TypeVar("R")

Clock = Callable[[], datetime]
"""Gives the present as an aware UTC datetime."""


class CommandContext(Struct, frozen=True, kw_only=True):
    """What makes a repeat recognisable and a fact traceable.

    ``command_id`` comes from `domain.identity.command_id`, ``fingerprint`` is the SHA-256 (hex) of
    the canonical request after defaults, before ids and times.
    """

    command_id: str
    fingerprint: str
    correlation_id: str
    causation_position: int | None = None


class Command(Struct, Generic[R], frozen=True, kw_only=True):
    """A request with its caller. ``request`` is a contract Struct or one of the handler's own."""

    caller: Caller
    context: CommandContext
    request: R
