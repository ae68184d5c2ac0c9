"""The same key and body are one command, however often they are sent."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest

from domain.identity import uuid7
from tests.api.service import commit


def keyed(key: str) -> dict[str, str]:
    return {"Idempotency-Key": key}


def key_made(ago: timedelta) -> str:
    return uuid7(int((datetime.now(UTC) - ago).timestamp() * 1000), b"0123456789")


def test_a_repeat_answers_200_with_the_same_receipt_and_says_duplicate(service, fresh):
    client = service.agent(fresh("hermes"))
    body = {"content": fresh("said once"), "distill": False}
    first = client.post("/api/v1/commit", json=body, headers=keyed("k"))
    again = client.post("/api/v1/commit", json=body, headers=keyed("k"))
    assert (first.status_code, again.status_code) == (201, 200)
    assert again.json() == {**first.json(), "duplicate": True}
    assert client.get("/api/v1/stats").json()["memories"] <= 1


def test_defaults_written_out_make_no_other_request(service, fresh):
    client = service.agent(fresh("hermes"))
    content = fresh("said once")
    first = client.post("/api/v1/commit", json={"content": content}, headers=keyed("k"))
    spelled = {"urgent": False, "tags": [], "content": content, "namespace": None}
    again = client.post("/api/v1/commit", json=spelled, headers=keyed("k"))
    assert again.json() == {**first.json(), "duplicate": True}


def test_the_same_key_with_another_body_is_409_key_reused(service, fresh):
    client = service.agent(fresh("hermes"))
    client.post("/api/v1/commit", json={"content": "one thing"}, headers=keyed("k"))
    answer = client.post("/api/v1/commit", json={"content": "another"}, headers=keyed("k"))
    assert answer.status_code == 409
    assert answer.json()["type"].endswith("/key-reused")


def test_the_id_in_the_path_belongs_to_the_request(service, fresh):
    client = service.agent(fresh("hermes"))
    first, second = (commit(client, fresh("m"), distill=False)["memory_id"] for _ in range(2))
    assert client.delete(f"/api/v1/distilled/{first}", headers=keyed("k")).status_code == 200
    answer = client.delete(f"/api/v1/distilled/{second}", headers=keyed("k"))
    assert answer.status_code == 409
    assert client.get(f"/api/v1/memory/{second}").json()["state"] == "live"


def test_a_key_belongs_to_its_caller_and_its_route(service, fresh):
    one, two = service.agent(fresh("hermes")), service.agent(fresh("hermes"))
    body = {"content": fresh("said by both")}
    answers = [
        client.post("/api/v1/commit", json=body, headers=keyed("k")) for client in (one, two)
    ]
    batch = one.post("/api/v1/batch-commit", json={"entries": [body]}, headers=keyed("k"))
    assert [a.status_code for a in (*answers, batch)] == [201, 201, 201]


def test_a_refused_command_leaves_its_key_unused(service, fresh):
    client = service.agent(fresh("hermes"))
    refused = {"content": "x", "namespace": "not-mine"}
    assert client.post("/api/v1/commit", json=refused, headers=keyed("k")).status_code == 403
    assert (
        client.post("/api/v1/commit", json={"content": "x"}, headers=keyed("k")).status_code == 201
    )


def test_without_a_key_each_request_is_a_command_of_its_own(service, fresh):
    client = service.agent(fresh("hermes"))
    body = {"content": fresh("said twice")}
    ids = {client.post("/api/v1/commit", json=body).json()["episode_id"] for _ in range(2)}
    assert len(ids) == 2


def test_many_senders_of_one_command_store_it_once(service, fresh):
    client = service.agent(fresh("hermes"))
    body = {"content": fresh("sent by eight")}
    with ThreadPoolExecutor(8) as pool:
        answers = list(
            pool.map(
                lambda _: client.post("/api/v1/commit", json=body, headers=keyed("k")), range(16)
            )
        )
    assert sorted(a.status_code for a in answers) == [200] * 15 + [201]
    assert len({a.json()["episode_id"] for a in answers}) == 1


@pytest.mark.parametrize("key", ["", "x" * 256])
def test_a_key_of_no_or_too_many_characters_is_a_fault(service, fresh, key):
    client = service.agent(fresh("hermes"))
    answer = client.post("/api/v1/commit", json={"content": "x"}, headers=keyed(key))
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"] == "Idempotency-Key"


@pytest.mark.parametrize("key", ["x" * 255, "schlüssel", "a b\tc", "0198f000", "-" * 36])
def test_any_text_is_a_key(service, fresh, key):
    client = service.agent(fresh("hermes"))
    headers = [(b"Idempotency-Key", key.encode("latin-1"))]
    for expected in (201, 200):
        answer = client.post("/api/v1/commit", json={"content": "x"}, headers=headers)
        assert answer.status_code == expected


def test_a_uuidv7_older_than_30_days_or_from_the_future_is_refused_never_executed(service, fresh):
    client = service.agent(fresh("hermes"))
    for ago, status in (
        (timedelta(days=29), 201),
        (timedelta(days=31), 422),
        (timedelta(hours=-1), 422),
    ):
        answer = client.post("/api/v1/commit", json={"content": "x"}, headers=keyed(key_made(ago)))
        assert answer.status_code == status, answer.text
    assert answer.json()["type"].endswith("/command-too-old")
    extreme = "ffffffff-ffff-7fff-bfff-ffffffffffff"
    answer = client.post("/api/v1/commit", json={"content": "x"}, headers=keyed(extreme))
    assert answer.status_code == 422


def test_a_repeat_of_a_command_that_could_not_be_decided_anew_still_gives_its_receipt(
    service, fresh
):
    client = service.agent(fresh("hermes"))
    memory = commit(client, fresh("first text"), distill=False)["memory_id"]
    body = {"memory_id": memory, "content": fresh("second"), "expected_version": 1}
    first = client.post("/api/v1/feedback/correct", json=body, headers=keyed("k"))
    assert first.json()["version"] == 2
    third = {"memory_id": memory, "content": fresh("third"), "expected_version": 2}
    assert client.post("/api/v1/feedback/correct", json=third).json()["version"] == 3
    again = client.post("/api/v1/feedback/correct", json=body, headers=keyed("k"))
    assert again.json() == {**first.json(), "duplicate": True}


def test_a_command_that_changes_nothing_says_duplicate(service, fresh):
    client = service.agent(fresh("hermes"))
    memory = commit(client, fresh("m"), distill=False)["memory_id"]
    first = client.delete(f"/api/v1/distilled/{memory}")
    second = client.delete(f"/api/v1/distilled/{memory}")
    assert (first.json()["duplicate"], second.json()["duplicate"]) == (False, True)
