"""F6: the log server's data is gone. It never begins again at position 1 by itself."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from eventlog.outcomes import LogFork
from tests.api.service import commit, running_service
from tests.backup.homes import Home, restored_from
from tests.faults.forked import assert_refused, await_health, lose_data, stored_ids
from tests.servers import LogServer
from tests.view_oracles import assert_view_equals_log
from tests.view_workers import digests, reach
from workers.backup.making import make_backup
from workers.keys import ensure_keys
from workers.log_server import followed_epoch, guard_log
from workers.new_epoch import begin_new_epoch
from workers.node import open_node, view_path
from workers.settings import resolve
from workers.views import VIEW_KINDS


@pytest.fixture
def own_server() -> Iterator[LogServer]:
    """A log server that a test may damage."""
    with LogServer() as server:
        yield server


def test_f06_a_log_whose_data_is_lost_takes_nothing_until_somebody_decides(
    own_server: LogServer, tmp_path: Path
) -> None:
    with running_service(own_server, None, tmp_path / "data", "main") as service:
        commit(service.admin, "the pond is deep", namespace="shared", distill=False)
        reach(service.node.values, commit(service.admin, "x", namespace="shared")["position"])
        before = digests(service.node.values)

        lose_data(own_server)
        assert_refused(service)
        assert digests(service.node.values) == before
        assert stored_ids(own_server) == {}
        refused = service.admin.post("/api/v1/admin/rebuild/state")
        assert refused.status_code == 503, "there is no history to build from"
        assert "the log is empty" in refused.json()["detail"]

        begun = begin_new_epoch(service.node.values, os.urandom)
        assert begun.position == 0
        await_health(service)
        assert service.admin.get("/api/v1/memories").json()["items"] == []
        assert commit(service.admin, "the first", namespace="shared")["position"] == 1


def test_f06_a_node_that_starts_on_a_lost_log_says_so_and_a_restore_ends_it(
    own_server: LogServer, tmp_path: Path
) -> None:
    with running_service(own_server, None, tmp_path / "data", "main") as service:
        commit(service.admin, "the pond is deep", namespace="shared", distill=False)
        last = commit(service.admin, "the ferry waits", namespace="shared")["position"]
        reach(service.node.values, last)
        made = make_backup(service.node.values)
        before = digests(service.node.values)
    lose_data(own_server)
    ring = ensure_keys(resolve({"data": str(tmp_path / "data")}, {"REDIS_URL": own_server.url}))
    with pytest.raises(LogFork, match="none: it is empty"):
        guard_log(ring.resolved.settings, "writer")
    with open_node(ring) as node:
        assert "memoryweave restore" in node.refusal()
        assert node.health().status == "unavailable"
        followed = followed_epoch(node.values.data)
        restored = restored_from(made.path, Home(tmp_path / "new", own_server.url))
        assert (restored.position, restored.parent) == (last, followed)

    # The old node knows by the log's word where the new epoch comes from.
    with running_service(own_server, None, tmp_path / "data", "main") as service:
        await_health(service)
        reach(service.node.values, last)
        assert digests(service.node.values) == before
        for view in VIEW_KINDS:
            assert_view_equals_log(view_path(service.node.values, view), own_server.url, "main")
        assert commit(service.admin, "next", namespace="shared")["position"] == last + 1
