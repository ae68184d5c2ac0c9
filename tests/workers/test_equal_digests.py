"""Two nodes at one position have equal digests of every view, however each came there."""

from __future__ import annotations

from pathlib import Path

from eventlog.redis_log import RedisLog
from projections.build_request import read_build_status, request_build
from tests.histories import Historian
from tests.servers import LogServer, eventually
from tests.view_oracles import assert_view_equals_log, seed_cache, vector_rows
from tests.view_workers import building, digests, reach
from tests.workers.rebuilding_process import settings_of
from workers.node import view_path
from workers.settings import Settings, resolve
from workers.views import VIEW_KINDS


def without_embedder(data: Path, url: str, log: str) -> Settings:
    """Give the settings of a node whose embedding server does not answer."""
    environment = {"REDIS_URL": url, "EMBED_ENDPOINT": "http://127.0.0.1:9"}
    return resolve({"data": str(data), "log": log}, environment).settings


def test_a_node_that_lived_it_one_that_read_it_and_a_rebuilt_one_have_equal_digests(
    log_server: LogServer, log: RedisLog, tmp_path: Path
) -> None:
    historian = Historian(log, seed=14)
    one = settings_of(tmp_path / "one", log_server.url, log.name)
    other = without_embedder(tmp_path / "other", log_server.url, log.name)
    with building(one):
        for _ in range(6):
            historian.live_on(12)
            seed_cache(one, log)
            reach(one, historian.position, ("state", "vector"))
        with building(other):
            for node in (one, other):
                reach(node, historian.position)
        lived = digests(one)
        assert digests(other) == lived
        assert any(row.vector is not None for row in vector_rows(view_path(one, "vector")))
        assert all(row.vector is None for row in vector_rows(view_path(other, "vector")))

        for view in VIEW_KINDS:
            request_build(view_path(one, view), "asked")

        def all_are_live() -> bool:
            built = [read_build_status(view_path(one, view)) for view in VIEW_KINDS]
            return all(status is not None and status.state == "live" for status in built)

        eventually(all_are_live, within_s=60)
        assert digests(one) == lived
    for node in (one, other):
        for view in VIEW_KINDS:
            assert_view_equals_log(view_path(node, view), log.url, log.name)
