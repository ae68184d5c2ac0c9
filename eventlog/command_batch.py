"""The events of one command as the log takes them: sealed, in one append.

Events that come dressed as `StoredEntry` are ours. Any other stored event is the ``eventsourcing``
library's own: it gets an envelope of ours and is else kept as it is.
"""

from __future__ import annotations

import os
import time
import uuid
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Final

from eventsourcing.persistence import StoredEvent, Tracking
from msgspec import Struct

from domain.identity import uuid7
from eventlog.append import Appending, Fence, SealingKeys, Tracked, VersionRule
from eventlog.codec import SealedEntry
from eventlog.entry import RawEntry
from eventlog.mapper import StoredEntry
from eventlog.outcomes import AlreadyAppended, Appended, Duplicate
from eventlog.sealing import is_final

_LIBRARY_ACTOR: Final = "system:eventsourcing"


class CommandBatch(Struct, frozen=True):
    """The events of one command, sealed; the rest is as `RedisLog.append` takes it."""

    sealed: list[SealedEntry]
    command_id: str
    is_new_command: bool
    fingerprint: str
    fence: Fence | None
    unchanged: Mapping[str, int]
    named_subjects: Sequence[str]
    tracked: Tracked | None
    rule: VersionRule

    @property
    def new_keys(self) -> dict[str, bytes]:
        """The keys that the append must store, by subject."""
        found: dict[str, bytes] = {}
        for one in self.sealed:
            if one.new_key is not None:
                made = found.setdefault(one.subject, one.new_key)
                assert made == one.new_key, f"two new keys for {one.subject}"
        return found

    @property
    def destroyed(self) -> set[str]:
        """The subjects whose keys end with the append."""
        return {subject for one in self.sealed for subject in one.destroys}


def batch_of(
    stored_events: Sequence[StoredEvent],
    *,
    command_id: str | None = None,
    fingerprint: str = "",
    fence: Fence | None = None,
    unchanged: Mapping[str, int] | None = None,
    named_subjects: Sequence[str] = (),
    tracking: Tracking | None = None,
) -> CommandBatch:
    """Lay out what an insertion of the library's was given. TypeError: ours beside its own."""
    ours = [event.sealed for event in stored_events if isinstance(event, StoredEntry)]
    if ours and len(ours) != len(stored_events):
        raise TypeError("our events and the library's own cannot go into one append")
    return CommandBatch(
        sealed=ours or [SealedEntry(_library_entry(event)) for event in stored_events],
        command_id=command_id or uuid7(time.time_ns() // 1_000_000, os.urandom(10)),
        is_new_command=command_id is None,
        fingerprint=fingerprint,
        fence=fence,
        unchanged=unchanged or {},
        named_subjects=named_subjects,
        tracked=Tracked(tracking.application_name, tracking.notification_id) if tracking else None,
        rule="next" if ours else "unique",
    )


def appending_of(batch: CommandBatch) -> Appending:
    """Give what `RedisLog.prepare` takes."""
    return Appending(
        entries=[one.entry for one in batch.sealed],
        command_id=batch.command_id,
        fingerprint=batch.fingerprint,
        fence=batch.fence,
        sealing=SealingKeys(
            made=batch.new_keys,
            held={one.subject: one.held_key for one in batch.sealed if one.held_key is not None},
            destroyed=[subject for subject in batch.destroyed if not is_final(subject)],
            erased=[subject for subject in batch.destroyed if is_final(subject)],
            named=batch.named_subjects,
        ),
        tracked=batch.tracked,
        rule=batch.rule,
        unchanged=batch.unchanged,
    )


def positions_of(batch: CommandBatch, outcome: Appended | Duplicate) -> Sequence[int]:
    """Give where its events are. Raises `AlreadyAppended` for a command that was done before."""
    if isinstance(outcome, Duplicate) and not batch.is_new_command:
        raise AlreadyAppended(batch.command_id, outcome)
    return range(outcome.first, outcome.last + 1)


def _library_entry(event: StoredEvent) -> RawEntry:
    """Give a stored event of the library's own an envelope; its kind stays empty."""
    return RawEntry(
        position=0,
        event_id=str(uuid.uuid4()),
        aggregate_type="",
        aggregate_id=str(event.originator_id),
        version=event.originator_version,
        type=event.topic,
        schema=1,
        occurred_at_us=int(datetime.now(UTC).timestamp() * 1_000_000),
        command_id="",
        fingerprint="",
        actor=_LIBRARY_ACTOR,
        correlation_id="",
        causation_position=None,
        body=event.state,
    )
