"""The archive: how fast segments are read and decoded, and what is left of the log in memory.

MEMORYWEAVE_BENCH_EVENTS sets how many events there are (default 50,000; the floors are stated for
1,000,000). Texts have 12 to 30 words; what stays in memory besides the hot window is, for every
aggregate, an index and a sealing key, so the shorter the texts, the greater its share.
"""

from __future__ import annotations

import os
import resource
import tempfile
import time
import uuid
from datetime import UTC, datetime
from pathlib import Path

import redis

from bench.ratio import Ratio
from eventlog.archive.archiver import Archiver
from eventlog.archive.place import Folder
from eventlog.archive.reader import Archive
from eventlog.archive.rules import ArchiveRules
from eventlog.codec import Codec
from eventlog.lease import Lease
from eventlog.links import LinkRecord
from eventlog.redis_log import RedisLog
from eventlog.sealing import KeyRing
from eventlog.subscription import Checkpoint, Subscription
from eventlog.verification import verify_log
from tests.histories import WORDS, Historian
from tests.servers import LogServer

EVENTS = int(os.environ.get("MEMORYWEAVE_BENCH_EVENTS", "50000"))
HOT_SHARE = 0.02
READ_FLOOR_PER_S = 25_000
MEMORY_CEILING = 0.15


def main() -> list[Ratio]:
    with (
        tempfile.TemporaryDirectory(prefix="mw-bench-") as scratch,
        LogServer(maxmemory="8gb", appendfsync="no") as server,
        server.client() as client,
    ):
        place = Folder(Path(scratch) / "archive")
        archive = Archive(place)
        with RedisLog(server.url, "bench", archive=archive) as log:
            _fill(log)
            before = _memory(client)
            rules = ArchiveRules(
                segment_events=max(1_000, EVENTS // 20), hot_window=int(EVENTS * HOT_SHARE)
            )
            archiver = Archiver(
                log,
                place,
                Lease(log, "archive", str(uuid.uuid4()), 600),
                keep_snapshots=lambda _: None,
                clock=lambda: datetime.now(UTC),
                rules=rules,
            )
            started = time.perf_counter()
            archived = archiver.archive_due().last
            archived_per_s = archived / (time.perf_counter() - started)
            started = time.perf_counter()
            floor = archiver.trim().floor
            trim_s = time.perf_counter() - started
            after = _memory(client)
            read_per_s = _read_per_s(archive, archived)
            followed_per_s = _followed_per_s(log, archive, archived, opened=False)
            opened_per_s = _followed_per_s(log, archive, archived, opened=True)
            started = time.perf_counter()
            verified = verify_log(log, archive, LinkRecord(Path(scratch) / "chain"))
            verified_per_s = verified.position / (time.perf_counter() - started)
            size = sum(file.stat().st_size for file in (Path(scratch) / "archive").iterdir())
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    share = _without_commands(after) / _without_commands(before)
    return [
        Ratio(
            "archived events read and decoded/s",
            read_per_s,
            READ_FLOOR_PER_S,
            detail=f"{archived} events, {size / archived:.0f} B each; with the chain: "
            f"{followed_per_s:.0f}/s; opened too: {opened_per_s:.0f}/s; archived: "
            f"{archived_per_s:.0f}/s; verified: {verified_per_s:.0f}/s; peak {peak_mb:.0f} MB",
        ),
        Ratio(
            "log memory after trim / before",
            share,
            ceiling=MEMORY_CEILING,
            detail=f"{HOT_SHARE:.0%} hot, floor {floor}, trimmed in {trim_s:.1f} s; "
            f"{_shown(before)} -> {_shown(after)}",
        ),
    ]


class _Talkative(Historian):
    def text(self) -> str:
        return " ".join(self.random.choices(WORDS, k=self.random.randint(12, 30)))


def _fill(log: RedisLog) -> None:
    historian = _Talkative(log, seed=11)
    while historian.position < EVENTS:
        historian.live_on(500)


def _read_per_s(archive: Archive, last: int) -> float:
    started, position = time.perf_counter(), 0
    while position < last:
        position = archive.read(position + 1, min(last, position + 500))[-1].position
    return last / (time.perf_counter() - started)


def _followed_per_s(log: RedisLog, archive: Archive, last: int, *, opened: bool) -> float:
    codec = Codec(KeyRing(log.subject_keys))
    started, position = time.perf_counter(), 0
    with Subscription(log.url, log.name, Checkpoint(), archive) as reader:
        while position < last:
            entries = reader.read(500)
            if opened:
                codec.open_batch(entries)
            position = entries[-1].position
    return last / (time.perf_counter() - started)


def _memory(client: redis.Redis) -> dict[str, int]:
    """Bytes by kind of key: the server's own count for each key, every nested value counted."""
    found: dict[str, int] = {}
    for key in client.scan_iter(count=5_000):
        kind = key.decode().split("}:")[1].split(":")[0]
        found[kind] = found.get(kind, 0) + int(client.memory_usage(key, samples=0) or 0)
    return found


def _without_commands(memory: dict[str, int]) -> int:
    return sum(size for kind, size in memory.items() if kind != "cmd")


def _shown(memory: dict[str, int]) -> str:
    every, without = sum(memory.values()), _without_commands(memory)
    kinds = ", ".join(f"{kind} {size / 1e6:.1f}" for kind, size in sorted(memory.items()))
    return f"{without / 1e6:.1f} MB, {every / 1e6:.1f} with command records ({kinds})"
