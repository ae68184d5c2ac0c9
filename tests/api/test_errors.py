"""What is refused, and how: problem documents with the right status, never a 5xx."""

from __future__ import annotations

import json

import msgspec
import pytest

from api.problems import STATUS, TYPE_PREFIX
from domain import errors
from eventlog import outcomes
from memoryweave.contract import Problem
from tests.api.service import commit

UNKNOWN = "01890000-0000-7000-8000-000000000000"


@pytest.fixture
def client(service, fresh):
    return service.agent(fresh("hermes"))


def problem(answer, status: int, name: str) -> Problem:
    assert answer.status_code == status, answer.text
    assert answer.headers["Content-Type"] == "application/problem+json"
    document = msgspec.json.decode(answer.content, type=Problem)
    assert document.type == TYPE_PREFIX + name
    assert document.status == status
    assert document.request_id == answer.headers["X-Request-ID"]
    assert document.title
    assert document.detail
    return document


def post_raw(client, path: str, content: bytes, media_type: str = "application/json"):
    return client.post(path, content=content, headers={"Content-Type": media_type})


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"\xff",
        b'{"content": "\\ud800"}',
        b'{"content": "x", "metadata": {"a": NaN}}',
        b'{"content": "x", "metadata": ' + b'{"a":' * 50_000 + b"1" + b"}" * 50_001,
    ],
)
def test_what_is_not_json_is_400(client, content):
    problem(post_raw(client, "/api/v1/commit", content), 400, "malformed")


def test_every_field_at_fault_is_named_in_one_answer(client):
    body = {"source": "gossip", "urgent": 1, "tags": [""], "colour": "red", "observed_at": "now"}
    document = problem(client.post("/api/v1/commit", json=body), 422, "invalid")
    assert {fault.field for fault in document.errors} == {
        "content",
        "source",
        "urgent",
        "tags[0]",
        "colour",
        "observed_at",
    }


def test_faults_of_the_query_string_are_named_too(client):
    answer = client.get("/api/v1/memories", params={"limit": 0, "state": "undead"})
    assert {fault.field for fault in problem(answer, 422, "invalid").errors} == {"limit", "state"}
    answer = client.get("/api/v1/memories", params={"colour": "red"})
    assert [fault.field for fault in problem(answer, 422, "invalid").errors] == ["colour"]
    answer = client.get("/api/v1/memories?limit=5&limit=6")
    assert [fault.field for fault in problem(answer, 422, "invalid").errors] == ["limit"]
    answer = client.get("/api/v1/memories", params={"tag": "a\x00b"})
    assert [fault.field for fault in problem(answer, 422, "invalid").errors] == ["tag"]


@pytest.mark.parametrize("tag", ["%ff", "%ed%a0%80"])
def test_bytes_that_are_no_utf_8_are_not_looked_for_as_something_else(client, tag):
    document = problem(client.get(f"/api/v1/memories?tag={tag}"), 422, "invalid")
    assert [fault.field for fault in document.errors] == ["query"]


@pytest.mark.parametrize("cursor", ["", "x", "AAAA", "W10", "🙂", "eyJhIjoxfQ"])
def test_a_cursor_that_no_list_gave_is_a_fault(client, cursor):
    for path in ("/api/v1/memories", "/api/v1/tombstones"):
        problem(client.get(path, params={"cursor": cursor}), 422, "invalid")


def test_a_body_over_the_limit_is_413_and_a_batch_may_be_twice_as_large(client):
    large = b'{"content": "' + b"x" * 1_048_576 + b'"}'
    problem(post_raw(client, "/api/v1/commit", large), 413, "too-large")
    # The bulk is metadata: nobody has to embed it afterwards.
    entries = [{"content": f"{n}", "metadata": {"bulk": "x" * 16_000}} for n in range(80)]
    batch = json.dumps({"entries": entries}).encode()
    assert len(batch) > 1_048_576
    assert post_raw(client, "/api/v1/batch-commit", batch).status_code == 201
    larger = b" " * 2_097_152 + batch
    problem(post_raw(client, "/api/v1/batch-commit", larger), 413, "too-large")


