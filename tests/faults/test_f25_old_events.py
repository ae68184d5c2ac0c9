"""F25: whatever an older release wrote is read as today's, and found under today's name."""

from __future__ import annotations

import base64
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import lancedb
import msgspec
import pytest
from msgspec.structs import replace

from domain import events as facts
from domain.events import EVENT_TYPES, Event, EventBody, Sealed, body_fields
from eventlog.codec import Codec
from eventlog.redis_log import RedisLog
from eventlog.redis_streams import RedisApplicationRecorder
from eventlog.sealing import KeyRing
from eventlog.upcasters import UPCASTERS, Upcaster, target_of
from projections.analytics.filter import EventFilter
from projections.analytics.view import AnalyticsView
from projections.state.view import StateView
from projections.vector.schema import TABLE, from_arrow
from tests.eventlog.entries import new_command
from tests.golden.samples import DIRECTORY, Golden, entry_of
from tests.histories import Historian
from tests.servers import LogServer
from tests.view_workers import building, live_folder, reach
from workers.gathering import Gathering
from workers.node import view_path
from workers.settings import Settings


def test_f25_the_golden_corpus_in_one_log_is_read_whole_and_as_todays_types(log: RedisLog) -> None:
    corpus = [
        msgspec.json.decode(path.read_bytes(), type=Golden)
        for path in sorted(DIRECTORY.glob("*.json"))
    ]
    versions: Counter[str] = Counter()
    for golden in corpus:
        entry = entry_of(golden)
        versions[entry.aggregate_id] += 1
        entry = replace(entry, position=0, version=versions[entry.aggregate_id])
        keys = {golden.subject: base64.b64decode(golden.key)} if golden.key else {}
        log.append([entry], **new_command(), subject_keys=keys)
    opened = Codec(KeyRing(log.subject_keys)).open_batch(log.read(1, limit=1000))
    for golden, event in zip(corpus, opened, strict=True):
        written = (golden.entry["type"], golden.entry["schema"])
        assert isinstance(event, Event), written
        assert (event.type, event.schema) == target_of(written, UPCASTERS)
        if written not in UPCASTERS:
            fields = body_fields(event.body)
            assert {name: fields[name] for name in golden.opened} == golden.opened


class MemoryNoted(EventBody, frozen=True, kw_only=True):
    """As a `MemoryCreated` of an older release might have been."""

    text: Sealed[str]
    place: str


def today(body: dict[str, Any]) -> dict[str, Any]:
    return {
        "content": body["text"],
        "namespace": body["place"],
        "category": "fact",
        "decay_class": "system_fact",
        "agent_id": "hermes-1",
        "source": "owner_message",
        "distilled_by": "caller",
        "confidence": 0.9,
    }


@contextmanager
def older_release() -> Iterator[None]:
    """Let this process write `MemoryNoted`, as the older release did."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(EVENT_TYPES, ("MemoryNoted", 1), MemoryNoted)
        patch.setitem(facts._NAMES, MemoryNoted, ("MemoryNoted", 1))
        yield


def test_f25_who_asks_for_todays_name_is_given_what_stands_there_under_the_old_one(
    log_server: LogServer, log: RedisLog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    historian = Historian(log, seed=25)
    with older_release():
        old = historian.new_id()
        historian.write(("Memory", old, MemoryNoted(text="the old kettle", place="shared")))
    monkeypatch.setitem(EVENT_TYPES, ("MemoryNoted", 1), MemoryNoted)
    step = Upcaster(to=("MemoryCreated", 1), change=today)
    monkeypatch.setitem(UPCASTERS, ("MemoryNoted", 1), step)
    new = historian.remember("the new kettle")
    historian.change(old, facts.MemoryTagged(tags=["tea"]))

    settings = Settings(data=tmp_path / "data", redis_url=log_server.url, log=log.name)
    monkeypatch.setattr("workers.views.Gathering", partial(Gathering, longest_s=0.05))
    with building(settings):
        reach(settings, historian.position)
    memories = StateView(view_path(settings, "state")).memories([old, new], now=historian.now)
    assert {memory: row.content for memory, row in memories.items()} == {
        old: "the old kettle",
        new: "the new kettle",
    }
    assert memories[old].tags == ["tea"]
    table = lancedb.connect(live_folder(settings, "vector")).open_table(TABLE)
    rows = from_arrow(table.search().where("layer = 'memory'").limit(None).to_arrow())
    assert {row.content for row in rows} == {"the old kettle", "the new kettle"}
    view = AnalyticsView(view_path(settings, "analytics"))
    found = view.events(EventFilter(type="MemoryCreated"))
    assert [row.aggregate_id for row in found] == [old, new]
    assert view.events(EventFilter(type="MemoryNoted")) == []
    recorder = RedisApplicationRecorder(log, Codec(KeyRing(log.subject_keys)))
    notified = recorder.select_notifications(1, 100, topics=["MemoryCreated"])
    assert [one.originator_id for one in notified] == [old, new]
