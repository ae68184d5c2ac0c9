"""The HTTP embedder against a server that keeps the protocol, and one that breaks it."""

from __future__ import annotations

import logging
import socket
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from inference.circuit_breaker import CircuitBreaker
from inference.embedder import EmbedderMisbehaved, EmbedderUnavailable
from inference.openai_compatible import OpenAICompatible, ServerOptions
from tests.inference.embedding_server import (
    EmbeddingServer,
    Exchange,
    embedding_server,
    vector_of,
    well,
)

KEY = "sk-never-to-be-seen"


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    with embedding_server() as running:
        yield running


@pytest.fixture
def pauses() -> list[float]:
    return []


@pytest.fixture
def connect(
    server: EmbeddingServer, pauses: list[float]
) -> Iterator[Callable[..., OpenAICompatible]]:
    opened: list[OpenAICompatible] = []

    def make(breaker: CircuitBreaker | None = None, **options: object) -> OpenAICompatible:
        chosen = {"endpoint": server.endpoint, "dimension": 8, **options}
        embedder = OpenAICompatible(
            ServerOptions(**chosen),  # type: ignore[arg-type]
            KEY,
            breaker=breaker,
            pause=pauses.append,
            jitter=lambda: 0.5,
        )
        opened.append(embedder)
        return embedder

    yield make
    for embedder in opened:
        embedder.close()


def unit(text: str) -> np.ndarray:
    vector = np.array(vector_of(text), dtype=np.float32)
    return vector / np.linalg.norm(vector)


def status(code: int, body: bytes = b"{}", **headers: str) -> Callable[[Exchange], None]:
    return lambda exchange: exchange.answer(code, body, headers)


def test_documents_go_in_batches_and_come_back_in_order(
    connect: Callable[..., OpenAICompatible], server: EmbeddingServer
) -> None:
    texts = [f"text {n}" for n in range(70)]
    vectors = connect().embed_documents(texts)
    assert vectors.shape == (70, 8)
    assert vectors.dtype == np.float32
    assert all(np.allclose(vectors[n], unit(texts[n])) for n in range(70))
    assert [len(request["input"]) for request in server.requests] == [32, 32, 6]
    assert {request["model"] for request in server.requests} == {"bge-m3"}
    assert set(server.authorizations) == {f"Bearer {KEY}"}


def test_no_texts_ask_nothing(
    connect: Callable[..., OpenAICompatible], server: EmbeddingServer
) -> None:
    assert connect().embed_documents([]).shape == (0, 8)
    assert server.requests == []


@pytest.mark.parametrize("ending", ["", "/", "/v1", "/v1/", "/v1/embeddings"])
def test_the_endpoint_may_be_written_in_every_usual_way(
    connect: Callable[..., OpenAICompatible], server: EmbeddingServer, ending: str
) -> None:
    embedder = connect(endpoint=server.endpoint + ending)
    assert np.allclose(embedder.embed_query("port"), unit("port"))


def test_rows_in_another_order_are_put_in_place_by_their_index(
    connect: Callable[..., OpenAICompatible], server: EmbeddingServer
) -> None:
    server.behaviours = [
        lambda exchange: exchange.answer_rows(
            [{"index": n, "embedding": vector_of(exchange.texts[n])} for n in (2, 0, 1)]
        )
    ]
    vectors = connect().embed_documents(["a", "b", "c"])
    assert np.allclose(vectors, np.stack([unit("a"), unit("b"), unit("c")]))


@pytest.mark.parametrize("code", [408, 429, 500, 502, 503])
def test_a_passing_failure_is_tried_again_with_growing_pauses(
    connect: Callable[..., OpenAICompatible],
    server: EmbeddingServer,
    pauses: list[float],
    code: int,
) -> None:
    server.behaviours = [status(code), status(code)]
    embedder = connect(breaker=CircuitBreaker(lambda: 0.0, failures=9))
    assert np.allclose(embedder.embed_documents(["x"])[0], unit("x"))
    assert pauses == [0.5, 1.0]
    assert embedder.state == "ready"


def test_the_servers_own_pause_is_kept_up_to_a_bound(
    connect: Callable[..., OpenAICompatible], server: EmbeddingServer, pauses: list[float]
) -> None:
    server.behaviours = [
        status(429, **{"Retry-After": "3"}),
        status(503, **{"Retry-After": "86400"}),
    ]
    connect(breaker=CircuitBreaker(lambda: 0.0, failures=9)).embed_documents(["x"])
    assert pauses == [3.0, 20.0]


def test_a_dropped_connection_is_tried_again(
    connect: Callable[..., OpenAICompatible], server: EmbeddingServer, pauses: list[float]
) -> None:
    server.behaviours = [Exchange.hang_up]
    assert connect().embed_documents(["x"]).shape == (1, 8)
    assert len(pauses) == 1


def test_documents_are_given_up_after_the_last_attempt(
    connect: Callable[..., OpenAICompatible], server: EmbeddingServer, pauses: list[float]
) -> None:
    server.behaviours = [status(500)] * 9
    embedder = connect(attempts=3, breaker=CircuitBreaker(lambda: 0.0, failures=9))
    with pytest.raises(EmbedderUnavailable, match="status 500"):
        embedder.embed_documents(["x"])
    assert len(server.requests) == 3
    assert len(pauses) == 2
    assert embedder.state == "failing"


