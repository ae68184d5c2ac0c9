"""Asking about the past over HTTP: which moment is meant, what is answered, what is refused."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from tests.api.service import commit, recalled, sent


@pytest.fixture
def client(service, fresh):
    return service.agent(fresh("hermes"))


@pytest.fixture
def story(client, fresh):
    """A memory that was corrected: its id, both texts, and the position of each."""
    word = fresh("osprey")
    first, second = f"the {word} nests on pylon 4", f"the {word} nests on pylon 9"
    made = commit(client, first, distill=False)
    body = {"memory_id": made["memory_id"], "content": second}
    changed = sent(client, "POST", "/api/v1/feedback/correct", "true", body)
    return made["memory_id"], (first, made["position"]), (second, changed["position"])


def read(client, path, **params):
    answer = client.get(f"/api/v1{path}", params=params)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_each_way_to_ask_gives_the_text_of_the_position(client, story):
    memory, *told = story
    for text, position in told:
        detail = read(client, f"/memory/{memory}", as_of_position=position)
        assert (detail["content"], detail["as_of_position"]) == (text, position)
        page = read(client, "/memories", as_of_position=position)
        assert page["as_of_position"] == position
        assert text in {item["content"] for item in page["items"]}
        found = recalled(client, text.split()[1], as_of={"position": position}, layers=["memory"])
        assert [result["content"] for result in found] == [text]
    assert client.get(f"/api/v1/memory/{memory}", params={"as_of_position": 0}).status_code == 404
    assert read(client, "/memories", as_of_position=0)["items"] == []


def test_a_time_means_the_last_position_not_after_it(client, story):
    memory, (first, _), (second, last) = story
    shown = {
        version["content"]: version["recorded_at"] for version in read_versions(client, memory)
    }
    then = read(client, f"/memory/{memory}", as_of_time=shown[first])
    assert then["content"] == first
    now = read(client, f"/memory/{memory}", as_of_time=shown[second])
    assert now["content"] == second
    later = (datetime.now(UTC) + timedelta(days=1)).isoformat()
    answer = client.post("/api/v1/recall", json={"query": second, "as_of": {"time": later}})
    assert answer.json()["as_of_position"] >= last
    assert answer.json()["results"][0]["content"] == second


def read_versions(client, memory):
    return read(client, f"/memory/{memory}/versions")["items"]


def test_a_position_that_the_log_has_not_reached_is_a_fault(service, client):
    beyond = service.node.application.event_log.head().position + 1000
    for answer in (
        client.get("/api/v1/memories", params={"as_of_position": beyond}),
        client.get("/api/v1/memory/none", params={"as_of_position": beyond}),
        client.post("/api/v1/recall", json={"query": "x", "as_of": {"position": beyond}}),
    ):
        assert answer.status_code == 422, answer.text
        assert [fault["field"] for fault in answer.json()["errors"]] == ["as_of"]


@pytest.mark.parametrize(
    "params",
    [
        {"as_of_position": "-1"},
        {"as_of_position": str(2**64)},
        {"as_of_time": "yesterday"},
        {"as_of_time": "0.5"},
        {"as_of_time": "2026"},
        {"as_of_time": "2026-05-10T00:00:00"},
        {"as_of_position": "1", "as_of_time": "2026-05-10T00:00:00Z"},
    ],
)
def test_what_is_no_moment_is_a_fault(client, params):
    answer = client.get("/api/v1/memories", params=params)
    assert answer.status_code == 422, answer.text
    assert answer.json()["errors"][0]["field"].startswith("as_of")


@pytest.mark.parametrize("as_of", [{}, {"position": 1, "time": "2026-05-10T00:00:00Z"}])
def test_a_recall_names_a_position_or_a_time(client, as_of):
    answer = client.post("/api/v1/recall", json={"query": "x", "as_of": as_of})
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"] == "as_of"


@pytest.mark.parametrize("time", ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"])
def test_the_ends_of_time_are_answered(client, story, time):
    page = read(client, "/memories", as_of_time=time)
    assert bool(page["items"]) == time.startswith("9999")


def test_the_past_of_anothers_memory_is_as_if_it_were_not(service, story, fresh):
    memory, (_, position), _ = story
    stranger = service.agent(fresh("stranger"))
    unknown = "00000000-0000-4000-8000-000000000000"
    told = set()
    for thing in (memory, unknown):
        answer = stranger.get(f"/api/v1/memory/{thing}", params={"as_of_position": position})
        assert answer.status_code == 404
        told.add(answer.json()["detail"].replace(thing, "…"))
    assert len(told) == 1
