"""Every command's and question's ordinary case, read back through the views."""

from __future__ import annotations

import pytest

from memoryweave import Client
from tests.api.service import commit, recalled
from tests.servers import eventually


@pytest.fixture
def client(service, fresh):
    return service.agent(fresh("hermes"))


WAIT = {"wait": "true"}


def test_a_commit_is_an_episode_and_a_statement_a_memory(client, fresh):
    said = commit(client, fresh("we talked about ports"), session_id="s-1", speaker="owner")
    assert said["memory_id"] is None
    episode = client.get(f"/api/v1/episodes/{said['episode_id']}").json()
    assert (episode["speaker"], episode["session_id"], episode["status"]) == (
        "owner",
        "s-1",
        "pending",
    )
    known = commit(client, fresh("the port is 7821"), distill=False, tags=["port"], category="fact")
    memory = client.get(f"/api/v1/memory/{known['memory_id']}").json()
    assert memory["derived_from"] == [known["episode_id"]]
    assert (memory["tags"], memory["category"], memory["state"]) == (["port"], "fact", "live")
    assert memory["recorded_at"].endswith("Z")


def test_an_exact_repeat_reinforces_and_names_the_old_memory(client, fresh):
    text = fresh("the port is 7821")
    first = commit(client, text, distill=False)
    again = commit(client, f"  {text} ", distill=False)
    assert (again["memory_id"], again["reinforced"]) == (first["memory_id"], True)
    assert again["episode_id"] != first["episode_id"]
    assert client.get(f"/api/v1/memory/{first['memory_id']}").json()["observations"] == 2


def test_a_batch_is_stored_whole_in_its_order_or_not_at_all(client, fresh):
    entries = [{"content": fresh("entry"), "distill": number % 2 == 0} for number in range(5)]
    answer = client.post("/api/v1/batch-commit", params=WAIT, json={"entries": entries})
    assert answer.status_code == 201
    results = answer.json()["results"]
    assert [result["memory_id"] is None for result in results] == [True, False, True, False, True]
    for entry, result in zip(entries, results, strict=True):
        episode = client.get(f"/api/v1/episodes/{result['episode_id']}").json()
        assert episode["content"] == entry["content"]
    before = client.get("/api/v1/stats").json()
    bad = [*entries, {"content": "x", "namespace": "not-mine"}]
    assert client.post("/api/v1/batch-commit", json={"entries": bad}).status_code == 403
    assert client.get("/api/v1/stats").json()["episodes"] == before["episodes"]


def test_votes_are_counted(client, fresh):
    memory = commit(client, fresh("fact"), distill=False)["memory_id"]
    for route in ("useful", "useful", "not-useful"):
        answer = client.post(
            f"/api/v1/feedback/{route}", params=WAIT, json={"memory_id": memory, "reason": "r"}
        )
        assert answer.status_code == 200
    detail = client.get(f"/api/v1/memory/{memory}").json()
    assert (detail["useful_count"], detail["not_useful_count"]) == (2, 1)
    assert detail["quality"] == pytest.approx(2 / 3)


def test_tags_are_set_as_a_whole_and_counted(client, fresh):
    memory = commit(client, fresh("fact"), distill=False, tags=["old"])["memory_id"]
    tag = fresh("tag")
    answer = client.post(f"/api/v1/memory/{memory}/tags", params=WAIT, json={"tags": [tag]})
    assert answer.status_code == 200
    assert client.get(f"/api/v1/memory/{memory}").json()["tags"] == [tag]
    tags = client.get("/api/v1/tags").json()["items"]
    assert {"tag": tag, "count": 1, "level": "project"} in tags
    listed = client.get("/api/v1/memories", params={"tag": tag}).json()["items"]
    assert [item["id"] for item in listed] == [memory]


def test_the_owner_pins_and_unpins(client, service, fresh):
    memory = commit(client, fresh("core fact"), distill=False)["memory_id"]
    assert service.owner.post(f"/api/v1/memory/{memory}/pin", params=WAIT).status_code == 200
    assert client.get(f"/api/v1/memory/{memory}").json()["tier"] == "core"
    assert memory in [item["id"] for item in client.get("/api/v1/bootstrap").json()["items"]]
    assert service.owner.post(f"/api/v1/memory/{memory}/unpin", params=WAIT).status_code == 200
    assert client.get(f"/api/v1/memory/{memory}").json()["tier"] == "normal"


@pytest.mark.parametrize("session", ["chat/42", "..", "两 次?#"])
def test_a_session_of_any_name_can_be_closed(service, fresh, session):
    name = fresh("hermes")
    client = service.agent(name)
    ephemeral = f"{name}-ephemeral"
    gone = commit(client, fresh("gone"), namespace=ephemeral, session_id=session)
    with Client(service.url, client.headers["X-API-Key"], outbox=None) as sdk:
        assert sdk.close_session(session, wait="true").session_id == session
    assert client.get(f"/api/v1/episodes/{gone['episode_id']}").status_code == 404


def test_a_session_is_named_once_and_as_a_commit_could_have_named_it(service, fresh):
    client = service.agent(fresh("hermes"))
    twice = client.post("/api/v1/sessions/a/close", json={"session_id": "b"})
    overlong = client.post(f"/api/v1/sessions/{'a' * 201}/close")
    assert (twice.status_code, overlong.status_code) == (422, 422)


