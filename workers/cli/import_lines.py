"""`memoryweave import`: JSON Lines to episodes, in batches; run again, it goes on where it was.

The whole file is read and checked before anything is sent. A batch's idempotency key is made from
the file's digest, the options and the batch's number, so a repeat stores nothing twice, whenever
and from wherever it is run.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import Struct

from memoryweave.client import Client
from memoryweave.contract import Commit, ImportLine
from memoryweave.outbox import Queued
from workers.cli.failure import Failure
from workers.cli.output import show
from workers.cli.service import service
from workers.cli.shown import wait_until_shown

MOST_LINES: Final = 500
MOST_BYTES: Final = 1_500_000
"""A batch may have 2 MiB on the wire."""
_PATIENCE_S: Final = 120.0


class Line(ImportLine, frozen=True, kw_only=True):
    """An import line as other sets write it: ``timestamp`` for time, and the conversation."""

    timestamp: str | None = None
    conversation: str | None = None


class ImportReport(Struct, frozen=True, kw_only=True):
    """What an import did. ``repeated`` lines had been stored by an earlier run."""

    lines: int
    stored: int
    repeated: int
    batches: int
    position: int


class Options(Struct, frozen=True, kw_only=True):
    """How lines become episodes."""

    namespace: str | None = None
    source: str = "agent_inference"
    batch: int = 100


def run(arguments: argparse.Namespace) -> None:
    """Import a file and say what was stored."""
    if not 1 <= arguments.batch <= MOST_LINES:
        raise Failure(f"--batch {arguments.batch}: a batch holds 1 to {MOST_LINES} lines")
    options = Options(namespace=arguments.namespace, source=arguments.source, batch=arguments.batch)
    with service(arguments, _PATIENCE_S) as client:
        report = import_file(client, arguments.file, options, quiet=arguments.json)
        if arguments.wait:
            wait_until_shown(client, report.position, lambda left: print(left, file=sys.stderr))
    show(arguments, report, _lines)


def import_file(client: Client, path: Path, options: Options, *, quiet: bool) -> ImportReport:
    """Store every line of a file. Raises `Failure` naming the first line that cannot be stored."""
    raw = _read(path)
    commits = [_commit(number, line, options) for number, line in _parse(path, raw)]
    digest = hashlib.sha256(raw + msgspec.json.encode(options)).hexdigest()
    stored = repeated = position = batches = 0
    for number, batch in _progress(list(_batches(commits, options.batch)), len(commits), quiet):
        receipt = client.batch_commit(batch, idempotency_key=f"import:{digest}:{number}")
        assert not isinstance(receipt, Queued)
        batches += 1
        position = max(position, receipt.position)
        if receipt.duplicate:
            repeated += len(batch)
        else:
            stored += len(batch)
    return ImportReport(
        lines=len(commits), stored=stored, repeated=repeated, batches=batches, position=position
    )


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise Failure(f"{path} cannot be read: {error.strerror}") from error


def _parse(path: Path, raw: bytes) -> Iterator[tuple[str, Line]]:
    decoder = msgspec.json.Decoder(Line)
    for number, text in enumerate(raw.splitlines(), start=1):
        if not text.strip():
            continue
        place = f"{path}, line {number}"
        try:
            yield place, decoder.decode(text)
        except msgspec.DecodeError as error:
            raise Failure(f"{place}: {error}") from error


def _commit(place: str, line: Line, options: Options) -> Commit:
    metadata = {"external_id": line.id, "conversation": line.conversation}
    fields: dict[str, Any] = {
        "content": line.text,
        "namespace": line.namespace or options.namespace,
        "source": options.source,
        "session_id": line.session or None,
        "speaker": line.speaker or None,
        "observed_at": _time(place, line.time or line.timestamp),
        "metadata": {name: value for name, value in metadata.items() if value is not None},
    }
    try:
        return msgspec.convert(fields, Commit)
    except msgspec.ValidationError as error:
        raise Failure(f"{place}: {error}") from error


def _time(place: str, text: str | None) -> datetime | None:
    """Read an ISO 8601 time or date; one without a zone is taken as UTC."""
    if not text:
        return None
    try:
        time = datetime.fromisoformat(text)
    except ValueError as error:
        raise Failure(f"{place}: {text!r} is not an ISO 8601 time or date") from error
    return time.replace(tzinfo=UTC) if time.tzinfo is None else time


def _batches(commits: Sequence[Commit], most: int) -> Iterator[list[Commit]]:
    batch: list[Commit] = []
    size = 0
    for commit in commits:
        length = len(msgspec.json.encode(commit))
        if batch and (len(batch) == most or size + length > MOST_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(commit)
        size += length
    if batch:
        yield batch


def _progress(
    batches: list[list[Commit]], total: int, quiet: bool
) -> Iterator[tuple[int, list[Commit]]]:
    if quiet or not sys.stderr.isatty():
        yield from enumerate(batches)
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

    columns = (BarColumn(), MofNCompleteColumn(), "lines", TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("import", total=total)
        for number, batch in enumerate(batches):
            yield number, batch
            progress.advance(task, len(batch))


def _lines(report: ImportReport) -> Iterable[str]:
    yield f"{report.stored} lines stored in {report.batches} batches, position {report.position}"
    if report.repeated:
        yield f"{report.repeated} lines had been stored before"
