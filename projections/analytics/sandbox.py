"""The process in which one statement of a person is answered, and in which nothing else happens.

``python -m projections.analytics.sandbox`` says `READY` when it has loaded what it needs, reads one
`Question` as JSON from its input and writes one `Verdict` as a line of JSON to its output, followed
by the answer as an Arrow stream where there is one. Without a question it ends. It can open the
view's files and no other, write no file at all, take no more memory than it was given, and is ended
when its time is up (docs/decisions/0015).
"""

from __future__ import annotations

import os
import resource
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final, Literal, TypeAlias

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from projections.analytics.statement import StatementRefused, readable_statement
from projections.analytics.views import SET_TIME_ZONE, view_statements

if TYPE_CHECKING:
    import pyarrow as pa
    from duckdb import DuckDBPyConnection

_Judged: TypeAlias = "tuple[Verdict, pa.Table | None]"
Outcome = Literal["answered", "refused", "time", "memory", "size", "storage"]

READY: Final = b"."
CPUS: Final = 2
_MIB: Final = 1 << 20
_BATCH: Final = 1_000
_OF_THE_PROCESS_MIB: Final = 512
"""What DuckDB allocates beside what it counts, Python and Arrow included."""


class Question(Struct, frozen=True, kw_only=True):
    """One statement over the files of ``folder``; ``files`` are relative to it.

    ``rows`` and ``answer_bytes`` (of Arrow data) bound the answer, ``seconds`` the time,
    ``memory_mib`` what DuckDB may use.
    """

    sql: str
    folder: str
    files: list[str]
    rows: int
    seconds: float
    memory_mib: int
    answer_bytes: int


class Verdict(Struct, frozen=True, kw_only=True):
    """How it ended. ``detail`` is for the person who asked; ``truncated``: there were more rows."""

    outcome: Outcome
    detail: str = ""
    truncated: bool = False


def main() -> None:
    """Answer the question on standard input."""
    _bound()
    # What takes long is done before the question is there.
    import duckdb  # noqa: F401
    import pyarrow as pa  # noqa: F401

    sys.stdout.buffer.write(READY)
    sys.stdout.buffer.flush()
    text = sys.stdin.buffer.read()
    if not text:
        return  # whoever started it has no question any more
    question = msgspec.json.decode(text, type=Question)
    _bound_by(question)
    verdict, answer = _judge(question)
    _write(sys.stdout.buffer, verdict, answer)


def _bound() -> None:
    """Give up, for the rest of this process's life, what answering does not need."""
    for limit in (resource.RLIMIT_FSIZE, resource.RLIMIT_CORE):
        resource.setrlimit(limit, (0, 0))


def _bound_by(question: Question) -> None:
    """Give up what this question may not take."""
    memory = (question.memory_mib + _OF_THE_PROCESS_MIB) * _MIB
    cpu_s = int(question.seconds * CPUS) + 2
    for limit, value in ((resource.RLIMIT_DATA, memory), (resource.RLIMIT_CPU, cpu_s)):
        resource.setrlimit(limit, (value, value))
    os.chdir(question.folder)


def _judge(question: Question) -> _Judged:
    import duckdb

    try:
        connection = _locked(question)
    except duckdb.Error:  # the statements were ours: it is the files
        return _judged(_locked(replace(question, files=[])), question, _look_at)
    return _judged(connection, question, _answer)


def _judged(
    connection: DuckDBPyConnection,
    question: Question,
    answer: Callable[[DuckDBPyConnection, Question], _Judged],
) -> _Judged:
    import duckdb

    alarm = threading.Timer(question.seconds, connection.interrupt)
    alarm.daemon = True
    alarm.start()
    try:
        return answer(connection, question)
    except StatementRefused as error:
        return Verdict(outcome="refused", detail=str(error)), None
    except duckdb.InterruptException:
        detail = f"it was not answered within {question.seconds:g} s: ask for less"
        return Verdict(outcome="time", detail=detail), None
    except (duckdb.OutOfMemoryException, MemoryError):
        detail = f"it needs more than {question.memory_mib} MiB of memory: ask for less"
        return Verdict(outcome="memory", detail=detail), None
    except duckdb.IOException:
        return Verdict(outcome="storage"), None
    except (duckdb.Error, RecursionError, RuntimeError, UnicodeError) as error:
        if _may_be_the_files(error) and not _are_readable(connection):
            return Verdict(outcome="storage"), None
        return Verdict(outcome="refused", detail=_told(error)), None
    finally:
        alarm.cancel()
        connection.close()


def _locked(question: Question) -> DuckDBPyConnection:
    """Open a database in memory that has the views and can't reach anything else any more.

    Without files it has no views.
    """
    import duckdb

    connection = duckdb.connect(
        config={
            "threads": CPUS,
            "memory_limit": f"{question.memory_mib}MiB",
            "temp_directory": "",
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
        }
    )
    connection.execute(SET_TIME_ZONE)
    for statement in view_statements(question.files) if question.files else ():
        connection.execute(statement)
    # In this order: each closes the door through which the one before it could be undone.
    paths = ", ".join("'" + file.replace("'", "''") + "'" for file in question.files)
    connection.execute(f"SET allowed_paths = [{paths}]")
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")
    return connection


def _look_at(connection: DuckDBPyConnection, question: Question) -> _Judged:
    """Refuse what would be refused over any files. Of the rest, these are at fault."""
    readable_statement(connection, question.sql, question.rows + 1)
    return Verdict(outcome="storage"), None


def _answer(connection: DuckDBPyConnection, question: Question) -> _Judged:
    import pyarrow as pa

    statement = readable_statement(connection, question.sql, question.rows + 1)
    reader: Any = connection.execute(statement).to_arrow_reader(_BATCH)
    batches, rows, size = [], 0, 0
    for batch in reader:
        batches.append(batch)
        rows += batch.num_rows
        size += batch.nbytes
        if size > question.answer_bytes:
            detail = f"the answer is over {question.answer_bytes >> 20} MiB: ask for less"
            return Verdict(outcome="size", detail=detail), None
    table = pa.Table.from_batches(batches, schema=reader.schema)
    return Verdict(outcome="answered", truncated=rows > question.rows), table[: question.rows]


def _may_be_the_files(error: Exception) -> bool:
    """Tell whether DuckDB raises this of damaged files too, and not of a statement alone."""
    import duckdb

    either = (duckdb.InvalidInputException, duckdb.ConversionException, UnicodeDecodeError)
    return isinstance(error, either) or type(error) is duckdb.Error


def _are_readable(connection: DuckDBPyConnection) -> bool:
    """Tell whether every value of the files can be read, as far as there is time and memory."""
    import duckdb

    try:
        connection.execute("SELECT max(hash(events)) FROM events").fetchall()
    except (duckdb.InterruptException, duckdb.OutOfMemoryException):
        return True
    except duckdb.Error:
        return False
    return True


def _told(error: Exception) -> str:
    """Give what DuckDB says of the statement, without its excerpt and without where files lie."""
    first = str(error).strip().split("\n\nLINE ")[0].strip()
    return first.replace(str(Path.cwd()), "…")[:1000] or type(error).__name__


def _write(output: BinaryIO, verdict: Verdict, answer: pa.Table | None) -> None:
    output.write(msgspec.json.encode(verdict) + b"\n")
    if answer is not None:
        import pyarrow as pa

        ipc: Any = pa.ipc  # it has no types
        with ipc.new_stream(output, answer.schema) as stream:
            stream.write_table(answer)
    output.flush()


if __name__ == "__main__":
    main()
