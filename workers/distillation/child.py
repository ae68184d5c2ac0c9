"""`python -m workers.distillation.child`: does the jobs that the reactor hands over, one by one.

Not a command for people: the reactor starts it, talks to it over its pipes, and ends it. It is
ended at any point without harm.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Final

from workers.distillation.distilling import Parts, do_job
from workers.distillation.job import Begin, Ready, encode, order
from workers.lifetime import die_with_parent
from workers.logging import set_up_logging
from workers.settings import Settings

NICE: Final = 10
"""Whoever waits for an answer goes first."""


def serve(open_parts: Callable[[Settings], AbstractContextManager[Parts]] | None = None) -> int:
    """Work until the reactor says no more, or is gone; with other parts than a node's in tests."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--parent", type=int, required=True)
    die_with_parent(parser.parse_args().parent)
    _give_way()
    orders = (order(line) for line in sys.stdin.buffer)
    begin = next(orders, None)
    if begin is None:
        return 0
    assert isinstance(begin, Begin), "a job before the settings"
    set_up_logging("distiller", begin.settings.log_level)
    out = sys.stdout.buffer
    with (open_parts or _parts_of_node)(begin.settings) as parts:
        out.write(encode(Ready()))
        out.flush()
        for job in orders:
            assert not isinstance(job, Begin), "the settings come once"
            for said in do_job(parts, job):
                out.write(encode(said))
                out.flush()
    return 0


def _give_way() -> None:
    """Let everybody else go first: less of the processor, and nobody is interrupted for this."""
    os.nice(NICE)
    if hasattr(os, "SCHED_BATCH"):
        os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))


def _parts_of_node(settings: Settings) -> AbstractContextManager[Parts]:
    from workers.distillation.parts import open_parts

    return open_parts(settings)


if __name__ == "__main__":
    sys.exit(serve())
