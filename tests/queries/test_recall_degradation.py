"""Every part of recall may fail: the answer gets poorer, says so, and is never an error."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from typing import Any

import pytest
from msgspec import structs

from bench.real_stack import RealStack
from inference.circuit_breaker import CircuitBreaker
from inference.embedder import Embedder
from inference.openai_compatible import OpenAICompatible, ServerOptions
from memoryweave.contract import Recall, RecallAnswer
from queries.recall import recall
from tests.commands.speaking import Speaker

QUERY = "kestrel-7731 nests in the tower"


@pytest.fixture
def dead_server() -> Iterator[OpenAICompatible]:
    """An embedder whose server is not there; its circuit opens at the first failure."""
    with socket.create_server(("127.0.0.1", 0)) as gone:
        port = gone.getsockname()[1]
    embedder = OpenAICompatible(
        ServerOptions(endpoint=f"http://127.0.0.1:{port}", dimension=384),
        breaker=CircuitBreaker(lambda: 0.0, failures=1),
    )
    yield embedder
    embedder.close()


@pytest.fixture
def told(stack: RealStack, hermes: Speaker) -> RealStack:
    """A stack that knows one memory and one episode about the query, and one of neither."""
    hermes.remember("kestrel-7731 nests in the tower")
    hermes.commit("we saw kestrel-7731 from the tower again")
    hermes.remember("my soup was good")
    stack.project()
    stack.fill()
    return stack


class Renamed:
    """The stack's embedder under another name, as after a change of the setting."""

    def __init__(self, inner: Embedder) -> None:
        self._inner = inner
        self.name = "another-model"

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


def test_with_vectors_of_another_model_recall_goes_by_words(
    told: RealStack, hermes: Speaker
) -> None:
    answer = ask(told, hermes, Renamed(told.parts.embedder))
    assert answer.level == "lexical"
    [part] = answer.degraded
    assert part.part == "dense"
    assert "another-model/384 are in the next generation" in part.reason
    assert answer.results[0].content == QUERY
    assert ask(told, hermes).level == "hybrid"


def ask(
    stack: RealStack, speaker: Speaker, embedder: Embedder | None = None, **options: Any
) -> RecallAnswer:
    parts = stack.parts if embedder is None else structs.replace(stack.parts, embedder=embedder)
    return recall(Recall(query=QUERY, **options), speaker.caller, parts, stack.clock, "recall")


def failed_parts(answer: RecallAnswer) -> set[str]:
    return {part.part for part in answer.degraded}


def garble(stack: RealStack, *kinds: str) -> None:
    """Overwrite the vector table's files of those kinds (folder names), as a bad disk does."""
    files = [
        file
        for file in stack.vector_folder.rglob("*")
        if file.is_file() and (not kinds or any(kind in file.parts for kind in kinds))
    ]
    assert files
    for file in files:
        file.write_bytes(b"\0" * 64)
    stack.reopen_views()


def test_without_its_embedder_recall_goes_by_words(
    told: RealStack, hermes: Speaker, dead_server: OpenAICompatible
) -> None:
    for reason in ("did not answer", "not asked for a while"):
        answer = ask(told, hermes, dead_server)
        assert answer.level == "lexical"
        assert failed_parts(answer) == {"embedder"}
        assert reason in answer.degraded[0].reason
        assert len(answer.results) == 2
        assert answer.results[0].content == QUERY


def test_without_the_word_index_recall_goes_by_meaning(told: RealStack, hermes: Speaker) -> None:
    garble(told, "_indices")
    answer = ask(told, hermes)
    assert answer.level == "dense"
    assert failed_parts(answer) == {"lexical"}
    assert answer.results[0].content == QUERY


def test_without_the_vector_view_recall_scans_current_texts(
    told: RealStack, hermes: Speaker
) -> None:
    garble(told)
    answer = ask(told, hermes)
    assert answer.level == "scan"
    assert "vector" in failed_parts(answer)
    assert answer.results[0].content == QUERY
    assert len(answer.results) == 2
    assert [0.0 <= result.score <= 1.0 for result in answer.results] == [True, True]
    assert answer.position == told.state.checkpoint().position


def test_without_word_index_and_embedder_recall_scans(
    told: RealStack, hermes: Speaker, dead_server: OpenAICompatible
) -> None:
    garble(told, "_indices")
    answer = ask(told, hermes, dead_server)
    assert answer.level == "scan"
    assert failed_parts(answer) == {"embedder", "lexical"}
    assert answer.results[0].content == QUERY


def test_without_any_view_the_answer_is_empty_and_says_so(told: RealStack, hermes: Speaker) -> None:
    garble(told)
    damage_state_view(told)
    answer = ask(told, hermes)
    assert answer.level == "empty"
    assert answer.results == []
    assert {"vector", "state"} <= failed_parts(answer)


def test_without_the_state_view_nothing_is_shown_that_cannot_be_checked(
    told: RealStack, hermes: Speaker
) -> None:
    damage_state_view(told)
    answer = ask(told, hermes)
    assert answer.level == "empty"
    assert answer.results == []
    assert "state" in failed_parts(answer)


def test_a_node_that_has_projected_nothing_yet_answers_nothing(
    stack: RealStack, hermes: Speaker
) -> None:
    hermes.remember(QUERY)
    answer = ask(stack, hermes)
    assert answer.results == []
    assert answer.position == 0


def test_min_position_asks_only_the_views_that_can_answer(told: RealStack, hermes: Speaker) -> None:
    garble(told)
    position = told.state.checkpoint().position
    assert ask(told, hermes, min_position=position).level == "scan"


def test_reasons_quote_neither_the_query_nor_a_text(
    told: RealStack, hermes: Speaker, dead_server: OpenAICompatible
) -> None:
    answers = [ask(told, hermes, dead_server)]
    garble(told, "_indices")
    answers.append(ask(told, hermes, dead_server))
    garble(told)
    answers.append(ask(told, hermes, dead_server))
    damage_state_view(told)
    answers.append(ask(told, hermes, dead_server))
    reasons = [part.reason for answer in answers for part in answer.degraded]
    assert len(reasons) >= 6
    assert not any("kestrel" in reason or "tower" in reason for reason in reasons)


def damage_state_view(stack: RealStack) -> None:
    """Garble the state view's database behind the reader's back."""
    stack.state_projector.close()
    for file in stack.state_folder.iterdir():
        file.write_bytes(b"\0" * 8192)
    stack.reopen_views()