def test_a_connection_outlives_a_body_that_was_too_large(client):
    # The server used to close it after the answer: the next request on it was lost, now and then.
    for number in range(20):
        problem(post_raw(client, "/api/v1/commit", b" " * 2_000_000), 413, "too-large")
        assert client.post("/api/v1/recall", json={"query": f"{number}"}).status_code != 413


def test_a_body_that_does_not_tell_its_length_is_held_to_the_limit(client):
    def endless():
        for _ in range(40):
            yield b'{"content": "' + b"x" * 65_536

    answer = client.post(
        "/api/v1/commit", content=endless(), headers={"Content-Type": "application/json"}
    )
    problem(answer, 413, "too-large")


def test_one_content_over_64_kib_of_utf_8_is_413(client):
    fits = client.post("/api/v1/commit", json={"content": "记" * 21_845})
    assert fits.status_code == 201
    client.delete(f"/api/v1/episodes/{fits.json()['episode_id']}")  # nobody need embed it
    problem(client.post("/api/v1/commit", json={"content": "记" * 21_846}), 413, "too-large")
    problem(client.post("/api/v1/commit", json={"content": "x" * 65_537}), 413, "too-large")
    memory = commit(client, "short", distill=False)["memory_id"]
    body = {"memory_id": memory, "content": "记" * 30_000}
    problem(client.post("/api/v1/feedback/correct", json=body), 413, "too-large")


@pytest.mark.parametrize(
    "media_type",
    ["text/plain", "application/x-www-form-urlencoded", "application/json; charset=utf-16", "x"],
)
def test_another_media_type_than_json_is_415(client, media_type):
    answer = post_raw(client, "/api/v1/commit", b'{"content": "x"}', media_type)
    problem(answer, 415, "unsupported-media-type")


def test_an_unknown_route_is_404_and_another_method_405(client):
    problem(client.get("/api/v1/nowhere"), 404, "not-found")
    answer = client.put("/api/v1/commit", json={"content": "x"})
    problem(answer, 405, "method-not-allowed")
    assert "POST" in answer.headers["Allow"]


@pytest.mark.parametrize(
    "path",
    ["/memory/{}", "/memory/{}/versions", "/episodes/{}"],
)
@pytest.mark.parametrize(
    "thing", [UNKNOWN, "nonsense", "%00", "%ff", "..%2f", "a" * 2000, "-1", "{}"]
)
def test_an_id_that_nothing_has_is_404(client, path, thing):
    problem(client.get("/api/v1" + path.format(thing)), 404, "not-found")


def test_the_id_of_another_kind_of_thing_is_404(client, service, fresh):
    receipt = commit(client, fresh("text"), distill=False)
    memory, episode = receipt["memory_id"], receipt["episode_id"]
    for method, path in (
        ("GET", f"/memory/{episode}"),
        ("GET", f"/episodes/{memory}"),
        ("DELETE", f"/distilled/{episode}"),
        ("DELETE", f"/episodes/{memory}"),
        ("POST", f"/memory/{episode}/restore"),
    ):
        problem(client.request(method, "/api/v1" + path), 404, "not-found")
    vote = {"memory_id": episode}
    problem(client.post("/api/v1/feedback/useful", json=vote), 404, "not-found")


def test_an_expected_version_that_went_by_is_409(client, fresh):
    memory = commit(client, fresh("one"), distill=False)["memory_id"]
    body = {"memory_id": memory, "content": fresh("two"), "expected_version": 7}
    problem(client.post("/api/v1/feedback/correct", json=body), 409, "version-mismatch")


def test_a_tombstone_takes_no_correction(client, fresh):
    memory = commit(client, fresh("one"), distill=False)["memory_id"]
    client.delete(f"/api/v1/distilled/{memory}")
    body = {"memory_id": memory, "content": fresh("two")}
    problem(client.post("/api/v1/feedback/correct", json=body), 409, "wrong-state")


def test_a_taken_agent_id_is_409(service, fresh):
    agent_id = fresh("hermes")
    service.agent(agent_id)
    body = {"agent_id": agent_id, "kind": "hermes"}
    problem(service.admin.post("/api/v1/agents/register", json=body), 409, "name-taken")


