"""Reading one's writes: ?wait, min_position, and views that do not come along."""

from __future__ import annotations

import asyncio
import re
import threading
from contextlib import contextmanager

import pytest
from msgspec.structs import replace

from api import waiting
from eventlog.subscription import Checkpoint
from projections.parking import ParkedEvent
from tests.api.service import commit, recalled


@pytest.fixture
def client(service, fresh):
    return service.agent(fresh("hermes"))


@contextmanager
def stuck(monkeypatch, view, position: int = 0):
    """Let the API see the view stand at ``position``, as it does while its worker is away."""
    with monkeypatch.context() as patch:
        patch.setattr(type(view), "checkpoint", lambda self: Checkpoint(position))
        yield


def test_what_wait_answered_can_be_read(client, fresh):
    for _ in range(5):
        receipt = commit(client, fresh("text"), distill=False)
        assert client.get(f"/api/v1/memory/{receipt['memory_id']}").status_code == 200


def test_a_receipts_position_is_enough_to_recall_what_was_written(client):
    receipt = commit(client, "The kettle is descaled with vinegar", wait="false", distill=False)
    [first, *_] = recalled(client, "vinegar kettle", min_position=receipt["position"])
    assert first["content"] == "The kettle is descaled with vinegar"


def test_wait_for_vectors_makes_a_text_found_by_meaning(client):
    commit(client, "Le serveur de sauvegarde est arrêté le dimanche", wait="vectors")
    answer = client.post("/api/v1/recall", json={"query": "when is the backup machine off"})
    assert answer.json()["results"][0]["content"].startswith("Le serveur")


@pytest.mark.parametrize(
    ("name", "pending"), [("state", ["state", "vector"]), ("vector", ["vector"])]
)
def test_a_view_that_does_not_come_along_is_202_with_the_receipt(
    service, client, monkeypatch, name, pending
):
    monkeypatch.setattr(waiting, "COMMAND_WAIT_S", 0.2)
    with stuck(monkeypatch, getattr(service.node, name)):
        answer = client.post("/api/v1/commit", params={"wait": "true"}, json={"content": "x"})
    assert answer.status_code == 202
    assert answer.json()["pending_views"] == pending
    assert client.get(f"/api/v1/episodes/{answer.json()['episode_id']}").status_code == 200


def test_a_position_that_the_views_do_not_reach_is_503_to_be_tried_again(
    service, client, monkeypatch
):
    monkeypatch.setattr(waiting, "RECALL_WAIT_S", 0.2)
    position = commit(client, "x")["position"]
    with stuck(monkeypatch, service.node.state):
        answer = client.post("/api/v1/recall", json={"query": "x", "min_position": position})
    assert answer.status_code == 503
    assert answer.json()["type"].endswith("/view-behind")
    assert answer.headers["Retry-After"] == "1"


def test_a_position_that_the_log_has_not_reached_is_a_fault_of_the_request(client):
    answer = client.post("/api/v1/recall", json={"query": "x", "min_position": 10**12})
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"] == "min_position"


def test_a_digest_beyond_the_logs_end_is_a_fault_of_the_request(service, client, monkeypatch):
    end = commit(client, "x")["position"]

    def digest(at):
        return service.admin.get("/api/v1/admin/digest", params={"at": at})

    for at in (end + 1000, 2**62):
        answer = digest(at)
        assert answer.status_code == 422, answer.text
        (error,) = answer.json()["errors"]
        assert error["field"] == "at"
        assert int(re.search(r"the log ends at (\d+)", error["message"])[1]) in range(end, at)
    behind = replace(service.node.state.digest(), position=end - 1)
    monkeypatch.setattr(type(service.node.state), "digest", lambda self: behind)
    answer = digest(end)
    assert answer.status_code == 503
    assert answer.json()["type"].endswith("/view-behind")


def test_a_digest_of_a_position_that_a_view_has_passed_or_not_come_to_reads_no_row(
    service, client, monkeypatch
):
    node = service.node
    end = commit(client, "x")["position"]

    def read(view):
        raise AssertionError("it read the rows")

    for view in (node.state, node.vector, node.analytics):
        monkeypatch.setattr(type(view), "digest", read)
    passed = service.admin.get("/api/v1/admin/digest", params={"at": 1})
    assert passed.status_code == 422, passed.text
    assert "the state view has passed it" in passed.json()["errors"][0]["message"]
    with stuck(monkeypatch, node.state, end - 1):
        behind = service.admin.get("/api/v1/admin/digest", params={"at": end})
    assert behind.status_code == 503, behind.text
    assert behind.json()["type"].endswith("/view-behind")


def test_a_command_whose_event_a_view_set_aside_says_view_degraded(service, client, monkeypatch):
    def parked(self, first=1, last=None):
        return [
            ParkedEvent(position=first, key="k", type="EpisodeCommitted", cause="poison", reason="")
        ]

    monkeypatch.setattr(type(service.node.state), "parked_events", parked)
    answer = client.post("/api/v1/commit", params={"wait": "true"}, json={"content": "x"})
    assert answer.status_code == 503
    assert answer.json()["type"].endswith("/view-degraded")


def test_many_that_wait_keep_no_other_request_waiting(service, client, monkeypatch):
    monkeypatch.setattr(waiting, "COMMAND_WAIT_S", 30.0)
    waiters = service.node.options.threads * 2
    with stuck(monkeypatch, service.node.vector):
        threads = [
            threading.Thread(
                target=client.post,
                args=("/api/v1/commit",),
                kwargs={"params": {"wait": "true"}, "json": {"content": f"{number}"}},
            )
            for number in range(waiters)
        ]
        for thread in threads:
            thread.start()
        assert client.get("/api/v1/stats").status_code == 200
        assert sum(thread.is_alive() for thread in threads) == waiters
    for thread in threads:
        thread.join()


def test_waiting_ends_at_its_deadline():
    class Never:
        async def run(self, look):
            return look()

    async def wait() -> list[str]:
        return await waiting._wait(Never(), lambda: ["state"], within_s=0.05)

    assert asyncio.run(wait()) == ["state"]
