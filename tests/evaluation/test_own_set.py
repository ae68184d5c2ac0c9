"""`memoryweave eval` on a real node over HTTP, with a small set and dialogues of our own."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from domain.policies.retrieval import Measures
from memoryweave.client import Client
from memoryweave.outbox import Queued
from tests.inference.chat_server import ChatServer, asked_of, chat_server
from tests.nodes import NodeProcess
from tests.servers import eventually
from workers.cli.evaluation_sets import SetsReport, Updates, report_of
from workers.cli.main import main
from workers.evaluation.baselines import BEST_SINGLE
from workers.evaluation.measuring import Measured, measure
from workers.evaluation.own_node import Served

HARBOUR = Path(__file__).parent / "harbour"
CONVERSATION = [
    ("Ada", "my new server is called heron and has 64 GB of memory"),
    ("assistant", "noted, a good name"),
    ("Ada", "its backups go to the barn at 03:10 every night"),
    ("Ada", "I decided against containers on it"),
]


def as_a_model_would(request: dict[str, Any]) -> str:
    """Answer what the service asks of a model, as a good one would (these words are ours)."""
    asked = asked_of(request)
    if "items" in asked:
        written = [
            {"number": item["number"], "query": f"in other words: {item['example']}"}
            for item in asked["items"]
        ]
        return json.dumps({"questions": written})
    turns = [{"speaker": speaker, "text": text} for speaker, text in CONVERSATION]
    questions = [
        {"query": "how much memory does the machine have?", "answer_turns": [0]},
        {"query": "where are its backups kept?", "answer_turns": [2]},
    ]
    return json.dumps({"turns": turns, "questions": questions})


@pytest.fixture(scope="module")
def model() -> Iterator[ChatServer]:
    with chat_server() as server:
        server.reply = as_a_model_would
        yield server


@pytest.fixture(scope="module")
def node(model: ChatServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[NodeProcess]:
    data = tmp_path_factory.mktemp("evaluated") / "data"
    with NodeProcess(data, LLM_ENDPOINT=model.endpoint, LLM_MODEL="local-8b") as running:
        yield running


@pytest.fixture(scope="module")
def client(node: NodeProcess) -> Iterator[Client]:
    with node.client() as speaking:
        for text in ("the kiln needs two hours to reach 900 degrees", "glaze is kept in shed four"):
            receipt = speaking.remember(text, namespace="pottery", wait="vectors")
            assert not isinstance(receipt, Queued)
        yield speaking


def test_a_set_of_conversations_is_measured_on_a_node_of_its_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["eval", "run", str(HARBOUR), "--vectors", str(tmp_path / "v"), "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    (measured,) = report["sets"]
    assert (measured["name"], measured["questions"]) == ("harbour", 11)
    assert measured["means"]["recall_at_5"] > 0.8
    assert 0 <= measured["margins"]["reciprocal_rank"] < 0.5
    assert measured["layers"].keys() == {"episode"}  # nothing distils yet
    assert sum(measured["levels"].values()) == 11
    assert (report["mean_gain"], report["missed"]) == (None, [])
    assert list((tmp_path / "v").glob("vectors-*.sqlite"))  # kept for the next run


def test_the_model_writes_the_questions_where_one_is_configured(
    client: Client, model: ChatServer
) -> None:
    made = client.generate_evaluation("by-model", per_cell=1, namespaces=["pottery"])
    assert (made.generator, made.model) == ("llm", "local-8b")
    report = client.run_evaluation("by-model")
    assert all(one.query.startswith("in other words") for one in report.query_details)
    assert report.recall_at_5 > 0.5
    # The view of everything that happened takes events in every few seconds.
    eventually(lambda: bool(client.audit(type="LlmCalled").items), within_s=60)
    called = client.audit(type="LlmCalled").items
    assert [item.body["ok"] for item in called] == [True]
    assert called[0].body["tokens"] == 120


def test_questions_stay_templates_where_the_model_fails(client: Client, model: ChatServer) -> None:
    model.status = 400
    try:
        made = client.generate_evaluation("fallback", per_cell=1, namespaces=["pottery"])
    finally:
        model.status = 200
    assert made.questions >= 10
    report = client.run_evaluation("fallback")
    assert not any(one.query.startswith("in other words") for one in report.query_details)


def test_the_command_line_generates_runs_and_shows_the_history(
    node: NodeProcess, client: Client, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = ["--data", str(node.data)]
    where = ["--namespace", "pottery"]
    assert main(["eval", "generate", "cli", *where, "--generator", "templates", *data]) == 0
    assert "questions by templates, seed 7" in capsys.readouterr().out
    assert main(["eval", "run", "cli", *data]) == 0
    assert "recall@5 by category" in capsys.readouterr().out

    (memory,) = [m for m in client.memories(namespace="pottery").items if "kiln" in m.content]
    file = tmp_path / "asked.jsonl"
    lines = [
        {"id": "1", "query": "how long does the kiln take?", "evidence_ids": [memory.id]},
        {"id": "2", "query": "never said", "evidence_ids": []},
    ]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert main(["eval", "run", str(file), *where, *data, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["questions"] == 1
    assert main(["eval", "history", *data]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert shown[1].split()[2] == "asked"
    assert main(["eval", "run", "no-such-set", *data]) == 1
    assert "POST /eval/generate" in capsys.readouterr().err
    file.write_text('{"id": "1"}\n')
    assert main(["eval", "run", str(file), *data]) == 2
    assert "line 1" in capsys.readouterr().err


def test_dialogues_with_known_answers_come_back_after_they_were_committed(
    client: Client,
    model: ChatServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("LLM_ENDPOINT", model.endpoint)
    monkeypatch.setenv("LLM_MODEL", "local-8b")
    folder = tmp_path / "written"
    assert main(["eval", "dialogues", str(folder), "--count", "2", "--json"]) == 0
    written = json.loads(capsys.readouterr().out)
    assert (written["dialogues"], written["lines"], written["questions"]) == (2, 8, 4)
    got = measure(folder, lambda vectors: nullcontext(Served(client)), None)
    assert got.questions == 4
    assert got.means.recall_at_5 == 1
    assert got.layers.keys() == {"episode"}  # nothing distils yet


def test_a_dialogue_whose_answer_is_not_in_it_is_refused(
    model: ChatServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("LLM_ENDPOINT", model.endpoint)
    monkeypatch.setenv("LLM_MODEL", "local-8b")
    turns = [{"speaker": "a", "text": "hello"}, {"speaker": "b", "text": "hello"}]
    bad = {"turns": turns, "questions": [{"query": "which port?", "answer_turns": [2]}]}
    monkeypatch.setattr(model, "reply", lambda request: json.dumps(bad))
    assert main(["eval", "dialogues", str(tmp_path / "none")]) == 1
    assert "not there" in capsys.readouterr().err
    assert not (tmp_path / "none").exists()


def measured(name: str, recall: float) -> Measured:
    means = Measures(recall, recall, 0.1, recall, recall)
    return Measured(
        name=name,
        questions=9,
        means=means,
        margins=means,
        median_ms=1,
        levels={},
        layers={},
        tokens=1,
    )


def reported(**changed: float) -> SetsReport:
    recalls = {name: best + 0.04 for name, best in BEST_SINGLE.items()}
    recalls["locomo_dev"] = 0.8
    some = [measured(name, recall) for name, recall in (recalls | changed).items()]
    return report_of(some, Updates(questions=100, above=95))


def test_the_verdict_names_every_floor_that_was_missed() -> None:
    assert reported().missed == []
    assert reported().mean_gain == pytest.approx((8 * 0.04 + 0.8 - 0.631) / 9)
    (below,) = reported(madial_zh=0.6).missed
    assert below.startswith("madial_zh: recall@10 lies 0.021 below")
    (one,) = reported(locomo_dev=0.7).missed
    assert one == "locomo_dev: recall@10 is 0.700, below 0.76"
    flat = report_of([measured(n, best) for n, best in BEST_SINGLE.items()], None)
    assert "mean gain in recall@10 is 0.000, below 0.03" in flat.missed
    few = report_of([], Updates(questions=100, above=94))
    assert few.missed == ["updated facts above: 94 of 100"]
