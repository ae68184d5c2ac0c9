"""Rows with a vector and rows that wait for one: what is counted bit by bit is what there is."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from projections.vector.maintenance import dataset_of
from projections.vector.schema import sql_text
from projections.vector.vector_counts import VectorCounts
from tests.projections.vector.histories import NAMESPACES, History
from tests.projections.vector.lives import lived
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
    fragments = dataset_of(place.projector.folder).get_fragments()
    kind = type(fragments[0])
    count_rows = kind.count_rows
    monkeypatch.setattr(
        kind, "count_rows", lambda self, of: read.append(self.fragment_id) or count_rows(self, of)
    )
    assert counts.waiting(dataset_of(place.projector.folder), EVERYTHING) == 0
    assert set(read) == {fragment.fragment_id for fragment in fragments}
    read.clear()
    assert counts.waiting(dataset_of(place.projector.folder), EVERYTHING) == 0
    assert read == []
    history.create("lock")
    place.project(history.events[-1:])
    assert counts.waiting(dataset_of(place.projector.folder), EVERYTHING) == 1
    assert not set(read) & {fragment.fragment_id for fragment in fragments}
    place.close()
