"""Following the log: events in order, none passed over, and never those of another history.

Redis tells a reader nothing when entries were trimmed, lost in a fail-over, or the log began anew.
So every batch must begin right after the position before, and the epoch, the head and the id of
the event at the checkpoint are compared at the start, after each reconnect and each empty answer.
"""

from __future__ import annotations

from itertools import pairwise
from types import TracebackType
from typing import Any, Final, Self

import redis
from msgspec import Struct

from domain.errors import LogUnavailable
from eventlog.connection import DedicatedConnection, NotSent
from eventlog.entry import RawEntry, entry_from, position_of
from eventlog.keys import Keys
from eventlog.outcomes import LogFork, LogGap
from eventlog.scripts import HEAD

_MARGIN_S: Final = 2.0
_LONGEST_WAIT_S: Final = 5.0


class Checkpoint(Struct, frozen=True):
    """How far a reader has come: position, that event's id, and the log's epoch.

    Position 0 is the beginning. An empty epoch or event id means: not known yet, take what is
    there.
    """

    position: int = 0
    epoch: str = ""
    event_id: str = ""


class Subscription:
    """One reader of one log, for one thread, with a connection of its own.

    A blocked read would starve others in a shared pool; and its socket must wait longer than the
    server blocks, or the wait itself looks like a failure.
    """

    def __init__(self, url: str, log_name: str, checkpoint: Checkpoint) -> None:
        self._keys = Keys(log_name)
        self._server = DedicatedConnection(url, timeout_s=_LONGEST_WAIT_S + _MARGIN_S)
        self._checkpoint = checkpoint

    @property
    def checkpoint(self) -> Checkpoint:
        """The place after the last event that was read."""
        return self._checkpoint

    def read(self, limit: int = 500, wait_s: float = 0.05) -> list[RawEntry]:
        """Give the next events; wait up to ``wait_s`` (at most 5) for the first, [] if none came.

        Raises `LogGap` when the next position is missing and `LogFork` when the log is not the
        one that the checkpoint was taken from; both stay so until an operator acts. Raises
        `LogUnavailable` when the server does not answer; call again.
        """
        try:
            if not self._server.connected:
                self._verify()
            raw = self._read_stream(limit, wait_s)
            if raw is None or not self._checkpoint.epoch:
                self._verify()
        except LogFork:
            # Compared anew at the next call, so that nobody reads on by calling once more.
            self._server.close()
            raise
        except (NotSent, redis.RedisError, OSError) as error:
            # A new connection may reach another server, or the same one with less in it.
            self._server.close()
            raise LogUnavailable(f"the log cannot be followed: {error}") from error
        entries = _next_entries(raw or [], self._checkpoint.position)
        if entries:
            self._checkpoint = self.checkpoint_at(entries[-1])
        return entries

    def checkpoint_at(self, entry: RawEntry) -> Checkpoint:
        """Give the checkpoint of a reader that has come up to and including ``entry``."""
        return Checkpoint(entry.position, self._checkpoint.epoch, entry.event_id)

    def close(self) -> None:
        """Close the connection."""
        self._server.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _read_stream(self, limit: int, wait_s: float) -> list[Any] | None:
        # BLOCK 0 would mean for ever; a millisecond is the shortest wait there is.
        block_ms = max(1, round(min(wait_s, _LONGEST_WAIT_S) * 1000))
        after = f"{self._checkpoint.position}-0"
        answer = self._server.call(
            "XREAD", "COUNT", limit, "BLOCK", block_ms, "STREAMS", self._keys.stream, after
        )
        return None if answer is None else answer[0][1]

    def _verify(self) -> None:
        known = self._checkpoint
        head, event_id, epoch = self._server.call_script(
            HEAD, [self._keys.stream, self._keys.meta], [known.position]
        )
        found = Checkpoint(known.position, epoch.decode(), event_id.decode(errors="replace"))
        if head < known.position:
            raise LogFork(f"the log ends at {head}, this reader has read up to {known.position}")
        if known.epoch and found.epoch != known.epoch:
            raise LogFork(f"the log's epoch is {found.epoch!r}, this reader knew {known.epoch!r}")
        if known.event_id and found.event_id != known.event_id:
            raise LogFork(
                f"event {found.event_id!r} stands at {known.position}, "
                f"this reader has read {known.event_id!r} there"
            )
        self._checkpoint = found


def _next_entries(raw: list[Any], after: int) -> list[RawEntry]:
    """Read the entries after position ``after``, up to the first hole.

    What was delivered before is dropped. Raises `LogGap` when the very next position is missing,
    or when positions do not rise: then nothing of the batch can be trusted.
    """
    positions = [position_of(entry_id) for entry_id, _ in raw]
    for one, following in pairwise(positions):
        if following <= one:
            raise LogGap(one + 1, following)
    entries: list[RawEntry] = []
    expected = after + 1
    for position, (_, fields) in zip(positions, raw, strict=True):
        if position <= after:
            continue
        if position != expected:
            if not entries:
                raise LogGap(expected, position)
            break
        entries.append(entry_from(position, fields))
        expected += 1
    return entries
