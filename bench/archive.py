"""A long history from end to end: archived, trimmed, verified, and every view built from it.

MEMORYWEAVE_BENCH_EVENTS sets how many events there are (default 50,000; the floors are stated for
1,000,000, which take half an hour). Texts have 12 to 30 words, 2 to 4 % of the events stay hot;
what is left in memory besides is, for every aggregate, an index and a sealing key, so the shorter
the texts, the greater its share.

Each view is built twice, up to a quarter of the log and up to its end, in processes of their own:
what the second needs more memory for grows with the log. MEMORYWEAVE_BENCH_VIEWS names those that
are built (default all, separated by commas). Rates are those of all that is done before the switch:
the vector view's table is written and indexed, and every file brought to the disk.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
import uuid
from contextlib import closing
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

import redis

from bench.long_history import write_history
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
from projections.vector.cache import VectorCache
from tests.servers import LogServer
from workers.settings import Settings
from workers.views import VIEW_KINDS

EVENTS = int(os.environ.get("MEMORYWEAVE_BENCH_EVENTS", "50000"))
HOT_SHARE = 0.02
VIEWS = os.environ.get("MEMORYWEAVE_BENCH_VIEWS", ",".join(VIEW_KINDS)).split(",")
READ_FLOOR_PER_S = 25_000
APPLIED_FLOOR_PER_S = {"state": 8_000.0, "vector": 2_000.0, "analytics": 0.0}
"""Of events; of rows that a new vector view has in the end."""
MEMORY_CEILING = 0.15
GROWTH_CEILING = 1.25


def main() -> list[Ratio]:
    with (
        tempfile.TemporaryDirectory(prefix="mw-bench-") as scratch,
        LogServer(maxmemory="8gb", appendfsync="no") as server,
        server.client() as client,
    ):
        place = Folder(Path(scratch) / "archive")
        archive = Archive(place)
        with RedisLog(server.url, "bench", archive=archive) as log:
            settings = Settings(data=Path(scratch) / "data")
            begun = time.perf_counter()
            _write(log, settings)
            print(f"written: {EVENTS} events in {time.perf_counter() - begun:.0f} s", flush=True)
            before = _memory(client)
            rules = ArchiveRules(
                segment_events=max(500, EVENTS // 50), hot_window=int(EVENTS * HOT_SHARE)
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
            rebuilds = [
                ratio for view in VIEWS for ratio in _rebuild(log, Path(scratch), view, archived)
            ]
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    share = _without_commands(after) / _without_commands(before)
    return [
        Ratio(
            "archived events read and decoded/s",
            read_per_s,
            READ_FLOOR_PER_S,
            detail=f"{archived} events, {size / archived:.0f} B each; with the chain: "
            f"{followed_per_s:.0f}/s; archived: {archived_per_s:.0f}/s; verified: "
            f"{verified_per_s:.0f}/s; peak {peak_mb:.0f} MB",
        ),
        Ratio(
            "archived events read, decoded and opened/s",
            opened_per_s,
            READ_FLOOR_PER_S,
            detail="keys fetched, texts unsealed",
        ),
        Ratio(
            "log memory after trim / before",
            share,
            ceiling=MEMORY_CEILING,
            detail=f"{1 - (floor - 1) / EVENTS:.1%} still hot, trimmed in {trim_s:.1f} s; "
            f"{_shown(before)} -> {_shown(after)}",
        ),
        *rebuilds,
    ]


def _write(log: RedisLog, settings: Settings) -> None:
    builder = VIEW_KINDS["vector"].builder(settings)
    with closing(
        VectorCache(settings.data / "cache", builder.embedder, builder.dimension)
    ) as cache:
        write_history(log, EVENTS, cache)


def _rebuild(log: RedisLog, scratch: Path, view: str, last: int) -> list[Ratio]:
    short, whole = (_build(log, scratch, view, up_to) for up_to in (last // 4, last))
    noun = "events" if whole["rows"] is None else "rows"
    counted = whole["rows"] or whole["position"]
    took_s = whole["finished_s"]
    detail = (
        f"{counted:.0f} {noun}, {counted / whole['cpu_s']:.0f} per s of CPU; {took_s:.0f} s, "
        f"of which at the end {whole['ending_s']:.1f}"
    )
    if whole["rows"] is not None:
        changes = whole["changes"]
        detail += (
            f", of that the indices {whole['indices_s']:.1f}; {whole['position']:.0f} events "
            f"changed rows {changes:.0f} times, {changes / took_s:.0f}/s"
        )
    return [
        Ratio(
            f"{noun} into a new {view} view/s",
            counted / took_s,
            APPLIED_FLOOR_PER_S[view],
            detail=detail,
        ),
        Ratio(
            f"peak memory of building the {view} view / of a quarter",
            whole["peak_mb"] / short["peak_mb"],
            ceiling=GROWTH_CEILING,
            detail=f"{short['peak_mb']:.0f} MB -> {whole['peak_mb']:.0f} MB",
        ),
    ]


def _build(log: RedisLog, scratch: Path, view: str, last: int) -> dict[str, float]:
    place, data = str(scratch / "archive"), str(scratch / "data")
    command = [log.url, log.name, place, data, view, str(last)]
    done = subprocess.run(
        [sys.executable, "-m", "bench._rebuilding", *command], check=True, stdout=subprocess.PIPE
    )
    built: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    print(f"built: {view} up to {last} in {built['finished_s']:.0f} s", flush=True)
    return built


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
    keys = client.scan_iter(count=5_000)
    while part := list(islice(keys, 5_000)):
        with client.pipeline(transaction=False) as pipeline:
            for key in part:
                pipeline.memory_usage(key, samples=0)
            sizes = pipeline.execute()
        for key, size in zip(part, sizes, strict=True):
            kind = key.decode().split("}:")[1].split(":")[0]
            found[kind] = found.get(kind, 0) + int(size or 0)
    return found


def _without_commands(memory: dict[str, int]) -> int:
    return sum(size for kind, size in memory.items() if kind != "cmd")


def _shown(memory: dict[str, int]) -> str:
    every, without = sum(memory.values()), _without_commands(memory)
    kinds = ", ".join(f"{kind} {size / 1e6:.1f}" for kind, size in sorted(memory.items()))
    return f"{without / 1e6:.1f} MB, {every / 1e6:.1f} with command records ({kinds})"
