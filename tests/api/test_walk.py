"""A walk over every route with a stranger's key and with none (issue A, line 6).

The routes are taken from the application, so a new one cannot be forgotten: without an entry in
`CALLS` the walk fails.
"""

from __future__ import annotations

import re
from typing import Any

import pytest
from litestar.routes import HTTPRoute
from msgspec import Struct

from api.app import create_app
from tests.api.service import commit

UNKNOWN = {
    "memory": "5f2d7b1e-0000-5000-8000-000000000001",
    "episode": "5f2d7b1e-0000-5000-8000-000000000002",
    "namespace": "no-such-main",
    "agent": "no-such-agent",
}
OPEN = {("GET", "/health"), ("GET", "/metrics")}
"""Open to all by the node's settings; they speak of the node, never of a memory."""


class Walk(Struct):
    """What one route is asked, about a thing of the victim's or about one that nobody has."""

    path: str
    body: dict[str, Any] | None = None
    params: dict[str, str] = {}


def by_id(path: str, body: dict[str, Any] | None = None):
    return 404, lambda names: Walk(path.format(**names), body)


def named(path: str, body: dict[str, Any] | None = None):
    """The namespace (or what needs another kind of key) is named: refused, not hidden."""
    return 403, lambda names: Walk(path.format(**names), filled(body, names))


def filled(body: dict[str, Any] | None, names: dict[str, str]) -> dict[str, Any] | None:
    """Put names in the place of ``"?<kind>"``, and a list of the namespace for ``["?"]``."""
    if body is None:
        return None
    return {
        key: [names["namespace"]] if value == ["?"] else names.get(str(value)[1:], value)
        for key, value in body.items()
    }


def vote(path: str, **more: Any):
    return 404, lambda names: Walk(path, {"memory_id": names["memory"], **more})


def listed(path: str):
    return 403, lambda names: Walk(path, None, {"namespace": names["namespace"]})


