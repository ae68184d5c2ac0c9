"""F26: a program that was rolled back meets events of the newer one."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from commands.application import MemoryApplication
from domain import events as facts
from domain.events import EVENT_TYPES, EventBody, MemoryTagged
from eventlog.codec import UnknownEventType
from eventlog.redis_log import RedisLog
from projections.analytics.filter import EventFilter
from projections.analytics.view import AnalyticsView
from projections.state import projector as state_projector
from tests.commands.speaking import Speaker
from tests.histories import Historian
from tests.servers import LogServer
from tests.view_workers import building, digests, forget_statuses, reach, shows
from workers.gathering import Gathering
from workers.node import view_path
from workers.settings import Settings


class MemoryDreamed(EventBody, frozen=True, kw_only=True):
    """Of a release that is not out yet."""

    about: str


class GapDreamed(EventBody, frozen=True, kw_only=True):
    """Of the same, about a kind of thing that is not known here either."""

    about: str


NEWER = {("MemoryDreamed", 1): MemoryDreamed, ("GapDreamed", 1): GapDreamed}


def test_f26_views_that_need_a_newer_event_wait_for_the_upgrade_and_the_others_go_on(
    log_server: LogServer, log: RedisLog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workers.views.Gathering", partial(Gathering, longest_s=0.05))
    settings = Settings(data=tmp_path / "data", redis_url=log_server.url, log=log.name)
    historian = Historian(log, seed=26)
    historian.live_on(10)
    memory = historian.remember("a memory")
    with building(settings):
        reach(settings, historian.position)
    with pytest.MonkeyPatch.context() as newer_release:
        for written, body in NEWER.items():
            newer_release.setitem(EVENT_TYPES, written, body)
            newer_release.setitem(facts._NAMES, body, written)
        # What no view shows passes by; what belongs to a memory does not.
        before = historian.write(("Gap", historian.new_id(), GapDreamed(about="tea")))
        historian.change(memory, MemoryDreamed(about="tea"))
    historian.change(memory, MemoryTagged(tags=["after"]))

    forget_statuses(settings)
    with building(settings):
        for view in ("state", "vector"):
            status = shows(settings, view, lambda said: said.state == "stopped")
            assert (status.problem, status.position) == ("unknown-event-type", before), view
            assert "MemoryDreamed" in status.reason
        shows(settings, "analytics", lambda said: said.position == historian.position)
        known = digests(settings)
    [dreamed] = AnalyticsView(view_path(settings, "analytics")).events(
        EventFilter(type="MemoryDreamed")
    )
    assert dreamed.problem == "written by a newer program"

    # A command on that memory is refused, and changes nothing.
    head = log.head()
    with (
        MemoryApplication(log_server.url, log.name) as application,
        pytest.raises(UnknownEventType, match="MemoryDreamed"),
    ):
        Speaker.of_kind(application, "owner").useful(memory)
    assert log.head() == head

    # Nothing was changed by the wait: started again, they stand where they stood.
    forget_statuses(settings)
    with building(settings):
        for view in ("state", "vector"):
            shows(settings, view, lambda said: said.state == "stopped")
        assert digests(settings) == known

    # Upgraded, they go on by themselves.
    for written, body in NEWER.items():
        monkeypatch.setitem(EVENT_TYPES, written, body)
        monkeypatch.setitem(facts._NAMES, body, written)
        monkeypatch.setattr(state_projector, "NOT_SHOWN", state_projector.NOT_SHOWN | {body})
    with building(settings):
        reach(settings, historian.position)
