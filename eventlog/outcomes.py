"""What an append can end in (spec: events.md, "Append").

``Appended`` and ``Duplicate`` are answers; the others are raised, because nobody may go on as if
the events were stored.
"""

from __future__ import annotations

from eventsourcing.persistence import IntegrityError, PersistenceError
from msgspec import Struct

from domain.errors import LogUnavailable, MemoryWeaveError


class Appended(Struct, frozen=True):
    """Stored, at positions ``first``..``last``."""

    first: int
    last: int


class Duplicate(Struct, frozen=True):
    """This command was stored before, at positions ``first``..``last``; nothing was written."""

    first: int
    last: int


class Conflict(IntegrityError):
    """An aggregate is not at the expected version; nothing was written, no record is kept."""

    def __init__(self, aggregate_id: str, expected: int, actual: int) -> None:
        super().__init__(
            f"aggregate {aggregate_id} was expected at version {expected}, it is at {actual}"
        )
        self.aggregate_id = aggregate_id
        self.expected = expected
        self.actual = actual


class InDoubt(LogUnavailable):
    """The deadline passed without a definite answer; the same command id may be repeated.

    Nothing is known about whether it was stored. Plain `LogUnavailable` says: it was not.
    """

    name = "log-unavailable"
    title = "The log did not answer in time"

    def __init__(self, command_id: str, cause: str) -> None:
        super().__init__(
            f"no definite answer for command {command_id} ({cause}); "
            "repeat it with the same idempotency key"
        )
        self.command_id = command_id


class LogGap(MemoryWeaveError):
    """The log skipped a position; nothing after it may be read."""

    name = "log-gap"
    title = "The log has a gap"

    def __init__(self, expected: int, found: int) -> None:
        super().__init__(f"expected position {expected}, the log gave {found}")
        self.expected = expected
        self.found = found


class LogFork(MemoryWeaveError):
    """The log is not the one that this reader has followed."""

    name = "log-fork"
    title = "The log has another history"


class ArchiveDamaged(LogFork):
    """The archive does not hold, or not any more, what was written into it.

    ``position`` is the first one that cannot be vouched for.
    """

    name = "archive-damaged"
    title = "The archive is damaged"

    def __init__(self, position: int, reason: str) -> None:
        super().__init__(f"from position {position} on the archive cannot be trusted: {reason}")
        self.position = position


class KeyMismatch(IntegrityError):
    """A text was sealed under a key that is not its subject's; nothing was written.

    Somebody else made the key first, or it was destroyed. ``keys`` holds the stored key of each
    such subject, None where there is none any more: seal again and repeat.
    """

    def __init__(self, keys: dict[str, bytes | None]) -> None:
        super().__init__(f"sealed under a key that is not the stored one: {sorted(keys)}")
        self.keys = keys


class TrackingConflict(IntegrityError):
    """The tracked position of an upstream log is not above the recorded one; nothing written."""

    def __init__(self, upstream: str, position: int, recorded: int) -> None:
        super().__init__(f"position {position} of {upstream!r} is not above {recorded}")
        self.recorded = recorded


class AlreadyAppended(PersistenceError):
    """`Duplicate`, raised where the ``eventsourcing`` library takes positions only.

    Read the events ``first``..``last`` back and compute the receipt from them.
    """

    def __init__(self, command_id: str, duplicate: Duplicate) -> None:
        super().__init__(
            f"command {command_id} was stored at positions {duplicate.first}..{duplicate.last}"
        )
        self.command_id = command_id
        self.first = duplicate.first
        self.last = duplicate.last
