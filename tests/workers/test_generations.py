"""A generation that another program or embedder built is replaced by itself, while it serves."""

from __future__ import annotations

import shutil
from pathlib import Path

from eventlog.redis_log import RedisLog
from projections.build_request import read_build_status, request_build
from projections.generation import BuiltBy, built_by, current_generation, sign
from projections.state.view import StateView
from projections.status import read_status
from tests.histories import Historian
from tests.servers import LogServer, eventually
from tests.state_tables import assert_state_equals_log
from tests.view_workers import building
from workers.health import VIEWS
from workers.keys import ensure_keys
from workers.settings import resolve
from workers.views import VIEW_KINDS


def test_the_worker_builds_every_view_that_health_looks_at() -> None:
    assert tuple(VIEW_KINDS) == VIEWS


def test_what_another_program_built_is_built_anew_and_a_worker_that_died_goes_on(
    log_server: LogServer, log: RedisLog, tmp_path: Path
) -> None:
    data = tmp_path / "data"
    ring = ensure_keys(resolve({"data": str(data), "log": log.name}, {"REDIS_URL": log_server.url}))
    settings = ring.resolved.settings
    historian = Historian(log, seed=3)
    historian.live_on(30)
    state = data / "views" / "state"

    def reached() -> bool:
        status = read_status(state)
        return status is not None and status.position == historian.position

    def live(generation: int) -> bool:
        status = read_build_status(state)
        return status is not None and status.state == "live" and status.generation == generation

    with building(settings):
        eventually(reached, within_s=60)
    before = StateView(state).digest()
    wanted = VIEW_KINDS["state"].builder(settings)
    assert built_by(state / "1") == wanted
    sign(state / "1", BuiltBy(projector=wanted.projector - 1, schema=wanted.schema))
    with building(settings):
        assert StateView(state).digest().rows == before.rows, "the old one serves"
        eventually(lambda: live(2), within_s=60)
    assert current_generation(state) == 2
    assert built_by(state / "2") == wanted
    assert StateView(state).digest() == before

    # Asked for, begun, and left by its worker: the next worker makes it live.
    request_build(state, "asked")
    shutil.copytree(state / "2", state / "3")
    with building(settings):
        eventually(lambda: live(3), within_s=60)
    historian.live_on(5)
    with building(settings):
        eventually(reached, within_s=60)
    assert_state_equals_log(state, log.url, log.name)
