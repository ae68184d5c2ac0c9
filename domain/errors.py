"""Why a command or a question is refused: one typed error per reason.

``api/problems.py`` maps each to a problem document, once. ``title`` is a constant per class;
the message says which value was wrong and what to do.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar


class MemoryWeaveError(Exception):
    """Root of every error that a caller may see. ``name`` is the problem type's last segment."""

    name: ClassVar[str]
    title: ClassVar[str]


class InvalidCommand(MemoryWeaveError):
    """A value that has the right shape but no valid meaning."""

    name = "invalid"
    title = "A value is not valid"

    def __init__(self, field: str, message: str) -> None:
        super().__init__(f"{field}: {message}")
        self.field = field
        self.message = message


class QueryTooCostly(MemoryWeaveError):
    """A question of an auditor's that would take more time, memory or rows than it may."""

    name = "query-too-costly"
    title = "The question takes more than it may"


class TooLarge(MemoryWeaveError):
    """A content or batch over its limit."""

    name = "too-large"
    title = "The content is too large"


class NotFound(MemoryWeaveError):
    """No such id, or one the caller may not read: deliberately the same."""

    name = "not-found"
    title = "There is no such thing, or it is not yours to read"


class Erased(NotFound):
    """It was erased while the command was on its way; to the caller as if it had never been.

    ``subjects`` are those whose keys were erased, as far as they are known.
    """

    def __init__(self, detail: str, subjects: Iterable[str] = ()) -> None:
        super().__init__(detail)
        self.subjects = frozenset(subjects)


class Forbidden(MemoryWeaveError):
    """A namespace or an action that is not the caller's."""

    name = "forbidden"
    title = "This is not yours to do"


class Unauthenticated(MemoryWeaveError):
    """No key, or not a valid one."""

    name = "unauthenticated"
    title = "A valid key is needed"


class VersionMismatch(MemoryWeaveError):
    """``expected_version`` was not the present one: another corrector was first."""

    name = "version-mismatch"
    title = "It changed since you read it"

    def __init__(self, expected: int, actual: int) -> None:
        super().__init__(f"expected version {expected}, it is {actual}: read it again")
        self.expected = expected
        self.actual = actual


class WrongState(MemoryWeaveError):
    """The thing is in a state that this command does not apply to."""

    name = "wrong-state"
    title = "It is not in a state for this"


class NameTaken(MemoryWeaveError):
    """An agent id or namespace that somebody else has."""

    name = "name-taken"
    title = "The name is taken"


class KeyReused(MemoryWeaveError):
    """The idempotency key was used before with another request."""

    name = "key-reused"
    title = "The idempotency key was used for another request"


class CommandTooOld(MemoryWeaveError):
    """The idempotency key is older than the 30 days for which repeats are recognised."""

    name = "command-too-old"
    title = "The idempotency key is too old to be executed"


class PrimaryUnavailable(MemoryWeaveError):
    """No node that takes commands can be reached; what was sent may or may not have been done."""

    name = "primary-unavailable"
    title = "No primary can be reached"


class Contended(MemoryWeaveError):
    """Others kept changing the same thing; safe to repeat with the same key."""

    name = "contended"
    title = "Too many writers at once"


class LogUnavailable(MemoryWeaveError):
    """The log did not answer in time; the command may or may not have been stored."""

    name = "log-unavailable"
    title = "The log cannot be written now"


class LogFull(MemoryWeaveError):
    """The log server has reached its memory limit; nothing was stored."""

    name = "log-full"
    title = "The log is full"


class Fenced(MemoryWeaveError):
    """This process lost its lease to another; it must stop writing."""

    name = "fenced"
    title = "Another process holds the lease"


class BackupFailed(MemoryWeaveError):
    """No backup was made; those that there are, are as they were."""

    name = "backup-failed"
    title = "No backup was made"


class ViewDegraded(MemoryWeaveError):
    """A view cannot show that position: it is parked or paused there."""

    name = "view-degraded"
    title = "A view cannot show that position"


class ViewBehind(MemoryWeaveError):
    """A view did not reach the asked position in time; try again."""

    name = "view-behind"
    title = "A view has not reached that position yet"


class RateLimited(MemoryWeaveError):
    """The caller's token bucket is empty."""

    name = "rate-limited"
    title = "Too many requests"

    def __init__(self, message: str, retry_after_s: float) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s
