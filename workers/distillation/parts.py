"""Puts together what distils: in the process that does the work, and nowhere else."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from commands.application import MemoryApplication
from domain.distillation.rules import distil_by_rules
from domain.policies.same_statement import without_likes
from domain.policies.terms import terms
from workers.archive import archive_location
from workers.distillation.distilling import Model, Parts
from workers.distillation.pace import Pace
from workers.distillation.running import asks_a_model
from workers.distillation.validating import validator
from workers.distillation.view_shortlists import ViewShortlists
from workers.log_server import decision, followed_epoch, log_url
from workers.node import make_embedder, make_language_model
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
        closing(ViewShortlists(settings, make_embedder(settings), terms, _utc_now)) as shortlists,
    ):
        application.event_log.follow(followed_epoch(settings.data), decision(settings.data))
        yield Parts(
            settings=settings,
            application=application,
            clock=_utc_now,
            shortlists=shortlists,
            by_rules=distil_by_rules,
            in_one=without_likes,
            validate=validator(shortlists, settings.policy),
            model=_model(settings, application),
            pace=Pace(),
        )


def _model(settings: Settings, application: MemoryApplication) -> Model:
    language_model = make_language_model(settings) if asks_a_model(settings) else None
    if language_model is None:
        return Model()
    from workers.distillation.asked_model import AskedModel
    from workers.distillation.budget import Allowance, CallBudget

    allowance = Allowance(
        zone=ZoneInfo(settings.time_zone),
        daily=settings.llm_daily_calls,
        sunday=settings.llm_sunday_calls,
    )
    return AskedModel(
        language_model,
        settings.memory_language,
        application,
        _utc_now,
        budget=CallBudget(application.event_log, allowance, _utc_now),
        by_rules=distil_by_rules,
    )


def _utc_now() -> datetime:
    return datetime.now(UTC)
