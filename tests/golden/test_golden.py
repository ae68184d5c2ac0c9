"""Every event type ever released still decodes (docs/promises.md)."""

from __future__ import annotations

import base64
from pathlib import Path

import msgspec
import pytest

from domain.events import EVENT_TYPES, Event, body_fields, type_of
from eventlog.body_shape import shape_of
from eventlog.codec import Codec
from eventlog.sealing import KEY_ID_BYTES, NONCE_BYTES, KeyRing
from eventlog.upcasters import UPCASTERS, target_of
from tests.golden.samples import BODIES, DIRECTORY, Golden, entry_of, golden_of, golden_path

FILES = sorted(DIRECTORY.glob("*.json"))


def open_golden(golden: Golden) -> Event:
    keys = {golden.subject: base64.b64decode(golden.key)}
    codec = Codec(KeyRing(lambda subjects: {s: keys[s] for s in subjects if s in keys}))
    return codec.open(entry_of(golden))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_released_event_decodes_to_todays_type(path: Path) -> None:
    golden = msgspec.json.decode(path.read_bytes(), type=Golden)
    event = open_golden(golden)
    written = (golden.entry["type"], golden.entry["schema"])
    assert path == golden_path(*written)
    assert (event.type, event.schema) == target_of(written, UPCASTERS)
    assert event.position == 42
    if written not in UPCASTERS:
        opened = body_fields(event.body)
        # A field added since, with a default, may stand beside what was written.
        assert {name: opened[name] for name in golden.opened} == golden.opened


def test_every_registered_event_type_and_schema_has_a_golden_sample() -> None:
    missing = [
        f"{name}.{schema}" for name, schema in EVENT_TYPES if not golden_path(name, schema).exists()
    ]
    assert missing == [], (
        "add a body to tests/golden/samples.py, run python -m tests.golden.samples"
    )


def test_every_older_schema_has_a_step_to_the_next() -> None:
    newest: dict[str, int] = {}
    for name, schema in EVENT_TYPES:
        newest[name] = max(schema, newest.get(name, 0))
    stuck = [
        (name, schema)
        for name, schema in EVENT_TYPES
        if schema < newest[name] and (name, schema) not in UPCASTERS
    ]
    assert stuck == []
    assert all(target_of(written, UPCASTERS) in EVENT_TYPES for written in EVENT_TYPES)


def test_the_samples_leave_no_field_at_its_default() -> None:
    for body in BODIES:
        for field in msgspec.structs.fields(type(body)):
            if field.default is not msgspec.NODEFAULT:
                assert getattr(body, field.name) != field.default, (type_of(body), field.name)


def test_no_text_of_a_person_stands_open_in_a_golden_body() -> None:
    sealed = 0
    released = [msgspec.json.decode(path.read_bytes(), type=Golden) for path in FILES]
    # A field added since stands in no released body, so each is sealed as today's release does too.
    for golden in (*released, *map(golden_of, BODIES)):
        written = EVENT_TYPES[golden.entry["type"], golden.entry["schema"]]
        for name in golden.opened.keys() & shape_of(written).sealed:
            closed = golden.entry["body"][name]
            assert isinstance(closed, str), (golden.entry["type"], name)
            assert closed != golden.opened[name]
            assert len(base64.b64decode(closed, validate=True)) > KEY_ID_BYTES + NONCE_BYTES + 16
            sealed += 1
    assert sealed >= 20
