"""How an event of an older schema becomes one of today's: pure steps on the decoded body.

A step takes the body of one (type, schema), opened, as a dict of JSON builtins, and returns the
body of the next. Steps chain; a step may also carry a type to a new name. Filters by type apply
to the name at the end of the chain, so a reader that asks for today's name is given the old
events too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from msgspec import Struct

Body: TypeAlias = dict[str, Any]
TypeSchema: TypeAlias = tuple[str, int]


class Upcaster(Struct, frozen=True):
    """One step: ``change`` makes of a body the body of type and schema ``to``."""

    to: TypeSchema
    change: Callable[[Body], Body]


UPCASTERS: Final[dict[TypeSchema, Upcaster]] = {}
"""From (type, schema) to its next step. Empty as long as every type has one schema."""


def target_of(type_schema: TypeSchema, steps: Mapping[TypeSchema, Upcaster]) -> TypeSchema:
    """Give the type name and schema at the end of the chain that starts at ``type_schema``."""
    while (step := steps.get(type_schema)) is not None:
        type_schema = step.to
    return type_schema


def upcast(body: Body, type_schema: TypeSchema, steps: Mapping[TypeSchema, Upcaster]) -> Body:
    """Take an opened body along its chain of steps; without one it comes back as it is."""
    while (step := steps.get(type_schema)) is not None:
        body = step.change(body)
        type_schema = step.to
    return body


def current_name(type_name: str, schema: int) -> str:
    """Give today's name of a type in the log, for filters by type."""
    return target_of((type_name, schema), UPCASTERS)[0]
