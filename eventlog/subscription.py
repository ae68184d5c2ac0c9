"""Following the log: events in order, none passed over, and never those of another history.

Redis tells a reader nothing when entries were trimmed, lost in a fail-over, or the log began anew.
So every batch must begin right after the position before, and the epoch, the head and the id of
the event at the checkpoint are compared at the start, after each reconnect and each empty answer.
What was trimmed is read from the archive, whose chain must be the one that the log was trimmed
with; the reader's own chain is compared at the end of every segment.
"""

from __future__ import annotations

from itertools import pairwise
from types import TracebackType
from typing import Any, Final, Self

import redis
from msgspec import Struct

from domain.errors import LogUnavailable
from eventlog.archive.reader import Archive
from eventlog.chain import BEGINNING, links
from eventlog.connection import DedicatedConnection, NotSent
from eventlog.entry import RawEntry, entry_from, position_of
from eventlog.keys import Keys
from eventlog.links import LinkRecord
from eventlog.outcomes import ArchiveDamaged, LogFork, LogGap
from eventlog.scripts import HEAD

_MARGIN_S: Final = 2.0
_LONGEST_WAIT_S: Final = 5.0


class Checkpoint(Struct, frozen=True):
    """How far a reader has come: position, that event's id, the log's epoch, the chain there.

    Position 0 is the beginning. An empty epoch or event id means: not known yet, take what is
    there. ``chain`` (hex, see `eventlog.chain`) is empty where the reader did not begin at 0 and
    was not told the chain either; then it stays unknown.
    """

    position: int = 0
    epoch: str = ""
    event_id: str = ""
    chain: str = ""


