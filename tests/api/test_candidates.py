"""Candidates over HTTP: shown to whom they concern, recalled by nobody until the owner says so."""

from __future__ import annotations

from uuid import uuid4

import pytest

from tests.api.distilling import Distilling, items
from tests.api.service import commit, recalled, sent
from tests.servers import eventually

UNKNOWN = "5f2d7b1e-0000-5000-8000-00000000000a"


@pytest.fixture(scope="module")
def distilling(service) -> Distilling:
    return Distilling(service)


@pytest.fixture
def main(fresh) -> str:
    return f"{fresh('waiting')}-main"


@pytest.fixture
def client(service, fresh, main):
    return service.agent(fresh("hermes"), namespace=main)


def asked(client, path: str, body: dict):
    headers = {"Idempotency-Key": uuid4().hex}
    return client.post(f"/api/v1{path}", json=body, headers=headers, params={"wait": "true"})


def memories_found(client, query: str, position: int, **more) -> set[str]:
    found = recalled(client, query, layers=["memory"], min_position=position, top_k=50, **more)
    return {result["id"] for result in found}


SAID = "Listen: the release tarball of Quillwort is signed with key 0x5E11, so much is sure."
STATED = "The release tarball of Quillwort is signed with key 0x5E11."


def test_a_candidate_is_listed_with_its_evidence_and_recalled_by_nobody(client, main, distilling):
    before = client.get("/api/v1/stats").json()["candidates"]
    episode = commit(client, SAID, source="owner_message", session_id="s-1")["episode_id"]
    [candidate] = distilling.distil(episode, STATED, settle="confirm", evidence=SAID[8:65])

    [item] = items(client, "/candidates", namespace=main)
    shown = (item["id"], item["content"], item["clarity"], item["evidence"], item["observations"])
    assert shown == (candidate, STATED, 0.75, SAID[8:65], 1)
    assert (item["derived_from"], item["trust"]) == ([episode], 0.5)
    assert client.get(f"/api/v1/memory/{candidate}").json()["state"] == "candidate"
    assert [one["id"] for one in items(client, "/memories", state="candidate")] == [candidate]
    told = client.get(f"/api/v1/episodes/{episode}").json()
    assert (told["status"], told["memory_ids"]) == ("distilled", [candidate])
    assert client.get("/api/v1/stats").json()["candidates"] == before + 1

    assert memories_found(client, STATED, distilling.position) == set()
    assert items(client, "/memories", namespace=main) == []
    [found] = [one["id"] for one in recalled(client, STATED, namespaces=[main])]
    assert found == episode


def test_what_the_owner_settles_is_recalled_from_there_on_and_worth_its_source(
    service, client, main, distilling
):
    said = commit(client, "Bramblewick backs up to the vault at four.", source="owner_message")
    [candidate] = distilling.distil(
        said["episode_id"], "Bramblewick backs up to the vault at four.", settle="confirm"
    )
    before = distilling.position
    query = "when does Bramblewick back up"
    assert memories_found(client, query, before) == set()
    body_of_it = {"query": query, "layers": ["memory"]}
    # Nothing is kept while a vector is missing.
    eventually(lambda: client.post("/api/v1/recall", json=body_of_it).json()["cached"])
    assert client.post("/api/v1/recall", json=body_of_it).json()["results"] == []
    assert asked(client, "/candidates/settle", {"memory_ids": [candidate]}).status_code == 403

    body = {"memory_ids": [candidate]}
    settled = sent(service.owner, "POST", "/api/v1/candidates/settle", "vectors", body)
    assert settled["memory_ids"] == [candidate]
    assert memories_found(client, query, settled["position"]) == {candidate}
    now = client.post("/api/v1/recall", json=body_of_it).json()["results"]
    assert [(one["id"], one["trust"]) for one in now] == [(candidate, 0.95)]
    detail = client.get(f"/api/v1/memory/{candidate}").json()
    assert (detail["state"], detail["version"], detail["trust"]) == ("live", 1, 0.95)
    assert detail["settled_at"] is not None
    assert items(client, "/candidates", namespace=main) == []
    then = client.get(f"/api/v1/memory/{candidate}", params={"as_of_position": before}).json()
    assert (then["state"], then["trust"], then["settled_at"]) == ("candidate", 0.5, None)
    assert memories_found(client, query, before, as_of={"position": before}) == set()
    told = client.get(f"/api/v1/memory/{candidate}/provenance").json()
    assert told["settled"]["by"] == "owner"
    assert told["evidence"] == "Bramblewick backs up to the vault at four."


