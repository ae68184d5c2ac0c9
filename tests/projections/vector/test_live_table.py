"""Readers see each version at once, and look for newer ones only where there may be some."""

from __future__ import annotations

import os
import time
from typing import Any

import lance
import pytest

import projections.vector.live_table as live_table
from projections.vector.live_table import LiveTable, Opened
from tests.projections.vector.histories import History
from tests.projections.vector.places import Place


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Hold the version that each look through the versions found."""
    found: list[int] = []

    class Counting:
        def __init__(self, dataset: Any) -> None:
            self._dataset = dataset

        def __getattr__(self, name: str) -> Any:
            value = getattr(self._dataset, name)
            if name == "latest_version":
                found.append(value)
            return value

    real = live_table._opened

    def opened(dataset: Any, *of_all_versions: Any) -> Opened:
        return real(Counting(dataset), *of_all_versions)

    monkeypatch.setattr(live_table, "_opened", opened)
    return found


def version_of(live: LiveTable) -> int:
    opened = live.now()
    assert opened is not None
    return opened.version


def newest(place: Place) -> int:
    return int(lance.dataset(str(place.directory.live / "rows.lance")).version)


def test_every_version_is_seen_however_fast_they_come(place: Place, history: History) -> None:
    place.project(history.events)
    live = LiveTable(place.folder / "views" / "vector")
    for _ in range(60):
        place.project([history.close_session("default", "nobody's")])
        assert version_of(live) == newest(place)


def test_a_folder_of_versions_that_rests_is_looked_through_once(
    place: Place, history: History, looks: list[int]
) -> None:
    place.project(history.events)
    later = time.time_ns() + 10**9
    live = LiveTable(place.folder / "views" / "vector", clock=lambda: later)
    versions = [version_of(live) for _ in range(5)]
    assert versions == [newest(place)] * 5
    assert len(looks) == 1
    place.project([history.close_session("default", "nobody's")])
    assert version_of(live) == newest(place)
    assert version_of(live) == newest(place)
    assert len(looks) == 2


def test_a_folder_that_was_changed_within_a_tick_of_a_look_is_looked_through_again(
    place: Place, history: History, looks: list[int]
) -> None:
    place.project(history.events)
    live = LiveTable(place.folder / "views" / "vector", clock=lambda: changed)
    folder = place.directory.live / "rows.lance" / "_versions"
    changed = folder.stat().st_mtime_ns
    before = version_of(live)
    place.project([history.close_session("default", "nobody's")])
    os.utime(folder, ns=(changed, changed))  # the same tick
    assert version_of(live) == newest(place) > before
    assert len(looks) == 2


def test_a_version_that_could_not_be_opened_is_tried_again(
    place: Place, history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.project(history.events)
    later = time.time_ns() + 10**9
    live = LiveTable(place.folder / "views" / "vector", clock=lambda: later)
    version_of(live)
    place.project([history.close_session("default", "nobody's")])
    with monkeypatch.context() as patched:

        def refuse(*_: object) -> Opened:
            raise OSError("too many open files")

        patched.setattr(live_table, "_opened", refuse)
        with pytest.raises(OSError, match="too many open files"):
            live.now()
    assert version_of(live) == newest(place)


def test_a_view_that_is_removed_and_begun_anew_is_seen(place: Place, history: History) -> None:
    place.project(history.events)
    later = time.time_ns() + 10**9
    live = LiveTable(place.folder / "views" / "vector", clock=lambda: later)
    first = live.now()
    table = place.directory.live / "rows.lance"
    table.rename(table.with_name("gone"))
    assert live.now() is None
    table.with_name("gone").rename(table)
    again = live.now()
    assert first is not None
    assert again is not None
    assert again.version == first.version
