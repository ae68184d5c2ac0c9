"""The filler: the model works beside the projection; its failures cost time and nothing else."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from inference.embedder import EmbedderMisbehaved, EmbedderUnavailable
from projections.vector.chunks import estimated_tokens
from projections.vector.filler import TOKENS_PER_ROUND, VectorFiller
from projections.vector.projector import ModelChanged, VectorProjector
from projections.vector.schema import text_sha
from projections.vector.search_filter import SearchFilter
from tests.projections.vector.histories import History
from tests.projections.vector.places import DIMENSION, LetterEmbedder, Place
from tests.servers import eventually

BAD = "the model cannot take this"


class MoodyEmbedder(LetterEmbedder):
    """Refuses one text always, all while it is down, and can be held in the middle of a call."""

    def __init__(self) -> None:
        self.down = False
        self.calls: list[list[str]] = []
        self.go = threading.Event()
        self.go.set()

    def embed_documents(self, texts: list[str]) -> NDArray[np.float32]:
        self.calls.append(texts)
        assert self.go.wait(20)
        if self.down:
            raise EmbedderUnavailable("the model does not answer")
        if BAD in texts:
            raise EmbedderMisbehaved("the model answered with nothing")
        return super().embed_documents(texts)


@pytest.fixture
def embedder() -> MoodyEmbedder:
    return MoodyEmbedder()


@pytest.fixture
def failures() -> list[Exception]:
    return []


@pytest.fixture
def filler(
    place: Place, embedder: MoodyEmbedder, failures: list[Exception]
) -> Iterator[VectorFiller]:
    with closing(
        VectorFiller(place.projector, embedder, report=failures.append, retry_s=0.01)
    ) as filler:
        yield filler


def fill_until(place: Place, filler: VectorFiller, left: int) -> None:
    def filled() -> bool:
        filler.write()
        return len(place.projector.waiting) == left

    eventually(filled, within_s=20)


def test_every_waiting_row_gets_its_vector(
    place: Place, history: History, filler: VectorFiller, embedder: MoodyEmbedder
) -> None:
    for number in range(70):
        history.commit(f"statement number {number}")
    place.project(history.events)
    fill_until(place, filler, left=0)
    assert all(row.vector is not None for row in place.rows())
    assert sum(map(len, embedder.calls)) == 70
    assert place.view().missing_vectors(None) == 0


def test_new_rows_wait_for_a_bounded_stretch_of_the_long_ones_that_came_before(
    place: Place, history: History, filler: VectorFiller, embedder: MoodyEmbedder
) -> None:
    """A long document's chunks take seconds of a busy processor: not all go in one round."""
    for number in range(20):
        history.commit(f"{number} " + "a long story " * 110)
    place.project(history.events)
    embedder.go.clear()
    filler.write()
    eventually(lambda: len(embedder.calls) == 1)
    history.commit("the newest statement")
    place.project(history.events)
    embedder.go.set()
    fill_until(place, filler, left=0)
    before = list(
        itertools.takewhile(lambda texts: "the newest statement" not in texts, embedder.calls)
    )
    assert 0 < sum(estimated_tokens(text) for texts in before for text in texts) <= TOKENS_PER_ROUND
    assert all(row.vector is not None for row in place.rows())


def test_a_text_longer_than_a_round_is_a_round_of_its_own(
    place: Place, history: History, filler: VectorFiller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("projections.vector.filler.TOKENS_PER_ROUND", 10)
    for number in range(3):
        history.commit(f"statement number {number}")
    place.project(history.events)
    fill_until(place, filler, left=0)
    assert all(row.vector is not None for row in place.rows())


def test_a_text_that_the_cache_knows_is_never_embedded_again(
    place: Place, history: History, filler: VectorFiller, embedder: MoodyEmbedder
) -> None:
    history.commit("said once")
    place.project(history.events)
    fill_until(place, filler, left=0)
    history.commit("said once")
    place.project(history.events)
    assert not place.projector.waiting
    assert len(embedder.calls) == 1


def test_the_projection_goes_on_while_the_model_hangs(
    place: Place, history: History, filler: VectorFiller, embedder: MoodyEmbedder
) -> None:
    embedder.go.clear()
    history.commit("the first statement")
    place.project(history.events)
    filler.write()
    eventually(lambda: len(embedder.calls) == 1)
    second = history.commit("the second statement")
    place.project(history.events)
    assert filler.write() == 0
    hits = place.view().lexical("second", SearchFilter(namespaces=None), 5)
    assert [hit.source_id for hit in hits] == [second]
    embedder.go.set()
    fill_until(place, filler, left=0)


def test_a_model_that_is_down_is_asked_again_until_it_is_back(
    place: Place,
    history: History,
    filler: VectorFiller,
    embedder: MoodyEmbedder,
    failures: list[Exception],
) -> None:
    embedder.down = True
    for number in range(20):
        history.commit(f"statement number {number}")
    place.project(history.events)

    def failed_twice() -> bool:
        filler.write()
        return len(failures) >= 2

    eventually(failed_twice, within_s=20)
    assert len(place.projector.waiting) == 20
    embedder.down = False
    fill_until(place, filler, left=0)


def test_a_text_that_the_model_cannot_take_does_not_hold_up_the_others(
    place: Place,
    history: History,
    filler: VectorFiller,
    failures: list[Exception],
) -> None:
    for number in range(40):
        history.commit(BAD if number % 13 == 5 else f"statement number {number}")
    place.project(history.events)
    fill_until(place, filler, left=3)
    assert all(isinstance(failure, EmbedderMisbehaved) for failure in failures)
    waiting = place.projector.stored(place.projector.waiting)
    assert {row.content for row in waiting} == {BAD}


def test_vectors_survive_the_loss_of_the_view(
    place: Place, history: History, filler: VectorFiller, tmp_path: Path
) -> None:
    history.commit("said once")
    place.project(history.events)
    fill_until(place, filler, left=0)
    rebuilt = VectorProjector(tmp_path / "elsewhere", place.cache)
    rebuilt.apply(history.events, place.projector.checkpoint())
    assert not rebuilt.waiting


def test_a_vector_that_is_ready_after_its_session_was_closed_is_not_kept(
    place: Place, history: History, filler: VectorFiller, embedder: MoodyEmbedder
) -> None:
    embedder.go.clear()
    history.commit("whispered", namespace="h-ephemeral", session_id="s1")
    history.commit("said aloud")
    place.project(history.events)
    filler.write()
    eventually(lambda: len(embedder.calls) == 1)
    history.close_session("h-ephemeral", "s1")
    place.project(history.events)
    embedder.go.set()
    fill_until(place, filler, left=0)
    eventually(lambda: filler.write() == 0 and place.cache.count() == 1)
    assert place.cache.get([text_sha("said aloud")])


def test_another_model_is_refused_by_view_and_filler(place: Place, history: History) -> None:
    from projections.vector.cache import VectorCache

    other = VectorCache(place.folder / "cache", "letters-2", DIMENSION)
    with pytest.raises(ModelChanged, match="letters-2"):
        VectorProjector(place.directory.live, other)
    other.close()
    embedder = LetterEmbedder()
    embedder.name = "letters-2"
    with pytest.raises(ValueError, match="letters-2"):
        VectorFiller(place.projector, embedder, report=print)
