"""The vector cache: what a model once made of a text, kept across rebuilds.

One SQLite file per model, ``cache/vectors-<model>.sqlite``, keyed by the SHA-256 of the embedded
text. It is a cache: deleting it costs fetching the vectors from the archive or embedding again, so
it is not fsynced. One process writes vectors (the filler); any number read beside it, and the
lifecycle worker notes what it has shipped (`projections.vector.shipping`).
"""

from __future__ import annotations

import hashlib
import re
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

import numpy as np
from numpy.typing import NDArray

from projections.presence import identity_of
from projections.vector.shipping import forget, open_cache_file, prepare, transaction

_SQL_VARIABLES: Final = 500


class VectorCache:
    """Vectors of one model by text. Thread-safe.

    Vectors are float32[dimension] of length 1; the file holds their little-endian bytes.
    """

    def __init__(self, folder: Path, model: str, dimension: int) -> None:
        """Open or create the model's file in ``folder``."""
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.model = model
        self.dimension = dimension
        self.path = folder / f"vectors-{model_file_name(model)}.sqlite"
        self._lock = threading.Lock()
        self._open()

    def get(self, shas: Iterable[str]) -> dict[str, NDArray[np.float32]]:
        """Give the vectors that are known, by the hex SHA-256 of their text.

        An entry of another length than the model's dimension counts as unknown.
        """
        found: dict[str, NDArray[np.float32]] = {}
        for sha, raw in self._select("vector", shas):
            vector = np.frombuffer(raw, dtype="<f4")
            if len(vector) == self.dimension:
                found[sha.hex()] = vector
        return found

    def known(self, shas: Iterable[str]) -> set[str]:
        """Tell which texts have a vector here, without reading it."""
        right = 4 * self.dimension
        return {sha.hex() for sha, size in self._select("length(vector)", shas) if size == right}

    def put(self, vectors: Mapping[str, NDArray[np.float32]]) -> None:
        """Keep vectors under the hex SHA-256 of their text. Raises ValueError for a wrong shape."""
        rows = self._rows(vectors)
        with self._lock, transaction(self._present()):
            self._ship_later(sha for sha, _ in rows)
            self._connection.executemany("insert or replace into vectors values (?, ?)", rows)

    def take_back(self, vectors: Mapping[str, NDArray[np.float32]]) -> int:
        """Keep vectors that a view of this node still has, as `take_over` does; they are shipped.

        Tells how many were not here.
        """
        rows = self._rows(vectors)
        with self._lock, transaction(self._present()):
            self._ship_later(sha for sha, _ in rows)
            return self._add(rows)

    def take_over(self, vectors: Mapping[str, NDArray[np.float32]]) -> int:
        """Keep vectors that the archive has, as `put` does; tell how many were not here.

        Those that are here stay as they are; those that were forgotten here are not taken.
        """
        rows = self._rows(vectors)
        with self._lock, transaction(self._present()):
            return self._add(rows)

    def forget(self, shas: Iterable[str]) -> None:
        """Delete the vectors of these texts (hex SHA-256), here and, when next shipped, there."""
        wanted = [bytes.fromhex(sha) for sha in shas]
        if wanted:
            with self._lock:
                forget(self._present(), wanted)

    def count(self) -> int:
        """Say how many texts have a vector here."""
        with self._lock:
            counted: int = self._present().execute("select count(*) from vectors").fetchone()[0]
        return counted

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._connection.close()

    def _open(self) -> None:
        self._connection = open_cache_file(self.path)
        prepare(self._connection, self.model, self.dimension)
        self._file = identity_of(self.path)

    def _present(self) -> sqlite3.Connection:
        """Give a connection to the file that is there now: a cache may be removed at any time."""
        if identity_of(self.path) != self._file:
            self._connection.close()
            self.path.parent.mkdir(mode=0o700, exist_ok=True)
            self._open()
        return self._connection

    def _add(self, rows: Sequence[tuple[bytes, bytes]]) -> int:
        before = self._connection.total_changes
        self._connection.executemany(
            "insert or ignore into vectors select ?1, ?2"
            " where not exists (select 1 from forgotten where text_sha = ?1)",
            rows,
        )
        return self._connection.total_changes - before

    def _ship_later(self, shas: Iterable[bytes]) -> None:
        self._connection.executemany(
            "insert or ignore into unshipped select ?1"
            " where not exists (select 1 from shipped where text_sha = ?1)"
            " and not exists (select 1 from forgotten where text_sha = ?1)",
            ((sha,) for sha in shas),
        )

    def _rows(self, vectors: Mapping[str, NDArray[np.float32]]) -> list[tuple[bytes, bytes]]:
        rows = []
        for sha, vector in vectors.items():
            if vector.shape != (self.dimension,):
                raise ValueError(
                    f"a vector of shape {vector.shape} for model {self.model!r},"
                    f" which makes {self.dimension} numbers"
                )
            rows.append((bytes.fromhex(sha), vector.astype("<f4").tobytes()))
        return rows

    def _select(self, column: str, shas: Iterable[str]) -> Iterator[tuple[bytes, Any]]:
        wanted = [bytes.fromhex(sha) for sha in dict.fromkeys(shas)]
        for start in range(0, len(wanted), _SQL_VARIABLES):
            part = wanted[start : start + _SQL_VARIABLES]
            marks = ",".join("?" * len(part))
            question = f"select text_sha, {column} from vectors where text_sha in ({marks})"  # noqa: S608  # ours
            with self._lock:
                found = self._present().execute(question, part).fetchall()
            yield from found


def read_vectors(
    folder: Path, model: str, dimension: int, shas: Iterable[str]
) -> dict[str, NDArray[np.float32]]:
    """Give the vectors of a model that are known, by the hex SHA-256 of their text.

    For whoever only looks: no file is made. Raises `sqlite3.Error`.
    """
    path = folder / f"vectors-{model_file_name(model)}.sqlite"
    wanted = [bytes.fromhex(sha) for sha in dict.fromkeys(shas)]
    if not path.exists():
        return {}
    found: dict[str, NDArray[np.float32]] = {}
    uri = f"file:{quote(str(path.absolute()))}?mode=ro"
    with closing(sqlite3.connect(uri, uri=True, isolation_level=None, timeout=5.0)) as connection:
        for start in range(0, len(wanted), _SQL_VARIABLES):
            part = wanted[start : start + _SQL_VARIABLES]
            marks = ",".join("?" * len(part))
            question = f"select text_sha, vector from vectors where text_sha in ({marks})"  # noqa: S608  # ours
            for sha, raw in connection.execute(question, part):
                vector = np.frombuffer(raw, dtype="<f4")
                if len(vector) == dimension:
                    found[sha.hex()] = vector
    return found


def model_file_name(model: str) -> str:
    """Give a name safe for files; a changed one carries a digest, so that no two models meet."""
    safe = re.sub(r"[^A-Za-z0-9._-]", "_", model)[:80]
    if safe == model:
        return safe
    return f"{safe}-{hashlib.sha256(model.encode()).hexdigest()[:8]}"
