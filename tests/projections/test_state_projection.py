"""The state view is what the log says, however the log reached it."""

from __future__ import annotations

from pathlib import Path

import pytest

from domain.events import EVENT_TYPES
from eventlog.redis_log import RedisLog
from projections.state.projector import HANDLERS, NOT_SHOWN
from tests.histories import Historian
from tests.projections.running import catch_up
from tests.state_tables import assert_state_equals_log, tables_of


@pytest.mark.parametrize("seed", range(4))
def test_the_view_equals_an_independent_fold_of_the_log(
    log: RedisLog, view_path: Path, seed: int
) -> None:
    historian = Historian(log, seed)
    historian.live_on(250)
    catch_up(log, view_path, historian.position)
    assert_state_equals_log(view_path, log.url, log.name)
    tables = tables_of(view_path)
    assert all(tables.values()), [name for name, rows in tables.items() if not rows]


def test_every_event_type_is_shown_or_named_as_not_shown() -> None:
    assert set(EVENT_TYPES.values()) == HANDLERS.keys() | NOT_SHOWN
    assert not HANDLERS.keys() & NOT_SHOWN
