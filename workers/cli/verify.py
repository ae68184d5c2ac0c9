"""`memoryweave verify`: is the log what it was? Exit code 1, and the position, if it is not."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable

from msgspec import Struct

from domain.errors import MemoryWeaveError
from eventlog.redis_log import RedisLog
from eventlog.verification import Deviation, Verified, verify_log
from projections.vector.segments import VectorSegmentsRefused, verify_vectors
from workers.archive import open_archive, seen_links
from workers.cli.arguments import settings_flags
from workers.cli.failure import Failure
from workers.cli.output import print_json, show
from workers.log_server import log_url
from workers.settings import resolve


class _Answer(Struct, frozen=True):
    log: Verified
    vectors: int


def run(arguments: argparse.Namespace) -> int:
    """Verify the log; with ``--accept`` let this node take it as it is from now on."""
    settings = resolve(settings_flags(arguments), os.environ).settings
    archive, seen = open_archive(settings), seen_links(settings)
    try:
        with RedisLog(log_url(settings, "reader"), settings.log, archive=archive) as log:
            if arguments.accept:
                seen.forget(log.head().epoch)
            verified = verify_log(log, archive, seen, _progress)
        vectors = verify_vectors(archive.place)
    except Deviation as deviation:
        if arguments.json:
            print_json(
                {
                    "position": deviation.position,
                    "up_to": deviation.up_to,
                    "reason": deviation.reason,
                }
            )
        else:
            print(f"the log is not what it was at {deviation}")
        return 1
    except VectorSegmentsRefused as refused:
        if arguments.json:
            print_json({"file": refused.file, "reason": str(refused)})
        else:
            print(f"the log is what it was; shipped vectors are not: {refused}")
        return 1
    except (MemoryWeaveError, OSError) as error:
        raise Failure(str(error)) from error
    show(arguments, _Answer(log=verified, vectors=vectors), _lines)
    return 0


def _progress(done: int, of: int) -> None:
    if sys.stderr.isatty():
        print(f"\r{done} of {of}", end="" if done < of else "\n", file=sys.stderr)


def _lines(answer: _Answer) -> Iterable[str]:
    verified = answer.log
    yield f"positions 1 to {verified.position} are what they were; chain {verified.chain}"
    yield (
        f"compared with {verified.segments} segments, {verified.statements} statements in the log, "
        f"{verified.checkpoints} checkpoints, {verified.seen} events read here before"
    )
    yield f"{answer.vectors} shipped vectors are what their manifests say"
