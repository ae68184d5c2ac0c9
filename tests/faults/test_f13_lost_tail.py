"""F13: a replica that lacks the newest events is promoted: no view shows a mixture."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from eventlog.redis_log import RedisLog
from tests.api.service import Service, commit, running_service
from tests.faults.forked import (
    assert_refused,
    await_health,
    positions,
    replicated_servers,
    stored_ids,
)
from tests.histories import Historian
from tests.view_oracles import assert_view_equals_log
from tests.view_workers import digests, reach
from workers.new_epoch import begin_new_epoch
from workers.node import view_path
from workers.views import VIEW_KINDS


def rebuild_each(service: Service) -> None:
    for view in VIEW_KINDS:
        answer = service.admin.post(f"/api/v1/admin/rebuild/{view}")
        assert answer.status_code == 202, answer.text


def new_epoch(service: Service) -> None:
    begun = begin_new_epoch(service.node.values, os.urandom)
    assert begun.parent != begun.epoch


@pytest.mark.parametrize(
    ("reused", "decide"),
    [
        (0, new_epoch),
        (7, rebuild_each),
        pytest.param(7, new_epoch, marks=pytest.mark.slow),
        pytest.param(0, rebuild_each, marks=pytest.mark.slow),
    ],
)
def test_f13_after_a_fail_over_that_lost_events_every_view_stops_until_somebody_decides(
    tmp_path: Path, reused: int, decide
) -> None:
    """``reused``: so many positions of the lost events have others by then."""
    with (
        replicated_servers() as pair,
        running_service(pair, None, tmp_path / "data", "main") as service,
    ):
        commit(service.admin, "the pond is deep", namespace="shared", distill=False)
        last = commit(service.admin, "the ferry waits", namespace="shared")["position"]
        pair.await_replica()
        pair.cut()
        for number in range(5):
            last = commit(service.admin, f"lost {number}", namespace="shared")["position"]
        reach(service.node.values, last)
        before = digests(service.node.values)
        acknowledged = stored_ids(pair.primary)

        pair.fail_over()
        with RedisLog(pair.replica.url, "main") as log:
            for number in range(reused):
                Historian(log, seed=number).commit(f"other {number}")
        found = stored_ids(pair.replica)
        lost = [p for p, event_id in acknowledged.items() if found.get(p) != event_id]
        assert lost == list(range(last - 4, last + 1)), "the ledger names the five"

        assert_refused(service)
        assert positions(service) == dict.fromkeys(VIEW_KINDS, last)
        assert digests(service.node.values) == before, "nothing was applied"
        assert stored_ids(pair.replica) == found, "nothing was stored"

        decide(service)
        await_health(service)
        settings = service.node.values
        for view in VIEW_KINDS:
            assert_view_equals_log(view_path(settings, view), pair.url, "main")
        again = commit(service.admin, "the ferry has left", namespace="shared")
        assert again["position"] == len(found) + 1
        texts = [e["content"] for e in service.admin.get("/api/v1/memories").json()["items"]]
        assert texts == ["the pond is deep"]
