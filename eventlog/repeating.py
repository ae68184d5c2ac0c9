"""Repeating a call to the log server until its outcome is known, with pauses that grow.

The client library's own repeating is off: it knows no command id, so it would store events twice.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final, TypeVar

import redis
from redis.exceptions import (
    BusyLoadingError,
    ClusterDownError,
    NoPermissionError,
    NoScriptError,
    OutOfMemoryError,
    ReadOnlyError,
    ResponseError,
    TryAgainError,
)

from domain.errors import LogFull, LogUnavailable
from eventlog.connection import NotSent
from eventlog.outcomes import Appended, Duplicate, InDoubt

T = TypeVar("T")

_FIRST_PAUSE_S: Final = 0.005
_LONGEST_PAUSE_S: Final = 0.25
# Answers of a server that will take the same command a little later, and has not begun it.
_PASSING: Final = (ClusterDownError, NoScriptError, ReadOnlyError, TryAgainError)
_PASSING_WORDS: Final = ("BUSY", "NOREPLICAS")


def until_definite(
    append: Callable[[], Appended | Duplicate],
    find_duplicate: Callable[[], Duplicate | None],
    *,
    command_id: str,
    deadline_s: float,
) -> Appended | Duplicate:
    """Call ``append``, again and again, until it is known what became of the command.

    What ``append`` itself refuses goes through. Raises LogFull and LogUnavailable when nothing was
    stored, `InDoubt` when the deadline has passed and an attempt may be stored, now or yet.
    """
    patience = _Patience(deadline_s)
    in_doubt = False
    while True:
        try:
            return append()
        except (NotSent, BusyLoadingError) as error:
            cause: Exception = error
        except OutOfMemoryError as error:
            # The script was not started, so it could not say that this is a repeat.
            if duplicate := find_duplicate():
                return duplicate
            if not in_doubt:
                raise LogFull(
                    f"the log server is at its memory limit, nothing was stored ({error})"
                ) from error
            # Refused this time, but an earlier attempt may still lie in the server's socket.
            cause = error
        except ResponseError as error:
            if isinstance(error, NoPermissionError) and not in_doubt:
                raise LogUnavailable(f"the log server does not allow it: {error}") from error
            in_doubt = in_doubt or not _is_passing(error)
            cause = error
        except (redis.RedisError, OSError) as error:
            in_doubt = True
            cause = error
        if not patience.pause():
            if in_doubt:
                raise InDoubt(command_id, str(cause)) from cause
            raise LogUnavailable(f"nothing was stored: {cause}") from cause


def until_answered(ask: Callable[[], T], *, deadline_s: float) -> T:
    """Call ``ask`` until there is an answer; for what does no harm when done twice.

    Raises `LogUnavailable` and, for what would write, `LogFull`.
    """
    patience = _Patience(deadline_s)
    while True:
        try:
            return ask()
        except OutOfMemoryError as error:
            raise LogFull(f"the log server is at its memory limit ({error})") from error
        except (NotSent, redis.RedisError, OSError) as error:
            refused = isinstance(error, ResponseError) and not _is_passing(error)
            if refused or not patience.pause():
                raise LogUnavailable(f"the log server refused or failed: {error}") from error


def _is_passing(error: ResponseError) -> bool:
    return isinstance(error, _PASSING) or str(error).startswith(_PASSING_WORDS)


class _Patience:
    """Pauses that grow, until a deadline."""

    def __init__(self, seconds: float) -> None:
        self._deadline = time.monotonic() + seconds
        self._next = _FIRST_PAUSE_S

    def pause(self) -> bool:
        """Pause and say True, or say at once that there is no time left."""
        if time.monotonic() + self._next > self._deadline:
            return False
        time.sleep(self._next)
        self._next = min(2 * self._next, _LONGEST_PAUSE_S)
        return True
