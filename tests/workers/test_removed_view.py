"""A view whose files are removed under a running worker is given up and built anew."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from eventlog.redis_log import RedisLog
from projections.build_request import failed_lately, read_build_status
from projections.generation import ViewDirectory, ViewLocked, current_generation
from projections.vector.cache import VectorCache
from projections.vector.view import VectorView
from tests.histories import Historian
from tests.projections.test_f16_undecodable import add_by_hand
from tests.projections.vector.places import letters
from tests.servers import LogServer, eventually
from tests.view_oracles import assert_view_equals_log, seed_cache
from tests.view_workers import building, digests, live_folder, reach, shows
from tests.workers.rebuilding_process import settings_of
from workers.node import view_path
from workers.settings import Settings
from workers.views import VIEW_KINDS


@pytest.fixture
def settings(log_server: LogServer, log: RedisLog, tmp_path: Path) -> Settings:
    return settings_of(tmp_path / "data", log_server.url, log.name)


def test_views_whose_files_are_removed_are_given_up_and_built_anew(
    settings: Settings, log: RedisLog
) -> None:
    historian = Historian(log, seed=8)
    historian.live_on(30)
    seed_cache(settings, log)
    removed: dict[str, Callable[[], Path]] = {
        "state": lambda: view_path(settings, "state"),
        "vector": lambda: live_folder(settings, "vector"),
        "analytics": lambda: view_path(settings, "analytics"),
    }
    with building(settings), capture_logs() as lines:
        reach(settings, historian.position)
        before = digests(settings)
        reader = VectorView(view_path(settings, "vector"))
        assert reader.digest() == before["vector"]
        for view, path in removed.items():
            shutil.rmtree(path())
            shows(settings, view, lambda said: said.problem == "view-removed")
            assert current_generation(view_path(settings, view)) is None, "nothing half is served"
        reach(settings, historian.position)
        assert digests(settings) == before
        assert reader.digest() == before["vector"]
    told = [line for line in lines if line["event"] == "view_removed"]
    assert [line["view"] for line in told] == list(removed)
    for view in VIEW_KINDS:
        assert_view_equals_log(view_path(settings, view), log.url, log.name)


def test_a_store_that_is_removed_out_of_a_generation_is_noticed_too(
    settings: Settings, log: RedisLog
) -> None:
    historian = Historian(log, seed=9)
    historian.live_on(20)
    seed_cache(settings, log)
    with building(settings):
        reach(settings, historian.position, ("state", "vector"))
        (live_folder(settings, "state") / "state.sqlite").unlink()
        shutil.rmtree(live_folder(settings, "vector") / "rows.lance")
        for view in ("state", "vector"):
            shows(settings, view, lambda said: said.problem == "view-removed")
        reach(settings, historian.position, ("state", "vector"))

        # What only points or guards is put back, and the generation goes on.
        state = view_path(settings, "state")
        generation = current_generation(state)
        for name in ("CURRENT", "writer.lock", "status.json"):
            (state / name).unlink()
            eventually((state / name).exists, within_s=20)
        historian.live_on(5)
        reach(settings, historian.position, ("state", "vector"))
        assert current_generation(state) == generation
        with pytest.raises(ViewLocked):
            ViewDirectory(state)
    for view in ("state", "vector"):
        assert_view_equals_log(view_path(settings, view), log.url, log.name)


def test_a_vector_cache_that_is_removed_is_begun_anew_and_not_written_to_for_ever(
    tmp_path: Path,
) -> None:
    text = "a" * 64
    with closing(VectorCache(tmp_path / "cache", "letters", 8)) as cache:
        cache.put({text: letters("a")})
        shutil.rmtree(tmp_path / "cache")
        assert cache.get([text]) == {}
        cache.put({text: letters("a")})
        with closing(VectorCache(tmp_path / "cache", "letters", 8)) as another:
            assert another.get([text]).keys() == {text}


def test_of_two_processes_one_gets_the_lock_that_was_removed(tmp_path: Path) -> None:
    with closing(ViewDirectory(tmp_path / "view")) as first:
        shutil.rmtree(tmp_path / "view")
        with closing(ViewDirectory(tmp_path / "view")), pytest.raises(ViewLocked):
            first.keep_hold()
        first.keep_hold()
        with pytest.raises(ViewLocked):
            ViewDirectory(tmp_path / "view")


def remove(path: Path, aside: Path) -> None:
    """Remove a folder at once, whatever its owner makes in it meanwhile."""
    path.rename(aside)
    shutil.rmtree(aside, ignore_errors=True)


def test_a_removed_view_that_cannot_be_built_is_not_built_all_the_time(
    settings: Settings, log: RedisLog, log_server: LogServer
) -> None:
    historian = Historian(log, seed=10)
    historian.live_on(10)
    hit = historian.remember()
    newer = add_by_hand(log_server, log, hit, {"t": "OfANewerProgram"})
    state = view_path(settings, "state")

    def has_failed() -> bool:
        status = read_build_status(state)
        return status is not None and status.state == "failed"

    with building(settings):
        shows(settings, "state", lambda said: said.problem == "unknown-event-type")
        remove(state, settings.data / "removed")
        eventually(has_failed, within_s=60)
        failed = read_build_status(state)
        asked_again = time.monotonic() + 1.5
        eventually(lambda: time.monotonic() > asked_again)
        assert read_build_status(state) == failed
        assert shows(settings, "state", lambda said: said.problem == "view-removed")
    assert failed is not None
    assert str(newer) in failed.reason
    assert failed_lately(state, time.time(), 3600.0)
    assert not failed_lately(state, time.time() + 3600.0, 3600.0)
