"""A question whose files go while it is put, because a text had to go out of them at once."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from domain.errors import InvalidCommand, ViewDegraded
from eventlog.redis_log import RedisLog
from projections.analytics.filter import EventFilter
from projections.analytics.question import Limits, ask
from projections.analytics.view import TRIES, AnalyticsView, FilesUnreadable, LiveFiles
from tests.histories import Historian
from tests.projections.analytics.building import follow

LIMITS = Limits(rows=5, seconds=5.0, memory_mib=256)
WRONG = ["SELEC 1", "FROM 'x.csv'", "SELECT nothing FROM events"]


class Overtaken(AnalyticsView):
    """A view whose files are replaced right after the first ``times`` readers learnt of them."""

    def __init__(self, path: Path, times: int, overtake: Callable[[], None]) -> None:
        super().__init__(path)
        self.times = times
        self.overtake = overtake

    def live(self) -> LiveFiles:
        found = super().live()
        if self.times > 0:
            self.times -= 1
            self.overtake()
            assert any(not path.exists() for path in found.paths)
        return found


@pytest.fixture
def overtaken(log: RedisLog, historian: Historian, tmp_path: Path) -> Overtaken:
    path = tmp_path / "analytics"

    def overtake() -> None:
        historian.erase(historian.remember("what is to be forgotten"))
        follow(log, path)

    historian.live_on(10)
    follow(log, path)
    return Overtaken(path, 1, overtake)


def test_a_question_is_put_again_over_the_files_that_took_the_others_place(
    overtaken: Overtaken, historian: Historian
) -> None:
    answer = ask(overtaken, "SELECT count(*) AS n FROM events", LIMITS)
    assert answer.table.to_pylist() == [{"n": historian.position}]
    overtaken.times = 1
    found = overtaken.events(EventFilter(), limit=1000)
    assert [row.position for row in found] == list(range(1, historian.position + 1))
    overtaken.times = 1
    assert overtaken.digest().rows == historian.position


@pytest.mark.parametrize("sql", WRONG)
def test_a_wrong_statement_is_refused_whatever_happens_to_the_files(
    overtaken: Overtaken, sql: str
) -> None:
    with pytest.raises(InvalidCommand):
        ask(overtaken, sql, LIMITS)
    assert overtaken.times == 0


@pytest.mark.parametrize("sql", WRONG[:2])
@pytest.mark.parametrize("content", [None, b"no Parquet"])
def test_what_no_files_could_answer_is_refused_also_over_damaged_ones(
    overtaken: Overtaken, sql: str, content: bytes | None
) -> None:
    overtaken.times = 0
    for path in overtaken.live().paths:
        path.unlink() if content is None else path.write_bytes(content)
    with pytest.raises(InvalidCommand):
        ask(overtaken, sql, LIMITS)
    with pytest.raises(ViewDegraded):
        ask(overtaken, "WITH commits2 AS (FROM commits) FROM commits2", LIMITS)


def test_files_that_go_under_every_try_are_told_as_unreadable(overtaken: Overtaken) -> None:
    overtaken.times = 100
    with pytest.raises(FilesUnreadable):
        overtaken.events(EventFilter())
    assert overtaken.times == 100 - TRIES


def zeroed(whole: bytes) -> bytes:
    return whole[: len(whole) // 2] + bytes(len(whole) - len(whole) // 2)


def renamed(whole: bytes) -> bytes:
    """Give the file with another name for one of its columns."""
    assert b"causation_position" in whole
    return whole.replace(b"causation_position", b"causation-position")


def misspelt(whole: bytes) -> bytes:
    """Give the file with a footer that cannot be decoded, for which DuckDB has no kind of error."""
    length = int.from_bytes(whole[-8:-4], "little")
    return whole[: -8 - length] + b"\x0f" * length + whole[-8:]


@pytest.mark.parametrize(
    "damage",
    [
        lambda whole: b"",
        lambda whole: b"no Parquet",
        lambda whole: whole[: len(whole) // 2],
        lambda whole: b"PAR1" + bytes(len(whole) - 8) + b"PAR1",
        zeroed,
        renamed,
        misspelt,
    ],
    ids=["empty", "a text", "half", "zeros", "half of it zeros", "renamed", "misspelt"],
)
def test_whatever_is_wrong_with_a_file_is_told_as_unreadable(
    overtaken: Overtaken, damage: Callable[[bytes], bytes]
) -> None:
    overtaken.times = 0
    for path in overtaken.live().paths:
        path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(FilesUnreadable):
        overtaken.events(EventFilter())
    with pytest.raises(FilesUnreadable):
        overtaken.digest()
    with pytest.raises(FilesUnreadable):
        ask(overtaken, "SELECT max(hash(events)) FROM events", LIMITS)


@pytest.mark.parametrize("damage", [zeroed, lambda whole: whole[:-1]], ids=["zeros", "short"])
def test_damage_that_only_reading_shows_is_no_fault_of_the_statement(
    log: RedisLog, historian: Historian, tmp_path: Path, damage: Callable[[bytes], bytes]
) -> None:
    """The first file's columns are known then, so that the statement has its views."""
    historian.live_on(20)
    follow(log, tmp_path, tail_rows=1, compact=False)
    view = AnalyticsView(tmp_path)
    live = view.live()
    assert len(live.manifest.files) > 1
    path = live.folder / live.manifest.files[-1].path
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(FilesUnreadable):
        ask(view, "SELECT body FROM events ORDER BY body", LIMITS)


def test_a_value_that_cannot_be_converted_is_the_statements_fault(overtaken: Overtaken) -> None:
    overtaken.times = 0
    with pytest.raises(InvalidCommand, match="Conversion"):
        ask(overtaken, 'SELECT CAST("type" AS INTEGER) FROM events', LIMITS)


def test_bytes_damaged_anywhere_are_told_as_unreadable_or_not_at_all(overtaken: Overtaken) -> None:
    """A Parquet page that still reads as one is taken at its word: it has no checksum."""
    overtaken.times = 0
    path = max(overtaken.live().paths, key=lambda file: file.stat().st_size)
    whole, chance, unreadable = path.read_bytes(), random.Random(7), 0
    for _ in range(100):
        at, length = chance.randrange(len(whole)), chance.choice([1, 16, 256])
        other = chance.randbytes(min(length, len(whole) - at))
        path.write_bytes(whole[:at] + other + whole[at + len(other) :])
        try:
            overtaken.events(EventFilter(), limit=1000)
        except FilesUnreadable:
            unreadable += 1
    assert unreadable > 25
    path.write_bytes(whole)
    assert overtaken.events(EventFilter(), limit=1000)
