"""A memory's story over HTTP: corrected, deleted, restored, and found or not found accordingly."""

from __future__ import annotations

import pytest

from tests.api.service import commit, recalled, sent

LAYERS = (["memory", "episode"], ["memory"], ["episode"])


@pytest.fixture
def client(service, fresh):
    return service.agent(fresh("hermes"))


def found_texts(client, query: str, position: int) -> set[str]:
    """Give every text that any combination of layers finds; the views show ``position``."""
    return {
        result["content"]
        for layers in LAYERS
        for result in recalled(
            client, query, layers=layers, min_position=position, namespaces=None, top_k=50
        )
        if "superseded" not in result["warnings"] and "memory_deleted" not in result["warnings"]
    }


def correct(client, memory: str, content: str, **fields):
    body = {"memory_id": memory, "content": content, **fields}
    return sent(client, "POST", "/api/v1/feedback/correct", "vectors", body)


def test_a_memory_corrected_twice_is_found_by_its_newest_text_only(client):
    first = "The Grafana dashboard listens on port 3000"
    second = "The Grafana dashboard listens on port 3100"
    third = "The Grafana dashboard listens on port 3200"
    receipt = commit(
        client, first, wait="vectors", distill=False, source="config_parse", trigger="compose file"
    )
    memory = receipt["memory_id"]
    moved = correct(client, memory, second, reason="moved", source="owner_message", trigger="chat")
    assert moved["version"] == 2
    last = correct(client, memory, third, reason="moved again", expected_version=2)
    assert last["version"] == 3

    for query in (first, second, third, "port 3000", "port 3100", "Grafana"):
        assert found_texts(client, query, last["position"]) & {first, second} == set()
        assert third in found_texts(client, query, last["position"])

    items = client.get(f"/api/v1/memory/{memory}/versions").json()["items"]
    told = [(i["version"], i["content"], i["source"], i["reason"], i["trigger"]) for i in items]
    assert told == [
        (1, first, "config_parse", None, "compose file"),
        (2, second, "owner_message", "moved", "chat"),
        (3, third, "agent_inference", "moved again", None),
    ]
    assert items[0]["position"] < items[1]["position"] < items[2]["position"] <= last["position"]
    assert client.get(f"/api/v1/memory/{memory}").json()["content"] == third
    # The episode keeps what was said; it is history, not an answer.
    episode = client.get(f"/api/v1/episodes/{receipt['episode_id']}").json()
    assert episode["content"] == first


def test_a_superseded_episode_is_shown_only_when_episodes_alone_are_asked_for(client):
    receipt = commit(client, "The NAS stands in the cellar", wait="vectors", distill=False)
    last = correct(client, receipt["memory_id"], "The NAS stands in the attic")
    fields = {"min_position": last["position"], "top_k": 50}
    both = recalled(client, "Where is the NAS", **fields)
    assert receipt["episode_id"] not in {result["id"] for result in both}
    history = recalled(client, "Where is the NAS", layers=["episode"], **fields)
    for result in history:
        if result["id"] == receipt["episode_id"]:
            assert "superseded" in result["warnings"]


@pytest.mark.parametrize("distill", [False, True])
def test_what_was_deleted_is_not_recalled_but_a_tombstone_and_can_be_restored(client, distill):
    text = "The key to the shed hangs behind the blue door"
    receipt = commit(client, text, wait="vectors", distill=distill)
    thing = receipt["episode_id"] if distill else receipt["memory_id"]
    place = f"/api/v1/{'episodes' if distill else 'distilled'}/{thing}"
    assert text in found_texts(client, "Where is the key to the shed", receipt["position"])

    position = sent(client, "DELETE", place, "true")["position"]
    assert text not in found_texts(client, "Where is the key to the shed", position)
    tombstones = client.get("/api/v1/tombstones").json()["items"]
    assert [(t["id"], t["content"], t["state"]) for t in tombstones if t["id"] == thing] == [
        (thing, text, "tombstone")
    ]

    route = "episodes" if distill else "memory"
    restored = sent(client, "POST", f"/api/v1/{route}/{thing}/restore", "vectors")
    assert text in found_texts(client, "Where is the key to the shed", restored["position"])
    left = client.get("/api/v1/tombstones").json()["items"]
    assert thing not in [tombstone["id"] for tombstone in left]


def test_deleting_an_episode_takes_the_memory_that_rests_on_it_alone(client):
    text = "The printer needs the A4 tray pulled out"
    receipt = commit(client, text, wait="vectors", distill=False)
    answer = client.delete(f"/api/v1/episodes/{receipt['episode_id']}", params={"wait": "true"})
    assert answer.json()["memory_ids"] == [receipt["memory_id"]]
    assert found_texts(client, text, answer.json()["position"]) == set()
    assert client.get(f"/api/v1/memory/{receipt['memory_id']}").json()["state"] == "tombstone"
    assert client.get(f"/api/v1/episodes/{receipt['episode_id']}").json()["status"] == "deleted"


def test_the_authors_deprecation_ends_a_memory_and_a_strangers_is_two_votes(service, fresh):
    author, other = service.agent(fresh("hermes")), service.agent(fresh("hermes"))
    memory = commit(author, fresh("shared fact"), namespace="shared", distill=False)["memory_id"]
    vote = {"memory_id": memory, "reason": "wrong"}
    answer = other.post("/api/v1/feedback/deprecate", json=vote, params={"wait": "true"})
    assert answer.status_code == 200
    detail = author.get(f"/api/v1/memory/{memory}").json()
    assert (detail["state"], detail["not_useful_count"]) == ("live", 2)
    author.post("/api/v1/feedback/deprecate", json=vote, params={"wait": "true"})
    assert author.get(f"/api/v1/memory/{memory}").json()["state"] == "tombstone"
