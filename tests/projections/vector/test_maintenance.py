"""Upkeep: rounds are due by commits or rows, keep fragments few, and change no answer."""

from __future__ import annotations

from contextlib import closing

import lance
import pytest

import projections.vector.maintenance as upkeep
from projections.vector.maintenance import Maintenance
from projections.vector.search_filter import SearchFilter
from tests.projections.vector.histories import History
from tests.projections.vector.places import Place, letters
from tests.servers import eventually

EVERYWHERE = SearchFilter(namespaces=None)


def fail(error: Exception) -> None:
    raise error


def fragments(place: Place) -> int:
    table = lance.dataset(str(place.directory.live / "rows.lance"))
    return len(table.get_fragments())


def finish(maintenance: Maintenance) -> None:
    while maintenance.step():
        pass


def test_nothing_is_done_before_it_is_due(
    place: Place, history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upkeep, "COMMITS_PER_ROUND", 5)
    with closing(Maintenance(place.projector, report=fail)) as maintenance:
        for _ in range(4):
            history.commit("one more")
            place.project(history.events)
            assert not maintenance.step()
        history.commit("one more")
        place.project(history.events)
        assert maintenance.step()


def test_fragments_stay_few_and_every_row_becomes_indexed(
    place: Place, history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upkeep, "COMMITS_PER_ROUND", 5)
    memory = history.create("the port is 0")
    place.project(history.events)
    with closing(Maintenance(place.projector, report=fail)) as maintenance:
        for number in range(1, 40):
            place.project([history.correct(memory, f"the port is {number}")])
            finish(maintenance)
        assert fragments(place) < 20
        hits = place.view().lexical("port 39", EVERYWHERE, 5)
        assert [hit.content for hit in hits] == ["the port is 39"]
        unindexed = place.projector.table.index_stats("tokens_idx").num_unindexed_rows
        assert unindexed <= 2 * 5
    assert len(place.rows()) == 40


def test_the_parts_of_an_index_are_merged_beside_the_writer(
    place: Place, history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upkeep, "COMMITS_PER_ROUND", 1)
    monkeypatch.setattr(upkeep, "_PARTS_BEFORE_MERGE", 3)
    with closing(Maintenance(place.projector, report=fail)) as maintenance:
        parts: list[int] = []

        def merged() -> bool:
            history.commit(f"statement number {len(history.events)}")
            place.project(history.events)
            finish(maintenance)
            parts.append(place.projector.table.index_stats("tokens_idx").num_indices)
            return parts[-1] < max(parts)

        eventually(merged, within_s=30)
    assert max(parts) > 3
    found = place.view().lexical("statement", EVERYWHERE, 1000)
    assert len(found) == len(history.events)


def test_a_large_table_gets_a_vector_index_that_finds_the_same(
    place: Place, history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upkeep, "COMMITS_PER_ROUND", 1)
    texts = [f"statement number {number}" for number in range(400)]
    memories = [history.create(text) for text in texts]
    place.project(history.events)
    place.fill()
    for memory in memories[:5]:
        place.project([history.correct(memory, "changed")])
    with closing(Maintenance(place.projector, report=fail, vector_index_from=300)) as maintenance:

        def built() -> bool:
            maintenance.step()
            return "vector_idx" in {i.name for i in place.projector.table.list_indices()}

        eventually(built, within_s=30)
    view = place.view()
    for number in (7, 150, 399):
        best = view.dense(letters(texts[number]), EVERYWHERE, 3)[0]
        assert best.source_id == memories[number]
        assert best.score == pytest.approx(1.0, abs=1e-3)
    late = history.create("a statement after the build")
    place.project(history.events)
    place.fill()
    assert (
        place.view().dense(letters("a statement after the build"), EVERYWHERE, 1)[0].source_id
        == late
    )
