"""The log or the volatile store is gone, a view is damaged: what goes on, and what says 503."""

from __future__ import annotations

import shutil
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.api.service import commit, running_service
from tests.servers import LogServer, eventually


@pytest.fixture
def log_of_its_own():
    with LogServer() as server:
        yield server


@pytest.fixture
def volatile_of_its_own():
    with LogServer(appendonly="no") as server:
        yield server


def test_without_the_log_commands_are_503_and_reads_go_on(
    log_of_its_own, volatile_server, tmp_path, monkeypatch
):
    with running_service(log_of_its_own, volatile_server, tmp_path, "main") as service:
        client = service.agent("hermes-1")
        receipt = commit(client, "The lamp is dimmed at ten", wait="vectors", distill=False)
        log_of_its_own.kill()
        monkeypatch.setattr(service.node.application.event_log, "_deadline_s", 0.3, raising=False)

        answer = client.post(
            "/api/v1/commit", json={"content": "x"}, headers={"Idempotency-Key": "k"}
        )
        assert answer.status_code == 503
        assert answer.json()["type"].endswith("/log-unavailable")
        assert answer.headers["Retry-After"] == "1"
        assert client.get(f"/api/v1/memory/{receipt['memory_id']}").status_code == 200
        assert client.get("/api/v1/stats").json()["memories"] == 1
        recall = client.post("/api/v1/recall", json={"query": "when is the lamp dimmed"})
        assert recall.json()["results"][0]["id"] == receipt["memory_id"]
        assert service.client("mw_hermes-1.wrong").get("/api/v1/stats").status_code == 503

        log_of_its_own.start()
        eventually(
            lambda: (
                client.post(
                    "/api/v1/commit", json={"content": "x"}, headers={"Idempotency-Key": "k"}
                ).status_code
                == 201
            )
        )
        stats = client.get("/api/v1/stats")
        assert stats.status_code == 200


def test_while_the_log_hangs_reads_do_not_wait_behind_commands(
    log_of_its_own, volatile_server, tmp_path
):
    with running_service(log_of_its_own, volatile_server, tmp_path, "main") as service:
        client = service.agent("hermes-1")
        receipt = commit(client, "The lamp is dimmed at ten", wait="vectors", distill=False)
        most = service.node.options.threads + 1
        with ThreadPoolExecutor(most) as senders:
            log_of_its_own.pause()
            try:
                commands = [
                    senders.submit(client.post, "/api/v1/commit", json={"content": f"{n}"})
                    for n in range(most)
                ]
                eventually(lambda: all(command.running() for command in commands))
                recall = client.post("/api/v1/recall", json={"query": "when is the lamp dimmed"})
                unanswered = sum(not command.done() for command in commands)
            finally:
                log_of_its_own.resume()
        assert recall.json()["results"][0]["id"] == receipt["memory_id"]
        assert unanswered == most


def test_without_the_volatile_store_limits_are_kept_per_process(
    log_server, volatile_of_its_own, tmp_path
):
    quota = {"recall_per_s": 1, "recall_burst": 2, "commit_per_s": 0.01, "commit_burst": 2}
    with running_service(log_server, volatile_of_its_own, tmp_path, "no-volatile") as service:
        client = service.agent("cron-1", quota=quota)
        volatile_of_its_own.kill()
        statuses = [
            client.post("/api/v1/commit", json={"content": f"{n}"}).status_code for n in range(3)
        ]
        assert statuses == [201, 201, 429]
        [agent] = service.admin.get("/api/v1/agents").json()["items"]
        assert agent["last_used_at"] is not None


def test_a_damaged_vector_view_makes_recall_poorer_not_an_error(
    log_server, volatile_server, tmp_path
):
    with running_service(log_server, volatile_server, tmp_path, "damaged") as service:
        client = service.agent("hermes-1")
        receipt = commit(client, "The gate code is 2290", wait="vectors", distill=False)
        shutil.rmtree(tmp_path / "views" / "vector" / "1")
        for fields in ({}, {"min_position": receipt["position"]}):
            answer = client.post("/api/v1/recall", json={"query": "gate code", **fields})
            assert answer.status_code == 200, answer.text
            body = answer.json()
            assert body["results"][0]["id"] == receipt["memory_id"]
            # Hybrid once the view was built again, which happens by itself.
            assert (body["level"], body["degraded"] != []) in {("scan", True), ("hybrid", False)}
        eventually(
            lambda: (
                client.post("/api/v1/recall", json={"query": "gate code"}).json()["level"]
                == "hybrid"
            ),
            within_s=30,
            every_s=0.1,
        )
        assert service.admin.get("/api/v1/admin/projections").status_code == 200
