"""What a new replica does before it builds anything from a log: it believes nothing unchecked."""

from __future__ import annotations

import hashlib
import shutil
import threading
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from domain.errors import LogUnavailable
from eventlog.archive.reader import Archive
from eventlog.outcomes import LogFork
from eventlog.readers import Readers
from eventlog.redis_log import RedisLog
from eventlog.subscription import Checkpoint, Subscription
from projections.vector.cache import VectorCache
from tests.histories import Historian
from tests.servers import LogServer, eventually
from workers.archive import open_archive
from workers.bootstrap_worker import bootstrap
from workers.cli.failure import Failure
from workers.keys import ensure_keys
from workers.lifecycle_worker import work
from workers.log_server import guard_log, remember_epoch
from workers.node import make_embedder
from workers.settings import Resolved, SettingError, Settings, resolve
from workers.vector_shipping import ship_vectors_now

MODEL = {"embed_endpoint": "http://127.0.0.1:9", "embed_model": "seeded", "embed_dimension": 4}


def settings_of(log: RedisLog, data: Path, archive: Path, **more: Any) -> Settings:
    given: dict[str, Any] = {
        "data": data,
        "redis_url": log.url,
        "log": log.name,
        "archive_location": str(archive),
        **MODEL,
    }
    return Settings(**given, **more)


@pytest.fixture(scope="module")
def trimmed(
    log_server: LogServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[RedisLog, Path]]:
    """A log whose beginning is in the archive only, with three vectors shipped there."""
    folder = tmp_path_factory.mktemp("trimmed")
    with RedisLog(log_server.url, "to-be-followed") as log:
        Historian(log, seed=9).live_on(80)
        settings = settings_of(
            log,
            folder / "primary",
            folder / "archive",
            archive_segment_events=50,
            archive_hot_window=20,
        )
        settings.data.mkdir()
        stop = threading.Event()
        worker = threading.Thread(target=work, args=(settings, stop, 0.02))
        worker.start()
        eventually(lambda: log.floor() > 50, within_s=30)
        stop.set()
        worker.join()
        with closing(cache_of(settings)) as cache:
            cache.put({sha(n): np.eye(4, dtype=np.float32)[n] for n in range(3)})
        assert ship_vectors_now(settings, log, open_archive(settings).place) == 3
        yield log, folder / "archive"


@pytest.fixture
def archive(tmp_path: Path, trimmed: tuple[RedisLog, Path]) -> Path:
    """A copy of the archive, that a test may do to what it likes."""
    return Path(shutil.copytree(trimmed[1], tmp_path / "archive"))


@pytest.fixture
def replica(tmp_path: Path, trimmed: tuple[RedisLog, Path], archive: Path) -> Settings:
    data = tmp_path / "replica"
    data.mkdir()
    return settings_of(trimmed[0], data, archive, role="replica")


def sha(number: int) -> str:
    return hashlib.sha256(str(number).encode()).hexdigest()


def cache_of(settings: Settings) -> VectorCache:
    embedder = make_embedder(settings)
    return VectorCache(settings.data / "cache", embedder.name, embedder.dimension)


def vectors(settings: Settings) -> set[str]:
    with closing(cache_of(settings)) as cache:
        return set(cache.get([sha(n) for n in range(3)]))


def files(folder: Path, pattern: str) -> list[Path]:
    return sorted(folder.glob(pattern))


def flip(file: Path) -> None:
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(data)


def test_it_verifies_the_log_and_takes_the_shipped_vectors(replica: Settings) -> None:
    bootstrap(replica)
    assert vectors(replica) == {sha(n) for n in range(3)}


def test_vectors_of_another_model_are_not_taken(replica: Settings) -> None:
    other = replace(replica, embed_model="another", embed_dimension=3)
    bootstrap(other)
    assert vectors(other) == set()


def test_a_changed_segment_ends_the_start_and_names_the_position(
    replica: Settings, archive: Path
) -> None:
    flip(files(archive, "*.parquet")[0])
    with pytest.raises(Failure, match=r"position 1 to \d+"):
        bootstrap(replica)
    assert not (replica.data / "cache").exists()


def test_a_missing_segment_and_a_missing_archive_end_the_start(
    replica: Settings, archive: Path, tmp_path: Path
) -> None:
    elsewhere = replace(replica, archive_location=str(tmp_path / "nowhere"))
    with pytest.raises(Failure, match="the log was trimmed"):
        bootstrap(elsewhere)
    files(archive, "*.parquet")[0].unlink()
    with pytest.raises(Failure, match="missing"):
        bootstrap(replica)


