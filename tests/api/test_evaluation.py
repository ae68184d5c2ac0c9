"""Evaluation over HTTP: questions with known answers, kept sets, the history and its alarm."""

from __future__ import annotations

from typing import Any

import pytest

from tests.api.service import Service, commit
from tests.servers import eventually

STATEMENTS = (
    "the billing gateway listens on port 7443",
    "nightly backups of the billing ledger start at 02:30",
    "Marta decided to keep the warehouse scanner on firmware 4.2.1",
    "invoices are rounded to five cents in Switzerland",
    "质检报告存放在三号机房的共享盘",
    "团队决定用蓝绿部署发布支付服务",
)


@pytest.fixture(scope="module")
def keeper(service: Service) -> dict[str, Any]:
    """An agent with six memories, and their ids."""
    client = service.agent("keeper", namespace="keeper-main")
    ids = [
        commit(client, text, distill=False, tags=["ops"] if n < 2 else [])["memory_id"]
        for n, text in enumerate(STATEMENTS)
    ]
    answer = service.admin.get("/api/v1/stats")
    assert answer.status_code == 200
    # Asked flat out, it would take the processor from those who embed what it waits for.
    eventually(lambda: _all_found(service), within_s=60, every_s=0.25)
    return {"client": client, "ids": ids}


def _all_found(service: Service) -> bool:
    found = service.admin.post(
        "/api/v1/recall", json={"query": STATEMENTS[0], "namespaces": ["keeper-main"]}
    ).json()
    return len(found["results"]) == len(STATEMENTS)


