"""Upkeep: rounds are due by commits or rows, keep fragments few, and change no answer."""

from __future__ import annotations

import threading
from contextlib import closing
from typing import Any

import lance
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lance.optimize import Compaction

import projections.vector.compaction as compaction
import projections.vector.indices as indices
import projections.vector.maintenance as upkeep
from projections.vector.indices import cells_to_look_at
from projections.vector.live_table import LiveTable
from projections.vector.maintenance import (
    Maintenance,
    dataset_of,
    index_names,
    index_what_is_new,
    parts_to_join,
)
from projections.vector.search_filter import SearchFilter
from tests.projections.vector.histories import History
from tests.projections.vector.places import Place, letters
from tests.servers import eventually

EVERYWHERE = SearchFilter(namespaces=None)


def fail(error: Exception) -> None:
    raise error


def still() -> float:
    """Give a time that does not pass: nothing is due but by commits and rows."""
    return 0.0


def fragments(place: Place) -> int:
    table = lance.dataset(str(place.directory.live / "rows.lance"))
    return len(table.get_fragments())


def indexed(place: Place, index: str) -> dict[str, Any]:
    table = lance.dataset(str(place.directory.live / "rows.lance"))
    return table.stats.index_stats(index)


def finish(maintenance: Maintenance) -> None:
    while maintenance.step():
        pass
    maintenance.close()


def test_nothing_is_done_before_it_is_due(
    place: Place, history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upkeep, "COMMITS_PER_ROUND", 5)
    with closing(Maintenance(place.projector, report=fail, monotonic=still)) as maintenance:
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
    with closing(Maintenance(place.projector, report=fail, monotonic=still)) as maintenance:
        for number in range(1, 40):
            place.project([history.correct(memory, f"the port is {number}")])
            finish(maintenance)
        assert fragments(place) < 20
        hits = place.view().lexical("port 39", EVERYWHERE, 5)
        assert [hit.content for hit in hits] == ["the port is 39"]
        assert indexed(place, "tokens_idx")["num_unindexed_rows"] <= 2 * 5
    assert len(place.rows()) == 40


def test_what_a_large_part_of_an_index_knows_of_is_compacted_beside_the_writer(
    place: Place, history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upkeep, "COMMITS_PER_ROUND", 1)
    monkeypatch.setattr(compaction, "_ROWS_AT_ONCE", 150)
    monkeypatch.setattr(compaction, "ROWS_PER_FRAGMENT", 300)
    monkeypatch.setattr(upkeep, "_FEW_ROWS", 1)
    threads: list[str] = []

    def compact(dataset: Any, planned: Any) -> None:
        threads.append(threading.current_thread().name)
        compaction.compact(dataset, planned)

    monkeypatch.setattr(upkeep, "compact", compact)
    memories = [history.create(f"statement number {number}") for number in range(200)]
    place.project(history.events)
    with closing(Maintenance(place.projector, report=fail, monotonic=still)) as maintenance:
        finish(maintenance)
        assert not threads
        for number in range(0, 40, 4):
            changes = [history.correct(one, "changed") for one in memories[number : number + 4]]
            place.project(changes)
            finish(maintenance)
    assert "vector-upkeep" in threads, "the fragment of two hundred rows"
    assert "MainThread" in threads, "and those of few"
    marked = [one for one in dataset_of(place.directory.live).get_fragments() if one.num_deletions]
    assert sum(one.num_deletions for one in marked) < 0.1 * 200 + 4
    found = place.view().lexical("statement number", EVERYWHERE, 1000)
    assert {hit.source_id for hit in found} == set(memories[40:])
    changed = place.view().lexical("changed", EVERYWHERE, 1000)
    assert {hit.source_id for hit in changed} == set(memories[:40])