def test_damaged_vectors_are_said_and_made_anew(replica: Settings, archive: Path) -> None:
    flip(files(archive / "vectors", "*/*.parquet")[0])
    bootstrap(replica)
    assert vectors(replica) == set()


def test_a_log_that_another_node_has_read_differently_is_not_followed(
    replica: Settings, archive: Path, log_server: LogServer, trimmed: tuple[RedisLog, Path]
) -> None:
    log = trimmed[0]
    with Subscription(log.url, log.name, Checkpoint(), Archive(archive)) as reader:
        while reader.read(wait_s=0):
            pass
        Readers(log).report("other/state", reader.checkpoint, datetime.now(UTC))
    stream, newest = log.keys.stream, f"{log.head().position}-0"
    with log_server.client() as client:
        before = client.xrange(stream)
        changed = [(i, f | {b"u": b"vandal"} if i == newest.encode() else f) for i, f in before]
        for entries, refused in ((changed, True), (before, False)):
            client.delete(stream)
            for entry_id, fields in entries:
                client.xadd(stream, fields, id=entry_id)
            if refused:
                with pytest.raises(Failure, match="other/state has read"):
                    bootstrap(replica)
            else:
                bootstrap(replica)


def test_a_replica_makes_no_keys_of_its_own(log: RedisLog, tmp_path: Path) -> None:
    flags = {"data": str(tmp_path), "role": "replica", "redis_url": log.url}

    def resolved(**environment: str) -> Resolved:
        return resolve(flags, environment)

    with pytest.raises(SettingError, match="API_KEY: a replica needs the primary's"):
        ensure_keys(resolved())
    with pytest.raises(SettingError, match="OWNER_KEY: a replica needs the primary's"):
        ensure_keys(resolved(API_KEY="the-key-of-the-admin"))
    assert not (tmp_path / "keys").exists()
    keys = {"API_KEY": "the-key-of-the-admin", "OWNER_KEY": "the-key-of-the-owner"}
    assert ensure_keys(resolved(**keys)).keys.api_key == keys["API_KEY"]
    # Or the primary's file, copied.
    (tmp_path / "keys").write_text("".join(f"{name}={key}\n" for name, key in keys.items()))
    (tmp_path / "keys").chmod(0o600)
    assert ensure_keys(resolved()).keys.owner_key == keys["OWNER_KEY"]


def test_a_replica_needs_a_log_and_is_not_its_own_primary(tmp_path: Path) -> None:
    flags = {"data": str(tmp_path), "role": "replica"}
    with pytest.raises(SettingError, match="REDIS_URL"):
        resolve(flags, {})
    flags |= {
        "redis_url": "redis://127.0.0.1:1",
        "public_url": "http://a:1",
        "primary": "http://a:1",
    }
    with pytest.raises(SettingError, match="primary: http://a:1 is this replica itself"):
        resolve(flags, {})


def test_a_replica_starts_without_its_log_server_if_it_has_followed_it_before(
    tmp_path: Path,
) -> None:
    with LogServer() as server, RedisLog(server.url) as log:
        Historian(log, seed=1).live_on(3)
        settings = Settings(data=tmp_path, redis_url=server.url, role="replica")
        server.kill()
        with pytest.raises(LogUnavailable):
            guard_log(settings, "reader")
        server.start()
        report = guard_log(settings, "reader")
        assert report.durable
        server.kill()
        unseen = guard_log(settings, "reader")
        assert (unseen.head.epoch, unseen.durable) == (report.head.epoch, False)
        assert "was not looked at" in unseen.shortfalls[0]
        # Another log in its place is refused, as for every node.
        server.start()
        remember_epoch(tmp_path, "another")
        with pytest.raises(LogFork):
            guard_log(settings, "reader")


def test_a_replica_changes_nothing_in_the_log_and_refuses_a_form_that_it_does_not_read(
    log: RedisLog, tmp_path: Path
) -> None:
    Historian(log, seed=1).live_on(3)
    settings = Settings(data=tmp_path, redis_url=log.url, log=log.name, role="replica")
    for form, says in ((b"1", "start a primary"), (b"99", "use a newer one")):
        log.call("HSET", log.keys.meta, "format", form)
        with pytest.raises(LogFork, match=says):
            guard_log(settings, "reader")
        assert log.call("HGET", log.keys.meta, "format") == form
