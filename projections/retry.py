"""Replaying parked events: once, in order, each released in the commit that applies it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final, Protocol

from msgspec import Struct
from msgspec.structs import replace

from domain.events import Event
from eventlog.codec import Undecodable, UnknownEventType
from eventlog.entry import RawEntry
from projections.parking import ParkedEvent, Parking
from projections.projector import PoisonEvent, Projector

_REQUEST: Final = "retry.request"


class LogReader(Protocol):
    """The part of `eventlog.redis_log.RedisLog` that is needed here."""

    def read(self, first: int, last: int | None = None, limit: int = 500) -> list[RawEntry]:
        """Give the entries at positions ``first`` to ``last``."""


class Opener(Protocol):
    """The part of `eventlog.codec.Codec` that is needed here."""

    def open_batch(
        self, entries: Sequence[RawEntry]
    ) -> list[Event | Undecodable | UnknownEventType]:
        """Open entries in order; what cannot be opened comes back as the error itself."""


class RetryReport(Struct, frozen=True, kw_only=True):
    """How many parked events were applied, and how many stayed."""

    applied: int
    still_parked: int


def request_retry(view: Path) -> None:
    """Ask the process that writes the view to replay its parked events.

    Raises `FileNotFoundError` if the view was never begun.
    """
    (view / _REQUEST).touch(mode=0o600)


def retry_requested(view: Path) -> bool:
    """Tell whether a retry was asked for."""
    return (view / _REQUEST).exists()


def finish_retry_request(view: Path) -> None:
    """Take the request away once it was done; a crash before that only repeats a retry."""
    (view / _REQUEST).unlink(missing_ok=True)


def retry_parked(projector: Projector, log: LogReader, codec: Opener) -> RetryReport:
    """Replay the parked events by position; those behind one that still fails stay parked.

    An event and its release are one commit, so a crash in the middle neither loses nor repeats
    one. Raises what reading the log or committing to the view raises.
    """
    checkpoint = projector.checkpoint()
    blocked: set[str] = set()
    applied = 0
    waiting = projector.parked()
    for parked in waiting:
        if parked.key in blocked:
            continue
        entry = log.read(parked.position, parked.position, 1)[0]
        opened = codec.open_batch([entry])[0]
        failure: ParkedEvent | None
        if isinstance(opened, Undecodable | UnknownEventType):
            failure = replace(parked, cause="undecodable", reason=str(opened))
        else:
            try:
                released = Parking(released=(parked.position,))
                projector.apply([opened], checkpoint, released)
                failure = None
            except PoisonEvent as error:
                failure = replace(parked, cause="poison", reason=error.reason)
        if failure is None:
            applied += 1
        else:
            blocked.add(parked.key)
            projector.apply([], checkpoint, Parking(added=(failure,)))
    return RetryReport(applied=applied, still_parked=len(waiting) - applied)