class Subscription:
    """One reader of one log, for one thread, with a connection of its own.

    A blocked read would starve others in a shared pool; and its socket must wait longer than the
    server blocks, or the wait itself looks like a failure.
    """

    def __init__(
        self,
        url: str,
        log_name: str,
        checkpoint: Checkpoint,
        archive: Archive | None = None,
        seen: LinkRecord | None = None,
    ) -> None:
        """``archive`` holds what was trimmed, ``seen`` what this node has read before."""
        self._keys = Keys(log_name)
        self._server = DedicatedConnection(url, timeout_s=_LONGEST_WAIT_S + _MARGIN_S)
        self._checkpoint = checkpoint
        self._archive = archive
        self._seen = seen
        self._floor, self._floor_chain = 1, ""
        self._chains: dict[int, str] = {}
        if checkpoint.position == 0:
            self._chain: bytes | None = BEGINNING
        else:
            self._chain = bytes.fromhex(checkpoint.chain) if checkpoint.chain else None

    @property
    def checkpoint(self) -> Checkpoint:
        """The place after the last event that was read."""
        return self._checkpoint

    def read(self, limit: int = 500, wait_s: float = 0.05) -> list[RawEntry]:
        """Give the next events; wait up to ``wait_s`` (at most 5) for the first, [] if none came.

        With 0 it does not wait.

        Raises `LogGap` when the next position is missing and `LogFork` when the log is not the
        one that the checkpoint was taken from; both stay so until an operator acts. Raises
        `LogUnavailable` when the server does not answer; call again.
        """
        try:
            if not self._server.connected:
                self._verify()
            raw: list[Any] | None = []
            if not self._is_trimmed:
                raw = self._read_stream(limit, wait_s)
                if raw is None or not self._checkpoint.epoch or self._begins_late(raw):
                    self._verify()
            if self._is_trimmed:
                if self._archive is None:
                    raise LogGap(self._checkpoint.position + 1, self._floor)
                last = min(self._floor - 1, self._checkpoint.position + limit)
                entries = self._archive.read(self._checkpoint.position + 1, last)
            else:
                entries = _next_entries(raw or [], self._checkpoint.position)
        except LogFork:
            # Compared anew at the next call, so that nobody reads on by calling once more.
            self._server.close()
            raise
        except (NotSent, redis.RedisError, OSError) as error:
            # A new connection may reach another server, or the same one with less in it.
            self._server.close()
            raise LogUnavailable(f"the log cannot be followed: {error}") from error
        return self._follow(entries) if entries else []

    def checkpoint_at(self, entry: RawEntry) -> Checkpoint:
        """Give the checkpoint of a reader that has come up to and including ``entry``.

        ``entry`` is one of the last batch; of an older one the chain is not known any more.
        """
        return Checkpoint(
            entry.position,
            self._checkpoint.epoch,
            entry.event_id,
            self._chains.get(entry.position, ""),
        )

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

    @property
    def _is_trimmed(self) -> bool:
        """Whether the next event was moved to the archive, as far as this reader knows."""
        return self._checkpoint.position + 1 < self._floor

    def _begins_late(self, raw: list[Any]) -> bool:
        """Tell whether entries are missing before a batch: they may have been trimmed."""
        return position_of(raw[0][0]) > self._checkpoint.position + 1

    def _follow(self, entries: list[RawEntry]) -> list[RawEntry]:
        """Take the entries as read, up to the first that is not what it was before.

        Raises `LogFork` if that is the very first.
        """
        chains = [] if self._chain is None else links(self._chain, entries)
        if chains and self._seen is not None:
            epoch, first = self._checkpoint.epoch, entries[0].position
            changed = self._seen.compare(epoch, first, chains)
            if changed == 0:
                raise LogFork(f"what stands at {first} is not what this node has read there")
            entries, chains = entries[:changed], chains[:changed]
            self._seen.add(epoch, first, chains)
        if chains:
            self._compare_recorded(entries[-1].position, chains[-1].hex())
            self._chain = chains[-1]
        self._chains = {
            entry.position: chain.hex() for entry, chain in zip(entries, chains, strict=False)
        }
        self._checkpoint = self.checkpoint_at(entries[-1])
        return entries

    def _compare_recorded(self, end: int, chain: str) -> None:
        """Compare what was read from the archive with the chains that were recorded."""
        if end >= self._floor or self._archive is None:
            return
        record = self._archive.segment_with(end)
        if end == record.last and chain != record.chain:
            raise ArchiveDamaged(record.first, f"{record.file_name} has another chain at its end")
        if end == self._floor - 1 and chain != self._floor_chain:
            raise LogFork(f"the log was trimmed with another chain at {end} than was read there")

    def _read_stream(self, limit: int, wait_s: float) -> list[Any] | None:
        # BLOCK 0 would mean for ever. Who waits at all may wait a tenth of a second: that often the
        # server looks whose time is over.
        block_ms = round(min(wait_s, _LONGEST_WAIT_S) * 1000)
        block = ("BLOCK", block_ms) if block_ms > 0 else ()
        after = f"{self._checkpoint.position}-0"
        answer = self._server.call(
            "XREAD", "COUNT", limit, *block, "STREAMS", self._keys.stream, after
        )
        return None if answer is None else answer[0][1]

    def _verify(self) -> None:
        known = self._checkpoint
        head, event_id, epoch, self._floor, floor_chain = self._server.call_script(
            HEAD, [self._keys.stream, self._keys.meta], [known.position]
        )
        self._floor_chain = floor_chain.decode()
        stored_id = event_id.decode(errors="replace")
        if self._is_trimmed and self._archive is not None:
            stored_id = self._verify_archive(self._archive)
        elif known.position < self._floor and not stored_id:
            # Trimmed. If what follows it was not, the chain has to speak for it.
            follows = known.position == self._floor - 1
            if follows and known.chain and self._floor_chain not in ("", known.chain):
                raise LogFork(f"the log was trimmed with another chain at {known.position}")
            stored_id = known.event_id
        found = Checkpoint(known.position, epoch.decode(), stored_id, known.chain)
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

    def _verify_archive(self, archive: Archive) -> str:
        """Compare the archive with what the log was trimmed with; give the id at the checkpoint."""
        archive.manifest()
        if archive.segment_with(self._floor - 1).chain != self._floor_chain:
            raise LogFork(f"the archive has another chain at {self._floor - 1} than the log")
        position = self._checkpoint.position
        return archive.read(position, position)[0].event_id if position else ""


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
