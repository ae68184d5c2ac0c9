"""A view that is damaged or removed is built again from the log; readers never see another's."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from domain.errors import ViewBehind, ViewDegraded
from eventlog.redis_log import RedisLog
from projections.state.view import StateView
from tests.histories import Historian
from tests.projections.direct import NOW
from tests.projections.running import catch_up
from tests.state_tables import assert_state_equals_log


@pytest.mark.parametrize("where", ["header", "middle", "everything", "nothing left"])
def test_a_damaged_file_is_built_again_and_meanwhile_readers_are_told(
    log: RedisLog, view_path: Path, historian: Historian, where: str
) -> None:
    historian.live_on(120)
    catch_up(log, view_path, historian.position)
    file = view_path / "1" / "state.sqlite"
    content = file.read_bytes()
    half = len(content) // 2
    file.write_bytes(
        {
            "header": b"\xff" * 100 + content[100:],
            "middle": content[: half - 30_000] + b"\xa5" * 60_000 + content[half + 30_000 :],
            "everything": b"garbage " * 1000,
            "nothing left": b"",
        }[where]
    )
    view = StateView(view_path)
    with pytest.raises((ViewDegraded, ViewBehind)):
        view.digest()
    catch_up(log, view_path, historian.position)
    assert_state_equals_log(view_path, log.url, log.name)
    assert view.checkpoint().position == historian.position
    view.close()


def test_readers_move_to_the_new_file_when_a_view_was_removed_and_begun_anew(
    log: RedisLog, view_path: Path, historian: Historian
) -> None:
    memory = historian.remember()
    catch_up(log, view_path, historian.position)
    view = StateView(view_path)
    assert view.memory(memory, now=NOW) is not None
    shutil.rmtree(view_path)
    with pytest.raises(ViewBehind):
        view.memory(memory, now=NOW)
    second = historian.remember()
    catch_up(log, view_path, historian.position)
    assert view.memories([memory, second], now=NOW).keys() == {memory, second}
    view.close()