def run(service: Service, **body: Any) -> dict[str, Any]:
    answer = service.admin.post("/api/v1/eval/run", json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()


def generate(service: Service, name: str, **body: Any) -> dict[str, Any]:
    answer = service.owner.post(
        "/api/v1/eval/generate", json={"set": name, "namespaces": ["keeper-main"], **body}
    )
    assert answer.status_code == 200, answer.text
    return answer.json()


def given(*pairs: tuple[str, list[str]]) -> list[dict[str, Any]]:
    return [{"query": query, "evidence_ids": expected} for query, expected in pairs]


def test_given_questions_are_asked_and_every_figure_is_told(service, keeper) -> None:
    port, backups, *_ = keeper["ids"]
    questions = given(("which port does the billing gateway use", [port]), ("回家吃饭", ["nobody"]))
    questions += given(("when do backups of the ledger start?", [backups]))
    got = run(service, set="given-1", questions=questions, namespaces=["keeper-main"])
    assert got["questions"] == 3
    assert got["recall_at_5"] == pytest.approx(2 / 3)
    assert 0 < got["precision_at_5"] <= 2 / 15 + 1e-9
    assert got["recall_at_5_by_tag"] == {"ops": 1.0}
    assert got["recall_by_agent"] == {"keeper": 1.0}
    assert got["recall_by_layer"] == {"memory": 1.0}
    first, missed, _ = got["query_details"]
    assert first["hits"] == first["expected_ids"] == [port]
    assert (missed["hits"], missed["misses"], missed["recall_at_5"]) == ([], ["nobody"], 0)
    assert sum(got["levels"].values()) == 3


def test_an_episode_counts_as_found_when_a_memory_derived_from_it_is(service, keeper) -> None:
    detail = keeper["client"].get(f"/api/v1/memory/{keeper['ids'][0]}").json()
    (episode,) = detail["derived_from"]
    questions = given(("port of the billing gateway", [episode]))
    got = run(service, set="aware", questions=questions, namespaces=["keeper-main"])
    assert got["recall_at_5"] == 1
    hits = got["consolidation_aware_hits"]
    assert hits["hits_after_consolidation"] == 1
    assert hits["consolidation_benefit"] == 1
    assert hits["total_distilled_used"] >= 1


def test_a_generated_set_has_four_classes_at_three_levels_and_is_found(service, keeper) -> None:
    made = generate(service, "golden", per_cell=2)
    assert set(made["cells"]) == {
        f"{question_class}/{level}"
        for question_class in ("keyword", "fact", "category", "time")
        for level in ("easy", "medium", "hard")
    }
    assert made["questions"] == sum(made["cells"].values())
    assert (made["generator"], made["model"]) == ("templates", None)
    got = run(service, set="golden")
    assert got["questions"] == made["questions"]
    assert got["recall_at_5"] > 0.8
    assert set(got["recall_by_category"]) == set(made["cells"])


def test_the_same_memories_and_seed_give_the_same_questions(service, keeper) -> None:
    def asked(name: str, seed: int) -> list[tuple[str, tuple[str, ...]]]:
        generate(service, name, seed=seed, per_cell=2, generator="templates")
        rows = service.node.state.golden_questions(name)
        return [(row.query, tuple(row.expected_ids)) for row in rows]

    assert asked("seeded-1", 3) == asked("seeded-2", 3)
    assert asked("seeded-1", 4) != asked("seeded-2", 3)


def test_a_repeat_runs_nothing_again_and_gives_the_kept_figures(service, keeper) -> None:
    body = {"set": "repeated", "questions": given(("invoices in Switzerland", [keeper["ids"][3]]))}
    headers = {"Idempotency-Key": "evaluation-repeat"}
    first = service.admin.post("/api/v1/eval/run", json=body, headers=headers).json()
    again = service.admin.post("/api/v1/eval/run", json=body, headers=headers).json()
    assert (first["duplicate"], again["duplicate"]) == (False, True)
    assert again["position"] == first["position"]
    assert again["ndcg_at_10"] == first["ndcg_at_10"]
    assert len(service.admin.get("/api/v1/eval/history?set=repeated").json()["items"]) == 1
    body["set"] = "another"
    assert service.admin.post("/api/v1/eval/run", json=body, headers=headers).status_code == 409


def test_a_run_that_falls_raises_an_alarm_which_the_next_good_run_ends(service, keeper) -> None:
    def ask_for(expected: str) -> dict[str, Any]:
        # The same question twice; what it expects decides how well it goes.
        return run(
            service, set="falling", questions=given(("warehouse scanner firmware", [expected]))
        )

    def alarms() -> list[str]:
        parts = service.nobody.get("/health").json()["degraded"]
        return [part["reason"] for part in parts if part["part"] == "evaluation"]

    scanner = keeper["ids"][2]
    assert ask_for(scanner)["regression"] is None
    client = keeper["client"]
    client.delete(f"/api/v1/distilled/{scanner}", params={"wait": "true"})
    fallen = ask_for(scanner)
    assert fallen["regression"] == {"recall_at_10": 0, "baseline": 1, "allowed": 0.05}
    assert alarms() == ["recall@10 of the set falling fell from 1.00 to 0.00"]
    client.post(f"/api/v1/memory/{scanner}/restore", params={"wait": "true"})
    assert ask_for(scanner)["regression"] is None
    assert alarms() == []
    items = service.admin.get("/api/v1/eval/history?set=falling").json()["items"]
    assert [item["regressed"] for item in items] == [False, True, False]
    assert [item["baseline"] for item in items] == [0.5, 1.0, None]
    assert items[0]["actor"] == "admin"


def test_a_question_whose_memory_was_deleted_is_not_asked_any_more(service, keeper) -> None:
    generate(service, "shrinking", per_cell=1)
    before = run(service, set="shrinking")
    (gone, *_) = before["query_details"][0]["expected_ids"]
    asked = sum(one["expected_ids"] == [gone] for one in before["query_details"])
    assert asked > 0
    keeper["client"].delete(f"/api/v1/distilled/{gone}", params={"wait": "true"})
    after = run(service, set="shrinking")
    assert after["questions"] == before["questions"] - asked
    assert after["regression"] is None
    keeper["client"].post(f"/api/v1/memory/{gone}/restore", params={"wait": "true"})


def test_evaluation_leaves_no_trace_on_what_it_finds(service, keeper) -> None:
    def seen() -> Any:
        detail = keeper["client"].get(f"/api/v1/memory/{keeper['ids'][0]}").json()
        return detail["recall_count"], detail["importance"] > 0, detail["position"]

    before = seen()
    changed = service.node.state.changed_at(["keeper-main", "shared"])
    for _ in range(3):
        run(service, set="trace", questions=given(("what bills at 7443?", [keeper["ids"][0]])))
    assert seen() == before
    assert service.node.state.changed_at(["keeper-main", "shared"]) == changed
    audited = service.admin.get("/api/v1/admin/audit", params={"type": "RecallServed"}).json()
    assert "what bills at 7443?" not in str(audited)


def test_questions_on_an_erased_memory_are_gone_with_its_words(service, keeper) -> None:
    client = service.agent("erasable", namespace="erasable-main")
    memory = commit(client, "the zanzibar vault code word is periwinkle", distill=False)
    commit(client, "the harbour crane needs oil every tuesday", distill=False)
    body = {"set": "erasable", "namespaces": ["erasable-main"], "per_cell": 2}
    assert service.admin.post("/api/v1/eval/generate", json=body).status_code == 200
    asked = run(service, set="erasable")["query_details"]
    assert any("periwinkle" in one["query"] for one in asked)
    erased = service.admin.post("/api/v1/admin/erase", json={"memory_id": memory["memory_id"]})
    assert erased.status_code in (200, 202)
    left = run(service, set="erasable")["query_details"]
    assert left
    assert not any("periwinkle" in one["query"] for one in left)
    rows = service.node.state.golden_questions("erasable")
    assert not any("periwinkle" in row.query for row in rows)


def test_who_may_not_or_asks_for_nothing_is_told(service, keeper) -> None:
    for method, path in (("POST", "run"), ("POST", "generate"), ("GET", "history")):
        body = {} if method == "POST" else None
        assert (
            keeper["client"].request(method, f"/api/v1/eval/{path}", json=body).status_code == 403
        )
    assert service.admin.post("/api/v1/eval/run", json={"set": "never-made"}).status_code == 404
    nothing = {"set": "empty", "namespaces": ["nobodys-main"]}
    assert service.admin.post("/api/v1/eval/generate", json=nothing).status_code == 409
    model = {"set": "x", "generator": "llm"}
    refused = service.admin.post("/api/v1/eval/generate", json=model)
    assert refused.status_code == 409
    assert "LLM_ENDPOINT" in refused.json()["detail"]