CALLS = {
    ("POST", "/commit"): named("/commit", {"content": "x", "namespace": "?namespace"}),
    ("POST", "/batch-commit"): (
        403,
        lambda names: Walk(
            "/batch-commit", {"entries": [{"content": "x", "namespace": names["namespace"]}]}
        ),
    ),
    ("DELETE", "/distilled/{memory_id}"): by_id("/distilled/{memory}"),
    ("DELETE", "/episodes/{episode_id}"): by_id("/episodes/{episode}"),
    ("POST", "/episodes/{episode_id}/restore"): by_id("/episodes/{episode}/restore"),
    ("POST", "/feedback/useful"): vote("/feedback/useful"),
    ("POST", "/feedback/not-useful"): vote("/feedback/not-useful"),
    ("POST", "/feedback/deprecate"): vote("/feedback/deprecate"),
    ("POST", "/feedback/correct"): vote("/feedback/correct", content="x", expected_version=9),
    ("POST", "/context"): (200, lambda _: Walk("/context", {"message": "thanks"})),
    ("GET", "/brief"): (200, lambda _: Walk("/brief")),
    ("POST", "/recall"): named("/recall", {"query": "x", "namespaces": ["?"]}),
    ("GET", "/memory/{memory_id}"): by_id("/memory/{memory}"),
    ("GET", "/memory/{memory_id}/versions"): by_id("/memory/{memory}/versions"),
    ("GET", "/memory/{memory_id}/provenance"): by_id("/memory/{memory}/provenance"),
    ("GET", "/episodes/{episode_id}"): by_id("/episodes/{episode}"),
    ("POST", "/memory/{memory_id}/restore"): by_id("/memory/{memory}/restore"),
    ("POST", "/memory/{memory_id}/pin"): by_id("/memory/{memory}/pin"),
    ("POST", "/memory/{memory_id}/unpin"): by_id("/memory/{memory}/unpin"),
    ("POST", "/memory/{memory_id}/tags"): by_id("/memory/{memory}/tags", {"tags": ["x"]}),
    ("POST", "/sessions/{session_id}/close"): named(
        "/sessions/s-1/close", {"namespace": "?namespace"}
    ),
    ("GET", "/candidates"): listed("/candidates"),
    ("POST", "/candidates/settle"): (
        403,
        lambda names: Walk("/candidates/settle", {"memory_ids": [names["memory"]]}),
    ),
    ("POST", "/candidates/dismiss"): (
        403,
        lambda names: Walk("/candidates/dismiss", {"memory_ids": [names["memory"]]}),
    ),
    ("POST", "/admin/redistil"): named("/admin/redistil", {"namespace": "?namespace"}),
    ("GET", "/memories"): listed("/memories"),
    ("GET", "/tombstones"): listed("/tombstones"),
    ("GET", "/tags"): listed("/tags"),
    ("GET", "/namespaces"): (200, lambda _: Walk("/namespaces")),
    ("GET", "/stats"): (200, lambda _: Walk("/stats")),
    ("GET", "/bootstrap"): (200, lambda _: Walk("/bootstrap")),
    ("POST", "/agents/register"): named(
        "/agents/register", {"agent_id": "?agent", "kind": "hermes", "namespace": "?namespace"}
    ),
    ("POST", "/agents/{agent_id}/rotate-key"): named("/agents/{agent}/rotate-key"),
    ("DELETE", "/agents/{agent_id}"): named("/agents/{agent}"),
    ("GET", "/agents"): named("/agents"),
    ("POST", "/grants"): named("/grants", {"agent_id": "?agent", "namespace": "?namespace"}),
    ("DELETE", "/grants"): named("/grants", {"agent_id": "?agent", "namespace": "?namespace"}),
    ("POST", "/enrolment-tokens"): named("/enrolment-tokens", {}),
    ("GET", "/settings"): named("/settings"),
    ("GET", "/admin/projections"): named("/admin/projections"),
    ("POST", "/admin/projections/{view}/retry"): named("/admin/projections/state/retry"),
    ("POST", "/admin/rebuild/{view}"): named("/admin/rebuild/state"),
    ("GET", "/admin/digest"): named("/admin/digest"),
    ("POST", "/admin/backup"): named("/admin/backup"),
    ("GET", "/admin/replicas"): named("/admin/replicas"),
    ("POST", "/admin/erase"): (
        403,
        lambda names: Walk("/admin/erase", {"memory_id": names["memory"]}),
    ),
    ("GET", "/admin/audit"): named("/admin/audit"),
    ("POST", "/admin/audit/query"): named("/admin/audit/query", {"sql": "SELECT 1"}),
    ("POST", "/eval/run"): named("/eval/run", {"namespaces": ["?"]}),
    ("POST", "/eval/generate"): named("/eval/generate", {"namespaces": ["?"]}),
    ("GET", "/eval/history"): named("/eval/history"),
}

# Asked without naming anything of anybody: the answer must not change by what a stranger stores.
QUESTIONS = [
    Walk("/memories"),
    Walk("/memories", None, {"state": "tombstone"}),
    Walk("/memories", None, {"sort": "confidence", "limit": "1"}),
    Walk("/tombstones"),
    Walk("/tags"),
    Walk("/namespaces"),
    Walk("/stats"),
    Walk("/bootstrap"),
    Walk("/brief"),
    Walk("/context", {"message": "the stranger's walnut safe", "first_turn": True}),
    Walk("/recall", {"query": "the stranger's walnut safe", "top_k": 50}),
    Walk("/recall", {"query": "walnut", "layers": ["episode"], "tags": ["walnut-tag"]}),
    Walk("/recall", {"query": "walnut", "agents": ["walked-over"]}),
]


def send(client, method: str, walk: Walk):
    return client.request(method, f"/api/v1{walk.path}", json=walk.body, params=walk.params or None)


