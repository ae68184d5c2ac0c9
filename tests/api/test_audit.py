"""Audits and provenance over HTTP: what the admin may ask, and what a key is shown of a memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx

from tests.api.service import Service, commit
from tests.servers import eventually

Fresh = Callable[[str], str]


def remembered(client: httpx.Client, content: str) -> Any:
    return commit(client, content, distill=False)


def audited(service: Service, position: int, **parameters: Any) -> list[dict[str, Any]]:
    """List events once the view has come to a position, which takes it about 5 s."""

    def reached() -> bool:
        health = service.nobody.get("/health").json()
        return bool(health["views"]["analytics"]["position"] >= position)

    eventually(reached, within_s=60, every_s=0.1)
    answer = service.admin.get("/api/v1/admin/audit", params=parameters)
    assert answer.status_code == 200, answer.text
    items: list[dict[str, Any]] = answer.json()["items"]
    return items


def test_the_admin_finds_what_happened_by_memory_actor_type_and_position(
    service: Service, fresh: Fresh
) -> None:
    name = fresh("audited")
    agent = service.agent(name, namespace=f"{name}-main")
    receipt = remembered(agent, f"the audited lamp of {name}")
    memory, position = receipt["memory_id"], receipt["position"]
    corrected = agent.post(
        "/api/v1/feedback/correct",
        json={
            "memory_id": memory,
            "content": "a new lamp",
            "reason": "r",
            "source": "owner_message",
        },
    ).json()
    last = corrected["position"]
    own = audited(service, last, aggregate_id=memory)
    assert [item["type"] for item in own] == ["MemoryCreated", "MemoryCorrected"]
    assert own[1]["body"]["content"] == "a new lamp"
    assert {item["actor"] for item in own} == {name}
    named = audited(service, last, memory_id=memory)
    assert {"MemoryCreated", "EpisodeDistilled", "TextClaimed"} <= {i["type"] for i in named}
    by_type = audited(service, last, actor=name, type="EpisodeCommitted")
    assert [item["aggregate_id"] for item in by_type] == [receipt["episode_id"]]
    inside = audited(service, last, namespace=f"{name}-main", from_position=last, to_position=last)
    assert [item["position"] for item in inside] == [last]
    assert audited(service, last, aggregate_id=memory, to_time="2001-01-01T00:00:00Z") == []
    assert position < last


def test_paging_gives_every_event_once(service: Service, fresh: Fresh) -> None:
    name = fresh("paged")
    agent = service.agent(name, namespace=f"{name}-main")
    last = [remembered(agent, f"page {n} of {name}") for n in range(3)][-1]["position"]
    whole = [item["position"] for item in audited(service, last, actor=name, to_position=last)]
    found: list[int] = []
    cursor = None
    while True:
        parameters = {"actor": name, "to_position": last, "limit": 2}
        if cursor is not None:
            parameters["cursor"] = cursor
        page = service.admin.get("/api/v1/admin/audit", params=parameters).json()
        found += [item["position"] for item in page["items"]]
        cursor = page["next"]
        if cursor is None:
            break
    assert found == whole == sorted(set(found))
    assert len(found) > 4


def test_one_select_is_answered_and_anything_else_is_a_422_that_tells_no_path(
    service: Service, fresh: Fresh
) -> None:
    service.agent(fresh("asker"))
    audited(service, 1)

    def query(sql: str, **more: Any) -> httpx.Response:
        return service.admin.post("/api/v1/admin/audit/query", json={"sql": sql, **more})

    answer = query("SELECT 1 AS one, 'zwei' AS two, NULL AS nothing, 0.5 AS half, sum(3) AS s")
    assert answer.status_code == 200, answer.text
    assert answer.json() == {
        "columns": ["one", "two", "nothing", "half", "s"],
        "rows": [[1, "zwei", None, 0.5, 3]],
        "truncated": False,
    }
    cut = query('SELECT "position", occurred_at FROM events ORDER BY 1', limit=1).json()
    assert (cut["rows"][0][0], cut["truncated"]) == (1, True)
    assert cut["rows"][0][1].endswith("Z")
    data = str(service.node.values.data.absolute())
    for sql in (
        "COPY events TO 'x.csv'",
        "SELECT * FROM duckdb_views()",
        "SELECT nothing FROM events",
        "SELECT 'infinity'::TIMESTAMP AS never",
        "SELECT [DATE '290000-01-01'] AS late",
        "SELECT TIMESTAMP_NS '2026-01-01 00:00:00.123456789' AS exact",
    ):
        refused = query(sql)
        assert refused.status_code == 422, sql
        assert refused.json()["errors"][0]["field"] == "sql"
        assert data not in refused.text


def test_only_the_admins_key_audits(service: Service, fresh: Fresh) -> None:
    agent = service.agent(fresh("curious"))
    for client in (agent, service.owner):
        assert client.get("/api/v1/admin/audit").status_code == 403
        assert client.post("/api/v1/admin/audit/query", json={"sql": "SELECT 1"}).status_code == 403
    for no_moment in ("2026-01-01T00:00:00", "2026", "-0.5"):
        for name in ("from_time", "to_time"):
            refused = service.admin.get("/api/v1/admin/audit", params={name: no_moment})
            assert refused.status_code == 422, (name, no_moment)
    assert service.admin.get("/api/v1/admin/audit", params={"cursor": "x"}).status_code == 422


def test_provenance_leads_from_a_sentence_to_its_episodes_agents_and_corrections(
    service: Service, fresh: Fresh
) -> None:
    name, other = fresh("source"), fresh("stranger")
    agent, stranger = service.agent(name, namespace=f"{name}-main"), service.agent(other)
    text = f"the cellar door of {name} is green"
    first = remembered(agent, text)
    again = remembered(agent, text)
    memory = first["memory_id"]
    assert again["memory_id"] == memory
    fixed = agent.post(
        "/api/v1/feedback/correct",
        params={"wait": "true"},
        json={
            "memory_id": memory,
            "content": "it is red",
            "reason": "paint",
            "source": "owner_message",
        },
    ).json()
    told = agent.get(f"/api/v1/memory/{memory}/provenance").json()
    assert [(s["episode_id"], s["role"], s["content"]) for s in told["sources"]] == [
        (first["episode_id"], "created", text),
        (again["episode_id"], "reinforced", text),
    ]
    assert [(v["version"], v["content"], v["reason"]) for v in told["versions"]] == [
        (1, text, None),
        (2, "it is red", "paint"),
    ]
    assert first["position"] < told["versions"][1]["position"] <= fixed["position"]
    assert [s["position"] for s in told["sources"]] == sorted(
        s["position"] for s in told["sources"]
    )
    assert (told["agents"], told["hidden_sources"], told["ended"]) == ([name], 0, None)
    assert stranger.get(f"/api/v1/memory/{memory}/provenance").status_code == 404


def test_of_a_source_that_a_key_may_not_read_only_the_number_is_told(
    service: Service, fresh: Fresh
) -> None:
    name, reader = fresh("wide"), fresh("narrow")
    agent, narrow = service.agent(name, namespace=f"{name}-main"), service.agent(reader)
    text = f"shared fact of {name}"
    memory = commit(agent, text, distill=False, namespace="shared")["memory_id"]
    seen = narrow.get(f"/api/v1/memory/{memory}/provenance").json()
    assert (len(seen["sources"]), seen["hidden_sources"]) == (1, 0)
    ended = agent.delete(f"/api/v1/distilled/{memory}", params={"wait": "true"}).json()
    gone = narrow.get(f"/api/v1/memory/{memory}/provenance").json()
    assert (gone["state"], gone["ended"]["by"]) == ("tombstone", "deleted")
    assert gone["ended"]["position"] == ended["position"]