def test_a_closed_session_takes_its_ephemeral_rows(client, fresh):
    agent = client.get("/api/v1/stats")
    assert agent.status_code == 200
    ephemeral = client.headers["X-API-Key"].removeprefix("mw_").split(".")[0] + "-ephemeral"
    kept = commit(client, fresh("kept"), namespace=ephemeral, session_id="other")
    gone = commit(client, fresh("gone"), namespace=ephemeral, session_id="s-9")
    unnamed = commit(client, fresh("no session"), namespace=ephemeral)
    answer = client.post("/api/v1/sessions/s-9/close", params=WAIT)
    assert (answer.status_code, answer.json()["session_id"]) == (200, "s-9")
    assert client.get(f"/api/v1/episodes/{gone['episode_id']}").status_code == 404
    assert client.delete(f"/api/v1/episodes/{gone['episode_id']}").status_code == 404
    assert client.get(f"/api/v1/episodes/{kept['episode_id']}").status_code == 200
    answer = client.post("/api/v1/sessions/-/close", params=WAIT, json={"namespace": ephemeral})
    assert answer.json()["session_id"] is None
    assert client.get(f"/api/v1/episodes/{unnamed['episode_id']}").status_code == 404


def test_lists_page_by_cursor_without_repeats_or_gaps(client, fresh):
    made = [commit(client, fresh("m"), wait="false", distill=False)["memory_id"] for _ in range(7)]
    commit(client, fresh("last"))
    seen, cursor = [], None
    while True:
        query = {"limit": 3} | ({"cursor": cursor} if cursor else {})
        page = client.get("/api/v1/memories", params=query).json()
        seen += [item["id"] for item in page["items"]]
        cursor = page["next"]
        if cursor is None:
            break
    assert seen == made[::-1]


def test_namespaces_and_stats_count_what_the_caller_may_read(client, fresh):
    commit(client, fresh("episode"))
    memory = commit(client, fresh("memory"), distill=False)["memory_id"]
    client.delete(f"/api/v1/distilled/{memory}", params=WAIT)
    main = client.headers["X-API-Key"].removeprefix("mw_").split(".")[0] + "-main"
    [own] = [
        item
        for item in client.get("/api/v1/namespaces").json()["items"]
        if item["namespace"] == main
    ]
    assert (own["memories"], own["tombstones"], own["writable"]) == (0, 1, True)
    stats = client.get("/api/v1/stats").json()
    assert set(stats["by_namespace"]) <= {main, "shared"}


def test_recall_finds_with_provenance_and_filters(client, fresh):
    tag = fresh("tag")
    commit(client, "The backup runs at three in the morning", distill=False, tags=[tag])
    commit(client, "The backup is kept for seven days", wait="vectors", distill=False)
    answer = client.post("/api/v1/recall", json={"query": "When does the backup run", "top_k": 2})
    body = answer.json()
    assert body["level"] == "hybrid"
    assert body["degraded"] == []
    assert body["results"][0]["content"] == "The backup runs at three in the morning"
    assert body["results"][0]["derived_from"]
    assert 0 <= body["results"][-1]["score"] <= body["results"][0]["score"] <= 1
    [only] = recalled(client, "backup", tags=[tag])
    assert only["content"] == "The backup runs at three in the morning"
    ids = {client.post("/api/v1/recall", json={"query": "x"}).json()["recall_id"] for _ in "ab"}
    assert len(ids) == 2


def test_settings_are_shown_with_their_origin_and_secrets_masked(service):
    items = {item["name"]: item for item in service.owner.get("/api/v1/settings").json()["items"]}
    assert items["port"]["origin"] in {"flag", "default"}
    text = service.admin.get("/api/v1/settings").text
    assert service.admin.headers["X-API-Key"] not in text
    assert service.owner.headers["X-API-Key"] not in text


def test_projections_tell_how_far_they_are_and_take_a_retry(service):
    items = service.admin.get("/api/v1/admin/projections").json()["items"]
    assert {item["view"] for item in items} == {"state", "vector", "analytics"}
    assert all(item["parked"] == [] for item in items)
    answer = service.admin.post("/api/v1/admin/projections/state/retry")
    assert (answer.status_code, answer.json()) == (202, {"view": "state"})
    assert service.admin.post("/api/v1/admin/projections/graph/retry").status_code == 404


@pytest.mark.parametrize("view", ["state", "vector", "analytics"])
def test_a_view_is_built_anew_while_the_service_answers(service, fresh, view):
    hermes = service.agent(fresh("hermes"))
    commit(hermes, "the walnut harvest is in October", distill=False)
    path = f"/api/v1/admin/rebuild/{view}"
    asked = service.admin.post(path, params={"compare": "true"})
    assert asked.status_code == 202, asked.text
    generation = asked.json()["generation"]
    assert service.admin.post(path).json()["generation"] in {generation, generation + 1}
    seen = []

    def is_live() -> bool:
        commit(hermes, f"walnut {len(seen)}", wait="false")
        seen.append(recalled(hermes, "walnut harvest"))
        items = service.admin.get("/api/v1/admin/projections").json()["items"]
        build = next(item["build"] for item in items if item["view"] == view)
        assert build["state"] != "failed", build
        if build["generation"] == generation and build["state"] == "live":
            assert build["old_digest"] == build["new_digest"]
        return build["state"] == "live"

    eventually(is_live, within_s=60, every_s=0.1)
    assert all(found[0]["content"].startswith("the walnut harvest") for found in seen)
    health = service.nobody.get("/health").json()["views"][view]
    assert health["generation"] >= generation
    commit(hermes, "the last walnut", wait="true")
    digests = service.admin.get("/api/v1/admin/digest").json()["items"]
    assert {item["view"] for item in digests} == {"state", "vector", "analytics"}
    assert service.admin.post("/api/v1/admin/rebuild/graph").status_code == 404
