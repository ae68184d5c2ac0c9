"""Looking for words in every file of a node, as they lie there and as they can be read.

Columns of Parquet and Lance files are decoded, whether a table still names the file or not; SQLite
pages, zstd frames and tar members too. What is sealed is opened with the keys that are left.
"""

from __future__ import annotations

import io
import json
import sqlite3
import stat
import tarfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet
import redis
import zstandard
from lance.file import LanceFileReader

from tests.oracle import read_log

_parquet: Any = pyarrow.parquet
_LOOKS = 20
_UNREADABLE = (
    OSError, ValueError, RuntimeError, sqlite3.Error, tarfile.TarError, zstandard.ZstdError,
)  # fmt: skip


def files_with(folder: Path, *words: bytes) -> dict[str, set[bytes]]:
    """Give the files below ``folder`` that hold one of the words, and which.

    A file that vanishes meanwhile may have another name by then: all are read again.
    """
    for _ in range(_LOOKS):
        found = _look(folder, words)
        if found is not None:
            return found
    raise AssertionError(f"files below {folder} vanished at each of {_LOOKS} looks")


def _look(folder: Path, words: Iterable[bytes]) -> dict[str, set[bytes]] | None:
    found: dict[str, set[bytes]] = {}
    for file in sorted(folder.rglob("*")):
        try:
            if file.is_symlink() or not stat.S_ISREG(file.stat().st_mode):
                continue
            for name, content in _contents(str(file.relative_to(folder)), file.read_bytes(), file):
                there = {word for word in words if word in content}
                if there:
                    found.setdefault(name, set()).update(there)
        except _UNREADABLE:
            # A file that goes while it is read ends anywhere; then look again.
            if file.exists():
                raise
            return None
    return found


def _contents(name: str, raw: bytes, file: Path | None) -> Iterator[tuple[str, bytes]]:
    yield name, raw
    if raw.startswith(b"PAR1") and raw.endswith(b"PAR1"):
        yield f"{name} (decoded)", _said(_parquet.read_table(io.BytesIO(raw)).to_pylist())
    elif raw.startswith(b"SQLite format 3\x00") and file is not None:
        yield f"{name} (decoded)", _sqlite(file)
    elif raw.startswith(b"\x28\xb5\x2f\xfd"):
        with zstandard.ZstdDecompressor().stream_reader(io.BytesIO(raw)) as stream:
            yield from _contents(f"{name} (unpacked)", stream.read(), None)
    elif name.endswith(".lance") and file is not None:
        yield f"{name} (decoded)", _lance(file)
    elif raw[257:262] == b"ustar":
        with tarfile.open(fileobj=io.BytesIO(raw)) as tar:
            for member in tar:
                content = tar.extractfile(member)
                if content is not None:
                    yield from _contents(f"{name}:{member.name}", content.read(), None)


def _said(value: object) -> bytes:
    return repr(value).encode() + json.dumps(value, default=repr, ensure_ascii=False).encode()


def _sqlite(file: Path) -> bytes:
    connection = sqlite3.connect(f"file:{file}?mode=ro", uri=True)
    try:
        names = [row[0] for row in connection.execute("SELECT name FROM sqlite_master")]
        tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        rows = [connection.execute(f"SELECT * FROM {t[0]}").fetchall() for t in tables.fetchall()]
        return _said([names, rows])
    finally:
        connection.close()


def _lance(file: Path) -> bytes:
    # Also rows behind deletion marks: the file knows nothing of those.
    return _said(LanceFileReader(str(file)).read_all().to_table().to_pylist())


def log_with(url: str, name: str, *words: bytes, archive: Path | None = None) -> list[int]:
    """Give the positions whose event holds one of the words once opened with the keys there are.

    What was trimmed is read from the segments in ``archive``.
    """
    facts = read_log(url, name, archive)
    return [fact["position"] for fact in facts if _has(_said(fact["body"]), words)]


def keys_of(url: str, name: str, subjects: Iterable[str]) -> list[bytes]:
    """Give the sealing keys of subjects, as the server has them."""
    from eventlog.redis_log import RedisLog

    with RedisLog(url, name) as log:
        return list(log.subject_keys(subjects).values())


def values_with(client: redis.Redis, *words: bytes) -> list[bytes]:
    """Give the server's keys whose dump holds one of the words."""
    return [key for key in client.scan_iter(count=1000) if _has(client.dump(key) or b"", words)]


def _has(content: bytes, words: Iterable[bytes]) -> bool:
    return any(word in content for word in words)
