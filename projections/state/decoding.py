"""Tables' rows to the view's Structs."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, TypeVar

import msgspec
from msgspec import Struct

from domain.events import Entity, Quota, Relation, Source
from projections.state.step import moment

R = TypeVar("R", bound=Struct)

_JSON: Final[Mapping[str, Any]] = {
    "tags": msgspec.json.Decoder(list[str]).decode,
    "metadata": msgspec.json.Decoder(dict[str, Any]).decode,
    "memory_ids": msgspec.json.Decoder(list[str]).decode,
    "reinforced_ids": msgspec.json.Decoder(list[str]).decode,
    "derived_from": msgspec.json.Decoder(list[str]).decode,
    "depends_on": msgspec.json.Decoder(list[str]).decode,
    "refers_to": msgspec.json.Decoder(list[str]).decode,
    "entities": msgspec.json.Decoder(list[Entity]).decode,
    "relations": msgspec.json.Decoder(list[Relation]).decode,
    "observed_in": msgspec.json.Decoder(list[str]).decode,
    "quota": msgspec.json.Decoder(Quota).decode,
    "may_claim": msgspec.json.Decoder(list[Source]).decode,
    "granted": lambda text: frozenset(msgspec.json.decode(text, type=list[str])),
}
_FLAGS: Final = frozenset({"urgent", "distill", "active"})
_COLUMN_OF: Final[Mapping[str, str]] = {"references": "refers_to"}
_COMPUTED: Final[Mapping[str, str]] = {
    "observed_in": (
        "(SELECT json_group_array(episode_id) FROM (SELECT episode_id FROM observations "
        "WHERE memory_id = memories.id ORDER BY position)) AS observed_in"
    ),
    "granted": (
        "(SELECT json_group_array(namespace) FROM grants WHERE grants.agent_id = agents.agent_id)"
        " AS granted"
    ),
}


def columns(row_type: type[Struct]) -> str:
    """Give the select list that `decode` reads, in the order of the Struct's fields."""
    names = (_COLUMN_OF.get(name, name) for name in row_type.__struct_fields__)
    return ", ".join(_COMPUTED.get(name, f'"{name}"') for name in names)


def decode(row_type: type[R], row: Sequence[Any]) -> R:
    """Make one Struct from a row selected by `columns`."""
    values = {
        name: _value(_COLUMN_OF.get(name, name), value)
        for name, value in zip(row_type.__struct_fields__, row, strict=True)
    }
    return row_type(**values)


def select(
    connection: sqlite3.Connection, row_type: type[R], rest: str, bound: Iterable[Any] = ()
) -> list[R]:
    """Run ``SELECT <columns> <rest>`` and decode every row."""
    rows = connection.execute(f"SELECT {columns(row_type)} {rest}", tuple(bound))  # rest is ours
    return [decode(row_type, row) for row in rows]


def _value(name: str, value: Any) -> Any:
    if value is None:
        return None
    if name.endswith("_at"):
        return moment(value)
    if name in _FLAGS:
        return bool(value)
    read = _JSON.get(name)
    return read(value) if read is not None else value
