"""Doing a job: episodes of one batch through rules, scores, a distiller, and into the log.

Each episode ends with one append of its own, so a process that dies loses none and repeats none.
What goes wrong with one episode is noted at that episode and is no reason to stop; what goes wrong
with the log, or the lease, stops the job and is nobody's failure.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final, TypeAlias, TypeVar

import structlog
from msgspec import Struct

from commands import distil as distilling
from commands import distillation_failed as failing
from commands.application import MemoryApplication
from commands.command import Clock
from commands.distil import Distil, Distilled
from commands.distil_ahead import Ahead, Kinds
from commands.distillation_failed import FailedDistillation, distillation_failed
from commands.execution import Order, execute_each
from commands.sound_findings import MOST_FINDINGS
from domain.distillation.finding import Finding, Talk
from domain.distillation.gate import judged
from domain.errors import Erased, Fenced, KeyReused, LogFull, LogUnavailable, MemoryWeaveError
from domain.policies.scoring import Scores
from domain.policies.settling import settle_of
from domain.policies.validation import Validation
from domain.text_claim import claim_scope
from eventlog.append import Fence
from eventlog.outcomes import LogFork
from workers.distillation.job import Answer, Ended, Ending, Finished, Halted, Job, Turn
from workers.distillation.pace import Pace
from workers.distillation.reading_talk import Case, TalkReader, Unreadable
from workers.distillation.shortlist import Shortlist, Shortlists
from workers.settings import Settings

PROCESS_DIED: Final = "process_died"
_PROVES_NOTHING: Final = frozenset({"chit_chat"})

D = TypeVar("D")

ByRules: TypeAlias = Callable[[Talk], Sequence[Finding]]
InOne: TypeAlias = Callable[[Sequence[Finding]], Sequence[Finding]]
Validate: TypeAlias = Callable[[Case, Shortlist], Sequence[Validation]]

_log = structlog.get_logger("distiller")


class Asking(Struct, frozen=True, kw_only=True):
    """An episode that passed the rules and the scores, as a model is asked about it."""

    case: Case
    shortlist: Shortlist
    exempt: bool


class Told(Struct, frozen=True, kw_only=True):
    """What a model found in one episode, and its scores where it gave any."""

    findings: Sequence[Finding]
    scores: dict[str, float] | None = None


class FromModel(Struct, frozen=True, kw_only=True):
    """What came of asking a model: by episode, what is missing is for the rules."""

    told: Mapping[str, Told]
    finished: Finished


class Model:
    """Nobody to ask: everything is for the rules."""

    name = ""

    def ask(self, asked: Sequence[Asking]) -> FromModel:
        """Give nothing."""
        del asked
        return FromModel(told={}, finished=Finished())


class Parts(Struct, frozen=True, kw_only=True):
    """What the work is done with."""

    settings: Settings
    application: MemoryApplication
    clock: Clock
    shortlists: Shortlists
    by_rules: ByRules
    in_one: InOne
    validate: Validate
    model: Model
    pace: Pace


class _Read(Struct, frozen=True, kw_only=True):
    """An episode with its scores, and why it is skipped, if it is."""

    case: Case
    exempt: bool
    scores: Scores
    skipped: str | None


class _Stage:
    """Where in the work an error came up: its name is told, for its message may quote a text."""

    name = "reading"


def do_job(parts: Parts, job: Job) -> Iterator[Answer]:
    """Distil a job's episodes in order, and tell of each as soon as it is in the log."""
    reader = TalkReader(parts.application)
    try:
        read: list[_Read] = []
        reader.read_ahead(i for turn in job.turns for i in (turn.episode_id, *turn.before))
        for turn in job.turns:
            one = _read(parts, reader, turn, job.fence)
            if isinstance(one, Ended):
                yield one
            else:
                read.append(one)
        lists = _shortlists(parts, read)
        asked = [
            Asking(case=one.case, shortlist=shortlist, exempt=one.exempt)
            for one, shortlist in zip(read, lists, strict=True)
            if one.skipped is None
        ]
        answer = _ask(parts, asked)
        found: list[_Found] = []
        for one, shortlist in zip(read, lists, strict=True):
            told = answer.told.get(one.case.episode.id)
            looked = _guarded(parts, one.case, job.fence, _Look(parts, one, shortlist, told).find)
            if isinstance(looked, Ended):
                yield looked
            else:
                found.append(looked)
        ahead = _read_ahead(parts.application, found)
        while found:
            together, found = found[: parts.pace.together], found[parts.pace.together :]
            yield from _store(parts, together, job.fence, ahead)
        yield answer.finished
    except Fenced as error:
        yield Halted(reason=str(error), fenced=True)
    except (LogUnavailable, LogFull, LogFork) as error:
        yield Halted(reason=f"{type(error).__name__}: {error}")


def _read(parts: Parts, reader: TalkReader, turn: Turn, fence: Fence) -> Ended | _Read:
    try:
        case = reader.read(turn.episode_id, turn.before)
    except Unreadable as error:
        # No view can show it either: each tells of it, and of what can be done.
        _log.error("episode_unreadable", episode=turn.episode_id, reason=str(error))
        return Ended(episode_id=turn.episode_id, ending="gone")
    if case is None:
        return Ended(episode_id=turn.episode_id, ending="gone")
    if turn.fatal:
        return _failed(parts, case, PROCESS_DIED, fence)

    def rate(stage: _Stage) -> _Read:
        stage.name = "scores"
        found = judged(
            case.talk, task_status=case.committed.task_status, policy=parts.settings.policy
        )
        return _Read(case=case, exempt=turn.exempt, scores=found.scores, skipped=found.skip_reason)

    return _guarded(parts, case, fence, rate)


