"""What the reactor and the process that distils tell each other: JSON, one message a line."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

import msgspec
from msgspec import Struct

from eventlog.append import Fence
from workers.settings import Settings

Ending: TypeAlias = Literal["distilled", "skipped", "gone", "failed"]


class Begin(Struct, frozen=True, kw_only=True, tag=True):
    """The first message: the node's settings (they hold its keys: a pipe has no other reader)."""

    settings: Settings


class Turn(Struct, frozen=True, kw_only=True):
    """An episode to distil, the turns of its session before it, and what is known of its case.

    ``exempt``: it counts against no budget. ``fatal``: the process that was at it alone has died.
    """

    episode_id: str
    before: tuple[str, ...] = ()
    exempt: bool = False
    fatal: bool = False


class Job(Struct, frozen=True, kw_only=True, tag=True):
    """Episodes to distil in this order, under a fence."""

    fence: Fence
    turns: tuple[Turn, ...]


class Ready(Struct, frozen=True, kw_only=True, tag=True):
    """The process has loaded what it needs."""


class Ended(Struct, frozen=True, kw_only=True, tag=True):
    """What became of one episode; it is in the log. ``gone``: it was not to be distilled."""

    episode_id: str
    ending: Ending


class Finished(Struct, frozen=True, kw_only=True, tag=True):
    """The job is done. ``model``: who was asked, "" for rules; ``trouble``: why not the model."""

    model: str = ""
    trouble: str = ""
    calls_left: int | None = None


class Halted(Struct, frozen=True, kw_only=True, tag=True):
    """The job was broken off, and nothing is wrong with its episodes.

    ``fenced``: somebody else has the lease; else the log cannot be written for now.
    """

    reason: str
    fenced: bool = False


Order: TypeAlias = Begin | Job
Answer: TypeAlias = Ready | Ended | Finished | Halted


def encode(message: Order | Answer) -> bytes:
    """Give a message as one line."""
    return _ENCODER.encode(message) + b"\n"


def order(line: bytes) -> Order:
    """Read what the reactor says."""
    return _ORDERS.decode(line)


def answer(line: bytes) -> Answer:
    """Read what the process says."""
    return _ANSWERS.decode(line)


def _to_text(value: Any) -> Any:
    if isinstance(value, Path):
        return str(value)
    raise NotImplementedError(f"no {type(value).__name__} travels here")


def _from_text(kind: type, value: Any) -> Any:
    if kind is Path:
        return Path(value)
    raise NotImplementedError(f"no {kind.__name__} travels here")


_ENCODER: Final = msgspec.json.Encoder(enc_hook=_to_text)
_ORDERS: Final = msgspec.json.Decoder(Order, dec_hook=_from_text)
_ANSWERS: Final = msgspec.json.Decoder(Answer, dec_hook=_from_text)