def test_what_the_owner_settles_in_other_words_says_those(service, client, distilling):
    first, second = "Mirefold runs on nine nodes.", "Mirefold runs on nine nodes in two racks."
    episode = commit(client, first)["episode_id"]
    [candidate] = distilling.distil(episode, first, settle="confirm")
    body = {"memory_ids": [candidate], "content": second}
    settled = sent(service.owner, "POST", "/api/v1/candidates/settle", "vectors", body)
    found = recalled(client, "Mirefold nodes", min_position=settled["position"])
    assert [(one["id"], one["content"], one["source"]) for one in found] == [
        (candidate, second, "owner_edit")
    ]
    versions = client.get(f"/api/v1/memory/{candidate}/versions").json()["items"]
    assert [(one["content"], one["updated_by"]) for one in versions][1] == (second, "owner")


def test_a_dismissed_candidate_is_found_in_no_layer_and_can_come_back(service, client, distilling):
    said = "Cindermoor keeps its logs for ninety days."
    episode = commit(client, said)["episode_id"]
    [candidate] = distilling.distil(episode, said, settle="confirm")
    body = {"memory_ids": [candidate], "reason": "only a guess"}
    assert asked(client, "/candidates/dismiss", body).status_code == 403
    gone = sent(service.owner, "POST", "/api/v1/candidates/dismiss", "vectors", body)
    assert recalled(client, "Cindermoor logs", min_position=gone["position"]) == []
    end = client.get(f"/api/v1/memory/{candidate}/provenance").json()["ended"]
    assert (end["by"], end["reason"]) == ("dismissed", "only a guess")
    assert candidate in {one["id"] for one in items(client, "/tombstones")}

    back = sent(service.owner, "POST", f"/api/v1/memory/{candidate}/restore", "vectors")
    assert [one["id"] for one in items(client, "/candidates")] == [candidate]
    found = recalled(client, "Cindermoor logs", min_position=back["position"])
    assert [one["id"] for one in found] == [episode]


def test_a_batch_is_settled_whole_or_not_at_all(service, client, distilling):
    said = "Thornby answers on port 9443. Thornby was moved in May."
    episode = commit(client, said)["episode_id"]
    two = distilling.distil(
        episode, "Thornby answers on port 9443.", "Thornby was moved in May.", settle="confirm"
    )
    for path in ("/candidates/settle", "/candidates/dismiss"):
        refused = asked(service.owner, path, {"memory_ids": [two[0], UNKNOWN]})
        assert refused.status_code == 404
    wordy = {"memory_ids": two, "content": "Thornby answers on port 9444."}
    assert asked(service.owner, "/candidates/settle", wordy).status_code == 422
    assert {one["id"] for one in items(client, "/candidates")} == set(two)
    assert asked(service.owner, "/candidates/settle", {"memory_ids": two}).status_code == 200
    assert items(client, "/candidates") == []


def test_pages_of_candidates_follow_each_other(client, main, distilling):
    statements = [f"Shelf {number} of the Oldacre store is full." for number in (1, 2, 3)]
    episode = commit(client, " ".join(statements))["episode_id"]
    made = distilling.distil(episode, *statements, settle="confirm")
    first = client.get("/api/v1/candidates", params={"namespace": main, "limit": 2}).json()
    rest = {"namespace": main, "limit": 2, "cursor": first["next"]}
    second = client.get("/api/v1/candidates", params=rest).json()
    listed = [one["id"] for one in first["items"] + second["items"]]
    assert (listed, second["next"]) == (made[::-1], None)


def test_candidates_of_others_are_not_listed(service, client, main, fresh, distilling):
    other = service.agent(fresh("hermes"), namespace=f"{fresh('other')}-main")
    episode = commit(client, "Vexley is the name of the staging host.")["episode_id"]
    distilling.distil(episode, "Vexley is the name of the staging host.", settle="confirm")
    assert items(other, "/candidates") == []
    assert other.get("/api/v1/candidates", params={"namespace": main}).status_code == 403
    assert len(items(service.owner, "/candidates", namespace=main)) == 1
