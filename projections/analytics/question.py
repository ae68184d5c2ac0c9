"""Asking the audit with SQL of one's own: checked and answered in a process of its own.

DuckDB's memory limit does not count everything that a statement can allocate, and not every
function looks whether it was interrupted (docs/decisions/0015). A process can be bounded from
outside, gives its memory back, and takes nobody with it.
"""

from __future__ import annotations

import subprocess
from typing import Any, Final

import msgspec
import pyarrow as pa
import structlog
from msgspec import Struct

from domain.errors import InvalidCommand, QueryTooCostly, ViewDegraded
from projections.analytics.processes import SpareProcess, answer_of, start_process
from projections.analytics.sandbox import Question, Verdict
from projections.analytics.view import AnalyticsView, FilesUnreadable, LiveFiles

LONGEST_SQL: Final = 20_000
_GRACE_S: Final = 10.0
"""For starting the process on a busy machine; its own alarm counts from when it asks."""

_ipc: Any = pa.ipc  # it has no types
_log = structlog.get_logger()


class Limits(Struct, frozen=True, kw_only=True):
    """What one question may cost: rows and bytes of its answer, seconds, memory of DuckDB."""

    rows: int = 1_000
    seconds: float = 10.0
    memory_mib: int = 512
    answer_bytes: int = 32 << 20


class Answer(Struct, frozen=True):
    """Rows as an Arrow table; ``truncated``: there were more."""

    table: pa.Table
    truncated: bool


def ask(
    view: AnalyticsView, sql: str, limits: Limits, processes: SpareProcess | None = None
) -> Answer:
    """Answer one statement that only reads the audit's views.

    ``processes`` keeps one ready for the next question; without it each question waits for its own.

    Raises `InvalidCommand` for a text that is refused or that DuckDB does not understand,
    `QueryTooCostly` for one over its limits, `ViewBehind` before the view was begun and
    `ViewDegraded` where its files cannot be read.
    """
    if len(sql) > LONGEST_SQL:
        raise InvalidCommand("sql", f"is longer than {LONGEST_SQL} characters")
    return view.over_files(lambda live: _asked(live, sql, limits, processes))


def _asked(live: LiveFiles, sql: str, limits: Limits, processes: SpareProcess | None) -> Answer:
    question = Question(
        sql=sql,
        folder=str(live.folder.absolute()),
        files=[file.path for file in live.manifest.files],
        rows=limits.rows,
        seconds=limits.seconds,
        memory_mib=limits.memory_mib,
        answer_bytes=limits.answer_bytes,
    )
    process = start_process() if processes is None else processes.take()
    try:
        code, output, errors = answer_of(
            process, msgspec.json.encode(question), limits.seconds + _GRACE_S
        )
    except subprocess.TimeoutExpired as error:
        raise QueryTooCostly(f"it did not end within {limits.seconds:g} s") from error
    finally:
        if processes is not None:
            processes.replace()
    if code < 0:
        raise QueryTooCostly("its process was ended: it took too much memory or time")
    if code != 0:
        # Its last line names the error; what follows may quote what was asked.
        last = errors.decode(errors="replace").strip().rpartition("\n")[2]
        _log.error("question_failed", error=last.partition(":")[0][:100])
        raise ViewDegraded("the process that answers questions failed")
    line, _, stream = output.partition(b"\n")
    return _read(msgspec.json.decode(line, type=Verdict), stream)


def _read(verdict: Verdict, stream: bytes) -> Answer:
    match verdict.outcome:
        case "answered":
            return Answer(_ipc.open_stream(stream).read_all(), verdict.truncated)
        case "refused":
            raise InvalidCommand("sql", verdict.detail)
        case "storage":
            raise FilesUnreadable
        case _:
            raise QueryTooCostly(verdict.detail)
