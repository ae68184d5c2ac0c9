"""An erasure opens the files that may tell of what is erased, and no others."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from projections.analytics.files import write_file
from projections.analytics.manifest import DataFile
from projections.analytics.schema import NO_EVENTS
from projections.analytics.subjects import FileSubjects

DAY = "2026-03-01"
subjects = st.lists(st.one_of(st.none(), st.sampled_from("abcdefgh")), min_size=1, max_size=12)


def rows_of(said: list[str | None], first: int) -> pa.Table:
    rows = NO_EVENTS
    columns = {
        "subject": pa.array(said, pa.string()),
        "position": pa.array(range(first, first + len(said)), pa.int64()),
    }
    empty = [
        columns.get(field.name, pa.nulls(len(said), field.type)).cast(field.type)
        for field in rows.schema
    ]
    return pa.Table.from_arrays(
        empty, schema=pa.schema([f.with_nullable(True) for f in rows.schema])
    )


@given(
    st.lists(subjects, min_size=1, max_size=4),
    st.dictionaries(st.sampled_from("abxyz"), st.integers(1, 60)),
)
def test_a_file_is_asked_for_what_it_tells_of_whether_it_was_just_written_or_found(
    said: list[list[str | None]], ended: dict[str, int]
) -> None:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        writer, files = FileSubjects(folder), []
        for number, names in enumerate(said):
            rows = rows_of(names, 10 * number + 1)
            file = write_file(folder, number, DAY, rows)
            writer.note(file, rows)
            files.append(file)
        for file, names in zip(files, said, strict=True):
            wanted = any(file.first < ended.get(name, 0) for name in names if name is not None)
            assert writer.may_hold(file, ended) == wanted
            assert FileSubjects(folder).may_hold(file, ended) == wanted


def test_a_name_that_is_used_again_is_looked_for_in_what_was_written_since(tmp_path: Path) -> None:
    known = FileSubjects(tmp_path)
    old, new = (write_file(tmp_path, n, DAY, rows_of(["a", "b"], 10 * n + 1)) for n in (0, 1))
    first, second = {"a": 5}, {"a": 20}
    assert known.may_hold(old, first)
    assert not known.may_hold(new, first)
    known.ended([old], first)
    assert [known.may_hold(file, second) for file in (old, new)] == [False, True]
    assert known.may_hold(old, {"b": 20})


def test_what_is_known_of_a_replaced_file_goes_with_it(tmp_path: Path) -> None:
    known = FileSubjects(tmp_path)
    file: DataFile = write_file(tmp_path, 1, DAY, rows_of(["a"], 1))
    assert known.may_hold(file, {"a": 5})
    (tmp_path / file.path).unlink()
    assert known.may_hold(file, {"a": 5}), "a file that is known is not opened again"
    known.forget([file])
    with pytest.raises(FileNotFoundError):
        known.may_hold(file, {"a": 5})
