"""Builds the analytics view: Parquet files by day and a small tail, named by one manifest.

A step writes files that nobody reads yet and then the manifest that names them together with the
checkpoint. Killed anywhere before that rename, it leaves files without a name, which the next
start removes; after it, the step is done. Nothing is applied twice and nothing is lost.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Final

import msgspec
import pyarrow as pa
import structlog
from msgspec.structs import replace

from domain.events import Event
from eventlog.subscription import Checkpoint
from projections.analytics.compaction import Merge, next_merge
from projections.analytics.erasure import ended_subjects, erased
from projections.analytics.files import (
    are_whole,
    by_day,
    read_files,
    remove,
    remove_all_but,
    write_file,
)
from projections.analytics.manifest import (
    NAME,
    DataFile,
    Manifest,
    Retired,
    commit_manifest,
    read_manifest,
)
from projections.analytics.schema import NO_EVENTS, SCHEMA_VERSION, table_of
from projections.analytics.subjects import FileSubjects
from projections.analytics.views import SCRIPT, SCRIPT_NAME
from projections.erased import newest_erasure
from projections.parking import NOTHING_PARKED, ParkedEvent, Parking
from projections.projector import ViewFenced

TAIL_ROWS: Final = 2_000
KEEP_RETIRED_S: Final = 600.0
KEEP_RETIRED: Final = 200

_log = structlog.get_logger()


class AnalyticsProjector:
    """The one writer of an analytics view's generation. See `projections.projector.Projector`.

    It parks nothing: `projections.analytics.opening` hands it every entry as an event.
    """

    name: Final = "analytics"
    aggregate_types: Final = frozenset[str]()

    def __init__(
        self, folder: Path, clock: Callable[[], datetime], *, tail_rows: int = TAIL_ROWS
    ) -> None:
        """Open or begin the view in ``folder``, whose `ViewDirectory` the caller holds.

        ``clock`` (aware UTC) only decides when replaced files go. The tail holds fewer than
        ``tail_rows`` events. A damaged view is begun anew. Raises `ViewFenced` for a view of
        another schema version.
        """
        self._folder = folder
        self._clock = clock
        self._tail_rows = tail_rows
        self._subjects = FileSubjects(folder)
        self._manifest = self._open()
        self._tail = read_files(folder, self._manifest.files[-1:])
        remove_all_but(folder, _kept(self._manifest))
        script = folder / SCRIPT_NAME
        if not script.exists() or script.read_text() != SCRIPT:
            script.write_text(SCRIPT)
            script.chmod(0o600)

    def checkpoint(self) -> Checkpoint:
        """Give how far the view has come."""
        return self._manifest.checkpoint

    def parked(self) -> list[ParkedEvent]:
        """Give nothing: an event that cannot be opened is shown as it is stored."""
        return []

    def apply(
        self,
        events: Sequence[Event],
        checkpoint: Checkpoint,
        parking: Parking = NOTHING_PARKED,
    ) -> None:
        """Write events and checkpoint, or change nothing. Events that are shown already are not
        written again.
        """
        if parking.added:
            raise ValueError("the analytics view parks nothing: open its events with OpenOrShowRaw")
        before = self._manifest
        new = [event for event in events if event.position > before.checkpoint.position]
        if not new:
            self._commit(replace(before, checkpoint=checkpoint), [])
            return
        ended = ended_subjects(new)
        rows = erased(pa.concat_tables([self._tail, table_of(new)]).combine_chunks(), ended)
        step = _Step(self._folder, before, self._subjects)
        step.erase(ended)
        if rows.num_rows >= self._tail_rows:
            for day, part in by_day(rows):
                step.add(day, part)
            rows = NO_EVENTS
        step.replace_tail(rows)
        manifest = replace(
            step.manifest(checkpoint), erased=max(before.erased, newest_erasure(new))
        )
        self._commit(manifest, step.replaced, at_once=bool(ended))
        self._subjects.ended(step.looked_into, ended)
        self._tail = rows

    def erased(self) -> int:
        """Give the position of the newest erasure that the view shows, 0 for none."""
        return self._manifest.erased

    def compact(self) -> bool:
        """Merge some small files of one day, if there are many; tell if it did.

        Bounded: a step reads and writes at most `projections.analytics.compaction.LARGEST` rows.
        """
        before = self._manifest
        merge = next_merge(before.files[:-1])
        if merge is None:
            return False
        step = _Step(self._folder, before, self._subjects)
        step.merge(merge)
        self._commit(step.manifest(before.checkpoint), step.replaced)
        return True

    def close(self) -> None:
        """Nothing is held open between two steps."""

    def _commit(
        self, manifest: Manifest, replaced: Sequence[DataFile], *, at_once: bool = False
    ) -> None:
        """Make the manifest the one in force; replaced files stay a while, unless ``at_once``:
        a text that was erased must not lie about in them.
        """
        now = self._clock().timestamp()
        retired = [*manifest.retired, *(Retired(path=file.path, at=now) for file in replaced)]
        oldest = len(retired) - KEEP_RETIRED
        expired = [
            old
            for number, old in enumerate(retired)
            if at_once or number < oldest or old.at < now - KEEP_RETIRED_S
        ]
        manifest = replace(manifest, retired=[old for old in retired if old not in expired])
        commit_manifest(self._folder, manifest)
        self._manifest = manifest
        self._subjects.forget(replaced)
        # After the commit: killed in between, the next start removes them.
        remove(self._folder, [old.path for old in expired])

    def _open(self) -> Manifest:
        with suppress(FileNotFoundError):
            try:
                found = read_manifest(self._folder)
            except msgspec.DecodeError as error:
                return self._begin(f"its manifest cannot be read: {error}")
            if found.schema != SCHEMA_VERSION:
                raise ViewFenced(
                    f"the analytics view has schema {found.schema}, this program writes "
                    f"{SCHEMA_VERSION}: remove the view's directory and it is built again "
                    "from the log"
                )
            if not are_whole(self._folder, found.files):
                return self._begin(
                    "a file that its manifest names is missing or has another length"
                )
            newest = max(file.last for file in found.files)
            if newest > found.checkpoint.position:
                # Read again, what it shows would be shown twice.
                return self._begin(
                    f"its checkpoint is {found.checkpoint.position}, its newest event {newest}"
                )
            return found
        return self._begin("")

    def _begin(self, damage: str) -> Manifest:
        if damage:
            # A view is disposable. It is removed and not kept aside: it holds opened texts.
            _log.error("damaged_view_removed", view=self.name, reason=damage)
            (self._folder / NAME).unlink()
        remove_all_but(self._folder, frozenset())
        self._folder.chmod(0o700)
        # There is always a tail, so that readers always have a file that tells them the columns.
        tail = write_file(self._folder, 0, "", NO_EVENTS)
        manifest = Manifest(
            schema=SCHEMA_VERSION, checkpoint=Checkpoint(), next_number=1, files=[tail]
        )
        commit_manifest(self._folder, manifest)
        return manifest


class _Step:
    """Files written for one commit, and those that they replace."""

    def __init__(self, folder: Path, before: Manifest, subjects: FileSubjects) -> None:
        self._folder = folder
        self._subjects = subjects
        self._before = before
        self._number = before.next_number
        self._files = before.files[:-1]
        self._tail = before.files[-1]
        self.replaced: list[DataFile] = []
        self.looked_into: list[DataFile] = []

    def add(self, day: str, rows: pa.Table) -> None:
        self._files.append(self._write(day, rows))

    def merge(self, merge: Merge) -> None:
        merged = self._write(merge.day, read_files(self._folder, merge.files))
        self.replaced += merge.files
        self._files = [merged, *(file for file in self._files if file not in merge.files)]

    def erase(self, ended: Mapping[str, int]) -> None:
        """Write anew the files that hold texts of ended subjects."""
        for number, file in enumerate(self._files):
            if not self._subjects.may_hold(file, ended):
                continue
            rows = read_files(self._folder, [file])
            without = erased(rows, ended)
            if without is not rows:
                self._files[number] = self._write(file.day, without)
                self.replaced.append(file)
            self.looked_into.append(self._files[number])

    def replace_tail(self, rows: pa.Table) -> None:
        self.replaced.append(self._tail)
        self._tail = self._write("", rows)

    def manifest(self, checkpoint: Checkpoint) -> Manifest:
        return replace(
            self._before,
            checkpoint=checkpoint,
            next_number=self._number,
            files=[*self._files, self._tail],
        )

    def _write(self, day: str, rows: pa.Table) -> DataFile:
        file = write_file(self._folder, self._number, day, rows)
        self._number += 1
        if day:
            self._subjects.note(file, rows)
        return file


def _kept(manifest: Manifest) -> frozenset[str]:
    return frozenset(
        [file.path for file in manifest.files] + [old.path for old in manifest.retired]
    )
