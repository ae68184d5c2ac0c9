"""Where an episode stands in its session, and what is found beside it."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec import structs

from domain import events as facts
from projections.vector.chunks import MAX_CHUNK_TOKENS
from projections.vector.hits import Hit
from projections.vector.search_filter import SearchFilter
from projections.vector.turns import LastTurns, turn_key
from tests.projections.vector.histories import History
from tests.projections.vector.places import Place, letters

EVERYWHERE = SearchFilter(namespaces=None)


def talk(
    history: History, *texts: str, session: str = "s'1", namespace: str = "h-main"
) -> list[str]:
    return [history.commit(text, session_id=session, namespace=namespace) for text in texts]


def beside(place: Place, search: SearchFilter = EVERYWHERE, *, session: str = "s'1") -> list[str]:
    """Give what is found at the first turns of a session."""
    keys = [turn_key("h-main", session, number) for number in range(10)]
    return sorted(hit.content for hit in place.view().at_turns(keys, [], search))


@pytest.mark.parametrize("batch", [1, 2, 500])
def test_turns_are_numbered_alike_however_they_came_in_batches(tmp_path: Path, batch: int) -> None:
    history = History()
    first, second, third = talk(history, "one", "two", "three")
    history.commit("without a session")
    history.erase(third)
    talk(history, "four")
    talk(history, "elsewhere", namespace="shared")
    history.erase(first)
    talk(history, "five")
    place = Place(tmp_path)
    place.project(history.events, batch)
    assert {row.content: row.session_seq for row in place.rows()} == {
        "two": 1,
        "without a session": None,
        "four": 2,
        "elsewhere": 0,
        "five": 3,
    }
    assert next(row.turn for row in place.rows() if row.content == "four") == "6:h-mains'1:2"
    assert second


def test_numbering_goes_on_after_a_restart_and_beyond_the_sessions_kept(tmp_path: Path) -> None:
    history = History()
    talk(history, "one", "two")
    place = Place(tmp_path)
    place.project(history.events)
    place.reopen()
    place.projector._last_turns = LastTurns(limit=1)  # four thousand would be slow
    done = len(history.events)
    talk(history, "other", session="other")
    talk(history, "three")
    talk(history, "other again", session="other")
    place.project(history.events[done:], batch=1)
    assert {row.content: row.session_seq for row in place.rows()} == {
        "one": 0,
        "two": 1,
        "three": 2,
        "other": 0,
        "other again": 1,
    }


def test_all_chunks_of_an_episode_share_its_number_and_its_ends_are_beside_others(
    tmp_path: Path,
) -> None:
    history = History()
    sentence = "the harbour pilot moored at the old quay and waited. "
    long = sentence * (6 * MAX_CHUNK_TOKENS * 3 // len(sentence))
    talk(history, "before", long, "after")
    place = Place(tmp_path)
    place.project(history.events)
    rows = [row for row in place.rows() if row.source_id == history.episodes[1]]
    assert {row.session_seq for row in rows} == {1}
    assert rows[0].chunk_of > 5
    key = turn_key("h-main", "s'1", 1)
    ends = place.view().at_turns([key], [], EVERYWHERE)
    last = rows[0].chunk_of - 1
    assert {hit.chunk_index for hit in ends} == {0, 1, last - 1, last}
    middle = next(row.id for row in rows if row.chunk_index == 3)
    more = place.view().at_turns([key], [middle], EVERYWHERE)
    assert {hit.chunk_index for hit in more} == {0, 1, 3, last - 1, last}
    assert [hit.row_id for hit in place.view().at_turns([], [middle], EVERYWHERE)] == [middle]


def test_neighbours_come_with_their_vectors_and_from_one_namespace_and_session(
    tmp_path: Path,
) -> None:
    history = History()
    talk(history, "one", "two")
    talk(history, "of another session", session="other")
    talk(history, "of another namespace", namespace="shared")
    place = Place(tmp_path)
    place.project(history.events)
    place.fill()
    assert beside(place) == ["one", "two"]
    assert beside(place, SearchFilter(namespaces=frozenset({"shared"}))) == []
    [hit] = place.view().at_turns([turn_key("h-main", "s'1", 1)], [], EVERYWHERE)
    assert hit.vector is not None
    assert list(hit.vector) == list(letters("two"))


def test_an_episode_is_given_by_its_id_within_the_scope(tmp_path: Path) -> None:
    history = History()
    first, second = talk(history, "one", "two")
    place = Place(tmp_path)
    place.project(history.events)
    view = place.view()
    assert [hit.content for hit in view.at_turns([], [], EVERYWHERE, [second])] == ["two"]
    key = turn_key("h-main", "s'1", 1)
    both = view.at_turns([key], [], EVERYWHERE, [first, "unknown"])
    assert sorted(hit.content for hit in both) == ["one", "two"]
    elsewhere = SearchFilter(namespaces=frozenset({"shared"}))
    assert view.at_turns([], [], elsewhere, [first]) == []


def test_what_is_gone_or_superseded_stands_beside_nothing(tmp_path: Path) -> None:
    history = History()
    gone, erased, distilled, _ = talk(history, "gone", "erased", "distilled", "left")
    memory = history.create("a statement", derived_from=[distilled])
    place = Place(tmp_path)
    place.project(history.events)
    assert beside(place) == ["distilled", "erased", "gone", "left"]
    before = len(history.events)
    history.add("Episode", gone, facts.EpisodeDeleted(reason="asked"))
    history.correct(memory, "another statement")
    history.erase(erased)
    place.project(history.events[before:])
    assert beside(place) == ["left"]
    # Of the past: what was live then, without what was erased since or is superseded today.
    then = SearchFilter(namespaces=None, position=before)
    assert beside(place, then) == ["gone", "left"]
    assert beside(place, SearchFilter(namespaces=None, position=1)) == ["gone"]


def test_the_end_of_an_ephemeral_session_leaves_nothing_beside(tmp_path: Path) -> None:
    history = History()
    for text in ("one", "two"):
        history.commit(text, session_id="s'1", namespace="h-ephemeral")
    history.close_session("h-ephemeral", "s'1")
    place = Place(tmp_path)
    place.project(history.events)
    keys = [turn_key("h-ephemeral", "s'1", number) for number in (0, 1)]
    assert place.view().at_turns(keys, [], EVERYWHERE) == []
    then = SearchFilter(namespaces=None, position=2)
    assert {hit.content for hit in place.view().at_turns(keys, [], then)} == {""}


def test_a_generation_from_before_turns_were_numbered_still_answers(tmp_path: Path) -> None:
    history = History()
    talk(history, "the proxy listens on port 8080")
    place = Place(tmp_path)
    place.project(history.events)
    place.fill()
    for name in ("turn", "session_id"):
        place.projector.table.drop_index(f"{name}_idx")
    place.projector.table.drop_columns(["turn", "session_seq", "told"])
    view = place.view()
    assert [hit.session_seq for hit in view.lexical("proxy", EVERYWHERE, 5)] == [None]
    assert [hit.session_seq for hit in view.dense(letters("any"), EVERYWHERE, 5)] == [None]
    assert beside(place) == []


def test_a_generation_from_before_rows_told_in_one_column_answers_the_same(tmp_path: Path) -> None:
    history = History()
    talk(history, "the proxy listens on port 8080")
    memory = history.create("Marta keeps the proxy", tags=("ops",))
    history.correct(memory, "Marta keeps the proxy of the office")
    place = Place(tmp_path)
    place.project(history.events)
    place.fill()

    def everything() -> list[list[Hit]]:
        view = place.view()
        tagged = SearchFilter(namespaces=None, tags=frozenset({"ops"}))
        then = SearchFilter(namespaces=None, position=history.events[-1].position - 1)
        filters = (EVERYWHERE, tagged, then)
        words = [view.lexical("proxy Marta", one, 9) for one in filters]
        near = [view.dense(letters("proxy"), one, 9) for one in filters]
        return [[structs.replace(hit, vector=None) for hit in hits] for hits in words + near]

    told = everything()
    assert all(told)
    place.projector.table.drop_columns(["told"])
    assert everything() == told


def test_no_two_turns_share_a_key() -> None:
    asked = [("a", "b:1", 1), ("a", "b", 11), ("ab", "1", 1), ("a", "b1", 1), ("a", "b:", 11)]
    assert len({turn_key(*one) for one in asked}) == len(asked)
