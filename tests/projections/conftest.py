"""A log with a history, and a place for a state view, for each test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from eventlog.redis_log import RedisLog
from tests.histories import Historian
from tests.projections.direct import Direct


@pytest.fixture
def historian(log: RedisLog) -> Historian:
    return Historian(log, seed=1)


@pytest.fixture
def view_path(tmp_path: Path) -> Path:
    return tmp_path / "views" / "state"


@pytest.fixture
def direct(view_path: Path) -> Iterator[Direct]:
    with Direct(view_path) as fed:
        yield fed
