"""Tables' rows to the view's Structs."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Any, Final, TypeVar

import msgspec
from msgspec import Struct

from domain.events import Entity, EvaluationFinished, Quota, Relation, Source
from projections.state.history import Table, as_of
from projections.state.step import moment

R = TypeVar("R", bound=Struct)

_JSON: Final[Mapping[str, Any]] = {
    "tags": msgspec.json.Decoder(list[str]).decode,
    "reinforcements": msgspec.json.Decoder(dict[str, int]).decode,
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
    "expected_ids": msgspec.json.Decoder(list[str]).decode,
    "figures": msgspec.json.Decoder(EvaluationFinished).decode,
    "granted": lambda text: frozenset(msgspec.json.decode(text, type=list[str])),
}
_FLAGS: Final = frozenset({"urgent", "distill", "active", "faint"})
_COLUMN_OF: Final[Mapping[str, str]] = {"references": "refers_to"}
_COMPUTED: Final[Mapping[str, str]] = {
    "observed_in": (
        "(SELECT json_group_array(episode_id) FROM (SELECT episode_id FROM observations "
        "WHERE memory_id = memories.id AND position <= memories.position ORDER BY position)) "
        "AS observed_in"
    ),
    "reinforcements": (
        "(SELECT json_group_object(memory_id, position) FROM observations "
        "WHERE episode_id = episodes.id) AS reinforcements"
    ),
    "told_by": (
        "(SELECT updated_by FROM versions "
        "WHERE memory_id = memories.id AND version = memories.version) AS told_by"
    ),
    "recall_count": (
        "coalesce((SELECT recalls FROM recall_counts WHERE memory_id = memories.id), 0) "
        "AS recall_count"
    ),
    "last_recalled_at": (
        "(SELECT last_recalled_at FROM recall_counts WHERE memory_id = memories.id) "
        "AS last_recalled_at"
    ),
    "settled_at": (
        "(SELECT settled_at FROM settling WHERE memory_id = memories.id "
        "AND settled_position <= memories.position) AS settled_at"
    ),
    "verifications": (
        "(SELECT count(*) FROM verifications WHERE memory_id = memories.id "
        "AND NOT faint AND position <= memories.position) AS verifications"
    ),
    "granted": (
        "(SELECT json_group_array(namespace) FROM grants WHERE grants.agent_id = agents.agent_id)"
        " AS granted"
    ),
}


@cache
def columns(row_type: type[Struct]) -> str:
    """Give the select list that `decode` reads, in the order of the Struct's fields."""
    names = (_COLUMN_OF.get(name, name) for name in row_type.__struct_fields__)
    return ", ".join(_COMPUTED.get(name, f'"{name}"') for name in names)


def decode(row_type: type[R], rows: Iterable[Sequence[Any]]) -> list[R]:
    """Make Structs from rows selected by `columns`."""
    make: Callable[..., R] = row_type
    readers = _readers(row_type)
    made = []
    for row in rows:
        values = list(row)
        for place, read in readers:
            value = values[place]
            if value is not None:
                values[place] = read(value)
        made.append(make(*values))
    return made


def select(
    connection: sqlite3.Connection,
    row_type: type[R],
    rest: str,
    bound: Iterable[Any] = (),
    before: str = "",
) -> list[R]:
    """Run ``<before> SELECT <columns> <rest>`` and decode every row."""
    rows = connection.execute(
        f"{before}SELECT {columns(row_type)} {rest}", tuple(bound)
    )  # all ours
    return decode(row_type, rows)


def select_by_ids(
    connection: sqlite3.Connection,
    row_type: type[R],
    table: Table,
    ids: Iterable[str],
    position: int | None = None,
) -> dict[str, R]:
    """Decode the rows with these ids, in their order; an id without a row is left out.

    ``position``: as the rows were there, and only those that there were.
    """
    wanted = list(dict.fromkeys(ids))
    then = as_of(table, position)
    rows = select(
        connection,
        row_type,
        f"FROM {table} WHERE id IN (SELECT value FROM json_each(?))",  # noqa: S608  # our names
        (*then.bound, msgspec.json.encode(wanted).decode()),
        then.sql,
    )
    found = {row.id: row for row in rows}  # type: ignore[attr-defined]  # a row with an id
    return {name: found[name] for name in wanted if name in found}


@cache
def _readers(row_type: type[Struct]) -> tuple[tuple[int, Callable[[Any], Any]], ...]:
    """Give the places of the fields that need reading, with what reads them."""
    readers = ((place, _reader(name)) for place, name in enumerate(row_type.__struct_fields__))
    return tuple((place, read) for place, read in readers if read is not None)


def _reader(name: str) -> Callable[[Any], Any] | None:
    if name.endswith("_at"):
        return moment
    if name in _FLAGS:
        return bool
    return _JSON.get(_COLUMN_OF.get(name, name))