def test_naming_a_namespace_that_is_not_ones_own_is_403_whether_it_exists_or_not(
    client, service, fresh
):
    existing = fresh("hermes")
    commit(service.agent(existing), fresh("private"))
    for name in (f"{existing}-main", fresh("nowhere-main")):
        answers = [
            client.get("/api/v1/memories", params={"namespace": name}),
            client.get("/api/v1/tombstones", params={"namespace": name}),
            client.get("/api/v1/tags", params={"namespace": name}),
            client.post("/api/v1/recall", json={"query": "x", "namespaces": [name]}),
            client.post("/api/v1/recall", json={"query": "x", "include_namespaces": [name]}),
            client.post("/api/v1/commit", json={"content": "x", "namespace": name}),
            client.post("/api/v1/sessions/s/close", json={"namespace": name}),
        ]
        for answer in answers:
            problem(answer, 403, "forbidden")


def test_the_empty_bucket_is_429_with_retry_after(service, fresh):
    quota = {"recall_per_s": 0.1, "recall_burst": 2, "commit_per_s": 0.1, "commit_burst": 3}
    client = service.agent(fresh("cron"), kind="cron", quota=quota)
    answers = [client.post("/api/v1/commit", json={"content": f"{n}"}) for n in range(4)]
    assert [answer.status_code for answer in answers] == [201, 201, 201, 429]
    assert [answer.headers["X-RateLimit-Remaining"] for answer in answers] == ["2", "1", "0", "0"]
    problem(answers[-1], 429, "rate-limited")
    assert int(answers[-1].headers["Retry-After"]) in range(1, 11)
    recalls = [client.post("/api/v1/recall", json={"query": "x"}) for _ in range(3)]
    assert [answer.status_code for answer in recalls] == [200, 200, 429]


def test_default_quotas_follow_kind_and_name(service, fresh):
    register = service.admin.post
    for agent_id, kind, recall, burst in (
        (fresh("hermes"), "assistant", 10, 5),
        (fresh("clawd"), "openclaw", 10, 5),
        (fresh("nightly"), "cron", 5, 3),
    ):
        answer = register("/api/v1/agents/register", json={"agent_id": agent_id, "kind": kind})
        quota = answer.json()["quota"]
        assert (quota["recall_per_s"], quota["commit_burst"]) == (recall, burst)


def test_a_batch_costs_one_token_per_started_50_entries(service, fresh):
    quota = {"recall_per_s": 1, "recall_burst": 2, "commit_per_s": 0.01, "commit_burst": 5}
    client = service.agent(fresh("hermes"), quota=quota)
    entries = [{"content": f"entry {number}"} for number in range(101)]
    answer = client.post("/api/v1/batch-commit", json={"entries": entries})
    assert answer.status_code == 201
    assert answer.headers["X-RateLimit-Remaining"] == "2"


def test_the_admin_has_no_limits_and_no_headers_of_them(service, fresh):
    answer = service.admin.post(
        "/api/v1/commit", json={"content": "x", "namespace": fresh("import")}
    )
    assert answer.status_code == 201
    assert "X-RateLimit-Limit" not in answer.headers


def test_every_typed_error_has_a_status():
    def below(cls):
        return {cls}.union(*(below(sub) for sub in cls.__subclasses__()))

    shown = {
        cls
        for cls in below(errors.MemoryWeaveError) - {errors.MemoryWeaveError}
        if cls.__module__ in (errors.__name__, outcomes.__name__)
    }
    missing = {cls.__name__ for cls in shown if not any(base in STATUS for base in cls.__mro__)}
    assert missing == set()


def test_an_unexpected_error_shows_a_request_id_and_nothing_of_itself(service, client, monkeypatch):
    def broken(self, *args, **kwargs):
        raise RuntimeError("a secret inside")

    monkeypatch.setattr(type(service.node.state), "stats", broken)
    answer = client.get("/api/v1/stats")
    assert answer.status_code == 500
    assert "secret" not in answer.text
    assert "Traceback" not in answer.text
    assert answer.json()["request_id"] in answer.json()["detail"]
