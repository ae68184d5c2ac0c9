"""Erasing over HTTP: the receipt, who may, and that no route knows of it any more."""

from __future__ import annotations

import pytest

from tests.api.service import commit

CANARY = "zebrafinch"


def erase(client, key: str | None = None, **target: str):
    headers = {"Idempotency-Key": key} if key else {}
    return client.post("/api/v1/admin/erase", json=target, headers=headers)


@pytest.fixture
def made(service, fresh):
    hermes = service.agent(fresh("hermes"))
    receipt = commit(hermes, f"the {CANARY} sings at dawn", distill=False, tags=[CANARY])
    hermes.post(
        "/api/v1/feedback/correct",
        json={
            "memory_id": receipt["memory_id"],
            "content": f"the {CANARY} sings at dusk",
            "reason": f"{CANARY} was heard",
            "source": "agent_inference",
        },
    )
    return receipt


def test_the_receipt_says_what_went_and_a_repeat_says_the_same(service, made):
    answer = erase(service.admin, "erase-once", memory_id=made["memory_id"])
    assert answer.status_code == 200, answer.text
    receipt = answer.json()
    assert receipt["subjects"] == [f"memory:{made['memory_id']}", f"episode:{made['episode_id']}"]
    assert receipt["memories"] == [made["memory_id"]]
    assert receipt["still_holding"] == receipt["pending_views"] == []
    assert receipt["purged"]["views"] == ["analytics", "state", "vector"]
    assert receipt["purged"]["vectors"] != []
    for key in ("erase-once", "erase-again"):
        repeat = erase(service.admin, key, memory_id=made["memory_id"])
        assert (repeat.status_code, repeat.json()) == (200, receipt | {"duplicate": True})
    other = erase(service.admin, "erase-once", episode_id=made["episode_id"])
    assert other.status_code == 409


def test_no_route_knows_what_was_erased(service, made, fresh):
    assert erase(service.admin, memory_id=made["memory_id"]).status_code == 200
    memory, episode = made["memory_id"], made["episode_id"]
    owner = service.owner
    for answer in (
        owner.get(f"/api/v1/memory/{memory}"),
        owner.get(f"/api/v1/memory/{memory}", params={"as_of_position": made["position"]}),
        owner.get(f"/api/v1/memory/{memory}/versions"),
        owner.get(f"/api/v1/memory/{memory}/provenance"),
        owner.get(f"/api/v1/episodes/{episode}"),
        owner.post(f"/api/v1/memory/{memory}/restore"),
        owner.post(f"/api/v1/memory/{memory}/pin"),
        owner.post(f"/api/v1/memory/{memory}/unpin"),
        owner.post(f"/api/v1/memory/{memory}/tags", json={"tags": ["x"]}),
        owner.delete(f"/api/v1/distilled/{memory}"),
        owner.delete(f"/api/v1/episodes/{episode}"),
        owner.post(f"/api/v1/episodes/{episode}/restore"),
        owner.post("/api/v1/feedback/useful", json={"memory_id": memory}),
        owner.post("/api/v1/feedback/not-useful", json={"memory_id": memory}),
        owner.post("/api/v1/feedback/deprecate", json={"memory_id": memory}),
        owner.post(
            "/api/v1/feedback/correct",
            json={"memory_id": memory, "content": "x", "reason": "x", "source": "owner_edit"},
        ),
    ):
        assert answer.status_code == 404, (answer.request.url, answer.text)
    admin = service.admin
    past = {"as_of_position": str(made["position"])}
    for answer in (
        owner.post("/api/v1/recall", json={"query": f"the {CANARY} sings", "top_k": 50}),
        owner.post(
            "/api/v1/recall",
            json={"query": CANARY, "top_k": 50, "as_of": {"position": made["position"]}},
        ),
        owner.get("/api/v1/memories"),
        owner.get("/api/v1/memories", params=past),
        owner.get("/api/v1/tombstones"),
        owner.get("/api/v1/tags"),
        owner.get("/api/v1/bootstrap"),
        admin.get("/api/v1/admin/audit", params={"memory_id": memory}),
        admin.get("/api/v1/admin/audit", params={"episode_id": episode}),
        admin.post(
            "/api/v1/admin/audit/query",
            json={"sql": f"SELECT * FROM events WHERE body::text LIKE '%{CANARY}%'"},
        ),
    ):
        assert answer.status_code == 200, answer.text
        assert CANARY not in answer.text, answer.request.url


@pytest.mark.parametrize(
    "target",
    [{}, {"memory_id": "?", "episode_id": "?"}, {"agent_id": ""}, {"memory_id": "no uuid"}],
    ids=["none", "two", "no name", "no id"],
)
def test_anything_but_one_thing_is_refused(service, made, target):
    target = {k: made.get(k, v) if v == "?" else v for k, v in target.items()}
    assert erase(service.admin, **target).status_code == 422


def test_an_unknown_thing_is_not_found_and_only_the_admin_may(service, made):
    unknown = "5f2d7b1e-0000-5000-8000-00000000000f"
    for target in ({"memory_id": unknown}, {"episode_id": unknown}, {"agent_id": "nobody-7"}):
        assert erase(service.admin, **target).status_code == 404
    assert erase(service.owner, memory_id=made["memory_id"]).status_code == 403
