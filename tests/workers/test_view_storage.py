"""Views whose storage fails before they are open: they wait, say why, and go on by themselves."""

from __future__ import annotations

from pathlib import Path

import pytest
from structlog.testing import capture_logs

from eventlog.redis_log import RedisLog
from projections.generation import ViewDirectory
from projections.status import ViewStatus, read_status
from tests.histories import Historian
from tests.servers import LogServer, eventually
from tests.view_workers import building
from workers.settings import Settings


@pytest.fixture
def settings(log_server: LogServer, log_name: str, tmp_path: Path) -> Settings:
    return Settings(data=tmp_path / "data", redis_url=log_server.url, log=log_name)


def status_of(settings: Settings) -> ViewStatus | None:
    return read_status(settings.data / "views" / "state")


def test_views_that_cannot_be_begun_wait_and_begin_once_they_can(settings: Settings) -> None:
    settings.data.mkdir()
    in_the_way = settings.data / "views"
    in_the_way.write_text("a file where a folder must be")
    with capture_logs() as lines, building(settings) as thread:
        eventually(lambda: any(line["event"] == "view_not_begun" for line in lines), within_s=30)
        assert thread.is_alive()
        in_the_way.unlink()
        eventually(
            lambda: (said := status_of(settings)) is not None and said.state == "running",
            within_s=60,
        )
    [first, *_] = [line for line in lines if line["event"] == "view_not_begun"]
    assert first["reason"].startswith(("NotADirectoryError: ", "FileExistsError: "))


def test_a_view_that_could_not_be_begun_is_not_left_locked(tmp_path: Path) -> None:
    view = tmp_path / "view"
    view.mkdir()
    (view / "1").write_text("a file where a generation must be")
    with pytest.raises(FileExistsError):
        ViewDirectory(view)
    (view / "1").unlink()
    ViewDirectory(view).close()


def test_a_view_that_cannot_be_opened_still_says_how_far_it_had_come(
    settings: Settings, log: RedisLog
) -> None:
    historian = Historian(log, seed=1)
    historian.live_on(5)
    with building(settings):
        eventually(
            lambda: (
                (said := status_of(settings)) is not None and said.position == historian.position
            ),
            within_s=60,
        )
    file = settings.data / "views" / "state" / "1" / "state.sqlite"
    file.unlink()
    file.mkdir()  # cannot be opened, and is not damage that could be removed
    with building(settings):
        eventually(
            lambda: (said := status_of(settings)) is not None and said.state == "paused",
            within_s=60,
        )
        said = status_of(settings)
        assert said is not None
        assert (said.position, said.problem) == (historian.position, "storage")
