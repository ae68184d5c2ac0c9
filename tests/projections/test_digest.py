"""Two views at one position have equal digests, and a digest tells when they are not equal."""

from __future__ import annotations

import random
import sqlite3
from contextlib import ExitStack
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.events import SubjectErased
from eventlog.redis_log import RedisLog
from projections.digest import digest_of
from projections.retry import request_retry
from projections.state.view import StateView
from tests.histories import Historian
from tests.projections.faulty import Poisoned
from tests.projections.running import catch_up, running
from tests.view_oracles import seed_cache
from tests.view_workers import building, digests, live_folder, reach
from tests.workers.rebuilding_process import settings_of
from workers.views import VIEW_KINDS

ROWS = st.lists(
    st.tuples(
        st.sampled_from(["a", "b"]),
        st.dictionaries(st.text(max_size=3), st.integers() | st.text() | st.none(), max_size=4),
    ),
    max_size=20,
)


@settings(deadline=None, max_examples=50)
@given(rows=ROWS, seed=st.integers())
def test_the_order_of_rows_does_not_matter(rows: list, seed: int) -> None:
    shuffled = random.Random(seed).sample(rows, len(rows))
    assert digest_of("v", 1, rows) == digest_of("v", 1, shuffled)


@settings(deadline=None, max_examples=50)
@given(rows=ROWS.filter(bool))
def test_a_row_more_or_another_table_is_another_digest(rows: list) -> None:
    whole = digest_of("v", 1, rows)
    assert digest_of("v", 1, rows[1:]).sha256 != whole.sha256
    assert digest_of("v", 1, [*rows, rows[0]]).sha256 != whole.sha256
    renamed = [("c", row) for _, row in rows]
    assert digest_of("v", 1, renamed).sha256 != whole.sha256


def test_noise_in_the_last_bits_of_a_float_does_not_count() -> None:
    noisy = digest_of("v", 1, [("m", {"c": 0.1 + 0.2})])
    zero = digest_of("v", 1, [("m", {"c": -0.0})])
    assert noisy == digest_of("v", 1, [("m", {"c": 0.3})])
    assert zero == digest_of("v", 1, [("m", {"c": 0.0})])
    assert digest_of("v", 1, [("m", {"c": 0.31})]) != noisy


def test_two_nodes_at_one_position_have_equal_digests(
    log: RedisLog, tmp_path: Path, historian: Historian
) -> None:
    historian.live_on(150)
    one, other = tmp_path / "one" / "state", tmp_path / "other" / "state"
    catch_up(log, one, historian.position)

    with running(
        log, other, wrap=lambda inner: Poisoned(inner, [historian.position - 3])
    ) as worker:
        worker.reaches(historian.position)
    parked = StateView(other).digest()
    assert parked != StateView(one).digest()
    assert parked.parked

    request_retry(other)
    with running(log, other) as worker:
        worker.shows(lambda status: status.retries == 1)
    assert StateView(one).digest() == StateView(other).digest()
    assert StateView(one).digest().position == historian.position


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE memories SET content = content || '.'",
        "DELETE FROM versions WHERE version = 1",
        "UPDATE namespaces SET changed_at = changed_at + 1",
    ],
)
def test_a_row_changed_by_hand_changes_the_digest(
    log: RedisLog, view_path: Path, historian: Historian, change: str
) -> None:
    historian.live_on(40)
    catch_up(log, view_path, historian.position)
    view = StateView(view_path)
    before = view.digest()
    with sqlite3.connect(view_path / "1" / "state.sqlite") as connection:
        assert connection.execute(change).rowcount >= 1
    assert view.digest() != before
    view.close()


def test_a_frozen_view_is_digested_as_it_was_while_it_is_written_on(
    log: RedisLog, tmp_path: Path, historian: Historian
) -> None:
    settings = settings_of(tmp_path / "data", log.url, log.name)
    historian.live_on(20)
    seed_cache(settings, log)
    with building(settings), ExitStack() as held:
        reach(settings, historian.position)
        before = digests(settings)
        frozen = {
            name: held.enter_context(kind.freeze(live_folder(settings, name)))
            for name, kind in VIEW_KINDS.items()
        }
        for _ in range(5):  # a session that is closed takes files of the analytics view at once
            historian.remember()
        reach(settings, historian.position)
        assert {name: digest(None) for name, digest in frozen.items()} == before
        assert digests(settings) != before


def test_a_state_digest_counts_the_subjects_that_were_erased(
    log: RedisLog, tmp_path: Path, historian: Historian
) -> None:
    memory = historian.remember("a heron")
    erased = SubjectErased(
        target="memory",
        target_id=memory,
        subjects=[f"memory:{memory}", f"vector:{memory}"],
        memory_ids=[memory],
        episode_ids=[],
        last=True,
    )
    before = historian.position
    view = tmp_path / "one" / "state"
    catch_up(log, view, before)
    assert StateView(view).digest().erased == 0
    for _ in range(2):
        historian.write(("Erasure", historian.new_id(), erased))
    catch_up(log, view, historian.position)
    assert StateView(view).digest().erased == 4