def test_what_takes_long_waits_until_it_saves_much(
    place: Place, history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upkeep, "COMMITS_PER_ROUND", 1)
    monkeypatch.setattr(compaction, "_ROWS_AT_ONCE", 1)
    monkeypatch.setattr(compaction, "_MANY_FRAGMENTS", 4)
    counts: list[int] = []
    with closing(Maintenance(place.projector, report=fail, monotonic=still)) as maintenance:
        for number in range(12):
            history.commit(f"statement number {number}")
            place.project(history.events)
            finish(maintenance)
            counts.append(fragments(place))
    assert {3, 4} <= set(counts), "few small ones stay"
    assert max(counts) <= 5
    assert len(place.view().lexical("statement", EVERYWHERE, 100)) == 12


def test_a_fragment_that_a_commit_changed_meanwhile_is_compacted_by_a_later_round(
    place: Place, history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upkeep, "COMMITS_PER_ROUND", 1)
    monkeypatch.setattr(compaction, "_ROWS_AT_ONCE", 50)
    monkeypatch.setattr(compaction, "ROWS_PER_FRAGMENT", 200)
    memories = [history.create(f"statement number {number}") for number in range(100)]
    place.project(history.events)
    failures: list[Exception] = []
    late = [memories[50]]

    def compact(dataset: Any, planned: Any) -> None:
        rewritten = planned.execute(dataset)
        if compaction.takes_long(dataset, planned) and late:
            place.project([history.correct(late.pop(), "changed meanwhile")])
        Compaction.commit(dataset, [rewritten])

    monkeypatch.setattr(upkeep, "compact", compact)
    with closing(
        Maintenance(place.projector, report=failures.append, monotonic=still)
    ) as maintenance:
        finish(maintenance)
        place.project([history.correct(memory, "changed") for memory in memories[:20]])
        finish(maintenance)
        assert not late
        place.project([history.correct(memories[60], "changed later")])
        finish(maintenance)
        place.project([history.correct(memories[61], "changed at last")])
        finish(maintenance)
    assert len(failures) == 1, "the storage library refused"
    assert [hit.source_id for hit in place.view().lexical("meanwhile", EVERYWHERE, 9)] == [
        memories[50]
    ]
    found = place.view().lexical("statement number", EVERYWHERE, 1000)
    assert {hit.source_id for hit in found} == {*memories[20:]} - {*memories[60:62], memories[50]}


def test_an_index_has_few_parts_and_each_is_much_larger_than_those_after_it(
    place: Place, history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upkeep, "COMMITS_PER_ROUND", 1)
    monkeypatch.setattr(upkeep, "_FEW_ROWS", 1)
    monkeypatch.setattr(upkeep, "_TIMES_LARGER", 2)
    with closing(Maintenance(place.projector, report=fail, monotonic=still)) as maintenance:
        parts: list[int] = []
        for number in range(24):
            history.commit(f"statement number {number}")
            place.project(history.events)
            finish(maintenance)
            parts.append(indexed(place, "tokens_idx")["num_indices"])
            assert indexed(place, "tokens_idx")["num_unindexed_rows"] == 0
    assert set(parts) == {1, 2}
    found = place.view().lexical("statement", EVERYWHERE, 1000)
    assert len(found) == len(history.events)


@given(st.lists(st.integers(0, 200_000), min_size=1, max_size=200))
def test_every_part_that_stays_is_ten_times_as_large_as_all_after_it(rounds: list[int]) -> None:
    sizes: list[int] = []
    for new in rounds:
        joined = parts_to_join(sizes, new)
        first = len(sizes) - joined
        sizes[first:] = [sum(sizes[first:]) + new]
        for place, size in enumerate(sizes[:-1]):
            assert size > 10 * max(1_000, sum(sizes[place + 1 :]))
    assert sum(sizes) == sum(rounds)


