"""A generation that is staged and written once is the one that took every batch into its table."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from domain.events import Event
from projections.erased import erased_things
from projections.parking import NOTHING_PARKED, ParkedEvent, Parking
from projections.projector import PoisonEvent
from projections.vector import building, indices, table
from projections.vector.building import VectorBuild
from projections.vector.cache import VectorCache
from projections.vector.digest import digest_vector
from projections.vector.maintenance import dataset_of
from projections.vector.projector import ModelChanged
from projections.vector.schema import TABLE, Row, embedded_text, from_arrow, text_sha
from projections.vector.staging import FILE_NAME
from projections.vector.table import UNFINISHED
from tests.oracle_vector import stretches_of
from tests.projections.vector.histories import TEXTS, History, happen
from tests.projections.vector.places import (
    DIMENSION,
    MODEL,
    Place,
    checkpoint_after,
    differences,
    letters,
)


def never() -> bool:
    return False


class Building:
    """A generation that is being built. Opening it again is what happens after a kill."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "2"
        self.folder.mkdir(parents=True)
        self.cache = VectorCache(folder / "cache", MODEL, DIMENSION)
        self.build = VectorBuild(self.folder, self.cache)

    def project(self, events: Sequence[Event], parking: Parking = NOTHING_PARKED) -> None:
        self.build.apply(events, checkpoint_after(events[-1]), parking)

    def reopen(self) -> None:
        self.build.close()
        self.build = VectorBuild(self.folder, self.cache)

    def rows(self) -> list[Row]:
        """Give every row of the table but the sentinel."""
        assert self.build.projector is not None
        stored = self.build.projector.table.search().where("layer != '__sys__'").to_arrow()
        return from_arrow(stored)

    def is_whole(self) -> bool:
        """Whether the folder holds the table, and nothing that was only needed for making it."""
        return [entry.name for entry in self.folder.iterdir()] == [f"{TABLE}.lance"]

    def close(self) -> None:
        self.build.close()
        self.cache.close()


class Twins:
    """One history into both: merged batch by batch, and staged. Some events are parked."""

    def __init__(self, folder: Path) -> None:
        self.place = Place(folder)
        self.under_way = Building(folder / "building")
        self.parked: dict[int, Event] = {}
        for cache in (self.place.cache, self.under_way.cache):
            cache.put({text_sha(text): letters(text) for text in TEXTS})

    def take(self, events: Sequence[Event], refused: set[int]) -> None:
        """Apply a batch without the ``refused`` positions, which are parked."""
        checkpoint = checkpoint_after(events[-1])
        while True:
            blocked = {event.aggregate_id for event in self.parked.values()}
            shown, added = [], []
            for event in events:
                if event.position in refused or event.aggregate_id in blocked:
                    added.append(event)
                    blocked.add(event.aggregate_id)
                else:
                    shown.append(event)
            parking = Parking(added=tuple(map(set_aside, added)))
            poison = self._apply(shown, checkpoint, parking)
            if poison is None:
                break
            refused = refused | {poison}
        self.parked |= {event.position: event for event in added}
        self._drop(erased_things(shown))

    def release(self, key: str) -> None:
        """Try the parked events of one key again."""
        again = [event for event in self.parked.values() if event.aggregate_id == key]
        parking = Parking(released=tuple(event.position for event in again))
        if self._apply(again, self.place.projector.checkpoint(), parking) is None:
            self._drop(frozenset({key}))

    def _apply(self, events: Sequence[Event], checkpoint: Any, parking: Parking) -> int | None:
        """Give the position that both blame, None if both took it."""
        try:
            self.place.projector.apply(events, checkpoint, parking)
        except PoisonEvent as error:
            blamed = re.escape(f"event at position {error.position}:")
            with pytest.raises(PoisonEvent, match=blamed):
                self.under_way.build.apply(events, checkpoint, parking)
            return error.position
        self.under_way.build.apply(events, checkpoint, parking)
        for told in ("checkpoint", "parked", "erased"):
            ours, theirs = (
                getattr(one, told)() for one in (self.under_way.build, self.place.projector)
            )
            assert ours == theirs
        return None

    def _drop(self, keys: frozenset[str]) -> None:
        self.parked = {
            p: event for p, event in self.parked.items() if event.aggregate_id not in keys
        }

    def assert_alike(self) -> None:
        """Fail unless both tables are the same, and what their caches have of unused texts."""
        merged = {row.id: row for row in self.place.rows()}
        written = {row.id: row for row in self.under_way.rows()}
        assert written.keys() == merged.keys()
        for row_id, row in written.items():
            for field in row.__struct_fields__:
                if field != "vector":
                    assert getattr(row, field) == getattr(merged[row_id], field), (row_id, field)
            if row.vector is not None:
                text = embedded_text(row.speaker, row.content)
                np.testing.assert_array_equal(row.vector, letters(text))
            else:
                # A text that went and came back has no vector only where each batch forgets.
                assert merged[row_id].vector is None
        live = digest_vector(self.place.directory.live)
        assert digest_vector(self.under_way.folder) == live
        unused = {text_sha(text) for text in TEXTS} - {row.text_sha for row in written.values()}
        assert self.under_way.cache.known(unused) == self.place.cache.known(unused)

    def close(self) -> None:
        self.place.close()
        self.under_way.close()


