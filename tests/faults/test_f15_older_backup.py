"""F15: an older backup is restored under views and snapshots that are ahead of it."""

from __future__ import annotations

from pathlib import Path

from domain.memory import MEMORY
from tests.api.service import commit, running_service
from tests.backup.homes import Home, restored_from
from tests.faults.forked import assert_refused, await_health, stored_ids
from tests.servers import LogServer
from tests.view_oracles import assert_view_equals_log
from tests.view_workers import digests, reach
from workers.backup.making import make_backup
from workers.node import view_path
from workers.views import VIEW_KINDS


def test_f15_views_and_snapshots_ahead_of_a_restored_log_give_way_to_its_fold(
    tmp_path: Path,
) -> None:
    with (
        LogServer() as server,
        running_service(server, None, tmp_path / "data", "main") as service,
    ):
        admin, settings = service.admin, service.node.values
        memory = commit(admin, "the pond is deep", namespace="shared", distill=False)["memory_id"]
        vote = {"memory_id": memory}
        position = admin.post("/api/v1/feedback/useful", json=vote).json()["position"]
        reach(settings, position)
        at_backup = digests(settings)
        made = make_backup(settings)
        assert made.position == position
        kept = stored_ids(server)

        for number in range(5):
            commit(admin, f"later {number}", namespace="shared")
        admin.post("/api/v1/feedback/useful", json=vote)
        reach(settings, position + 6)
        application = service.node.application
        application.keep_snapshots({memory: MEMORY.name})
        log = application.event_log
        [version] = log.snapshots(memory)
        with server.client() as client:
            raw = client.hgetall(log.keys.snapshots(memory))
            client.flushall()

        assert_refused(service)
        assert stored_ids(server) == {}
        restored = restored_from(made.path, Home(tmp_path / "new", server.url))
        assert {d.view: d for d in restored.digests} == at_backup
        assert stored_ids(server) == kept

        # The snapshot of the lost history comes back with whoever kept it: it is ignored.
        with server.client() as client:
            client.hset(log.keys.snapshots(memory), mapping=raw)
        assert log.snapshots(memory) == {}
        state = application.load(MEMORY, memory)
        assert state is not None
        assert (state.version, version) == (state.version, state.version + 1)

        await_health(service)
        reach(settings, position)
        assert digests(settings) == at_backup
        for view in VIEW_KINDS:
            assert_view_equals_log(view_path(settings, view), server.url, "main")
        assert commit(admin, "on it goes", namespace="shared")["position"] == position + 1
