"""The sentinel row: checkpoint and parked list, committed in the same merge as the rows."""

from __future__ import annotations

from typing import Any, Final

import msgspec
from msgspec import Struct

from eventlog.subscription import Checkpoint
from projections.parking import ParkedEvent
from projections.projector import ViewDamaged
from projections.vector.schema import SENTINEL_ID, Row, sentinel, sql_text
from projections.vector.working_rows import ClosedSession, Reinforced

_CONDITION: Final = f"id = {sql_text(SENTINEL_ID)}"


class Sentinel(Struct, frozen=True, kw_only=True):
    """What the sentinel row says. ``sequence`` counts commits; ``model`` made the vectors.

    ``closed_sessions`` are kept while anything is parked that was older than their close, ``gone``,
    the ids of erased memories, while anything is parked at all, ``reinforced`` while anything of
    that memory is parked. ``erased`` is the position of the
    newest erasure that the rows show.
    """

    model: str = ""
    checkpoint: Checkpoint = Checkpoint()
    parked: tuple[ParkedEvent, ...] = ()
    closed_sessions: tuple[ClosedSession, ...] = ()
    sequence: int = 0
    erased: int = 0
    gone: tuple[str, ...] = ()
    reinforced: tuple[Reinforced, ...] = ()


def read_sentinel(table: Any) -> Sentinel:
    """Read it from a LanceDB table. Raises `ViewDamaged` if the row is gone or garbled."""
    return _read(table.search().where(_CONDITION).select(["content"]).to_arrow())


def sentinel_in(dataset: Any) -> Sentinel:
    """Read it from a version of a Lance dataset. Raises as `read_sentinel` does."""
    return _read(dataset.to_table(columns=["content"], filter=_CONDITION))


def sentinel_row(content: Sentinel) -> Row:
    """Give the row to merge."""
    return sentinel(msgspec.json.encode(content).decode(), content.sequence)


def _read(found: Any) -> Sentinel:
    if found.num_rows != 1:
        raise ViewDamaged(f"the vector view has {found.num_rows} position rows instead of one")
    try:
        return msgspec.json.decode(found["content"][0].as_py(), type=Sentinel)
    except msgspec.DecodeError as error:
        raise ViewDamaged("the vector view's position row cannot be read") from error
