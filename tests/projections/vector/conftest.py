"""A vector view of its own for each test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.projections.vector.histories import History
from tests.projections.vector.places import Place


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    """An empty vector view with its cache."""
    place = Place(tmp_path)
    yield place
    place.close()


@pytest.fixture
def history() -> History:
    return History()
