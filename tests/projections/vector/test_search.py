"""What searches find, and what filters keep from them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from domain import events as facts
from projections.vector.search_filter import SearchFilter
from projections.vector.view import VectorView
from tests.projections.vector.histories import START, History
from tests.projections.vector.places import Place, letters

EVERYWHERE = SearchFilter(namespaces=None)


def found(view: VectorView, query: str, search: SearchFilter = EVERYWHERE) -> list[str]:
    return [hit.source_id for hit in view.lexical(query, search, 10)]


def test_a_word_inside_a_chinese_sentence_is_found(place: Place, history: History) -> None:
    tea = history.commit("我喜欢喝冻顶乌龙茶")
    history.commit("乌鸦和龙都在山上")
    place.project(history.events)
    assert found(place.view(), "乌龙") == [tea]
    assert found(place.view(), "烏龍") == [tea]


def test_a_document_that_holds_the_whole_phrase_comes_before_one_that_holds_its_parts(
    place: Place, history: History
) -> None:
    parts = history.commit("冻顶是山，顶乌是词，乌龙是茶")
    whole = history.commit("昨天在台湾买的冻顶乌龙放在柜子里了")
    place.project(history.events)
    assert found(place.view(), "冻顶乌龙") == [whole, parts]


def test_a_row_without_a_vector_is_found_by_its_words_and_does_not_disturb_dense_search(
    place: Place, history: History
) -> None:
    filled = history.commit("the proxy listens on 8080")
    place.project(history.events)
    place.fill()
    waiting = history.commit("the proxy moved to 9090")
    place.project(history.events)
    view = place.view()
    assert set(found(view, "proxy")) == {filled, waiting}
    hits = view.dense(letters("the proxy listens on 8080"), EVERYWHERE, 10, with_vectors=True)
    assert [hit.source_id for hit in hits] == [filled]
    assert hits[0].score == pytest.approx(1.0, abs=1e-5)
    assert hits[0].vector is not None
    assert view.missing_vectors(None) == view.missing_vectors(frozenset({"shared"})) == 1
    assert view.missing_vectors(frozenset({"elsewhere"})) == 0


def test_a_long_episode_is_one_hit_with_its_best_chunk(place: Place, history: History) -> None:
    sentences = [f"Line {n} is about the weather of that day." for n in range(200)]
    sentences[150] = "The spare key lies under the blue flowerpot."
    long = history.commit(" ".join(sentences))
    short = history.commit("a key is a key")
    place.project(history.events)
    place.fill()
    view = place.view()
    hits = view.lexical("spare key flowerpot", EVERYWHERE, 10)
    assert [hit.source_id for hit in hits] == [long, short]
    assert "flowerpot" in hits[0].content
    assert hits[0].chunk_of > 3
    assert 0 < hits[0].chunk_index < hits[0].chunk_of
    dense = view.dense(letters("anything"), EVERYWHERE, 2)
    assert {hit.source_id for hit in dense} == {long, short}


@pytest.mark.parametrize(
    ("search", "expected"),
    [
        (SearchFilter(namespaces=frozenset({"x-main"})), "x"),
        (SearchFilter(namespaces=frozenset()), ""),
        (SearchFilter(namespaces=None, layers=frozenset({"memory"})), "m"),
        (SearchFilter(namespaces=None, categories=frozenset({"decision"})), "x"),
        (SearchFilter(namespaces=None, agents=frozenset({"o'brien"})), "x"),
        (SearchFilter(namespaces=None, sources=frozenset({"config_parse"})), "x"),
        (SearchFilter(namespaces=None, session_id="it's") , "x"),
        (SearchFilter(namespaces=None, tags=frozenset({"a'b"})), "xm"),
        (SearchFilter(namespaces=None, tags=frozenset({"a'b", "c"})), "x"),
        (SearchFilter(namespaces=None, metadata={"n": 3}), "x"),
        (SearchFilter(namespaces=None, metadata={"n": 3.0, "who": "d'Arc"}), "x"),
        (SearchFilter(namespaces=None, metadata={"n": "3"}), ""),
        (SearchFilter(namespaces=None, observed_before=START - timedelta(days=1)), "x"),
        (SearchFilter(namespaces=None, observed_after=START - timedelta(days=1)), "em"),
    ],
)  # fmt: skip
def test_filters_narrow_both_searches_alike(
    place: Place, history: History, search: SearchFilter, expected: str
) -> None:
    names = {history.commit("the proxy of everybody"): "e"}
    names[history.create("the proxy remembered", tags=["a'b"])] = "m"
    names[
        history.commit(
            "the proxy of x",
            namespace="x-main",
            agent_id="o'brien",
            source="config_parse",
            category="decision",
            session_id="it's",
            tags=["a'b", "c"],
            metadata={"n": 3, "who": "d'Arc", "nested": {"a": [1]}},
            observed_at=datetime(2020, 1, 1, tzinfo=UTC),
        )
    ] = "x"
    place.project(history.events)
    place.fill()
    view = place.view()
    lexical = {names[source] for source in found(view, "proxy", search)}
    dense = {names[hit.source_id] for hit in view.dense(letters("any"), search, 10)}
    assert lexical == dense == set(expected)


def test_a_filter_is_applied_before_the_limit(place: Place, history: History) -> None:
    for number in range(300):
        history.commit(f"the proxy {number}")
    far = history.commit("some longer words about the one proxy of x", namespace="x-main")
    place.project(history.events)
    place.fill()
    view = place.view()
    of_x = SearchFilter(namespaces=frozenset({"x-main"}))
    assert [hit.source_id for hit in view.lexical("proxy", of_x, 1)] == [far]
    assert [hit.source_id for hit in view.dense(letters("the proxy 7"), of_x, 1)] == [far]


@pytest.mark.parametrize("evil", ["' OR '1'='1", "x') OR true --", "\\' OR 1=1 --", "'; DROP"])
@pytest.mark.parametrize(
    "where",
    [
        lambda evil: SearchFilter(namespaces=frozenset({evil})),
        lambda evil: SearchFilter(namespaces=None, agents=frozenset({evil})),
        lambda evil: SearchFilter(namespaces=None, tags=frozenset({evil})),
        lambda evil: SearchFilter(namespaces=None, session_id=evil),
        lambda evil: SearchFilter(namespaces=None, metadata={evil: evil}),
    ],
)
def test_a_value_with_quotes_is_a_value_and_nothing_else(
    place: Place, history: History, evil: str, where: Callable[[str], SearchFilter]
) -> None:
    history.commit("the proxy of everybody")
    mine = history.commit(
        "the proxy of one",
        namespace=evil,
        agent_id=evil,
        session_id=evil,
        tags=[evil],
        metadata={evil: evil},
    )
    place.project(history.events)
    assert found(place.view(), "proxy", where(evil)) == [mine]
    assert found(place.view(), evil + " proxy") != []


def test_neither_old_text_of_a_memory_that_was_corrected_twice_is_found(
    place: Place, history: History
) -> None:
    episode = history.commit("the port is 8080")
    memory = history.create("the port is 8080", derived_from=[episode])
    body = facts.EpisodeDistilled(memory_ids=[memory], reinforced_ids=[], distiller="rules")
    history.add("Episode", episode, body)
    history.correct(memory, "the port is 9090")
    history.correct(memory, "the port is 7070")
    place.project(history.events)
    place.fill()
    view = place.view()
    for query in ("8080", "9090", "port"):
        assert {hit.content for hit in view.lexical(query, EVERYWHERE, 10)} <= {"the port is 7070"}
    dense = view.dense(letters("the port is 8080"), EVERYWHERE, 10)
    assert [hit.content for hit in dense] == ["the port is 7070"]
    (asked,) = view.lexical(
        "8080", SearchFilter(namespaces=None, layers=frozenset({"episode"})), 10
    )
    assert asked.source_id == episode


def test_deleted_is_not_found_and_restored_is_with_its_vector(
    place: Place, history: History
) -> None:
    memory = history.create("the port is 8080")
    episode = history.commit("the port was chosen by Ann")
    place.project(history.events)
    place.fill()
    history.add("Memory", memory, facts.MemoryDeleted(agent_id="h-1"))
    history.add("Episode", episode, facts.EpisodeDeleted())
    place.project(history.events)
    assert found(place.view(), "port") == []
    history.add("Memory", memory, facts.MemoryRestored(agent_id="h-1"))
    history.add("Episode", episode, facts.EpisodeRestored(agent_id="owner"))
    place.project(history.events)
    assert set(found(place.view(), "port")) == {memory, episode}
    assert len(place.view().dense(letters("any"), EVERYWHERE, 10)) == 2


def test_a_closed_ephemeral_session_takes_its_text_out_of_every_row(
    place: Place, history: History
) -> None:
    inside = {"namespace": "h-ephemeral", "session_id": "s"}
    history.commit("a secret word: xyzzy", **inside)
    gone = history.create("a secret number: 4711", **inside)
    history.add("Memory", gone, facts.MemoryDeleted(agent_id="h-1"))
    kept = history.commit("a secret of another session", namespace="h-ephemeral", session_id="t")
    history.close_session("h-ephemeral", "s")
    history.add("Memory", gone, facts.MemoryRestored(agent_id="h-1"))
    place.project(history.events)
    assert found(place.view(), "secret xyzzy 4711") == [kept]
    ended = [row for row in place.rows() if row.source_id != kept]
    assert [(row.content, row.tokens, row.vector) for row in ended] == [("", "", None)] * 2


def test_a_view_that_nobody_has_begun_is_empty(tmp_path) -> None:
    view = VectorView(tmp_path / "views" / "vector")
    assert view.checkpoint().position == 0
    assert view.lexical("anything", EVERYWHERE, 10) == []
    assert view.dense(letters("anything"), EVERYWHERE, 10) == []
    assert view.missing_vectors(None) == view.parked() == 0


def test_of_many_vectors_equally_near_rows_come_by_their_ids_wherever_they_lie(
    place: Place, history: History
) -> None:
    history.create("the gate is shut at ten")
    copies = [history.create("the gate opens at nine", namespace=f"n-{n}") for n in range(9)]
    assert copies != sorted(copies), "m10 is written after m9, and comes before it"
    place.project(history.events)
    place.fill()
    vectors = np.stack([letters("the gate is shut at ten"), letters("the gate opens at nine")])
    _, found = place.view().dense_of_many(vectors, EVERYWHERE, 5)
    assert [near.source_id for near in found] == sorted(copies)[:5]
    assert len({near.cosine for near in found}) == 1
