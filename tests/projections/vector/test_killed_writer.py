"""F7 for the vector view: a writer killed at any step leaves every row as the log says, once."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from eventlog.redis_log import RedisLog
from projections.vector.schema import embedded_text
from tests.histories import Historian
from tests.oracle import read_log
from tests.oracle_vector import stretches_of
from tests.projections.vector.places import Place, differences, letters
from tests.projections.vector.worker_process import KILL_POINTS


def run_writer(log: RedisLog, folder: Path, *kill: str) -> int:
    ended = subprocess.run(
        [
            *(sys.executable, "-m", "tests.projections.vector.worker_process"),
            *(log.url, log.name, str(folder), *kill),
        ],
        check=False,
        # A bound on hanging, not on work: to import the store alone takes four seconds of CPU.
        timeout=600,
        capture_output=True,
    )
    assert ended.returncode in (0, -9), ended.stderr.decode()
    return ended.returncode


def kill_and_compare(log: RedisLog, folder: Path, kills: Sequence[tuple[str, int]]) -> None:
    """Kill a writer at each point, more history between; then finish and compare with the log."""
    historian = Historian(log, seed=len(kills))
    for kill_at, number in kills:
        historian.live_on(40)
        assert run_writer(log, folder, kill_at, str(number)) == -9, f"never came to {kill_at!r}"
        place = Place(folder)
        position = place.projector.checkpoint().position
        told = [fact for fact in read_log(log.url, log.name) if fact["position"] <= position]
        expected = stretches_of(told)
        # The key of a session that is closed later is gone already: the log cannot tell its text.
        erased = {key for key, one in expected.items() if one["content"] == "[erased]"}
        rows = [row for row in place.rows() if (row.source_id, row.from_position) not in erased]
        assert differences(rows, {k: one for k, one in expected.items() if k not in erased}) == []
        place.close()
    assert run_writer(log, folder) == 0
    place = Place(folder)
    assert place.projector.checkpoint().position == historian.position
    assert not place.projector.waiting
    rows = place.rows()
    assert differences(rows, stretches_of(read_log(log.url, log.name))) == []
    assert len({row.id for row in rows}) == len(rows)
    for row in rows:
        if row.is_open:
            assert row.vector is not None
            np.testing.assert_array_equal(
                row.vector, letters(embedded_text(row.speaker, row.content))
            )
    place.close()


def test_a_killed_writer_loses_repeats_and_reopens_nothing(log: RedisLog, tmp_path: Path) -> None:
    points = (
        "after a merge",
        "while embedding",
        "before a fill",
        "between compaction and indexing",
    )
    kill_and_compare(log, tmp_path, [(point, 1) for point in points])


@pytest.mark.slow
def test_a_writer_killed_at_every_step_loses_repeats_and_reopens_nothing(
    log: RedisLog, tmp_path: Path
) -> None:
    kill_and_compare(log, tmp_path, [(point, 1) for point in KILL_POINTS])


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_a_writer_killed_twelve_times_loses_repeats_and_reopens_nothing(
    log: RedisLog, tmp_path: Path, seed: int
) -> None:
    chance = random.Random(seed)
    kills = [(chance.choice(KILL_POINTS), 1) for _ in range(12)]
    print(f"seed {seed}: {kills}")
    kill_and_compare(log, tmp_path, kills)
