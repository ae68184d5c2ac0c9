"""The reranker behind HTTP against a server that keeps the protocol, and one that breaks it."""

from __future__ import annotations

import logging
import math
import socket
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from inference.circuit_breaker import CircuitBreaker
from inference.rerank_server import RerankOptions, RerankServer
from inference.reranker import RerankerMisbehaved, RerankerUnavailable
from tests.inference.embedding_server import EmbeddingServer, Exchange
from tests.inference.rerank_behaviour import judging, rerank_server, scores

KEY = "rk-never-to-be-seen"
TEXTS = ["the tower is old", "we like the red fox", "nothing"]
QUERY = "the red fox"

Connect = Callable[..., RerankServer]


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    with rerank_server() as running:
        yield running


@pytest.fixture
def connect(server: EmbeddingServer) -> Iterator[Connect]:
    opened: list[RerankServer] = []

    def make(breaker: CircuitBreaker | None = None, **options: object) -> RerankServer:
        chosen = {"endpoint": server.endpoint, **options}
        reranker = RerankServer(RerankOptions(**chosen), KEY, breaker=breaker)  # type: ignore[arg-type]
        opened.append(reranker)
        return reranker

    yield make
    for reranker in opened:
        reranker.close()


@pytest.mark.parametrize(
    "document",
    [lambda text: {}, lambda text: {"document": text}, lambda text: {"document": {"text": text}}],
    ids=["no document", "a string", "an object"],
)
def test_scores_come_back_in_the_order_of_the_texts(
    connect: Connect, server: EmbeddingServer, document: Callable[[str], dict[str, object]]
) -> None:
    server.usual = judging(document)
    assert connect().rerank(QUERY, TEXTS) == pytest.approx([1 / 3, 1.0, 0.0])
    [request] = server.requests
    assert request["model"] == "bge-reranker-v2-m3"
    assert (request["query"], request["documents"], request["top_n"]) == (QUERY, TEXTS, 3)
    assert server.authorizations == [f"Bearer {KEY}"]


def test_raw_scores_become_probabilities_and_keep_their_order(
    connect: Connect, server: EmbeddingServer
) -> None:
    server.usual = scores((2, -900.0), (0, 1.5), (1, -0.5))
    relevance = connect().rerank(QUERY, TEXTS)
    assert relevance == pytest.approx([1 / (1 + math.exp(-1.5)), 1 / (1 + math.exp(0.5)), 0.0])


@pytest.mark.parametrize("suffix", ["", "/", "/v1", "/v1/rerank"])
def test_the_endpoint_may_be_given_with_its_path(
    connect: Connect, server: EmbeddingServer, suffix: str
) -> None:
    assert len(connect(endpoint=server.endpoint + suffix).rerank(QUERY, TEXTS)) == 3


def test_of_no_texts_nothing_is_asked(connect: Connect, server: EmbeddingServer) -> None:
    assert len(connect().rerank(QUERY, [])) == 0
    assert server.requests == []


def test_odd_and_long_texts_are_sent_as_a_model_can_read_them(
    connect: Connect, server: EmbeddingServer
) -> None:
    relevance = connect().rerank("x" * 5000 + " end", ["a\0b \ud800", "y" * 9000])
    assert relevance.shape == (2,)
    [request] = server.requests
    assert request["query"].endswith("end")
    assert len(request["query"]) == 2000
    assert request["documents"][0] == "a b ?"
    assert len(request["documents"][1]) == 4000


@pytest.mark.parametrize(
    ("behaviour", "said"),
    [
        (scores((0, 0.1), (1, 0.2)), "2 scores for 3"),
        (scores((0, 0.1), (1, 0.2), (2, 0.3), (3, 0.1)), "4 scores for 3"),
        (scores((0, 0.1), (1, 0.2), (3, 0.3)), "2 of them"),
        (scores((0, 0.1), (1, 0.2), (1, 0.3)), "2 of them"),
        (scores((0, 0.1), (1, 0.2), (-1, 0.3)), "2 of them"),
        (scores((0, 0.1), (1, None), (2, 0.3)), "something else"),
        (scores((0, 0.1), (1, "high"), (2, 0.3)), "something else"),
        (scores((0, 0.1), (1, math.nan), (2, 0.3)), "something else"),
        (lambda exchange: exchange.answer(200, b'{"results": 3}'), "something else"),
        (lambda exchange: exchange.answer(200, b"\xff\xfe"), "something else"),
        (lambda exchange: exchange.answer(200, b""), "something else"),
        (lambda exchange: exchange.answer(404, b"no such model"), "status 404"),
        (lambda exchange: exchange.answer(401, b"wrong key"), "status 401"),
    ],
)
def test_an_answer_that_makes_no_sense_is_told_as_such(
    connect: Connect,
    server: EmbeddingServer,
    behaviour: Callable[[Exchange], None],
    said: str,
) -> None:
    server.usual = behaviour
    with pytest.raises(RerankerMisbehaved, match=said):
        connect().rerank(QUERY, TEXTS)


def test_a_number_beyond_all_bounds_is_no_score(connect: Connect, server: EmbeddingServer) -> None:
    body = b'{"results": [{"index": 0, "relevance_score": 1e999}]}'
    server.usual = lambda exchange: exchange.answer(200, body)
    with pytest.raises(RerankerMisbehaved):
        connect().rerank(QUERY, TEXTS[:1])


@pytest.mark.parametrize(
    "behaviour",
    [
        lambda exchange: exchange.answer(500, b"out of memory"),
        lambda exchange: exchange.answer(429, b""),
        lambda exchange: exchange.trickle(3.0),
        Exchange.hang_up,
    ],
    ids=["500", "429", "trickles", "hangs up"],
)
def test_a_server_that_does_not_answer_is_unavailable_and_soon_left_alone(
    connect: Connect, server: EmbeddingServer, behaviour: Callable[[Exchange], None]
) -> None:
    now = 0.0
    server.usual = behaviour
    breaker = CircuitBreaker(lambda: now, failures=2, cooldown_s=10.0)
    reranker = connect(breaker, timeout_s=0.5)
    for _ in range(2):
        with pytest.raises(RerankerUnavailable, match="did not answer"):
            reranker.rerank(QUERY, TEXTS)
    asked = len(server.requests)
    with pytest.raises(RerankerUnavailable, match="not asked for a while"):
        reranker.rerank(QUERY, TEXTS)
    assert len(server.requests) == asked
    server.usual = judging()
    now = 11.0
    assert np.argmax(reranker.rerank(QUERY, TEXTS)) == 1


def test_neither_texts_nor_the_key_are_in_errors_or_logs(
    connect: Connect, server: EmbeddingServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    server.usual = lambda exchange: exchange.answer(400, f"{KEY} {TEXTS}".encode())
    with pytest.raises(RerankerMisbehaved) as refused:
        connect().rerank(QUERY, TEXTS)
    with socket.create_server(("127.0.0.1", 0)) as gone:
        port = gone.getsockname()[1]
    with pytest.raises(RerankerUnavailable) as dead:
        connect(endpoint=f"http://127.0.0.1:{port}").rerank(QUERY, TEXTS)
    said = f"{refused.value} {dead.value} {caplog.text}"
    assert KEY not in said
    assert not any(text in said for text in (QUERY, *TEXTS))