def test_a_query_is_tried_once(
    connect: Callable[..., OpenAICompatible], server: EmbeddingServer, pauses: list[float]
) -> None:
    server.behaviours = [status(503)]
    with pytest.raises(EmbedderUnavailable, match="status 503"):
        connect().embed_query("x")
    assert len(server.requests) == 1
    assert pauses == []


def test_a_silent_server_is_left_after_the_query_timeout(
    connect: Callable[..., OpenAICompatible], server: EmbeddingServer
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        embedder = connect(endpoint=f"http://127.0.0.1:{port}", query_timeout_s=0.1)
        with pytest.raises(EmbedderUnavailable, match="ReadTimeout"):
            embedder.embed_query("x")


def test_a_server_that_trickles_is_left_as_well(
    connect: Callable[..., OpenAICompatible], server: EmbeddingServer
) -> None:
    server.behaviours = [lambda exchange: exchange.trickle(30)]
    with pytest.raises(EmbedderUnavailable, match="took too long"):
        connect(query_timeout_s=0.2).embed_query("x")


def test_nobody_listening_is_unavailable(connect: Callable[..., OpenAICompatible]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as gone:
        port = gone.getsockname()[1]
    with pytest.raises(EmbedderUnavailable, match="ConnectError"):
        connect(endpoint=f"http://127.0.0.1:{port}").embed_query("x")


def test_a_dead_server_is_not_asked_again_until_the_cooldown_ends(
    connect: Callable[..., OpenAICompatible], server: EmbeddingServer
) -> None:
    now = [0.0]
    breaker = CircuitBreaker(lambda: now[0], failures=2, cooldown_s=10)
    embedder = connect(breaker=breaker)
    server.behaviours = [status(503), status(503)]
    for _ in range(2):
        with pytest.raises(EmbedderUnavailable):
            embedder.embed_query("x")
    with pytest.raises(EmbedderUnavailable, match="not asked for a while"):
        embedder.embed_query("x")
    assert len(server.requests) == 2
    assert embedder.state == "failing"
    now[0] = 10.0
    assert np.allclose(embedder.embed_query("x"), unit("x"))
    assert embedder.state == "ready"


def rows(*embeddings: object) -> Callable[[Exchange], None]:
    return lambda exchange: exchange.answer_rows(
        [{"index": n, "embedding": embedding} for n, embedding in enumerate(embeddings)]
    )


@pytest.mark.parametrize(
    ("behaviour", "said"),
    [
        (rows([1.0] * 7), "dimension"),
        (rows([1.0] * 8, [1.0] * 8), "2 vectors for 1 texts"),
        (rows(), "0 vectors for 1 texts"),
        (lambda exchange: exchange.answer_rows([{"index": 5, "embedding": [1.0] * 8}]), "vectors"),
        (rows([0.0] * 8), "no finite length"),
        (rows([1e308] * 8), "no finite length"),
        (rows(["NaN"] * 8), "something else"),
        (status(200, b"<html>gateway</html>"), "something else"),
        (status(200, b'{"object": "list"}'), "something else"),
        (status(401), "status 401"),
        (status(400), "status 400"),
        (status(307, Location="http://127.0.0.1:1/"), "status 307"),
    ],
)
def test_an_answer_that_makes_no_sense_is_refused_and_not_tried_again(
    connect: Callable[..., OpenAICompatible],
    server: EmbeddingServer,
    behaviour: Callable[[Exchange], None],
    said: str,
) -> None:
    server.behaviours = [behaviour]
    with pytest.raises(EmbedderMisbehaved, match=said):
        connect().embed_documents(["x"])
    assert len(server.requests) == 1


def test_refused_requests_do_not_open_the_circuit(
    connect: Callable[..., OpenAICompatible], server: EmbeddingServer
) -> None:
    embedder = connect(breaker=CircuitBreaker(lambda: 0.0, failures=1))
    server.behaviours = [status(400)]
    with pytest.raises(EmbedderMisbehaved):
        embedder.embed_documents(["too long for it"])
    assert np.allclose(embedder.embed_query("x"), unit("x"))


def test_neither_key_nor_text_is_in_errors_or_logs(
    connect: Callable[..., OpenAICompatible],
    server: EmbeddingServer,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    embedder = connect()
    server.behaviours = [status(401, f"bad key {KEY} for 'my secret diary'".encode()), well]
    with pytest.raises(EmbedderMisbehaved) as refused:
        embedder.embed_query("my secret diary")
    embedder.embed_query("my secret diary")
    seen = [str(refused.value), repr(embedder), caplog.text]
    assert not any(KEY in text or "secret diary" in text for text in seen)


def test_texts_are_cleaned_and_cut_before_they_leave(
    connect: Callable[..., OpenAICompatible], server: EmbeddingServer
) -> None:
    embedder = connect()
    embedder.embed_documents(["a\0b \ud800", "y" * 20_000])
    embedder.embed_query("z" * 5_000 + "?")
    assert server.requests[0]["input"] == ["a b ?", "y" * 16_000]
    assert server.requests[1]["input"] == ["z" * 3_999 + "?"]
