"""What became of episodes, and what bears memories out, over HTTP."""

from __future__ import annotations

from uuid import uuid4

import pytest

from tests.api.distilling import Distilling, items
from tests.api.service import commit, recalled, sent


@pytest.fixture(scope="module")
def distilling(service) -> Distilling:
    return Distilling(service)


@pytest.fixture
def main(fresh) -> str:
    return f"{fresh('distilled')}-main"


@pytest.fixture
def client(service, fresh, main):
    return service.agent(fresh("hermes"), namespace=main)


def redistil(client, **body):
    headers = {"Idempotency-Key": uuid4().hex}
    answer = client.post("/api/v1/admin/redistil", json=body, headers=headers)
    return answer.status_code, answer.json()


def status_of(client, episode: str) -> tuple[str, str | None]:
    told = client.get(f"/api/v1/episodes/{episode}").json()
    return told["status"], told["reason"]


def test_an_episode_says_what_became_of_it_and_the_queue_how_many_wait(client, distilling):
    before = client.get("/api/v1/stats").json()  # what others said in the shared namespace
    became, empty, broken, waits = (
        commit(client, text)["episode_id"]
        for text in ("Ravelin listens on 7001.", "good morning", "a long story", "another one")
    )
    [memory] = distilling.distil(became, "Ravelin listens on 7001.")
    distilling.distil(empty)
    distilling.fail(broken, "the model gave no JSON")
    assert status_of(client, became) == ("distilled", None)
    assert status_of(client, empty) == ("skipped", "nothing_found")
    assert status_of(client, broken) == ("failed", "the model gave no JSON")
    assert status_of(client, waits) == ("pending", None)
    stats = client.get("/api/v1/stats").json()
    for status in ("distilled", "skipped", "failed", "pending"):
        assert stats["distillation"][status] == before["distillation"].get(status, 0) + 1
    then, now = before["queue"], stats["queue"]
    grown = (now["waiting"] - then["waiting"], now["failed"] - then["failed"])
    assert grown == (2, 1)
    stored = client.get(f"/api/v1/episodes/{broken}").json()["recorded_at"]
    assert now["oldest_at"] == (then["oldest_at"] or stored)

    distilling.distil(broken, "The story is long.")
    assert status_of(client, broken) == ("distilled", None)
    detail = client.get(f"/api/v1/memory/{memory}").json()
    shown = {name: detail[name] for name in ("evidence", "clarity", "distilled_by", "trust")}
    assert shown == {
        "evidence": "Ravelin listens on 7001.",
        "clarity": 0.75,
        "distilled_by": "rules",
        "trust": 0.5,
    }


def test_a_memory_that_is_seen_again_and_borne_out_twice_says_so(client, distilling):
    said = "Owlbeck is written in Zig."
    first = commit(client, said, source="config_parse")["episode_id"]
    [memory] = distilling.distil(first, said)
    again = commit(client, "As said: Owlbeck is written in Zig.")["episode_id"]
    assert distilling.distil(again, said) == [memory]
    proofs = [
        commit(client, f"Owlbeck came up, time {number}.", session_id=f"s-{number}")["episode_id"]
        for number in (1, 2)
    ]
    distilling.verify(proofs[0], memory)
    detail = client.get(f"/api/v1/memory/{memory}").json()
    assert (detail["observations"], detail["verifications"], detail["trust"]) == (2, 1, 0.5)
    assert detail["confidence"] == pytest.approx(1.0)
    distilling.verify(proofs[1], memory)
    detail = client.get(f"/api/v1/memory/{memory}").json()
    assert (detail["verifications"], detail["trust"]) == (2, 0.7)
    [found] = recalled(client, said, layers=["memory"], min_position=distilling.position)
    assert (found["id"], found["trust"], found["warnings"]) == (memory, 0.7, [])

    told = client.get(f"/api/v1/memory/{memory}/provenance").json()
    assert [(one["episode_id"], one["match"], one["delta"]) for one in told["reinforcements"]] == [
        (again, "exact", 0.1)
    ]
    shown = [(one["episode_id"], one["session_id"], one["rule"]) for one in told["verifications"]]
    assert shown == [(proofs[0], "s-1", "P1"), (proofs[1], "s-2", "P1")]
    assert told["evidence"] == said
    assert (told["settled"], told["hidden_sources"]) == (None, 0)


