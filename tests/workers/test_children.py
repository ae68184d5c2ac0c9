"""A process that has to come to a good end before a node is started."""

from __future__ import annotations

import sys
import threading
import time

import pytest

from tests.servers import eventually
from workers.children import ChildSpec, GaveUp, run_to_its_end


def child(code: str) -> ChildSpec:
    return ChildSpec("bootstrap", (sys.executable, "-c", code))


def test_a_child_that_ends_well_lets_the_start_go_on() -> None:
    run_to_its_end(child("pass"), threading.Event())


def test_a_child_that_fails_ends_the_start() -> None:
    with pytest.raises(GaveUp, match="the bootstrap process failed"):
        run_to_its_end(child("raise SystemExit(1)"), threading.Event())


def test_who_stops_the_node_does_not_wait_for_the_child() -> None:
    stop, began = threading.Event(), time.monotonic()
    starting = threading.Thread(
        target=run_to_its_end, args=(child("import time; time.sleep(60)"), stop)
    )
    starting.start()
    eventually(starting.is_alive)
    stop.set()
    starting.join()
    assert time.monotonic() - began < 30
