"""Upcasting: whatever an older release wrote is read as today's type."""

from __future__ import annotations

import threading
from itertools import islice
from typing import Any, Final

import msgspec
import pytest
from msgspec.structs import replace

from domain.events import EventBody, Sealed
from eventlog.codec import Codec, Undecodable, UnknownEventType
from eventlog.entry import RawEntry
from eventlog.redis_log import RedisLog
from eventlog.redis_streams import RedisApplicationRecorder
from eventlog.sealing import KeyRing, field_context, seal_json
from eventlog.upcasters import UPCASTERS, Upcaster, target_of, upcast
from tests.eventlog.entries import an_entry, new_command


class NoteTaken1(EventBody, frozen=True, kw_only=True):
    text: Sealed[str]
    when: str


class NoteTaken2(EventBody, frozen=True, kw_only=True):
    words: Sealed[list[str]]
    when: str


class RemarkMade1(EventBody, frozen=True, kw_only=True):
    words: Sealed[list[str]]
    day: int


TYPES: Final[dict[tuple[str, int], type[EventBody]]] = {
    ("NoteTaken", 1): NoteTaken1,
    ("NoteTaken", 2): NoteTaken2,
    ("RemarkMade", 1): RemarkMade1,
}


def split_words(body: dict[str, Any]) -> dict[str, Any]:
    return {"words": body["text"].split(), "when": body["when"]}


def count_days(body: dict[str, Any]) -> dict[str, Any]:
    return {"words": body["words"], "day": int(body["when"].removeprefix("day "))}


STEPS: Final = {
    ("NoteTaken", 1): Upcaster(to=("NoteTaken", 2), change=split_words),
    ("NoteTaken", 2): Upcaster(to=("RemarkMade", 1), change=count_days),
}
SUBJECT: Final = "note:n1"
KEY: Final = bytes(32)


@pytest.fixture
def codec() -> Codec:
    ring = KeyRing(lambda subjects: {s: KEY for s in subjects if s == SUBJECT})
    return Codec(ring, types=TYPES, upcasters=STEPS)


def entry(type_name: str, schema: int, body: dict[str, Any], codec: Codec) -> RawEntry:
    """An entry whose ``text`` or ``words`` were sealed when it was written."""
    key, _ = codec.keys.for_sealing(SUBJECT, brand_new=False)
    sealed = {
        name: seal_json(
            key, msgspec.json.encode(value), field_context("e1", name), lambda n: bytes(n)
        )
        if name in ("text", "words")
        else value
        for name, value in body.items()
    }
    return RawEntry(
        position=9,
        event_id="e1",
        aggregate_type="Note",
        aggregate_id="n1",
        version=1,
        type=type_name,
        schema=schema,
        occurred_at_us=0,
        command_id="",
        fingerprint="",
        actor="tester",
        correlation_id="",
        causation_position=None,
        body=msgspec.json.encode(sealed),
    )


def test_an_old_event_goes_through_every_step_with_its_texts_open(codec: Codec) -> None:
    old = entry("NoteTaken", 1, {"text": "buy oolong", "when": "day 7"}, codec)
    middle = entry("NoteTaken", 2, {"words": ["buy", "oolong"], "when": "day 7"}, codec)
    today = entry("RemarkMade", 1, {"words": ["buy", "oolong"], "day": 7}, codec)
    opened = codec.open_batch([old, middle, today])
    assert [event.body for event in opened if not isinstance(event, Exception)] == [
        RemarkMade1(words=["buy", "oolong"], day=7)
    ] * 3


def test_a_filter_by_todays_name_takes_the_old_names_in() -> None:
    assert {target_of(written, STEPS) for written in TYPES} == {("RemarkMade", 1)}


def test_a_body_without_steps_comes_back_as_it_is() -> None:
    body = {"words": ["x"], "day": 1}
    assert upcast(body, ("RemarkMade", 1), STEPS) is body


def test_a_body_that_a_step_cannot_take_is_undecodable(codec: Codec) -> None:
    (answer,) = codec.open_batch(
        [entry("NoteTaken", 1, {"text": "buy oolong", "when": "yesterday"}, codec)]
    )
    assert isinstance(answer, Undecodable)
    assert answer.reason == "an upcaster refused it with ValueError"


def test_an_erased_text_reaches_the_steps_as_its_marker() -> None:
    gone = Codec(KeyRing(lambda _: {}), types=TYPES, upcasters=STEPS)
    kept = Codec(KeyRing(lambda _: {SUBJECT: KEY}), types=TYPES, upcasters=STEPS)
    event = gone.open(entry("NoteTaken", 1, {"text": "buy oolong", "when": "day 7"}, kept))
    assert event.body == RemarkMade1(words=["[erased]"], day=7)


def test_a_schema_that_only_a_newer_release_knows_is_not_guessed_at(codec: Codec) -> None:
    (answer,) = codec.open_batch([entry("NoteTaken", 3, {"when": "day 7"}, codec)])
    assert isinstance(answer, UnknownEventType)


def test_a_reader_who_asks_for_todays_name_is_given_the_old_events(
    log: RedisLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    for written, step in STEPS.items():
        monkeypatch.setitem(UPCASTERS, written, step)
    recorder = RedisApplicationRecorder(log, Codec(KeyRing(log.subject_keys)))
    for version, (name, schema) in enumerate([*TYPES, ("Other", 1)], start=1):
        written_entry = replace(an_entry("a", version), type=name, schema=schema)
        log.append([written_entry], **new_command())

    found = recorder.select_notifications(1, 10, topics=["RemarkMade"])
    assert [notification.id for notification in found] == [1, 2, 3]
    with recorder.subscribe(topics=["RemarkMade"]) as subscription:
        # A subscription waits for ever: one that misses something must fail here, not hang.
        deadline = threading.Timer(30, subscription.stop)
        deadline.start()
        followed = [notification.id for notification in islice(subscription, 3)]
        deadline.cancel()
    assert followed == [1, 2, 3], f"then the log was {log.read(1)}"
