"""A reranker's judgement in the order, and recall when the reranker fails."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from bench.real_stack import RealStack
from inference.circuit_breaker import CircuitBreaker
from inference.rerank_server import RerankOptions, RerankServer
from memoryweave.contract import Recall, RecallAnswer
from queries.recall import recall
from queries.reranking import JUDGEMENT, blended
from queries.stages import EVERY_STAGE
from tests.commands.speaking import Speaker
from tests.inference.embedding_server import EmbeddingServer, Exchange
from tests.inference.rerank_behaviour import rerank_server, scores
from tests.queries.asking import settle

QUERY = "who waters the plants"
unit = st.floats(0.0, 1.0)


@given(st.lists(unit, max_size=12), st.data())
def test_scores_stay_in_range_and_what_was_not_judged_stays_behind_in_its_order(
    before: list[float], data: st.DataObject
) -> None:
    before.sort(reverse=True)
    among = data.draw(st.integers(0, len(before)))
    judged = np.array(data.draw(st.lists(unit, min_size=among, max_size=among)))
    new = blended(np.array(before), judged)
    assert ((new >= 0) & (new <= 1)).all()
    rest = new[among:]
    assert (np.diff(rest) <= 1e-12).all()
    if among and judged.max() > 0 and len(rest):
        assert rest.max() <= new[:among].min() + 1e-12


@given(st.lists(st.tuples(unit, unit), min_size=2, max_size=8))
def test_who_was_better_and_is_judged_better_stays_ahead(pairs: list[tuple[float, float]]) -> None:
    pairs.sort(reverse=True)
    before, judged = (np.array(column) for column in zip(*pairs, strict=True))
    new = blended(before, judged)
    for one in range(len(pairs)):
        for other in range(one):
            if judged[other] >= judged[one]:
                assert new[other] >= new[one] - 1e-12


def test_judgements_of_nothing_but_zeros_change_nothing() -> None:
    before = np.array([0.9, 0.5])
    assert blended(before, np.zeros(2)).tolist() == [0.9, 0.5]
    assert blended(before, np.array([0.2, 0.4])).tolist() == pytest.approx(
        [JUDGEMENT * 0.5 + (1 - JUDGEMENT) * 0.9, JUDGEMENT + (1 - JUDGEMENT) * 0.5]
    )


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    with rerank_server() as running:
        yield running


@pytest.fixture
def reranker(server: EmbeddingServer) -> Iterator[RerankServer]:
    breaker = CircuitBreaker(lambda: 0.0, failures=1)
    asked = RerankServer(RerankOptions(endpoint=server.endpoint), breaker=breaker)
    yield asked
    asked.close()


def test_what_the_reranker_judges_best_comes_first(
    stack: RealStack, hermes: Speaker, server: EmbeddingServer, reranker: RerankServer
) -> None:
    answer = hermes.commit("on Fridays it is Ada", speaker="Ben").episode_id
    hermes.commit("the plants need water twice a week")
    settle(stack)
    plain = ask(stack, hermes, None)
    assert plain.results[0].id != answer

    def prefers_ada(exchange: Exchange) -> None:
        asked.extend(exchange.request["documents"])
        scores(*((n, 0.9 if "Ada" in t else 0.01) for n, t in enumerate(asked)))(exchange)

    asked: list[str] = []
    server.usual = prefers_ada
    judged = ask(stack, hermes, reranker)
    assert judged.results[0].id == answer
    assert judged.degraded == []
    assert "Ben: on Fridays it is Ada" in asked
    assert all(0.0 <= result.score <= 1.0 for result in judged.results)
    stack.stages = structs.replace(EVERY_STAGE, reranker=False)
    assert ids(ask(stack, hermes, reranker)) == ids(plain)


@pytest.mark.parametrize(
    "behaviour",
    [
        lambda exchange: exchange.answer(500, b""),
        lambda exchange: exchange.answer(200, b"garbage"),
        scores((0, 0.5), (7, 0.5)),
        lambda exchange: exchange.trickle(5.0),
    ],
    ids=["500", "garbage", "wrong indices", "slow"],
)
def test_a_failing_reranker_is_skipped_and_reported(
    stack: RealStack,
    hermes: Speaker,
    server: EmbeddingServer,
    reranker: RerankServer,
    behaviour: Callable[[Exchange], None],
) -> None:
    hermes.remember("Ada waters the plants")
    hermes.remember("the plants stand in the hall")
    settle(stack)
    plain = ask(stack, hermes, None)
    server.usual = behaviour
    failed = ask(stack, hermes, reranker)
    assert (failed.level, ids(failed)) == ("hybrid", ids(plain))
    assert [part.part for part in failed.degraded] == ["reranker"]
    assert "rerank:bge-reranker-v2-m3" in failed.degraded[0].reason
    assert "plants" not in failed.degraded[0].reason


def ask(stack: RealStack, speaker: Speaker, reranker: RerankServer | None) -> RecallAnswer:
    parts = structs.replace(stack.parts, reranker=reranker)
    return recall(Recall(query=QUERY), speaker.caller, parts, stack.clock, "recall")


def ids(answer: RecallAnswer) -> list[str]:
    return [result.id for result in answer.results]
