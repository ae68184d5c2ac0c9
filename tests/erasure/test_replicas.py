"""An erase that is asked of a replica: done by the primary, and every node clears its files."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from commands.recalls import record_recalls
from eventlog.readers import Readers
from eventlog.redis_log import RedisLog
from eventlog.subscription import Checkpoint
from projections.scratch import scratch_of
from tests.api.service import Service, commit, recalled, running_service
from tests.erasure.searching import files_with, log_with
from tests.servers import LogServer, eventually
from workers import erasure
from workers.erasure import erase_everywhere
from workers.gathering import Gathering
from workers.heartbeat import keep_beating
from workers.log_server import node_id

CANARY = b"quetzalwren"


@pytest.fixture(autouse=True)
def _quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nodes say how they are every 10 s otherwise, and an erase waits 25 s."""
    monkeypatch.setattr("workers.views.Gathering", partial(Gathering, longest_s=0.05))
    quick = partial(keep_beating, every_s=0.2)
    monkeypatch.setattr("workers.projection_worker.keep_beating", quick)
    monkeypatch.setattr(erasure, "erase_everywhere", partial(erase_everywhere, wait_s=4.0))


@pytest.fixture
def recalls_may_be_written(monkeypatch: pytest.MonkeyPatch) -> Iterator[Event]:
    """Until this is set, recalls that were answered do not come into the log."""
    may = Event()

    def written(*batch: Any) -> None:
        may.wait()
        record_recalls(*batch)

    monkeypatch.setattr("workers.node.record_recalls", written)
    yield may
    may.set()


def test_an_erase_through_a_replica_clears_its_old_generations_and_left_overs_too(
    log_server: LogServer, log_name: str, tmp_path: Path, recalls_may_be_written: Event
) -> None:
    with (
        running_service(log_server, None, tmp_path / "primary", log_name) as primary,
        running_service(
            log_server, None, tmp_path / "replica", log_name, role="replica", primary=primary.url
        ) as replica,
    ):
        views = tmp_path / "replica" / "views"
        told = commit(
            replica.admin, f"the {CANARY.decode()} nests", distill=False, tags=["x"], wait="vectors"
        )
        for node in (primary, replica):
            assert recalled(node.admin, CANARY.decode(), min_position=told["position"])
        assert replica.admin.post("/api/v1/admin/rebuild/state").status_code == 202
        eventually(lambda: (views / "state" / "CURRENT").read_text() == "2\n", within_s=60)
        # The old generation stays for a while, for who still reads it.
        assert files_with(views / "state" / "1", CANARY) != {}
        given_up = views / "vector" / "7"
        given_up.mkdir()
        (given_up / "half").write_bytes(CANARY)
        with scratch_of(views / "analytics") as copy:
            (copy / "events").write_bytes(CANARY)
            waits = erase(replica, told["memory_id"])
            assert waits.status_code == 202, waits.text
            own = node_id(tmp_path / "replica")
            assert waits.json()["pending_views"] == [f"analytics of node {own}"]
        answers = [waits]

        def cleared() -> bool:
            answers.append(erase(replica, told["memory_id"]))
            return answers[-1].status_code == 200

        eventually(cleared, within_s=60)
        assert answers[-1].json()["still_holding"] == []
        recalls_may_be_written.set()
        eventually(lambda: served(primary) == served(replica) == 2)
        assert files_with(tmp_path, CANARY) == {}
        assert log_with(log_server.url, log_name, CANARY) == []
        for node in (primary, replica):
            assert node.owner.get(f"/api/v1/memory/{told['memory_id']}").status_code == 404
            assert recalled(node.admin, CANARY.decode()) == []

        with RedisLog(log_server.url, log_name) as log:
            # A node that has read this log once, and is not there to ask.
            seen = replica.node.clock()
            Readers(log).report("a-node-away/state", Checkpoint(), seen)
        other = commit(primary.admin, "another one", distill=False)

        def only_the_one_that_is_away() -> bool:
            # A replica that has not come so far yet is named too.
            held = erase(primary, other["memory_id"]).json()["still_holding"]
            return [one.startswith("node a-node-away: it is not running") for one in held] == [True]

        eventually(only_the_one_that_is_away, within_s=60)


def served(service: Service) -> int:
    """Give how many recalls the node's audit tells of."""
    audited = service.admin.get("/api/v1/admin/audit", params={"type": "RecallServed"})
    return sum(len(item["body"]["recalls"]) for item in audited.json()["items"])


def erase(service: Service, memory_id: str):
    return service.admin.post("/api/v1/admin/erase", json={"memory_id": memory_id}, timeout=60)