def set_aside(event: Event) -> ParkedEvent:
    return ParkedEvent(
        position=event.position,
        key=event.aggregate_id,
        type=event.type,
        cause="undecodable",
        reason="as the test wills",
    )


MOVES = ("project", "project", "project", "park", "release", "kill", "kill while writing")


def live_through(data: st.DataObject, steps: int) -> None:
    """Let both take a random history; write the staged one somewhere in it, and compare."""
    history = History()
    with tempfile.TemporaryDirectory() as folder, closing(Twins(Path(folder))) as twins:
        done, begin = 0, data.draw(st.integers(0, steps))
        for number in range(steps):
            for _ in range(data.draw(st.integers(1, 6))):
                happen(history, data)
            move = data.draw(st.sampled_from(MOVES))
            if move == "release" and twins.parked:
                keys = sorted({event.aggregate_id for event in twins.parked.values()})
                twins.release(data.draw(st.sampled_from(keys)))
            elif move == "kill":
                twins.under_way.reopen()
            elif move == "kill while writing" and twins.under_way.build.projector is None:
                killed_while_writing(twins.under_way, data.draw(st.sampled_from(KILLED)))
            else:
                new = history.events[done:]
                may = [one.position for one in new if not erased_things([one])]
                parks = move == "park" and may
                refused = {data.draw(st.sampled_from(may))} if parks else set()
                twins.take(new, refused)
                done = len(history.events)
            if number == begin:
                assert twins.under_way.build.write(never)
                twins.assert_alike()
        if done < len(history.events):
            twins.take(history.events[done:], set())
        assert twins.under_way.build.write(never)
        twins.assert_alike()
        if not twins.parked:
            assert differences(twins.under_way.rows(), stretches_of(history.facts())) == []


class _Killed(BaseException):
    """Stands for SIGKILL where a process of its own would cost too much."""


