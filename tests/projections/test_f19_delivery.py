"""F19: a batch delivered twice changes nothing; events out of order stop the view in time."""

from __future__ import annotations

from pathlib import Path

from eventlog.codec import Codec
from eventlog.entry import RawEntry
from eventlog.redis_log import RedisLog
from eventlog.sealing import KeyRing
from eventlog.subscription import Checkpoint
from projections.generation import ViewDirectory
from projections.state.projector import StateProjector
from projections.state.view import StateView
from tests.histories import Historian
from tests.projections.faulty import Reader
from tests.projections.running import running
from tests.state_tables import assert_state_equals_log, tables_of


def test_batches_delivered_again_and_late_change_nothing(
    log: RedisLog, view_path: Path, historian: Historian
) -> None:
    historian.live_on(120)
    delivered: list[list[RawEntry]] = []

    def repeat(batch: list[RawEntry]) -> list[RawEntry]:
        if batch:
            delivered.append(batch)
            return batch
        return delivered.pop(0) if delivered else []

    with running(log, view_path, wrap_source=lambda source: Reader(source, repeat)) as worker:
        worker.reaches(historian.position)
        assert_state_equals_log(view_path, log.url, log.name)
        historian.live_on(30)
        worker.reaches(historian.position)
        worker.shows(lambda _: not delivered)
        assert worker.status.position == historian.position
    assert_state_equals_log(view_path, log.url, log.name)


def test_two_events_swapped_stop_the_view_before_anything_is_committed(
    log: RedisLog, view_path: Path, historian: Historian
) -> None:
    historian.live_on(20)

    def swap(batch: list[RawEntry]) -> list[RawEntry]:
        return [*batch[:3], batch[4], batch[3], *batch[5:]] if batch else []

    with running(log, view_path, wrap_source=lambda source: Reader(source, swap)) as worker:
        status = worker.shows(lambda status: status.state == "stopped")
    assert status.problem == "log-gap"
    assert "expected position 4" in status.reason
    view = StateView(view_path)
    assert view.checkpoint() == Checkpoint()
    view.close()
    assert not any(tables_of(view_path).values())


def test_applying_any_stretch_of_the_log_again_changes_no_row(
    log: RedisLog, view_path: Path, historian: Historian
) -> None:
    historian.live_on(150)
    codec = Codec(KeyRing(log.subject_keys))
    events = codec.open_batch(log.read(1, historian.position, limit=10_000))
    directory = ViewDirectory(view_path)
    projector = StateProjector(directory.live)
    end = Checkpoint(historian.position, "e", "id")
    projector.apply(events, end)  # type: ignore[arg-type]  # all of them opened
    before = tables_of(view_path)
    for first in range(0, len(events), 37):
        projector.apply(events[first : first + 90], end)  # type: ignore[arg-type]
    assert tables_of(view_path) == before
    projector.close()
    directory.close()
