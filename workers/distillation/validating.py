"""Passive validation of an episode against its shortlist, by how rare its words are there."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from functools import partial

import structlog

from domain.errors import MemoryWeaveError
from domain.policies.validation import Validation, validations
from domain.settings import DEFAULT_POLICY, PolicySettings
from workers.distillation.distilling import Validate
from workers.distillation.reading_talk import Case
from workers.distillation.shortlist import Shortlist, Shortlists

_log = structlog.get_logger("distiller")


def validator(shortlists: Shortlists, policy: PolicySettings = DEFAULT_POLICY) -> Validate:
    """Give what holds an episode against its shortlist.

    Where the view that tells of rarity cannot be read, nothing is borne out: the episode is
    distilled all the same.
    """

    def validate(case: Case, shortlist: Shortlist) -> Sequence[Validation]:
        share = partial(shortlists.term_share, case.episode.namespace)
        try:
            return validations(
                case.talk,
                shortlist.merged,
                share,
                session_id=case.episode.session_id,
                policy=policy,
            )
        except (MemoryWeaveError, OSError, sqlite3.Error) as error:
            _log.warning("no_validation", reason=type(error).__name__)
            return ()

    return validate
