"""F18, F22: a build that meets poison or ends in the middle leaves a live view that is whole."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest

from domain.events import Event
from eventlog.codec import Codec
from eventlog.redis_log import RedisLog
from eventlog.sealing import KeyRing
from eventlog.subscription import Checkpoint, Subscription
from projections.build import BuildFailed, GenerationBuild
from projections.generation import ViewDirectory
from projections.parking import NOTHING_PARKED, Parking
from projections.projector import Projector
from projections.state.digest import digest_state
from projections.state.projector import StateProjector
from projections.state.view import StateView
from tests.histories import Historian
from tests.projections.faulty import Poisoned, Wrapped
from tests.projections.running import catch_up
from tests.state_tables import assert_state_equals_log


class Dies(Exception):
    """The build ends here."""


class Dying(Wrapped):
    """Ends the build after so many commits."""

    def __init__(self, inner: Projector, commits: int) -> None:
        super().__init__(inner)
        self.left = commits

    def apply(
        self,
        events: Sequence[Event],
        checkpoint: Checkpoint,
        parking: Parking = NOTHING_PARKED,
    ) -> None:
        if self.left == 0:
            raise Dies
        self.left -= 1
        super().apply(events, checkpoint, parking)


def build(log: RedisLog, projector: Projector, *, allow_parked: bool = False) -> int:
    """Build as far as the log goes; give the position."""
    with closing(Subscription(log.url, log.name, projector.checkpoint())) as source:
        made = GenerationBuild(
            projector,
            source,
            Codec(KeyRing(log.subject_keys)),
            allow_parked=allow_parked,
            between_batches=lambda _: None,
        )
        made.catch_up(threading.Event())
        return made.position


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_a_build_that_ended_in_the_middle_goes_on_from_its_checkpoint_and_harms_nothing(
    log: RedisLog,
    view_path: Path,
    historian: Historian,
    monkeypatch: pytest.MonkeyPatch,
    share: float,
) -> None:
    historian.live_on(100)
    catch_up(log, view_path, historian.position)
    batch = 10
    monkeypatch.setattr("projections.build.EVENTS_A_BATCH", batch)
    before = StateView(view_path).digest()
    with closing(ViewDirectory(view_path)) as directory:
        folder = directory.begin(2)
        commits = int(share * historian.position / batch)
        with closing(StateProjector(folder)) as projector, pytest.raises(Dies):
            build(log, Dying(projector, commits))
        assert (view_path / "CURRENT").read_text() == "1\n"
        assert StateView(view_path).digest() == before
        with closing(StateProjector(folder)) as projector:
            assert projector.checkpoint().position == commits * batch
            assert build(log, projector) == historian.position
            projector.sync()
        assert digest_state(folder) == before
        directory.switch_to(2)
    assert StateView(view_path).generation() == 2
    assert_state_equals_log(view_path, log.url, log.name)


def test_poison_fails_a_build_unless_it_is_allowed_and_the_old_generation_serves(
    log: RedisLog, view_path: Path, historian: Historian
) -> None:
    historian.live_on(60)
    catch_up(log, view_path, historian.position)
    before = StateView(view_path).digest()
    with closing(ViewDirectory(view_path)) as directory:
        folder = directory.begin(2)
        with closing(StateProjector(folder)) as projector:
            with pytest.raises(BuildFailed, match=r"position 30 .*refused by the test"):
                build(log, Poisoned(projector, [30]))
            assert projector.parked() == []
            assert build(log, Poisoned(projector, [30]), allow_parked=True) == historian.position
            assert projector.parked()[0].position == 30
            with pytest.raises(BuildFailed, match="position 30"):
                build(log, projector)
    assert StateView(view_path).digest() == before
    assert StateView(view_path).generation() == 1