def _at_the_rows(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(table, "with_vectors", _die)


def _at_the_indices(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(table, "create_indices", _die)


def _before_the_rename(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(table, "sync_tree", _die)


def _after_the_rename(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(building, "remove_staging", _die)


def _die(*_: object) -> None:
    raise _Killed


KILLED = (_at_the_rows, _at_the_indices, _before_the_rename, _after_the_rename)


def killed_while_writing(under_way: Building, trap: Callable[[pytest.MonkeyPatch], None]) -> None:
    """Write until the trap, tidy nothing up, and open the folder again as the next process does."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(table.shutil, "rmtree", lambda *_, **__: None)
        trap(patch)
        # With no row, or where Lance calls, it does not get as far or comes out as another error.
        with suppress(_Killed, RuntimeError, OSError, ValueError):
            assert under_way.build.write(never)
    under_way.reopen()


WITHOUT_SHRINKING = {
    # Every step is real storage: minutes of shrinking would hide which example failed.
    "phases": (Phase.explicit, Phase.reuse, Phase.generate),
    "suppress_health_check": list(HealthCheck),
    "deadline": None,
}


@settings(max_examples=12, **WITHOUT_SHRINKING)
@given(st.data())
def test_a_staged_generation_is_what_merging_every_batch_makes(data: st.DataObject) -> None:
    live_through(data, steps=5)


@pytest.mark.slow
@settings(max_examples=300, **WITHOUT_SHRINKING)
@given(st.data())
def test_a_staged_generation_is_what_merging_makes_of_long_lives(data: st.DataObject) -> None:
    live_through(data, steps=14)


@pytest.fixture
def under_way(tmp_path: Path) -> Iterator[Building]:
    with closing(Building(tmp_path)) as begun:
        yield begun


@pytest.mark.parametrize("trap", KILLED)
def test_a_build_killed_while_it_writes_its_table_has_all_of_it_or_none(
    under_way: Building, history: History, trap: Callable[[pytest.MonkeyPatch], None]
) -> None:
    for number in range(40):
        history.create(f"statement {number}")
    under_way.project(history.events)
    killed_while_writing(under_way, trap)
    assert (under_way.build.projector is not None) == (trap is _after_the_rename)
    assert under_way.build.checkpoint() == checkpoint_after(history.events[-1])
    assert under_way.build.write(never)
    assert under_way.is_whole()
    assert differences(under_way.rows(), stretches_of(history.facts())) == []


@pytest.mark.parametrize("looks", [0, 1, 2, 3])
def test_a_build_that_has_to_stop_leaves_off_and_goes_on_later(
    under_way: Building, history: History, looks: int
) -> None:
    history.create("statement")
    under_way.project(history.events)
    asked = iter(range(looks))
    assert not under_way.build.write(lambda: next(asked, None) is None)
    assert under_way.build.projector is None
    assert not (under_way.folder / UNFINISHED).exists()
    under_way.reopen()
    assert under_way.build.write(never)
    assert len(under_way.rows()) == 1


def test_staged_rows_that_are_garbled_are_staged_anew(
    under_way: Building, history: History
) -> None:
    history.create("statement")
    under_way.project(history.events)
    under_way.build.close()
    (under_way.folder / FILE_NAME).write_bytes(b"no database at all" * 1000)
    under_way.reopen()
    assert under_way.build.checkpoint().position == 0
    under_way.project(history.events)
    assert under_way.build.write(never)
    assert len(under_way.rows()) == 1


def test_staged_rows_of_another_model_are_refused(under_way: Building, history: History) -> None:
    history.create("statement")
    under_way.project(history.events)
    other = VectorCache(under_way.folder.parent / "cache", "words", DIMENSION)
    with closing(other), pytest.raises(ModelChanged):
        VectorBuild(under_way.folder, other)


@pytest.mark.parametrize("at_once", [1, 2, 5_000])
def test_what_was_erased_leaves_the_caches_of_all_models_what_was_closed_its_own(
    under_way: Building, history: History, monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    monkeypatch.setattr(building, "_FORGOTTEN_AT_ONCE", at_once)
    ephemeral = {"namespace": "h-ephemeral", "session_id": "s"}
    erased = history.create("erased")
    history.create("closed", **ephemeral)
    history.create("closed and kept", **ephemeral)
    history.create("closed and kept")
    history.erase(erased)
    history.close_session(**ephemeral)
    shas = {text: text_sha(text) for text in ("erased", "closed", "closed and kept")}
    other = VectorCache(under_way.folder.parent / "cache", "words", DIMENSION)
    with closing(other):
        for cache in (other, under_way.cache):
            cache.put({sha: letters(text) for text, sha in shas.items()})
        for event in history.events:
            under_way.project([event])
        assert under_way.build.write(never)
        assert other.known(shas.values()) == {shas["closed"], shas["closed and kept"]}
    assert under_way.cache.known(shas.values()) == {shas["closed and kept"]}


def test_rows_without_a_vector_wait_for_one_once_the_table_is_written(
    under_way: Building, history: History
) -> None:
    history.create("in the cache")
    history.create("not in the cache")
    under_way.cache.put({text_sha("in the cache"): letters("in the cache")})
    under_way.project(history.events)
    assert under_way.build.write(never)
    assert under_way.build.projector is not None
    under_way.build.projector.checkpoint()
    assert list(under_way.build.projector.waiting) == ["m2:2"]


def test_vectors_are_indexed_in_parts_that_become_one(
    under_way: Building, history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table, "ROWS_PER_FRAGMENT", 50)
    monkeypatch.setattr(table, "VECTOR_INDEX_FROM", 300)
    monkeypatch.setattr(indices, "ROWS_PER_CELL", 50)
    monkeypatch.setattr(indices, "_SAMPLES_PER_CELL", 16)
    monkeypatch.setattr(indices, "_ROWS_OF_FIRST_PART", 120)
    texts = [f"statement number {number}" for number in range(400)]
    under_way.cache.put({text_sha(text): letters(text) for text in texts})
    # The first rows have no vector: what is learnt from the first part must not rest on those.
    memories = [history.create(text) for text in [*(f"unseen {n}" for n in range(60)), *texts]]
    under_way.project(history.events)
    assert under_way.build.write(never)
    dataset = dataset_of(under_way.folder)
    about = dataset.stats.index_stats(indices.VECTOR_INDEX)
    assert (about["num_indices"], about["num_unindexed_rows"]) == (1, 0)
    assert about["indices"][0]["num_partitions"] == 461 // 50
    for number in (0, 150, 399):
        nearest = {"column": "vector", "q": letters(texts[number]), "k": 1, "metric": "cosine"}
        found = dataset.to_table(columns=["source_id"], nearest={**nearest, "nprobes": 9})
        assert found["source_id"].to_pylist() == [memories[60 + number]]


@given(rows=st.integers(0, 50_000_000))
def test_a_large_table_has_few_fragments_that_can_be_rewritten_at_once(rows: int) -> None:
    assert table.ROWS_PER_FRAGMENT <= table.rows_per_fragment(rows) <= 32_768
    assert table.rows_per_fragment(rows) >= table.rows_per_fragment(rows // 2)
    if rows <= 1_000_000:
        assert rows / table.rows_per_fragment(rows) <= 33
