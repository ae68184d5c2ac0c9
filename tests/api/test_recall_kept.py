"""A question asked again is answered from what was kept, and every answer is told to the log."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import uuid4

import httpx
import pytest

from tests.api.service import Service
from tests.oracle import Fact, read_log
from tests.servers import LogServer, eventually


@pytest.fixture
def agent(service: Service, fresh: Callable[[str], str]) -> httpx.Client:
    return service.agent(fresh("hermes-kept"))


def remember(client: httpx.Client, content: str, **fields: Any) -> str:
    body = {"content": content, "distill": False, **fields}
    made = client.post("/api/v1/commit", params={"wait": "vectors"}, json=body)
    assert made.status_code == 201, made.text
    return made.json()["memory_id"]


def ask(client: httpx.Client, query: str, **options: Any) -> dict[str, Any]:
    answer = client.post("/api/v1/recall", json={"query": query, **options})
    assert answer.status_code == 200, answer.text
    return answer.json()


def ask_again(client: httpx.Client, query: str, **options: Any) -> dict[str, Any]:
    """Ask until the answer was kept: a store that is slow for a moment is left alone for one."""
    answers = [ask(client, query, **options)]

    def kept() -> bool:
        if not answers[-1]["cached"]:
            answers.append(ask(client, query, **options))
        return answers[-1]["cached"]

    eventually(kept, every_s=0.2)
    return answers[-1]


def said(answer: dict[str, Any]) -> dict[str, Any]:
    """Give what an answer says, without what is its own."""
    return {k: v for k, v in answer.items() if k not in ("recall_id", "took_ms", "cached")}


def served(log_server: LogServer, *recall_ids: str) -> list[tuple[Fact, dict[str, Any], str]]:
    """Wait until the log tells of these recalls; give each with its event and its query."""
    found: dict[str, tuple[Fact, dict[str, Any], str]] = {}

    def all_told() -> bool:
        for fact in read_log(log_server.url, "api-tests"):
            if fact["type"] == "RecallServed":
                for recall, query in zip(
                    fact["body"]["recalls"], fact["body"]["queries"], strict=True
                ):
                    found[recall["recall_id"]] = fact, recall, query
        return found.keys() >= set(recall_ids)

    eventually(all_told, every_s=0.2)
    return [found[recall_id] for recall_id in recall_ids]


def test_the_same_question_again_gets_the_same_answer_under_an_id_of_its_own(
    agent: httpx.Client,
) -> None:
    remember(agent, "the kettle hums at 92 degrees")
    first, second = ask(agent, "kettle"), ask_again(agent, "kettle")
    assert not first["cached"]
    assert said(first)["results"] == said(second)["results"]
    assert first["recall_id"] != second["recall_id"]
    # The same in other words of the request, and a position that was reached long ago.
    again = ask_again(agent, "kettle", layers=["episode", "memory"], min_position=first["position"])
    assert again["cached"]
    assert not ask(agent, "kettle", top_k=3)["cached"]
    assert not ask(agent, "kettle", as_of={"position": first["position"]})["cached"]


def test_after_a_change_in_the_scope_nothing_old_is_answered(
    agent: httpx.Client, service: Service, fresh: Callable[[str], str]
) -> None:
    stranger = service.agent(fresh("hermes-other"))
    memory = remember(agent, "the gate opens at seven")
    assert not ask(agent, "gate")["cached"]
    remember(stranger, "the gate is green", namespace=None)
    ask_again(agent, "gate")
    assert ask_again(agent, "gate")[
        "cached"
    ]  # what others store for themselves is not in the scope
    agent.post(
        "/api/v1/feedback/correct",
        params={"wait": "vectors"},
        json={"memory_id": memory, "content": "the gate opens at eight", "reason": "winter"},
    )
    corrected = ask(agent, "gate")
    assert not corrected["cached"]
    assert [r["content"] for r in corrected["results"]] == ["the gate opens at eight"]
    agent.delete(f"/api/v1/distilled/{memory}", params={"wait": "true"})
    assert ask(agent, "gate")["results"] == []
    assert ask_again(agent, "gate")["results"] == []


def test_a_kept_answer_costs_a_token_too(service: Service, fresh: Callable[[str], str]) -> None:
    quota = {"recall_per_s": 0.01, "recall_burst": 2, "commit_per_s": 9, "commit_burst": 9}
    agent = service.agent(fresh("hermes-poor"), quota=quota)
    answers = [agent.post("/api/v1/recall", json={"query": "x"}) for _ in range(3)]
    assert [answer.status_code for answer in answers] == [200, 200, 429]


def test_each_answer_is_told_to_the_log_kept_ones_too(
    agent: httpx.Client, log_server: LogServer
) -> None:
    memory = remember(agent, "port 9911 serves the sundial")
    answers = [
        ask(agent, "sundial port"),
        ask_again(agent, "sundial port"),
        ask(agent, "zebra stripes"),
    ]
    told = served(log_server, *(answer["recall_id"] for answer in answers))
    assert [query for _, _, query in told] == ["sundial port", "sundial port", "zebra stripes"]
    assert [recall["cached"] for _, recall, _ in told] == [False, True, False]
    for (fact, recall, _), answer in zip(told, answers, strict=True):
        assert fact["actor"] == recall["agent_id"]
        assert recall["namespaces"] == sorted(recall["namespaces"])
        assert "shared" in recall["namespaces"]
        assert recall["level"] == answer["level"]
        assert [result["memory_id"] for result in recall["results"]] == [
            result["id"] for result in answer["results"]
        ]
    assert told[0][1]["results"][0] == {
        "memory_id": memory,
        "version": 1,
        "rank": 1,
        "score": answers[0]["results"][0]["score"],
    }

    def count() -> int:
        return agent.get(f"/api/v1/memory/{memory}").json()["recall_count"]

    eventually(lambda: count() >= 2)
    assert agent.get(f"/api/v1/memory/{memory}").json()["last_recalled_at"]


def test_a_vote_may_name_a_recall_that_is_not_in_the_log_yet_or_never_will_be(
    agent: httpx.Client,
) -> None:
    memory = remember(agent, "the attic smells of apples")
    just_now = ask(agent, "attic")["recall_id"]
    for recall_id in (just_now, str(uuid4())):
        vote = agent.post(
            "/api/v1/feedback/useful", json={"memory_id": memory, "recall_id": recall_id}
        )
        assert vote.status_code == 200, vote.text


def test_what_many_ask_at_once_is_searched_for_once(agent: httpx.Client, service: Service) -> None:
    remember(agent, "the sluice is cleaned on Mondays")
    before = service.nobody.get("/metrics").text
    with ThreadPoolExecutor(8) as many:
        answers = list(many.map(lambda _: ask(agent, "sluice"), range(8)))
    assert [answer["cached"] for answer in answers].count(False) == 1
    assert len({answer["recall_id"] for answer in answers}) == 8
    assert 'memoryweave_recalls_total{kept="found"}' in before
