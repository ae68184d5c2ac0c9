"""F16: bytes that are no event set their aggregate aside; the view goes on and says so."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from domain.events import MemoryCorrected
from eventlog.redis_log import RedisLog
from projections.state.view import StateView
from tests.histories import START, Historian
from tests.projections.running import catch_up, running
from tests.servers import LogServer
from tests.state_tables import assert_state_equals_log, tables_of


def add_by_hand(
    log_server: LogServer, log: RedisLog, aggregate_id: str, changed: Mapping[str, str | bytes]
) -> int:
    """Append an entry past every check, as an administrator with XADD can; give its position."""
    position = log.head().position + 1
    fields: dict[str, str | bytes] = {
        "e": f"by-hand-{position}", "k": "Memory", "a": aggregate_id, "n": "9",
        "t": "TierChanged", "s": "1", "o": "1700000000000000", "c": "", "f": "", "u": "admin",
        "r": "", "p": "", "d": b'{"tier": "core"}',
    }  # fmt: skip
    fields.update(changed)
    with log_server.client() as client:
        client.xadd(log.keys.stream, fields, id=f"{position}-0")
    return position


@pytest.mark.parametrize(
    "changed",
    [
        {"d": b"\xff\x00 not JSON"},
        {"d": b'{"tier": "enormous"}'},
        {"d": b"{}"},
        {"t": "MemoryCorrected", "d": b'{"content": "bm90IHNlYWxlZA=="}'},
        {"s": "one"},
        {"extra": "field"},
    ],
    ids=["bytes", "bad value", "missing field", "broken seal", "bad number", "foreign field"],
)
def test_an_undecodable_event_parks_its_aggregate_and_the_view_goes_on(
    log_server: LogServer,
    log: RedisLog,
    view_path: Path,
    historian: Historian,
    changed: Mapping[str, str | bytes],
) -> None:
    hit, spared = historian.remember("first text"), historian.remember("other text")
    bad = add_by_hand(log_server, log, hit, changed)
    correction = MemoryCorrected(content="second text", source="owner_message", agent_id="a")
    behind = historian.change(hit, correction)
    last = historian.change(spared, correction)

    view = StateView(view_path)
    with running(log, view_path) as worker:
        worker.reaches(last)
        assert worker.status.state == "running"
        assert worker.status.parked == view.parked() == 2
        memories = view.memories([hit, spared], now=START)
        assert memories[hit].content == "first text"
        assert memories[spared].content == "second text"
        parked = view.parked_events()
        assert [(p.position, p.key, p.cause) for p in parked] == [
            (bad, hit, "undecodable"),
            (behind, hit, "queued"),
        ]
        assert [p.position for p in view.parked_events(bad, bad)] == [bad]
        assert view.parked_events(last) == []
    view.close()
    assert_state_equals_log(view_path, log.url, log.name)


def test_a_newer_programs_event_stops_the_view_before_it_and_not_the_others(
    log_server: LogServer, log: RedisLog, view_path: Path, historian: Historian
) -> None:
    memory = historian.remember()
    add_by_hand(log_server, log, "gap-1", {"k": "Gap", "t": "GapDreamed"})
    last = historian.change(
        memory, MemoryCorrected(content="x", source="owner_message", agent_id="a")
    )
    newer = add_by_hand(log_server, log, memory, {"t": "MemoryDreamed"})
    with running(log, view_path) as worker:
        status = worker.shows(lambda status: status.state == "stopped")
        assert status.position == last == newer - 1
        assert status.problem == "unknown-event-type"
        assert "MemoryDreamed" in status.reason
        worker.thread.join(timeout=10)
        assert not worker.thread.is_alive()


@pytest.mark.parametrize(
    ("body", "removed"),
    [
        (b"\xff\x00 not JSON", 0),
        (b'{"namespace": 7}', 0),
        (b"[" * 5000, 0),
        (b'{"namespace": "shared"}', 1),
    ],
    ids=["bytes", "bad namespace", "endless nesting", "missing fields"],
)
def test_an_undecodable_creation_that_is_erased_leaves_the_same_wherever_it_is_read(
    log_server: LogServer,
    log: RedisLog,
    view_path: Path,
    historian: Historian,
    body: bytes,
    removed: int,
) -> None:
    """Its namespace is known from what can be read; a view built afterwards reads no more."""
    gone = historian.new_id()
    created = {"t": "MemoryCreated", "n": "1", "d": body}
    bad = add_by_hand(log_server, log, gone, created)
    historian.memories.append(gone)
    later = view_path.with_name("later")
    with running(log, view_path) as worker:
        worker.reaches(bad)
        assert worker.status.parked == 1
        historian.erase(gone)
        worker.reaches(historian.position)
        worker.shows(lambda status: status.parked == 0)
    catch_up(log, later, historian.position)
    tables = tables_of(view_path)
    assert len(tables["removed"]) == removed
    assert tables == tables_of(later)
