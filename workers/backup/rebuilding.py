"""Builds a node's views in this process, from the beginning of the log to its end; digests them.

For a restore: nobody serves the node yet, so each view is built where the worker will look for it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import ExitStack, closing

from eventlog.codec import Codec
from eventlog.redis_log import RedisLog
from eventlog.sealing import KeyRing
from projections.build import GenerationBuild
from projections.digest import ViewDigest
from projections.generation import ViewDirectory, sign
from workers.archive import open_archive
from workers.log_server import log_url
from workers.node import view_path
from workers.settings import Settings
from workers.view_writing import LogParts
from workers.views import VIEW_KINDS, ViewKind

Progress = Callable[[str, int, int], None]
"""Told the view's name, how far it has come, and how far it has to."""


def build_all_views(settings: Settings, progress: Progress) -> list[ViewDigest]:
    """Build every view of a node that has none, and give their digests.

    What cannot be shown is set aside, as live views do, and is named in the digest. Raises what
    reading the log and writing the views raise.
    """
    archive = open_archive(settings)
    with RedisLog(log_url(settings, "admin"), settings.log, archive=archive) as log:
        parts = LogParts(log, Codec(KeyRing(log.subject_keys)), settings)
        target = log.head().position
        return [_built(kind, parts, target, progress) for kind in VIEW_KINDS.values()]


def _built(kind: ViewKind, parts: LogParts, target: int, progress: Progress) -> ViewDigest:
    settings = parts.settings
    builder = kind.builder(settings)
    with ExitStack() as stack:
        directory = stack.enter_context(closing(ViewDirectory(view_path(settings, kind.name))))
        sign(directory.live, builder)
        opened = stack.enter_context(kind.build(settings, directory.live, builder))

        def between_batches(build: GenerationBuild) -> None:
            opened.while_building()
            progress(kind.name, build.position, target)

        source = stack.enter_context(closing(parts.subscribe(opened.projector.checkpoint())))
        build = GenerationBuild(
            opened.projector,
            source,
            opened.opener(parts.codec),
            allow_parked=True,
            between_batches=between_batches,
        )
        never = threading.Event()
        build.catch_up(never, last=target)
        opened.finish(never)
        opened.sync()
    return kind.digest(directory.live)
