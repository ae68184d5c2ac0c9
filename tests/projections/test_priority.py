"""Work that makes way is never given more than it had: who is not root may not even ask."""

from __future__ import annotations

import os
import subprocess
import sys
import threading

import pytest

from projections.priority import give_way

TELL = "import os; from projections.priority import give_way; give_way({}); print(os.nice(0))"


@pytest.mark.parametrize(("before", "asked", "after"), [(0, 5, 5), (12, 5, 12), (3, 40, 19)])
def test_a_thread_gives_way_but_is_never_raised(before: int, asked: int, after: int) -> None:
    present = os.nice(0)
    if present > before:
        pytest.skip(f"these tests run at niceness {present} themselves")
    told = subprocess.run(
        ["nice", "-n", str(before - present), sys.executable, "-c", TELL.format(asked)],
        check=True,
        capture_output=True,
        text=True,
    )
    assert int(told.stdout) == after


def test_the_other_threads_stay_as_they_are_and_those_it_starts_follow() -> None:
    before = os.getpriority(os.PRIO_PROCESS, threading.get_native_id())
    found: list[int] = []

    def look() -> None:
        found.append(os.getpriority(os.PRIO_PROCESS, threading.get_native_id()))

    def work() -> None:
        give_way(18)
        child = threading.Thread(target=look)
        child.start()
        child.join()

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == [max(18, before)]
    assert os.getpriority(os.PRIO_PROCESS, threading.get_native_id()) == before
