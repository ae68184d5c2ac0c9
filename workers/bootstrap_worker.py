"""What a new replica does before it builds anything: verify the log, take the shipped vectors."""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from contextlib import closing
from typing import Final

import structlog

from eventlog.archive.reader import Archive
from eventlog.redis_log import RedisLog
from eventlog.verification import Deviation, verify_log
from workers.archive import open_archive, seen_links
from workers.cli.arguments import settings_flags
from workers.cli.failure import Failure, start_failures
from workers.keys import ensure_keys
from workers.lifetime import die_with_parent
from workers.log_server import is_new, log_url
from workers.logging import set_up_logging
from workers.node import make_embedder
from workers.settings import Settings, resolve

_TELL_EVERY_S: Final = 2.0

_log = structlog.get_logger("replica")


def run(arguments: argparse.Namespace) -> None:
    """Prepare this node's first start. Raises `Failure`."""
    die_with_parent(arguments.parent)
    settings = ensure_keys(resolve(settings_flags(arguments), os.environ)).resolved.settings
    set_up_logging("bootstrap", settings.log_level)
    with start_failures():
        bootstrap(settings)


def bootstrap(settings: Settings) -> None:
    """Compare log and archive before anything is built from them, and take over shipped vectors.

    Nothing is done where views were built before: each compares what it reads with what was read
    here. Raises `Failure` where log and archive are not what they were, or the archive does not
    answer, and `LogUnavailable`.
    """
    if not is_new(settings):
        return
    archive = open_archive(settings)
    try:
        _verify(settings, archive)
        _take_vectors(settings, archive)
    except OSError as error:
        raise Failure(f"the archive does not answer: {error}") from error


def _verify(settings: Settings, archive: Archive) -> None:
    with RedisLog(log_url(settings, "reader"), settings.log, archive=archive) as log:
        try:
            verified = verify_log(log, archive, seen_links(settings), _teller())
        except Deviation as deviation:
            raise Failure(f"the log is not what it was at {deviation}") from deviation
    _log.info(
        "verified",
        position=verified.position,
        chain=verified.chain,
        segments=verified.segments,
        checkpoints=verified.checkpoints,
    )


def _take_vectors(settings: Settings, archive: Archive) -> None:
    from projections.vector.cache import VectorCache
    from projections.vector.segments import VectorSegmentsRefused, import_vectors

    embedder = make_embedder(settings)
    folder = settings.data / "cache"
    with closing(VectorCache(folder, embedder.name, embedder.dimension)) as cache:
        try:
            taken = import_vectors(archive.place, cache)
        except VectorSegmentsRefused as error:
            # It is only a cache: what cannot be trusted is made anew here.
            _log.warning("vectors_not_taken", reason=str(error))
        else:
            _log.info("vectors_taken", model=embedder.name, vectors=taken)


def _teller() -> Callable[[int, int], None]:
    """Give a function that says now and then how far the verification is."""
    said_at = time.monotonic()

    def tell(done: int, of: int) -> None:
        nonlocal said_at
        if time.monotonic() - said_at >= _TELL_EVERY_S:
            _log.info("verifying", position=done, of=of)
            said_at = time.monotonic()

    return tell
