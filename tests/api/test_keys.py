"""Who may speak: keys of three kinds, refused at once when they end."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from litestar.testing import TestClient
from structlog.testing import capture_logs

from api.app import create_app
from domain.credentials import agent_key
from tests.api.service import GENEROUS, OWNER_KEY, WithOptions, commit
from tests.servers import eventually

STATS = "/api/v1/stats"


def register(service, agent_id, **fields):
    body = {"agent_id": agent_id, "kind": "hermes", "quota": GENEROUS, **fields}
    return service.admin.post("/api/v1/agents/register", json=body)


def test_a_fresh_key_works_from_the_moment_it_was_given_out(service, fresh):
    agent_id = fresh("hermes")
    answer = register(service, agent_id)
    assert answer.status_code == 201
    body = answer.json()
    assert body["api_key"].startswith(f"mw_{agent_id}.")
    assert body["namespaces"] == [f"{agent_id}-main", f"{agent_id}-ephemeral", "shared"]
    assert body["websocket"] == f"/api/v1/ws/{agent_id}"
    assert body["duplicate"] is False
    assert service.client(body["api_key"]).get(STATS).status_code == 200


def test_a_key_not_yet_in_the_state_view_is_looked_up_in_the_log(service, fresh, monkeypatch):
    key = register(service, fresh("hermes")).json()["api_key"]
    monkeypatch.setattr(type(service.node.state), "agent", lambda self, agent_id: None)
    assert service.client(key).get(STATS).status_code == 200
    assert service.client(key[:-1]).get(STATS).status_code == 401


def test_a_key_may_come_as_bearer_token_too(service):
    headers = {"Authorization": f"Bearer {OWNER_KEY}"}
    assert service.nobody.get(STATS, headers=headers).status_code == 200


def test_two_keys_that_differ_are_refused(service):
    headers = {"Authorization": f"Bearer {OWNER_KEY}"}
    assert service.admin.get(STATS, headers=headers).status_code == 401


def wrong_keys(service, fresh):
    known = register(service, fresh("hermes")).json()["api_key"]
    return [
        None,
        "",
        "nonsense",
        "mw_",
        "mw_.",
        f"{known}x",
        known[:-1],
        agent_key("nobody-of-that-name", b"another node's secret", "c"),
        "mw_owner.x",
        "mwe_not-an-enrolment-route",
        "ключ".encode().decode("latin-1"),
        "x" * 5000,
    ]


def test_every_wrong_key_gets_the_same_answer(service, fresh):
    bodies = set()
    for key in wrong_keys(service, fresh):
        headers = [] if key is None else [(b"X-API-Key", key.encode("latin-1"))]
        answer = service.nobody.get(STATS, headers=headers)
        assert answer.status_code == 401
        assert answer.headers["WWW-Authenticate"].startswith("Bearer")
        body = answer.json()
        bodies.add(str({name: body[name] for name in body if name != "request_id"}))
    assert len(bodies) == 1


def test_a_rotated_key_is_refused_at_once_and_the_new_one_works(service, fresh):
    agent_id = fresh("hermes")
    old = register(service, agent_id).json()["api_key"]
    rotated = service.admin.post(f"/api/v1/agents/{agent_id}/rotate-key")
    assert rotated.status_code == 200
    new = rotated.json()["api_key"]
    assert service.client(old).get(STATS).status_code == 401
    assert service.client(new).get(STATS).status_code == 200


def test_an_agent_may_rotate_its_own_key_and_no_other(service, fresh):
    mine, other = fresh("hermes"), fresh("hermes")
    client = service.agent(mine)
    service.agent(other)
    assert client.post(f"/api/v1/agents/{other}/rotate-key").status_code == 403
    answer = client.post(f"/api/v1/agents/{mine}/rotate-key")
    assert answer.status_code == 200
    assert client.get(STATS).status_code == 401
    assert service.client(answer.json()["api_key"]).get(STATS).status_code == 200


def test_a_repeated_rotation_shows_the_same_key(service, fresh):
    agent_id = fresh("hermes")
    service.agent(agent_id)
    headers = {"Idempotency-Key": fresh("rotate")}
    first, second = (
        service.admin.post(f"/api/v1/agents/{agent_id}/rotate-key", headers=headers).json()
        for _ in range(2)
    )
    assert second == {**first, "duplicate": True}


def test_a_deactivated_agent_is_refused_at_once(service, fresh):
    agent_id = fresh("hermes")
    client = service.agent(agent_id)
    assert service.admin.delete(f"/api/v1/agents/{agent_id}").status_code == 200
    assert client.get(STATS).status_code == 401
    assert client.post("/api/v1/commit", json={"content": "x"}).status_code == 401


def test_an_expired_key_is_refused(service, fresh):
    past = (datetime.now(UTC) - timedelta(seconds=1)).isoformat()
    future = (datetime.now(UTC) + timedelta(hours=1)).isoformat()
    expired = register(service, fresh("hermes"), key_expires_at=past).json()["api_key"]
    lasting = register(service, fresh("hermes"), key_expires_at=future).json()["api_key"]
    assert service.client(expired).get(STATS).status_code == 401
    assert service.client(lasting).get(STATS).status_code == 200


def test_the_list_of_agents_shows_last_use_and_expiry_and_no_key(service, fresh):
    agent_id = fresh("hermes")
    before = datetime.now(UTC)
    service.agent(agent_id).get(STATS)
    answer = service.admin.get("/api/v1/agents")
    [item] = [item for item in answer.json()["items"] if item["agent_id"] == agent_id]
    assert before <= datetime.fromisoformat(item["last_used_at"]) <= datetime.now(UTC)
    assert item["key_expires_at"] is None
    assert item["active"] is True
    assert "mw_" not in answer.text
    assert "key_hash" not in answer.text


def test_an_agent_id_in_the_body_must_be_the_keys(service, fresh):
    agent_id = fresh("hermes")
    client = service.agent(agent_id)
    body = {"content": "who am I", "agent_id": agent_id}
    assert client.post("/api/v1/commit", json=body).status_code == 201
    foreign = {**body, "agent_id": fresh("somebody")}
    assert client.post("/api/v1/commit", json=foreign).status_code == 403
    assert client.post("/api/v1/batch-commit", json={"entries": [foreign]}).status_code == 403


def test_what_needs_another_kind_of_key_is_forbidden_to_an_agent(service, fresh):
    client = service.agent(fresh("hermes"))
    memory = commit(client, fresh("mine"), distill=False)["memory_id"]
    refused = [
        client.post("/api/v1/agents/register", json={"agent_id": fresh("x"), "kind": "cron"}),
        client.delete(f"/api/v1/agents/{fresh('x')}"),
        client.get("/api/v1/agents"),
        client.post("/api/v1/grants", json={"agent_id": "a", "namespace": "b"}),
        client.request("DELETE", "/api/v1/grants", json={"agent_id": "a", "namespace": "b"}),
        client.post("/api/v1/enrolment-tokens", json={}),
        client.post(f"/api/v1/memory/{memory}/pin"),
        client.get("/api/v1/settings"),
        client.get("/api/v1/admin/projections"),
        client.post("/api/v1/admin/projections/state/retry"),
        client.post("/api/v1/commit", json={"content": "x", "source": "owner_edit"}),
    ]
    assert [answer.status_code for answer in refused] == [403] * len(refused)


def test_an_enrolment_token_registers_one_new_agent_once(service, fresh):
    issued = service.admin.post("/api/v1/enrolment-tokens", json={"kind": "cron"})
    assert issued.status_code == 201
    newcomer = service.client(issued.json()["token"])
    body = {"agent_id": fresh("cron"), "kind": "cron"}
    wrong_kind = newcomer.post("/api/v1/agents/register", json={**body, "kind": "hermes"})
    assert wrong_kind.status_code == 403
    headers = {"Idempotency-Key": fresh("enrol")}
    registered = newcomer.post("/api/v1/agents/register", json=body, headers=headers)
    assert registered.status_code == 201
    assert service.client(registered.json()["api_key"]).get(STATS).status_code == 200
    repeated = newcomer.post("/api/v1/agents/register", json=body, headers=headers)
    assert repeated.json() == {**registered.json(), "duplicate": True}
    other = {"agent_id": fresh("cron"), "kind": "cron"}
    assert newcomer.post("/api/v1/agents/register", json=other).status_code == 401
    assert newcomer.get(STATS).status_code == 401


def test_whoever_tries_tokens_takes_nothing_from_the_agent_that_it_names(service, fresh):
    name = fresh("hermes")
    quota = {**GENEROUS, "recall_per_s": 0.001, "recall_burst": 2}
    agent = service.agent(name, quota=quota)
    memory = commit(agent, fresh("a fact"), distill=False)["memory_id"]
    stranger = service.client("mwe_made-up")
    for _ in range(3):
        body = {"agent_id": name, "kind": "hermes"}
        assert stranger.post("/api/v1/agents/register", json=body).status_code == 401
    assert agent.post("/api/v1/feedback/useful", json={"memory_id": memory}).status_code == 200


def test_enrolment_refuses_a_name_that_somebody_has(service, fresh):
    taken = fresh("hermes")
    service.agent(taken)
    token = service.admin.post("/api/v1/enrolment-tokens", json={}).json()["token"]
    newcomer = service.client(token)
    by_id = newcomer.post("/api/v1/agents/register", json={"agent_id": taken, "kind": "hermes"})
    by_namespace = newcomer.post(
        "/api/v1/agents/register",
        json={"agent_id": fresh("hermes"), "kind": "hermes", "namespace": f"{taken}-main"},
    )
    assert (by_id.status_code, by_namespace.status_code) == (409, 409)
    assert by_id.json()["type"].endswith("/name-taken")


def test_where_any_may_be_read_what_an_agent_names_is_read_and_nothing_else_is(service, fresh):
    owner_of_it, reader = fresh("hermes"), fresh("openclaw")
    named, word = f"{owner_of_it}-main", fresh("word").replace("-", "")
    kept = commit(service.agent(owner_of_it), f"the safe opens with {word}")
    key = service.agent(reader).headers["X-API-Key"]
    app = create_app(WithOptions(service.node, cross_namespace_reads="any"))
    with TestClient(app) as client:
        client.headers["X-API-Key"] = key

        def found(**scope):
            answer = client.post("/api/v1/recall", json={"query": word, **scope})
            return kept["episode_id"] in {result["id"] for result in answer.json()["results"]}

        assert not found()
        assert found(include_namespaces=[named])
        assert found(namespaces=[named])
        assert client.get(f"/api/v1/episodes/{kept['episode_id']}").status_code == 200
        assert client.get("/api/v1/memories", params={"namespace": named}).status_code == 200
        listed = {item["namespace"] for item in client.get("/api/v1/namespaces").json()["items"]}
        assert named not in listed
        refused = client.post("/api/v1/commit", json={"content": "x", "namespace": named})
        assert refused.status_code == 403


def test_a_grant_opens_a_namespace_for_reading_and_its_end_closes_it_at_once(service, fresh):
    owner_of_it, reader = fresh("hermes"), fresh("hermes")
    author, guest = service.agent(owner_of_it), service.agent(reader)
    memory = commit(author, fresh("a private fact"), distill=False)["memory_id"]
    grant = {"agent_id": reader, "namespace": f"{owner_of_it}-main"}
    assert guest.get(f"/api/v1/memory/{memory}").status_code == 404
    assert service.owner.post("/api/v1/grants", json=grant).status_code == 200
    assert guest.get(f"/api/v1/memory/{memory}").status_code == 200
    assert guest.delete(f"/api/v1/distilled/{memory}").status_code == 403
    ended = service.owner.request("DELETE", "/api/v1/grants", json=grant)
    assert ended.status_code == 200
    assert guest.get(f"/api/v1/memory/{memory}").status_code == 404


@pytest.mark.parametrize("path", ["/api/v1/commit", "/api/v1/nowhere", "/health"])
def test_the_access_log_holds_ids_and_neither_contents_nor_keys(service, fresh, path):
    client = service.agent(fresh("hermes"))
    secret_text = fresh("a text that must not be logged")
    headers = {"X-Correlation-ID": fresh("trace"), "Idempotency-Key": fresh("key")}
    with capture_logs() as lines:
        answer = client.post(path, json={"content": secret_text}, headers=headers)
        eventually(lambda: any(line.get("event") == "request" for line in lines))
    [line] = [line for line in lines if line.get("event") == "request"]
    assert line["request_id"] == answer.headers["X-Request-ID"]
    assert line["correlation_id"] == headers["X-Correlation-ID"]
    assert line["status"] == answer.status_code
    assert secret_text not in str(lines)
    assert client.headers["X-API-Key"] not in str(lines)
    assert headers["Idempotency-Key"] not in str(lines)


def test_a_correlation_id_that_is_not_plain_is_replaced(service):
    answer = service.nobody.get("/health", headers={"X-Correlation-ID": "two words"})
    assert answer.headers["X-Correlation-ID"] == answer.headers["X-Request-ID"]
