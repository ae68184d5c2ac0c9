"""F23: killed at whatever step, the archiver leaves a log that reads as before, and goes on."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from domain.errors import Fenced
from eventlog.chain import BEGINNING, links
from eventlog.links import LinkRecord
from eventlog.subscription import Checkpoint, Subscription
from eventlog.verification import verify_log
from tests.eventlog.archived import ArchivedLog
from tests.faults.dying_archiver import STEPS
from tests.servers import LogServer, eventually


@pytest.mark.parametrize("step", STEPS)
def test_f23_an_archiver_killed_at_any_step_loses_and_doubles_nothing(
    log_server: LogServer, log_name: str, tmp_path: Path, step: str
) -> None:
    archived = ArchivedLog(log_server.url, log_name, tmp_path, seed=STEPS.index(step))
    with archived.log as log:
        archived.write(45)
        before = archived.everything()
        died = subprocess.run(
            [sys.executable, "-m", "tests.faults.dying_archiver", log.url, log.name, tmp_path, step]
        )
        assert died.returncode == -signal.SIGKILL

        everything = archived.everything()
        assert everything[:45] == before
        with Subscription(log.url, log.name, Checkpoint(), archived.archive) as subscription:
            read = subscription.read(limit=1)
            while page := subscription.read(limit=9, wait_s=0):
                read += page
        assert read == everything

        # The next one waits for the dead one's lease to end, and brings it to an end.
        archiver = archived.archiver("the next")

        def archives() -> bool:
            try:
                archiver.archive_due()
            except Fenced:
                return False
            return True

        eventually(archives)
        archiver.trim()
        everything = archived.everything()
        assert everything[:45] == before
        assert [e.type for e in everything[45:]] == ["SegmentArchived"] * 4
        assert log.floor() == 41
        verified = verify_log(log, archived.archive, LinkRecord(tmp_path / "chain"))
        assert verified.chain == links(BEGINNING, everything)[-1].hex()
        assert (verified.segments, verified.statements) == (4, 4)
        for aggregate, last in archived.versions.items():
            found = log.read_aggregate(aggregate)
            assert [entry.version for entry in found] == list(range(1, last + 1))
            assert log.snapshots(aggregate)
