"""A log with a history, and a place for a state view, for each test."""

from __future__ import annotations

from pathlib import Path

import pytest

from eventlog.redis_log import RedisLog
from tests.histories import Historian


@pytest.fixture
def historian(log: RedisLog) -> Historian:
    return Historian(log, seed=1)


@pytest.fixture
def view_path(tmp_path: Path) -> Path:
    return tmp_path / "views" / "state"
