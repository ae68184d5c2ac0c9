"""One append: what is sent to the script, and what its answer means."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final, Literal

from msgspec import Struct

from domain.errors import CommandTooOld, Erased, Fenced, KeyReused, TooLarge
from domain.identity import command_time_ms
from eventlog.connection import Argument
from eventlog.entry import RawEntry, arguments_of
from eventlog.keys import Keys, commands_expire_at, key_field
from eventlog.outcomes import Appended, Conflict, Duplicate, KeyMismatch, LogFork, TrackingConflict

MAX_EVENTS: Final = 1_000
MAX_BYTES: Final = 4 * 1024 * 1024
OLDEST_COMMAND: Final = timedelta(days=30)
NEWEST_COMMAND: Final = timedelta(minutes=5)
"""How far in the future a command's time may lie: clocks of agents differ."""

VersionRule = Literal["next", "unique"]
"""``next``: an aggregate's versions are 1, 2, 3, …; ``unique``: none twice, gaps allowed."""


class Fence(Struct, frozen=True):
    """The lease under which the writer acts, and the token it was given."""

    lease: str
    token: int


class Tracked(Struct, frozen=True):
    """The position of another log up to which these events take account of it."""

    upstream: str
    position: int


class SealingKeys(Struct, frozen=True):
    """What an append does with the keys of subjects.

    ``made`` are stored unless they are there, ``held`` must be there as given, ``destroyed`` are
    removed, ``erased`` too, and no key is ever stored for their subjects again. A text sealed under
    a key that was destroyed meanwhile could never be opened; without ``held`` it would be stored
    all the same. Of the subjects in ``named`` none may have been erased, whether they have a key or
    not.
    """

    made: Mapping[str, bytes] = {}
    held: Mapping[str, bytes] = {}
    destroyed: Sequence[str] = ()
    erased: Sequence[str] = ()
    named: Sequence[str] = ()


class Followed(Struct, frozen=True):
    """Which log a writer follows: its epoch ("": not known yet), the last position told to it.

    ``decided`` names the decision by which the history that is there now was taken for right,
    though it may end before what was told earlier; "" if nobody ever had to decide.
    """

    epoch: str = ""
    position: int = 0
    decided: str = ""


class Appending(Struct, frozen=True, kw_only=True):
    """What one command appends (see `RedisLog.append`)."""

    entries: Sequence[RawEntry]
    command_id: str
    fingerprint: str
    fence: Fence | None = None
    sealing: SealingKeys = SealingKeys()
    tracked: Tracked | None = None
    rule: VersionRule = "next"
    unchanged: Mapping[str, int] = {}


class AppendRequest(Struct, frozen=True):
    """The script's keys and arguments."""

    command_id: str
    fingerprint: str
    aggregates: list[str]
    subjects: dict[bytes, str]
    keys: list[str]
    arguments: list[Argument]
    tracked: Tracked | None


def require_age_allowed(command_id: str, now: datetime) -> None:
    """Raise `CommandTooOld` for an id whose record may be gone, or that lies in the future.

    An id without a time passes: its record is kept for ever.
    """
    time_ms = command_time_ms(command_id)
    if time_ms is None:
        return
    age = timedelta(milliseconds=now.timestamp() * 1000 - time_ms)
    if age > OLDEST_COMMAND:
        raise CommandTooOld(
            f"the key of command {command_id} is {age.days} days old, repeats are recognised for "
            f"{OLDEST_COMMAND.days}: look whether it was done, then use a new key"
        )
    if -age > NEWEST_COMMAND:
        raise CommandTooOld(
            f"the key of command {command_id} is {-age} in the future: set the clock and use a "
            "new key"
        )