def routes(service) -> set[tuple[str, str]]:
    return {
        (method, re.sub(r":\w+}", "}", route.path.removeprefix("/api/v1")))
        for route in create_app(service.node).routes
        if isinstance(route, HTTPRoute) and not route.path.startswith("/schema")
        for method in route.methods
        if method != "OPTIONS"
    }


@pytest.fixture(scope="module")
def victim(service):
    """An agent with a memory, a tombstone, an episode, a tag and a session of its own."""
    client = service.agent("walked-over", namespace="walked-main")
    secret = commit(client, "the walnut safe opens with 4711", distill=False, tags=["walnut-tag"])
    gone = commit(client, "the walnut cellar", distill=False)
    client.delete(f"/api/v1/distilled/{gone['memory_id']}", params={"wait": "true"})
    commit(client, "walnut talk", namespace="walked-ephemeral", session_id="s-1")
    return {
        "memory": secret["memory_id"],
        "episode": secret["episode_id"],
        "namespace": "walked-main",
        "agent": "walked-over",
    }


@pytest.fixture(scope="module")
def stranger(service):
    return service.agent("walker")


def comparable(answer, names: dict[str, str]) -> tuple[int, str, str]:
    """Give status, body and headers, with what differs by the request alone taken out."""
    text = answer.text
    for kind, value in names.items():
        text = text.replace(value, f"<{kind}>")
    text = re.sub(r'"request_id":"[^"]*"', "", text)
    return answer.status_code, text, answer.headers.get("Content-Type", "")


def test_every_route_is_walked(service):
    assert routes(service) - OPEN == set(CALLS)


@pytest.mark.parametrize(("method", "template"), sorted(CALLS))
def test_without_a_key_every_route_gives_the_same_401(service, victim, method, template):
    _, walk = CALLS[method, template]
    answers = {
        comparable(send(service.nobody, method, walk(names)), names) for names in (victim, UNKNOWN)
    }
    bodies = {(status, re.sub(r'"instance":"[^"]*"', "", text)) for status, text, _ in answers}
    assert len(bodies) == 1
    [(status, text)] = bodies
    assert status == 401
    assert "unauthenticated" in text


@pytest.mark.parametrize(("method", "template"), sorted(CALLS))
def test_to_a_stranger_a_thing_of_anothers_is_as_if_it_were_not(
    service, victim, stranger, method, template
):
    expected, walk = CALLS[method, template]
    seen = send(stranger, method, walk(victim))
    unseen = send(stranger, method, walk(UNKNOWN))
    assert seen.status_code == expected, seen.text
    assert comparable(seen, victim)[:2] == comparable(unseen, UNKNOWN)[:2]
    for secret in ("walnut", "4711"):
        assert secret not in seen.text


def test_what_the_stranger_is_told_does_not_change_by_what_others_store(service, fresh):
    watcher = service.agent(fresh("watcher"))
    before = [answers_to(watcher, question) for question in QUESTIONS]
    other = service.agent(fresh("hermes"))
    memory = commit(other, "the stranger's walnut safe", distill=False, tags=["walnut-tag"])
    commit(other, "walnut", wait="vectors")
    other.post("/api/v1/feedback/useful", json={"memory_id": memory["memory_id"]})
    other.delete(f"/api/v1/distilled/{memory['memory_id']}", params={"wait": "true"})
    assert [answers_to(watcher, question) for question in QUESTIONS] == before


def test_the_walk_left_the_victims_things_as_they_were(service, victim):
    memory = service.owner.get(f"/api/v1/memory/{victim['memory']}").json()
    assert memory["tags"] == ["walnut-tag"]
    assert (memory["state"], memory["tier"], memory["version"]) == ("live", "normal", 1)
    assert (memory["useful_count"], memory["not_useful_count"]) == (0, 0)


def answers_to(client, question: Walk) -> Any:
    body = send(client, "POST" if question.body else "GET", question).json()
    for incidental in ("position", "took_ms", "recall_id", "cached"):
        body.pop(incidental, None)
    for item in body.get("items", []):
        item.pop("importance", None)  # falls from one moment to the next
    return body
