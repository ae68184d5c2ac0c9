"""Vectors travel by the archive: out by the lifecycle worker, in by whoever opens a vector view."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import msgspec
import numpy as np
import pytest
from numpy.typing import NDArray

from domain.errors import Fenced
from eventlog.lease import Lease
from eventlog.redis_log import RedisLog
from projections.vector.cache import VectorCache, model_file_name
from projections.vector.schema import text_sha
from projections.vector.shipping import due_in
from tests.histories import Historian
from tests.servers import LogServer, eventually
from workers.archive import open_archive
from workers.cli.main import main
from workers.lifecycle_status import read_status
from workers.lifecycle_worker import work
from workers.settings import Settings
from workers.vector_shipping import LEASE, VectorShipping, forget_vectors, ship_vectors_now
from workers.views import VIEW_KINDS

TEXTS = [f"statement number {number}" for number in range(30)]


@pytest.fixture
def settings(log_server: LogServer, log_name: str, tmp_path: Path) -> Settings:
    return Settings(
        data=tmp_path / "data",
        redis_url=log_server.url,
        log=log_name,
        archive_segment_s=0.01,
        backup_daily=False,
    )


def a_cache(settings: Settings) -> VectorCache:
    builder = VIEW_KINDS["vector"].builder(settings)
    return VectorCache(settings.data / "cache", builder.embedder, builder.dimension)


def a_vector(text: str, dimension: int) -> NDArray[np.float32]:
    seed = int(text_sha(text)[:8], 16)
    vector = np.random.default_rng(seed).normal(size=dimension).astype(np.float32)
    return vector / np.linalg.norm(vector)


def remember(settings: Settings, texts: list[str]) -> None:
    with closing(a_cache(settings)) as cache:
        cache.put({text_sha(text): a_vector(text, cache.dimension) for text in texts})


def place_of(settings: Settings) -> Path:
    model = VIEW_KINDS["vector"].builder(settings).embedder
    return settings.data / "archive" / "vectors" / model_file_name(model)


def elsewhere(settings: Settings, tmp_path: Path) -> Settings:
    """A node without views and cache that reads the same archive."""
    return msgspec.structs.replace(
        settings,
        data=tmp_path / "elsewhere",
        archive_location=str(settings.data / "archive"),
    )


def taken_over(settings: Settings) -> set[str]:
    """Open a vector view as a projection worker does; give the texts whose vectors it has then."""
    kind = VIEW_KINDS["vector"]
    folder = settings.data / "views" / "vector" / "1"
    folder.mkdir(parents=True, exist_ok=True)
    with kind.open(settings, folder, kind.builder(settings)):
        pass
    with closing(a_cache(settings)) as cache:
        known = cache.get(map(text_sha, TEXTS))
    return {text for text in TEXTS if text_sha(text) in known}


@contextmanager
def working(settings: Settings) -> Iterator[None]:
    stop = threading.Event()
    thread = threading.Thread(target=work, args=(settings, stop, 0.02))
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join(timeout=20)
        assert not thread.is_alive()


def test_the_lifecycle_worker_ships_and_a_new_view_elsewhere_takes_over(
    settings: Settings, log: RedisLog, tmp_path: Path
) -> None:
    Historian(log, seed=1).live_on(5)
    remember(settings, TEXTS)
    with working(settings):
        eventually(lambda: not due_in(settings.data / "cache"), within_s=30)
        other = elsewhere(settings, tmp_path)
        assert taken_over(other) == set(TEXTS)
        assert not due_in(other.data / "cache")
        with closing(a_cache(settings)) as cache:
            cache.forget([text_sha(TEXTS[0])])
        eventually(lambda: not due_in(settings.data / "cache"), within_s=30)
    assert taken_over(elsewhere(settings, tmp_path / "again")) == set(TEXTS[1:])


def test_a_deleted_cache_comes_back_from_the_archive(settings: Settings, log: RedisLog) -> None:
    remember(settings, TEXTS)
    assert ship_vectors_now(settings, log, open_archive(settings).place) == 30
    for path in (settings.data / "cache").iterdir():
        path.unlink()
    assert taken_over(settings) == set(TEXTS)
    assert ship_vectors_now(settings, log, open_archive(settings).place) == 0


def test_damaged_shipped_vectors_are_named_by_the_worker_and_taken_over_by_nobody(
    settings: Settings, log: RedisLog, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    remember(settings, TEXTS)
    ship_vectors_now(settings, log, open_archive(settings).place)
    [file] = place_of(settings).glob("*.parquet")
    data = bytearray(file.read_bytes())
    data[100] ^= 1
    file.write_bytes(data)
    assert taken_over(elsewhere(settings, tmp_path)) == set()
    command = ["verify", "--data", str(settings.data), "--redis-url", log.url, "--log", log.name]
    assert main(command) == 1
    assert file.name in capsys.readouterr().out
    assert main([*command, "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["file"].endswith(f"/{file.name}")

    remember(settings, ["one more"])

    def named() -> bool:
        status = read_status(settings.data)
        return status is not None and file.name in status.trouble

    with working(settings):
        eventually(named, within_s=30)
        # What the worker says to do helps.
        for path in place_of(settings).iterdir():
            path.unlink()
        place_of(settings).rmdir()
        eventually(lambda: not due_in(settings.data / "cache"), within_s=30)
    assert taken_over(elsewhere(settings, tmp_path / "again")) == set(TEXTS)
    assert main(command) == 0
    assert "31 shipped vectors" in capsys.readouterr().out


def test_few_new_vectors_wait_for_an_hour_and_many_do_not(
    settings: Settings, log: RedisLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = msgspec.structs.replace(settings, archive_segment_s=3600.0)
    now = [0.0]
    archive = open_archive(settings).place
    shipping = VectorShipping(settings, log, lambda: archive, monotonic=lambda: now[0])
    assert shipping.step() == 0
    remember(settings, TEXTS[:10])
    assert shipping.step() == 0
    now[0] += 3599
    assert shipping.step() == 0
    now[0] += 1
    assert shipping.step() == 10
    remember(settings, TEXTS)
    assert shipping.step() == 0
    monkeypatch.setattr("workers.vector_shipping.ENOUGH_TO_SHIP", 20)
    assert shipping.step() == 20


def test_an_erasure_strikes_vectors_out_of_cache_and_archive_at_once(
    settings: Settings, log: RedisLog, tmp_path: Path
) -> None:
    remember(settings, TEXTS)
    archive = open_archive(settings).place
    ship_vectors_now(settings, log, archive)
    assert forget_vectors(settings, log, archive, []) == 0
    assert forget_vectors(settings, log, archive, map(text_sha, TEXTS[:3])) == 1
    with closing(a_cache(settings)) as cache:
        assert cache.count() == 27
        # The vector as it was shipped stands in no file of the archive.
        half = a_vector(TEXTS[0], cache.dimension).astype("<f2").tobytes()
    for file in place_of(settings).iterdir():
        assert half not in file.read_bytes()
    assert json.loads((place_of(settings) / "manifest.json").read_bytes())["files"][0]["rows"] == 27
    assert taken_over(elsewhere(settings, tmp_path)) == set(TEXTS[3:])
    # What the record still has to strike is gone already.
    assert ship_vectors_now(settings, log, archive) == 0
    assert not due_in(settings.data / "cache")


def test_two_never_change_the_archives_vectors_at_once(settings: Settings, log: RedisLog) -> None:
    remember(settings, TEXTS)
    archive = open_archive(settings).place
    other = Lease(log, LEASE, "another process", 60)
    assert other.take().fence is not None
    with pytest.raises(Fenced, match="another process"):
        ship_vectors_now(settings, log, archive, wait_s=0.05)
    assert not place_of(settings).exists()
    threading.Timer(0.2, other.release).start()
    assert ship_vectors_now(settings, log, archive) == 30
