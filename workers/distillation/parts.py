"""Puts together what distils: in the process that does the work, and nowhere else."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime

from commands.application import MemoryApplication
from domain.distillation.rules import distil_by_rules
from domain.policies.same_statement import without_likes
from projections.vector.lexical import document_tokens
from workers.archive import archive_location
from workers.distillation.distilling import Model, Parts
from workers.distillation.view_shortlists import ViewShortlists
from workers.log_server import decision, followed_epoch, log_url
from workers.node import make_embedder
from workers.settings import Settings


@contextmanager
def open_parts(settings: Settings) -> Iterator[Parts]:
    """Give the parts for a node's settings until the block ends."""
    with (
        MemoryApplication(
            log_url(settings, "archiver"),
            settings.log,
            settings.policy,
            archive=archive_location(settings),
            watched=not settings.allow_volatile,
        ) as application,
        closing(
            ViewShortlists(settings, make_embedder(settings), document_tokens, _utc_now)
        ) as shortlists,
    ):
        application.event_log.follow(followed_epoch(settings.data), decision(settings.data))
        yield Parts(
            settings=settings,
            application=application,
            clock=_utc_now,
            shortlists=shortlists,
            by_rules=distil_by_rules,
            in_one=without_likes,
            validate=lambda _case, _shortlist: (),
            model=Model(),
        )


def _utc_now() -> datetime:
    return datetime.now(UTC)