def build_request(
    keys: Keys, appending: Appending, *, new_epoch: str, followed: Followed
) -> AppendRequest:
    """Lay out an append for the script. Raises `TooLarge` for a batch over its limits.

    ValueError: there is nothing to append.
    """
    entries, command_id = appending.entries, appending.command_id
    fence, tracked, unchanged = appending.fence, appending.tracked, appending.unchanged
    if not entries and tracked is None:
        raise ValueError(f"command {command_id} appends nothing")
    if len(entries) > MAX_EVENTS:
        raise TooLarge(
            f"{len(entries)} events in one append, the limit is {MAX_EVENTS}: send parts"
        )
    aggregates: dict[str, int] = {}
    events: list[Argument] = []
    for entry in entries:
        number = aggregates.setdefault(entry.aggregate_id, len(aggregates) + 1)
        events.append(number)
        events.extend(arguments_of(entry))
    reads: list[Argument] = []
    for aggregate_id, version in unchanged.items():
        reads.extend((aggregates.setdefault(aggregate_id, len(aggregates) + 1), version))
    size = sum(_size(value) for value in events)
    if size > MAX_BYTES:
        raise TooLarge(f"{size} bytes in one append, the limit is {MAX_BYTES}: send parts")
    sealing_keys = _instructions(appending.sealing)
    expires_at = commands_expire_at(command_id)
    return AppendRequest(
        command_id=command_id,
        fingerprint=appending.fingerprint,
        aggregates=list(aggregates),
        subjects={key_field(subject): subject for subject, _, _ in sealing_keys},
        keys=[
            keys.stream,
            keys.commands(command_id),
            keys.meta,
            keys.tracking,
            keys.lease(fence.lease if fence else ""),
            *(keys.aggregate(aggregate_id) for aggregate_id in aggregates),
            *(keys.sealing_keys(key_field(subject)) for subject, _, _ in sealing_keys),
        ],
        arguments=[
            command_id,
            appending.fingerprint,
            "" if expires_at is None else expires_at,
            appending.rule,
            fence.token if fence else "",
            tracked.upstream if tracked else "",
            tracked.position if tracked else "",
            new_epoch,
            len(aggregates),
            len(sealing_keys),
            len(unchanged),
            followed.epoch,
            followed.position,
            *(
                part
                for subject, key, what in sealing_keys
                for part in (key_field(subject), key, what)
            ),
            *reads,
            *events,
        ],
        tracked=tracked,
    )


def followed_after(reply: Sequence[Any], followed: Followed) -> Followed:
    """Give what a writer follows once it has this answer."""
    match reply:
        case [b"appended", _, last, epoch]:
            return Followed(epoch.decode(), max(last, followed.position), followed.decided)
        case _:
            return followed


def outcome_of(reply: Sequence[Any], request: AppendRequest) -> Appended | Duplicate:
    """Turn the script's answer into an outcome; raises those that are refusals."""
    match reply:
        case [b"appended", first, last, _]:
            return Appended(first, last)
        case [b"duplicate", first, last]:
            return Duplicate(first, last)
        case [b"forked", epoch, -1]:
            raise LogFork(
                f"the log has epoch {epoch.decode() or '(none: it is empty)'}, this writer follows "
                "another one: nothing was stored"
            )
        case [b"forked", _, head]:
            raise LogFork(
                f"the log ends at {head} and has acknowledged more to this writer: it has lost "
                "events, and nothing was stored"
            )
        case [b"key-reused"]:
            raise KeyReused(
                f"command {request.command_id} was stored with another request: use a new key"
            )
        case [b"fenced", token]:
            raise Fenced(
                f"the lease has token {token.decode() or 'none'}, this writer had another: stop"
            )
        case [b"conflict", number, expected, actual]:
            raise Conflict(request.aggregates[number - 1], expected, actual)
        case [b"key-mismatch", *pairs]:
            raise KeyMismatch(
                {
                    request.subjects[field]: key or None
                    for field, key in zip(pairs[::2], pairs[1::2], strict=True)
                }
            )
        case [b"erased", *fields]:
            subjects = [request.subjects[field] for field in fields]
            raise Erased(f"{', '.join(subjects)} erased: nothing can be added", subjects)
        case [b"tracked", recorded]:
            assert request.tracked is not None
            raise TrackingConflict(request.tracked.upstream, request.tracked.position, recorded)
        case _:
            raise AssertionError(f"the append script answered {reply!r}")


def _size(value: Argument) -> int:
    if isinstance(value, int):
        return 8
    return len(value) if isinstance(value, bytes) or value.isascii() else len(value.encode())


def _instructions(sealing: SealingKeys) -> list[tuple[str, bytes, str]]:
    return [
        *((subject, key, "make") for subject, key in sealing.made.items()),
        *((subject, key, "hold") for subject, key in sealing.held.items()),
        *((subject, b"", "destroy") for subject in sealing.destroyed),
        *((subject, b"", "erase") for subject in sealing.erased),
        *((subject, b"", "name") for subject in sealing.named),
    ]
