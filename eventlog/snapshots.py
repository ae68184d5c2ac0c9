"""Snapshots of aggregates: a cache that may be deleted at any time, and never stands in the way.

A snapshot is only used if its bytes are whole, the running code wrote it, and the log still holds
the event it was taken after, or has archived it: a log restored from an older backup has another
history, or none, at that version. Anything else counts as no snapshot, and the aggregate is loaded
from its events.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Any, Final

import msgspec
from eventsourcing.persistence import AggregateRecorder, StoredEvent
from msgspec import Struct

from eventlog.redis_log import RedisLog

KEPT: Final = 2
"""Newest snapshots kept of an aggregate: if one is broken, the one before still helps."""


class Snapshot(Struct, frozen=True):
    """The state of an aggregate after its event number ``version``.

    ``topic`` names the kind of state, ``state`` is its bytes. They lie unsealed in the log server:
    a state must hold no text of people or models.
    """

    aggregate_id: str
    version: int
    topic: str
    state: bytes


class _Stored(Struct, frozen=True, array_like=True):
    code: str
    topic: str
    state: bytes
    checksum: bytes


_encode: Final = msgspec.msgpack.Encoder().encode
_decode: Final = msgspec.msgpack.Decoder(_Stored).decode


class Snapshots:
    """The snapshots of one log, as written by one version of the code.

    ``code_version`` changes when a state or its fold does; what another version wrote is ignored.
    """

    def __init__(self, log: RedisLog, code_version: str) -> None:
        self._log = log
        self._code_version = code_version

    def put(self, snapshot: Snapshot) -> None:
        """Keep a snapshot; nothing is kept if the log does not hold its event.

        Raises `LogUnavailable` and `LogFull`; a caller whose events are stored may go on.
        """
        stored = _Stored(
            self._code_version,
            snapshot.topic,
            snapshot.state,
            _checksum(snapshot.version, snapshot.state),
        )
        self._log.put_snapshot(snapshot.aggregate_id, snapshot.version, _encode(stored), KEPT)

    def select(self, aggregate_id: str) -> list[Snapshot]:
        """Give the usable snapshots of an aggregate, oldest first."""
        found = []
        for version, raw in sorted(self._log.snapshots(aggregate_id).items()):
            stored = self._usable(version, raw)
            if stored:
                found.append(Snapshot(aggregate_id, version, stored.topic, stored.state))
        return found

    def _usable(self, version: int, raw: bytes) -> _Stored | None:
        try:
            stored = _decode(raw)
        except msgspec.MsgspecError:
            return None
        whole = stored.checksum == _checksum(version, stored.state)
        return stored if whole and stored.code == self._code_version else None


class RedisSnapshotRecorder(AggregateRecorder):
    """The ``eventsourcing`` library's recorder of snapshots, over `Snapshots`."""

    def __init__(self, snapshots: Snapshots, originator_id: Callable[[str], Any] = str) -> None:
        self._snapshots = snapshots
        self._originator_id = originator_id

    def insert_events(self, stored_events: Sequence[StoredEvent], **_kwargs: Any) -> None:
        """Keep snapshots."""
        for event in stored_events:
            self._snapshots.put(
                Snapshot(
                    str(event.originator_id), event.originator_version, event.topic, event.state
                )
            )

    def select_events(
        self,
        originator_id: Any,
        *,
        gt: int | None = None,
        lte: int | None = None,
        desc: bool = False,
        limit: int | None = None,
    ) -> Sequence[StoredEvent]:
        """Give the usable snapshots within the bounds."""
        found = [
            StoredEvent(self._originator_id(s.aggregate_id), s.version, s.topic, s.state)
            for s in self._snapshots.select(str(originator_id))
            if (gt is None or s.version > gt) and (lte is None or s.version <= lte)
        ]
        return (found[::-1] if desc else found)[:limit]


def _checksum(version: int, state: bytes) -> bytes:
    return hashlib.sha256(b"%d:" % version + state).digest()
