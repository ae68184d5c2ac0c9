"""A fill never reopens, resurrects or skips a row, whatever happened in whatever order."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from projections.vector.schema import Row, embedded_text
from tests.oracle_vector import stretches_of
from tests.projections.vector.histories import History, happen
from tests.projections.vector.places import Place, checkpoint_after, differences, letters

MOVES = ("project", "project", "again", "fill some", "late fill", "crash", "forget vectors")


def live_through(data: st.DataObject, steps: int) -> None:
    """Project a random history with fills, crashes and repeats in between; compare each time."""
    history = History()
    late: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        place = Place(Path(folder))
        done = 0
        for _ in range(steps):
            for _ in range(data.draw(st.integers(1, 5))):
                happen(history, data)
            match data.draw(st.sampled_from(MOVES)):
                case "project":
                    place.project(history.events[done:])
                    done = len(history.events)
                case "again":
                    first = data.draw(st.integers(0, done))
                    place.project(history.events[first:])
                    done = len(history.events)
                case "fill some":
                    chosen = data.draw(st.integers(0, 2))
                    place.fill(lambda row, chosen=chosen: row.from_position % 3 == chosen)
                    late = place.projector.stored(place.projector.waiting)
                case "late fill":
                    place.remember_vectors(late)
                    place.projector.fill(late)
                case "crash":
                    place.reopen()
                case "forget vectors":
                    place.close()
                    place.cache.path.unlink()
                    place.open()
            assert differences(place.rows(), stretches_of(history.facts(done))) == []
        place.project(history.events[done:])
        place.fill()
        rows = place.rows()
        assert differences(rows, stretches_of(history.facts())) == []
        assert not place.projector.waiting
        for row in rows:
            assert row.vector is not None or not row.is_open, f"{row.id} was skipped"
            if row.vector is not None:
                text = embedded_text(row.speaker, row.content)
                np.testing.assert_array_equal(row.vector, letters(text))
        assert place.view().missing_vectors(None) == 0
        place.close()


WITHOUT_SHRINKING = {
    # Every step is real storage: minutes of shrinking would hide which example failed.
    "phases": (Phase.explicit, Phase.reuse, Phase.generate),
    "suppress_health_check": list(HealthCheck),
    "deadline": None,
}


@settings(max_examples=12, **WITHOUT_SHRINKING)
@given(st.data())
def test_a_fill_never_reopens_resurrects_or_skips_a_row(data: st.DataObject) -> None:
    live_through(data, steps=5)


@pytest.mark.slow
@settings(max_examples=400, **WITHOUT_SHRINKING)
@given(st.data())
def test_a_fill_never_reopens_resurrects_or_skips_a_row_in_long_lives(data: st.DataObject) -> None:
    live_through(data, steps=12)


def test_a_vector_that_comes_late_finds_its_row_closed_and_leaves_it_closed(
    tmp_path: Path,
) -> None:
    history = History()
    memory = history.create("the port is 8080")
    place = Place(tmp_path)
    place.project(history.events)
    late = place.projector.stored(place.projector.waiting)
    place.project([history.correct(memory, "the port is 9090")])
    place.remember_vectors(late)
    assert place.projector.fill(late) == 0
    old, new = sorted(place.rows(), key=lambda row: row.from_position)
    assert (old.to_position, old.vector) == (2, None)
    assert new.is_open
    assert list(place.projector.waiting) == [new.id]


def test_a_vector_that_comes_for_a_purged_row_does_not_bring_it_back(tmp_path: Path) -> None:
    history = History()
    history.create("my number is 555 0100")
    place = Place(tmp_path)
    place.project(history.events)
    late = place.projector.stored(place.projector.waiting)
    place.projector.table.delete(f"id = '{late[0].id}'")
    place.remember_vectors(late)
    assert place.projector.fill(late) == 0
    assert place.rows() == []


def test_a_row_that_changed_under_the_fill_still_waits(tmp_path: Path) -> None:
    from domain.events import MemoryTagged

    history = History()
    memory = history.create("the port is 8080")
    place = Place(tmp_path)
    place.project(history.events)
    late = place.projector.stored(place.projector.waiting)
    tagged = history.add("Memory", memory, MemoryTagged(tags=["net"]))
    place.projector.apply([tagged], checkpoint_after(tagged))
    place.remember_vectors(late)
    assert place.projector.fill(late) == 0
    assert list(place.projector.waiting) == [late[0].id]
    assert place.fill() == 1
    (row,) = place.rows()
    assert row.tags == ("net",)
    assert row.vector is not None
