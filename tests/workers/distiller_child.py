"""The process that distils, with rules that a test can foresee: each episode says one thing."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime

from commands.application import MemoryApplication
from domain.distillation.finding import Finding, Talk
from tests.workers.no_shortlists import NoShortlists
from workers.distillation.child import serve
from workers.distillation.distilling import Model, Parts
from workers.distillation.pace import Pace
from workers.log_server import log_url
from workers.settings import Settings

FAILS = "cannot be understood"
KILLS = "is more than a process can bear"
NOTES = "notes.txt"
"""In the data directory: the lines of before that each episode was given."""


def by_rules(talk: Talk) -> Sequence[Finding]:
    """Find what the episode says; or fail, or die, where it says so."""
    if FAILS in talk.content:
        raise ValueError(talk.content)
    if KILLS in talk.content:
        os.kill(os.getpid(), signal.SIGKILL)
    return [
        Finding(
            content=talk.content,
            category="fact",
            decay_class="system_fact",
            clarity=0.8,
            evidence=talk.content,
        )
    ]


@contextmanager
def open_parts(settings: Settings) -> Iterator[Parts]:
    """Give parts that find one statement in each episode."""

    def noted(talk: Talk) -> Sequence[Finding]:
        with (settings.data / NOTES).open("a") as notes:
            notes.write(f"{talk.content} | {[content for _, content in talk.before]}\n")
        return by_rules(talk)

    with MemoryApplication(log_url(settings, "archiver"), settings.log) as application:
        yield Parts(
            settings=settings,
            application=application,
            clock=lambda: datetime.now(UTC),
            shortlists=NoShortlists(),
            by_rules=noted,
            in_one=lambda findings: findings,
            validate=lambda _case, _shortlist: (),
            model=Model(),
            pace=Pace(),
        )


if __name__ == "__main__":
    sys.exit(serve(open_parts))