def test_what_a_quiet_view_shows_is_indexed_however_little_it_is(
    place: Place, history: History
) -> None:
    now = 100.0
    with closing(Maintenance(place.projector, report=fail, monotonic=lambda: now)) as maintenance:

        def begins(then: float) -> bool:
            nonlocal now
            now = then
            began = maintenance.step()
            finish(maintenance)
            return began

        version = dataset_of(place.directory.live).version
        assert not begins(100.4)
        assert begins(100.5), "something may be left by who wrote the view before"
        assert dataset_of(place.directory.live).version == version, "it was not"
        history.commit("the berth is 12")
        place.project(history.events)
        assert not begins(110.0), "rows may still come"
        assert indexed(place, "tokens_idx")["num_unindexed_rows"] > 0
        assert begins(110.5)
        assert indexed(place, "tokens_idx")["num_unindexed_rows"] == 0
        place.project([history.close_session("default", "nobody's")])
        assert not begins(200.0), "the position row alone waits for nothing"
        history.commit("the berth is 14")
        place.project(history.events)
        assert not begins(201.0)
        history.commit("the berth is 16")
        place.project(history.events)
        assert not begins(201.4)
        assert not begins(201.8)
        assert begins(201.9)


def test_quiet_rounds_rest_twenty_times_as_long_as_they_take(
    place: Place, history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 100.0

    def takes_two_seconds(dataset: Any) -> None:
        nonlocal now
        now += 2.0
        index_what_is_new(dataset)

    monkeypatch.setattr(upkeep, "index_what_is_new", takes_two_seconds)

    def begins(then: float) -> bool:
        nonlocal now
        now = then
        maintenance.step()
        now = then + 1.0
        began = maintenance.step()
        finish(maintenance)
        return began

    with closing(Maintenance(place.projector, report=fail, monotonic=lambda: now)) as maintenance:
        assert begins(100.0)  # it ended at 103
        for later in (110.0, 141.9):
            history.commit("one more")
            place.project(history.events)
            assert not begins(later), later
        assert begins(143.0)
        monkeypatch.setattr(upkeep, "ROWS_PER_ROUND", 5)
        for number in range(5):
            history.create(f"statement number {number}")
        place.project(history.events)
        now = 150.0
        assert maintenance.step(), "where many rows came none rests"
        finish(maintenance)


def test_quiet_rounds_go_on_however_long_other_work_took(place: Place, history: History) -> None:
    now = 100.0
    with closing(Maintenance(place.projector, report=fail, monotonic=lambda: now)) as maintenance:
        now = 101.0
        finish(maintenance)
        now = 10_000.0

        def takes_an_hour() -> None:
            nonlocal now
            now += 3_600.0

        assert not maintenance.work_alone(takes_an_hour)
        maintenance.close()
        assert maintenance.work_alone()
        history.commit("the berth is 12")
        place.project(history.events)
        assert not maintenance.step()
        now += 1.0
        finish(maintenance)
        assert indexed(place, "tokens_idx")["num_unindexed_rows"] == 0


def test_a_quiet_round_that_other_work_cut_off_begins_again(place: Place, history: History) -> None:
    now = 100.0
    with closing(Maintenance(place.projector, report=fail, monotonic=lambda: now)) as maintenance:
        history.commit("the berth is 12")
        place.project(history.events)
        assert not maintenance.step()
        now = 101.0
        assert maintenance.step()
        assert maintenance.work_alone(), "an erasure's, in the middle of the round"
        finish(maintenance)
        assert indexed(place, "tokens_idx")["num_unindexed_rows"] == 0


@pytest.mark.parametrize("part", ["index_what_is_new", "compactions"])
def test_a_quiet_round_that_failed_is_tried_again_after_half_a_minute(
    place: Place, history: History, monkeypatch: pytest.MonkeyPatch, part: str
) -> None:
    now, failures = 100.0, list[Exception]()

    def refuse(*_: object, **__: object) -> None:
        raise OSError("the disk is full")

    def goes_on(then: float) -> None:
        nonlocal now
        now = then
        try:
            finish(maintenance)
        except OSError as error:  # in the writer's thread, which pauses the view for a moment
            failures.append(error)

    history.commit("the berth is 12")
    place.project(history.events)
    with closing(
        Maintenance(place.projector, report=failures.append, monotonic=lambda: now)
    ) as maintenance:
        with monkeypatch.context() as patched:
            patched.setattr(upkeep, part, refuse)
            assert not maintenance.step()
            for then in (100.5, 101.0, 130.4):
                goes_on(then)
            assert len(failures) == 1
        goes_on(130.5)
    assert len(failures) == 1
    assert indexed(place, "tokens_idx")["num_unindexed_rows"] == 0


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
    with closing(
        Maintenance(place.projector, report=fail, monotonic=still, vector_index_from=300)
    ) as maintenance:

        def built() -> bool:
            maintenance.step()
            return "vector_idx" in index_names(dataset_of(place.directory.live))

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


def test_an_index_is_asked_alone_only_while_nothing_beside_it_can_answer(
    place: Place, history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upkeep, "COMMITS_PER_ROUND", 1)
    place.project(history.events)
    live = LiveTable(place.folder / "views" / "vector")

    def covered() -> list[bool]:
        opened = live.now()
        assert opened is not None
        return [opened.covered_by(index) for index in ("tokens_idx", "vector_idx")]

    for number in range(300):
        history.create(f"statement number {number}")
    place.project(history.events)
    place.fill()
    assert covered() == [False, False], "there is no index of vectors, and words wait for theirs"
    with closing(
        Maintenance(place.projector, report=fail, monotonic=still, vector_index_from=300)
    ) as maintenance:
        finish(maintenance)
        eventually(lambda: not maintenance.step() and all(covered()), within_s=30)
        for _ in range(3):
            place.project([history.close_session("default", "nobody's")])
            assert covered() == [True, True], "only the position row is in no index"
        late = history.create("an unforeseen statement")
        place.project(history.events[-1:])
        assert covered() == [False, False]
        assert place.view().lexical("unforeseen", EVERYWHERE, 5)[0].source_id == late
        place.fill()
        vector = letters("an unforeseen statement")
        assert place.view().dense(vector, EVERYWHERE, 1)[0].source_id == late
        finish(maintenance)
        eventually(lambda: not maintenance.step() and all(covered()), within_s=30)
        assert place.view().lexical("unforeseen", EVERYWHERE, 5)[0].source_id == late
        assert place.view().dense(vector, EVERYWHERE, 1)[0].source_id == late


def test_cells_are_made_anew_when_they_hold_twice_as_many_rows(
    place: Place, history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upkeep, "COMMITS_PER_ROUND", 1)
    monkeypatch.setattr(indices, "ROWS_PER_CELL", 50)
    for number in range(300):
        history.create(f"statement number {number}")
    place.project(history.events)
    place.fill()
    with closing(
        Maintenance(place.projector, report=fail, monotonic=still, vector_index_from=300)
    ) as maintenance:
        finish(maintenance)
        assert indexed(place, "vector_idx")["indices"][0]["num_partitions"] == 301 // 50
        for start in range(300, 800, 100):
            for number in range(start, start + 100):
                history.create(f"statement number {number}")
            place.project(history.events)
            place.fill()
            finish(maintenance)
    assert indexed(place, "vector_idx")["indices"][0]["num_partitions"] == 601 // 50
    assert indexed(place, "vector_idx")["num_unindexed_rows"] == 0
    texts = [f"statement number {number}" for number in (7, 350, 799)]
    for text in texts:
        assert place.view().dense(letters(text), EVERYWHERE, 1)[0].content == text


def test_a_table_of_an_older_make_gets_the_indices_it_lacks(
    place: Place, history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upkeep, "COMMITS_PER_ROUND", 1)
    for name in ("ended_by_idx", "superseded_idx"):
        place.projector.table.drop_index(name)
    history.create("a statement")
    place.project(history.events)
    with closing(Maintenance(place.projector, report=fail, monotonic=still)) as maintenance:
        finish(maintenance)
    assert indexed(place, "ended_by_idx")["num_unindexed_rows"] == 0
    assert indexed(place, "superseded_idx")["num_unindexed_rows"] == 0


def test_as_many_rows_are_looked_at_whatever_the_filter() -> None:
    million = 1_000_000
    assert cells_to_look_at(million, million) == 20
    assert cells_to_look_at(million, 100_000) == 200
    assert cells_to_look_at(million, 10_000) == 2_000, "every cell"
    assert cells_to_look_at(million, 1_000) is None, "a scan of those"
    assert cells_to_look_at(10_000, 1_000) is not None, (
        "of so small a table every cell costs little"
    )
