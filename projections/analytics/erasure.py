"""Taking texts out of rows whose subject's key was destroyed: they become what the log now says.

A row was written while its text could be opened. When the key ends (a session of an ephemeral
namespace is closed) the log can't be opened there any more, and a view built anew from it would say
so; the rows that exist must say the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import msgspec
import pyarrow as pa
from msgspec import Raw

from domain.events import EVENT_TYPES, Event
from eventlog.body_shape import shape_of
from eventlog.sealing import destroyed_subjects

_decode: Final = msgspec.json.Decoder(dict[str, Raw]).decode
_encode: Final = msgspec.json.Encoder().encode
_NOTHING: Final = (b"null", b"[]", b"{}")


def ended_subjects(events: Sequence[Event]) -> dict[str, int]:
    """Give the subjects whose keys these events end, each with the last position that does."""
    return {subject: event.position for event in events for subject in destroyed_subjects(event)}


def erased(table: pa.Table, ended: Mapping[str, int]) -> pa.Table:
    """Give the rows without the texts of ended subjects; the same object where there is none.

    What a subject said after its end was said under a new key, and stays.
    """
    subjects, positions = table["subject"].to_pylist(), table["position"].to_pylist()
    hit = [
        number
        for number, (subject, position) in enumerate(zip(subjects, positions, strict=True))
        if position < ended.get(subject, 0)
    ]
    if not hit:
        return table
    bodies = table["body"].to_pylist()
    types, schemas = table["type"], table["schema"]
    changed = False
    for number in hit:
        body = bodies[number]
        if body is None:
            continue  # its bytes are sealed
        text = _without_texts(types[number].as_py(), schemas[number].as_py(), body)
        changed = changed or text != body
        bodies[number] = text
    if not changed:
        return table
    place = table.schema.get_field_index("body")
    return table.set_column(place, table.schema.field(place), pa.array(bodies, pa.string()))


def _without_texts(name: str, schema: int, body: str) -> str:
    shape = shape_of(EVENT_TYPES[name, schema])
    members = _decode(body)
    for field in shape.sealed:
        if field in members and bytes(members[field]) not in _NOTHING:
            members[field] = Raw(shape.erased[field])
    return _encode(members).decode()
