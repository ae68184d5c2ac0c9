"""F3: a log server that syncs every second loses acknowledged events when the power goes.

The start-up guard refuses such a server unless told otherwise. Every view that had read what was
lost stops before it reads on, also when other events stand at those positions by then, and the
node answers nothing from them.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from eventlog.guard import LogServerRefused
from eventlog.outcomes import LogFork
from eventlog.redis_log import RedisLog
from tests.faults.power_loss import (
    COMPILER,
    build_shim,
    cut_power,
    hang_disk,
    is_synced,
    watch_syncs,
)
from tests.histories import Historian
from tests.servers import LogServer, eventually
from tests.view_workers import building, digests, forget_statuses, reach, shows
from workers.gathering import Gathering
from workers.log_server import guard_log
from workers.settings import Settings
from workers.standing import Standing
from workers.views import VIEW_KINDS

pytestmark = pytest.mark.skipif(
    COMPILER is None, reason="F3 NOT RUN: no C compiler (cc) to build the power-loss shim"
)


def test_f03_what_everysec_lost_stops_every_view_and_none_serves_another_history(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workers.views.Gathering", partial(Gathering, longest_s=0.05))
    server = LogServer(appendfsync="everysec")
    watch_syncs(server, build_shim(tmp_path))
    with server:
        strict = Settings(data=tmp_path / "data", redis_url=server.url)
        with pytest.raises(LogServerRefused, match="appendfsync must be always"):
            guard_log(strict, "writer")
        settings = Settings(data=strict.data, redis_url=server.url, allow_volatile=True)
        assert not guard_log(settings, "writer").durable
        with RedisLog(server.url) as log, building(settings):
            historian = Historian(log, seed=3)
            historian.live_on(10)
            eventually(lambda: is_synced(server), within_s=30)
            kept = historian.position
            hang_disk(server)
            historian.live_on(20)
            reach(settings, historian.position)
            shown = digests(settings)
            assert cut_power(server) > 0
            server.start()
            assert log.head().position == kept, "lost, though acknowledged"
            for view in VIEW_KINDS:
                status = shows(settings, view, lambda said: said.problem == "log-fork")
                assert (status.state, status.position) == ("stopped", historian.position)

        refused_is_every_view(settings, shown)
        with RedisLog(server.url) as log:
            other = Historian(log, seed=4)
            while other.position <= historian.position:
                other.remember()
        refused_is_every_view(settings, shown)


def refused_is_every_view(settings: Settings, shown: object) -> None:
    """Start the views again: they stop, have changed nothing, and nothing is served from them."""
    with pytest.raises(LogFork):
        guard_log(settings, "writer")
    forget_statuses(settings)
    with building(settings):
        for view in VIEW_KINDS:
            shows(settings, view, lambda said: said.problem == "log-fork")
        assert digests(settings) == shown
        standing = Standing(settings, "", lambda _: None)
        assert "view " in standing.refusal()
        standing.close()