def _shortlists(parts: Parts, read: Sequence[_Read]) -> list[Shortlist]:
    try:
        return parts.shortlists.of([one.case for one in read])
    except (MemoryWeaveError, OSError, RuntimeError, ValueError, sqlite3.Error) as error:
        # A view that cannot be read: what is known is then compared by the command alone.
        _log.warning("no_shortlist", reason=type(error).__name__)
        return [Shortlist() for _ in read]


def _ask(parts: Parts, asked: Sequence[Asking]) -> FromModel:
    try:
        return parts.model.ask(asked) if asked else FromModel(told={}, finished=Finished())
    except LogUnavailable:
        raise
    except Exception as error:  # noqa: BLE001  # whatever a model brings about, rules do without it
        _log.error("model_not_asked", reason=type(error).__name__)
        return FromModel(told={}, finished=Finished(trouble=type(error).__name__))


class _Found(Struct, frozen=True):
    """What is to be stored of an episode, and what the command will look at."""

    case: Case
    request: Distil
    kinds: Kinds


def _read_ahead(application: MemoryApplication, found: Sequence[_Found]) -> Ahead:
    """Read together what the commands of a job will look at."""
    ahead = Ahead(application)
    kinds = {one: kind for of_one in found for one, kind in of_one.kinds.items()}
    ahead.read(kinds, {one.case.episode.id: one.case.events for one in found})
    return ahead


class _Look(Struct, frozen=True):
    """One episode that is looked into."""

    parts: Parts
    one: _Read
    shortlist: Shortlist
    told: Told | None

    def find(self, stage: _Stage) -> _Found:
        """Find what it says, and what it bears out."""
        parts, case = self.parts, self.one.case
        findings: Sequence[Finding] = ()
        if self.one.skipped is None:
            stage.name = "rules"
            found = parts.by_rules(case.talk) if self.told is None else self.told.findings
            stage.name = "merging"
            findings = parts.in_one(found)
        verified: Sequence[Validation] = ()
        if self.one.skipped not in _PROVES_NOTHING:
            stage.name = "validation"
            verified = parts.validate(case, self.shortlist)
        rated = self.told.scores if self.told and self.told.scores else self.one.scores.as_dict()
        request = Distil(
            episode_id=case.episode.id,
            distiller="rules" if self.told is None else "llm",
            model=None if self.told is None else parts.model.name,
            scores=rated,
            findings=tuple(findings[:MOST_FINDINGS]),
            skip_reason=self.one.skipped,
            likely=self.shortlist.likely,
            verified=tuple(verified),
            shown={known.memory_id: known.content for known in self.shortlist.merged},
            settle=settle_of(case.episode.namespace, parts.settings.settle),
        )
        stage.name = "comparing"
        scope = claim_scope(case.episode.namespace, case.episode.session_id)
        return _Found(case, request, request.looked_at(parts.application.log_name, scope))


def _store(parts: Parts, found: Sequence[_Found], fence: Fence, ahead: Ahead) -> Iterator[Ended]:
    """Store what episodes became, each in an append of its own, and say what it is."""

    def ordered(one: _Found, stage: _Stage) -> Order[Distilled]:
        stage.name = "storing"
        command = distilling.command_for(one.request, one.case.because_of)
        return distilling.order_for(parts.application, command, ahead)

    orders = [_guarded(parts, one.case, fence, partial(ordered, one)) for one in found]
    answers = iter(
        execute_each(
            parts.application,
            [order for order in orders if isinstance(order, Order)],
            parts.clock,
            fence,
        )
    )

    def end(one: _Found, answer: Callable[[], Distilled], stage: _Stage) -> Ended:
        stage.name = "storing"
        done = answer()
        if not done.duplicate:
            parts.pace.stored(done.position, done.events)
        ending: Ending = "distilled" if one.request.findings else "skipped"
        return Ended(episode_id=one.case.episode.id, ending=ending)

    for one, order in zip(found, orders, strict=True):
        if isinstance(order, Ended):
            yield order
        else:
            yield _guarded(parts, one.case, fence, partial(end, one, next(answers)))


def _guarded(parts: Parts, case: Case, fence: Fence, work: Callable[[_Stage], D]) -> D | Ended:
    """Do a part of the work on one episode; what fails is noted at that episode."""
    stage, episode_id = _Stage(), case.episode.id
    try:
        return work(stage)
    except (Fenced, LogUnavailable, LogFull, LogFork):
        raise
    except KeyReused:
        return Ended(episode_id=episode_id, ending="gone")  # it was done before
    except Erased:
        return Ended(episode_id=episode_id, ending="gone")
    except Exception as error:  # noqa: BLE001  # one episode must not keep the others waiting
        # No traceback: it would hold the text.
        _log.error(
            "distillation_failed", episode=episode_id, stage=stage.name, reason=type(error).__name__
        )
        return _failed(parts, case, f"{stage.name}: {type(error).__name__}", fence)


def _failed(parts: Parts, case: Case, error: str, fence: Fence) -> Ended:
    request = FailedDistillation(
        episode_id=case.episode.id, error=error, attempt=case.episode.attempts + 1
    )
    command = failing.command_for(request, case.because_of)
    distillation_failed(parts.application, command, parts.clock, fence)
    return Ended(episode_id=case.episode.id, ending="failed")
