"""Which files tell of which subjects, so that an erasure opens only those.

Known of each file from when it was written, or first asked for, as long as the process lives:
eight bytes for each subject in it. A subject may be taken for another, never the other way round.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from projections.analytics.files import read_column
from projections.analytics.manifest import DataFile

_Hashes: TypeAlias = NDArray[np.int64]


class FileSubjects:
    """The subjects of each file of one generation. For one thread."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._known: dict[str, _Hashes] = {}

    def note(self, file: DataFile, rows: pa.Table) -> None:
        """Keep what a file tells of that was just written with these rows."""
        self._known[file.path] = _hashes(rows["subject"])

    def forget(self, files: Iterable[DataFile]) -> None:
        """Drop what is known of files that are no part of the view any more."""
        for file in files:
            self._known.pop(file.path, None)

    def ended(self, files: Iterable[DataFile], ended: Mapping[str, int]) -> None:
        """Note that these files hold nothing more that the subjects said before these positions.

        Sessions bear the same names again and again: without this the end of each would open every
        file that told of one of that name. To be called when that is committed, not before.
        """
        for file in files:
            over = [subject for subject, position in ended.items() if file.last < position]
            known = self._known[file.path]
            self._known[file.path] = known[~np.isin(known, _hashed(over), assume_unique=True)]

    def may_hold(self, file: DataFile, ended: Mapping[str, int]) -> bool:
        """Tell whether a file may hold texts that subjects said before these positions."""
        before = [subject for subject, position in ended.items() if file.first < position]
        if not before:
            return False
        if file.path not in self._known:
            self._known[file.path] = _hashes(read_column(self._folder, file, "subject"))
        return bool(np.isin(_hashed(before), self._known[file.path], assume_unique=True).any())


def _hashes(subjects: Any) -> _Hashes:
    return _hashed(subject for subject in subjects.unique().to_pylist() if subject is not None)


def _hashed(subjects: Iterable[str]) -> _Hashes:
    return np.unique(np.fromiter(map(hash, subjects), dtype=np.int64))
