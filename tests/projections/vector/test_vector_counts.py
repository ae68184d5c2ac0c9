"""Rows with a vector and rows that wait for one: what is counted bit by bit is what there is."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from projections.vector import vector_counts
from projections.vector.maintenance import dataset_of
from projections.vector.schema import sql_text
from projections.vector.search_filter import SearchFilter
from projections.vector.vector_counts import VectorCounts
from tests.projections.vector.histories import NAMESPACES, History
from tests.projections.vector.lives import compact_once, lived
from tests.projections.vector.places import Place

EVERYTHING = "ended_by = ''"


@given(data=st.data())
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_a_view_that_counts_what_is_new_counts_as_one_that_counts_all(data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as folder:
        history, place = History(), Place(Path(folder))
        place.project([])
        view = place.view()
        for _ in lived(history, place, data):
            table = dataset_of(place.projector.folder)
            assert view.vectors() == table.count_rows("vector IS NOT NULL")
            for names in (None, *(frozenset({name}) for name in NAMESPACES)):
                scope = EVERYTHING
                if names is not None:
                    scope += f" AND namespace = {sql_text(*names)}"
                waiting = table.count_rows(f"vector IS NULL AND {scope}")
                assert view.missing_vectors(names) == waiting
        place.close()


def test_a_fragment_in_which_no_row_waits_is_not_read_for_that_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    history, place = History(), Place(tmp_path)
    counts, read = VectorCounts(), list[int]()
    for text in ("harbour", "quay", "pilot"):
        history.create(text)
    place.project(history.events)
    place.fill()
    fragments = {one.fragment_id for one in dataset_of(place.projector.folder).get_fragments()}
    count = vector_counts._count_by_fragment

    def counting(dataset: Any, some: Sequence[Any], condition: str) -> Counter[int]:
        read.extend(fragment.fragment_id for fragment in some)
        return count(dataset, some, condition)

    monkeypatch.setattr(vector_counts, "_count_by_fragment", counting)
    assert counts.waiting(dataset_of(place.projector.folder), EVERYTHING) == 0
    assert set(read) == fragments
    read.clear()
    assert counts.waiting(dataset_of(place.projector.folder), EVERYTHING) == 0
    assert read == []
    history.create("lock")
    place.project(history.events[-1:])
    assert counts.waiting(dataset_of(place.projector.folder), EVERYTHING) == 1
    assert not set(read) & fragments
    place.close()


def test_fragments_that_are_gone_do_not_pile_up(tmp_path: Path) -> None:
    history, place, counts = History(), Place(tmp_path), VectorCounts()
    for number in range(6):
        history.create(f"pilot {number}")
        place.project(history.events[-1:])
        place.fill()
        table = dataset_of(place.projector.folder)
        assert (counts.waiting(table, EVERYTHING), counts.present(table)) == (0, number + 1)
    while compact_once(dataset_of(place.projector.folder)):
        table = dataset_of(place.projector.folder)
        assert (counts.waiting(table, EVERYTHING), counts.present(table)) == (0, 6)
    there = {fragment.fragment_id for fragment in table.get_fragments()}
    assert counts._filled == there
    assert counts._lacking.keys() == there
    place.close()


def test_counting_beside_searches_never_waits_for_what_waits_for_it(tmp_path: Path) -> None:
    """A fragment that is asked itself holds the interpreter's lock, which Lance's threads want."""
    history, place = History(), Place(tmp_path)
    for number in range(40):
        history.create(f"pilot number {number} of the harbour")
        place.project(history.events[-1:])  # a fragment of its own
    view, fresh = place.view(), dataset_of(place.projector.folder)

    def search() -> None:
        for _ in range(60):
            view.lexical("pilot harbour", SearchFilter(namespaces=None), 20)

    def count() -> None:
        for _ in range(60):
            assert VectorCounts().present(fresh) == 0
            assert VectorCounts().waiting(fresh, EVERYTHING) == 40

    with ThreadPoolExecutor(4) as pool:
        for done in [pool.submit(work) for work in (search, count, search, count)]:
            done.result(timeout=120)
    place.close()