def test_redistilling_puts_new_memories_in_the_place_of_old_ones(service, client, main, distilling):
    said = "Hobwell runs on port 8800 and Hobwell was rebuilt in March."
    episode = commit(client, said)["episode_id"]
    [old] = distilling.distil(episode, "Hobwell was rebuilt.", evidence=said)
    assert redistil(client, episode_ids=[episode])[0] == 403
    assert redistil(service.owner, episode_ids=[episode])[0] == 403
    assert redistil(service.admin, episode_ids=[episode], namespace=main)[0] == 422
    assert redistil(service.admin)[0] == 422
    status, receipt = redistil(service.admin, episode_ids=[episode], reason="better rules")
    assert (status, receipt["episode_ids"]) == (200, [episode])
    distilling.shown(receipt["position"])
    assert status_of(client, episode) == ("pending", "better rules")
    assert {one["id"] for one in recalled(client, "Hobwell", layers=["memory"])} == {old}

    [new] = distilling.distil(episode, "Hobwell was rebuilt in March.", evidence=said)
    assert status_of(client, episode) == ("distilled", None)
    assert client.get(f"/api/v1/episodes/{episode}").json()["memory_ids"] == [new]
    found = recalled(client, "Hobwell", min_position=distilling.position)
    assert {one["id"] for one in found} == {new}
    # Nobody has said that the episode is wrong: alone, it is found as before.
    alone = recalled(client, "Hobwell port 8800", layers=["episode"])
    assert [(one["id"], one["warnings"]) for one in alone] == [(episode, [])]
    ended = client.get(f"/api/v1/memory/{old}/provenance").json()["ended"]
    assert (ended["by"], ended["superseded_by"]) == ("redistilled", new)
    assert client.get(f"/api/v1/memory/{old}/versions").json()["items"][0]["content"] == (
        "Hobwell was rebuilt."
    )


def test_a_namespace_is_redistilled_batch_by_batch(service, client, main, distilling):
    episodes = [commit(client, f"Entry {number} of Wicker.")["episode_id"] for number in range(3)]
    for episode in episodes[:2]:
        distilling.distil(episode, f"{episode} is an entry of Wicker.")
    state, now = service.node.state, service.node.clock()
    batch = state.distillable_again(main, now=now, up_to=None, limit=1)
    assert (batch.ids, batch.remaining) == (episodes[:1], 1)
    status, receipt = redistil(service.admin, namespace=main)
    assert (status, receipt["episode_ids"], receipt["remaining"]) == (200, episodes[:2], 0)
    distilling.shown(receipt["position"])
    assert [status_of(client, episode)[0] for episode in episodes] == ["pending"] * 3
    distilling.distil(episodes[0], "Wicker has entries.")
    # What has come to an end since belongs to no further batch of the same run.
    again = redistil(service.admin, namespace=main, up_to=receipt["up_to"])[1]
    assert (again["episode_ids"], again["remaining"]) == ([], 0)


def test_a_tag_has_the_level_that_it_was_given(client):
    ids = [
        commit(client, f"Tag level sentence {number}", distill=False, tags=["mine"])["memory_id"]
        for number in (1, 2, 3)
    ]

    def levels() -> dict[str, str]:
        return {item["tag"]: item["level"] for item in items(client, "/tags")}

    assert levels() == {"mine": "project"}
    body = {"tags": ["mine", "tea"], "level": "user"}
    sent(client, "POST", f"/api/v1/memory/{ids[0]}/tags", "true", body)
    assert levels() == {"mine": "user", "tea": "user"}
    # A tag that stays keeps its level; one memory against two decides.
    sent(client, "POST", f"/api/v1/memory/{ids[0]}/tags", "true", {"tags": ["mine", "new"]})
    assert levels() == {"mine": "user", "new": "project"}
    for memory in ids[1:]:
        level = {"tags": ["mine"], "level": "project"}
        sent(client, "POST", f"/api/v1/memory/{memory}/tags", "true", level)
    assert levels() == {"mine": "project", "new": "project"}
    brief = client.get("/api/v1/brief").json()
    assert {item["tag"]: item["count"] for item in brief["project"]} == {"mine": 3, "new": 1}
