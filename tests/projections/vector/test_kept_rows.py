"""Rows that questions looked at lately: what a view that is open for long answers with them."""

from __future__ import annotations

import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import asdict

from projections.vector.hits import Hit
from projections.vector.kept_rows import KeptRows, Part
from projections.vector.search_filter import SearchFilter
from projections.vector.turns import turn_key
from projections.vector.view import VectorView
from tests.projections.vector.histories import NAMESPACES, SESSIONS, History
from tests.projections.vector.lives import lived
from tests.projections.vector.places import Place, letters

EVERYWHERE = SearchFilter(namespaces=None)
COLUMNS = ("id", "content")


def row(name: str, characters: int = 0) -> Hit:
    return Hit(
        row_id=name,
        source_id=name,
        layer="memory",
        version=1,
        content="x" * characters,
        score=0.0,
        namespace="shared",
        recorded_at=datetime(2026, 1, 1, tzinfo=UTC),
        vector=np.zeros(8, dtype=np.float32),
    )


def harbour_and_quays(folder: Path) -> tuple[VectorView, KeptRows]:
    """Give a view of sixty memories, twenty of them of the harbour, and what it keeps."""
    history, place = History(), Place(folder)
    for number in range(60):
        history.commit(f"harbour {number}" if number < 20 else f"quay {number}")
    place.project(history.events)
    view = place.view()
    reading = view.reading()
    assert reading is not None
    place.close()
    return view, reading._opened.kept


def test_the_last_used_stay_within_the_size() -> None:
    kept = KeptRows(most_bytes=10_000)
    for place in range(4):
        kept.keep(COLUMNS, {place: row(str(place), 2_000)}, version=1)
        kept.find(COLUMNS, [0])
    assert set(kept.find(COLUMNS, range(4))) == {0, 2, 3}
    kept.keep(COLUMNS, {9: row("9", 20_000)}, version=1)
    assert len(kept) == 0


def test_a_row_kept_with_other_columns_is_not_found() -> None:
    kept = KeptRows()
    kept.keep(COLUMNS, {1: row("1")}, version=1)
    assert kept.find((*COLUMNS, "tags"), [1]) == {}
    assert kept.find(COLUMNS, [1, 2])[1].row_id == "1"


def test_a_row_kept_twice_counts_once() -> None:
    kept = KeptRows(most_bytes=10_000)
    for _ in range(9):
        kept.keep(COLUMNS, {1: row("1", 5_000)}, version=1)
    assert len(kept) == 1


def test_what_was_read_before_an_erasure_is_not_kept_after_it() -> None:
    kept = KeptRows()
    kept.keep(COLUMNS, {1: row("1")}, version=6)
    kept.forget(version=7)
    assert len(kept) == 0
    kept.keep(COLUMNS, {1: row("1")}, version=6)  # by a question that began before
    assert len(kept) == 0
    kept.keep(COLUMNS, {2: row("2")}, version=7)
    assert len(kept) == 1


def test_a_table_that_fits_is_read_ahead_to_its_end_and_no_part_twice() -> None:
    kept = KeptRows()
    kept.keep(COLUMNS, {1: row("1")}, version=1)
    sizes = {3: 2_500, 5: 49, 8: 50}  # forty-nine are quicker read one by one
    assert kept.next_part(sizes) == Part(3, 0, 2_000)
    assert kept.next_part(sizes) == Part(3, 2_000, 500)
    assert kept.next_part(sizes) == Part(8, 0, 50)
    assert kept.next_part(sizes) is None
    assert kept.next_part({8: 50, 9: 60}) == Part(9, 0, 60)  # the table was made smaller, and grew


def test_how_many_rows_fit_is_told_by_how_long_the_kept_ones_are() -> None:
    kept = KeptRows(most_bytes=100_000)
    assert kept.has_room_for(10**9), "nothing is known yet"
    kept.keep(COLUMNS, {1: row("1", 9_000)}, version=1)
    assert kept.has_room_for(9)
    assert not kept.has_room_for(10)


def test_a_table_that_does_not_fit_is_not_read_ahead(tmp_path: Path) -> None:
    view, kept = harbour_and_quays(tmp_path)
    kept._most_bytes = 55 * 1_200  # sixty take more
    view.lexical("harbour", EVERYWHERE, 50)
    assert len(kept) == 20


def test_what_was_let_go_is_read_ahead_again() -> None:
    kept = KeptRows()
    assert kept.next_part({1: 100}) == Part(1, 0, 100)
    kept.forget(version=2)
    assert kept.next_part({1: 100}) == Part(1, 0, 100)


def test_a_question_that_misses_many_rows_reads_the_others_too(tmp_path: Path) -> None:
    view, kept = harbour_and_quays(tmp_path)
    view.lexical("quay 59", EVERYWHERE, 50)
    assert len(kept) == 60


def test_an_erased_text_is_let_go_as_soon_as_the_view_is_asked_where_it_is(
    tmp_path: Path,
) -> None:
    history, place = History(), Place(tmp_path)
    first, *_ = [history.commit(text, session_id="s") for text in ("harbour", "quay", "pilot")]
    place.project(history.events)
    view = place.view()
    reading = view.reading()
    assert reading is not None
    assert len(view.lexical("harbour quay pilot", EVERYWHERE, 10)) == 3
    kept = reading._opened.kept
    assert len(kept) == 3
    done = len(history.events)
    history.erase(first)
    place.project(history.events[done:])
    view.checkpoint()
    assert len(kept) == 0
    assert [hit.content for hit in view.lexical("harbour", EVERYWHERE, 10)] == []


@given(data=st.data())
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_a_view_that_keeps_rows_answers_as_one_that_has_none(data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as folder:
        history, place = History(), Place(Path(folder))
        place.project([])
        long_open = place.view()
        for done in lived(history, place, data):
            then = SearchFilter(namespaces=None, position=data.draw(st.integers(1, done)))
            for search in (EVERYWHERE, then):
                assert _told(long_open, search) == _told(place.view(), search)
        place.close()


def _told(view: VectorView, search: SearchFilter) -> list[list[dict[str, Any]]]:
    """Give what three kinds of questions find, in an order of their own, vectors as bytes."""
    turns = [
        turn_key(namespace, session, number)
        for namespace in NAMESPACES
        for session in SESSIONS
        if session is not None
        for number in range(8)
    ]
    found = (
        view.lexical("the proxy port 8080, 冻顶乌龙茶 nginx", search, 20, with_vectors=True),
        view.dense(letters("any"), search, 20, with_vectors=True),
        view.at_turns(turns, [], search),
    )
    return [sorted(map(_plain, hits), key=lambda one: str(one["row_id"])) for hits in found]


def _plain(hit: Hit) -> dict[str, Any]:
    vector = None if hit.vector is None else hit.vector.tobytes()
    return asdict(hit) | {"vector": vector}
