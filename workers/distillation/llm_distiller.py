"""Distillation by a language model: asking it, patiently and within its budget, and judging it.

Whatever the model does ends here: in findings that their episodes bear out, or in a reason why an
episode is left to the rules. One that answers badly is asked once more, about less.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from domain.distillation.finding import Finding, Talk
from domain.distillation.language import Language
from domain.events import LlmCalled
from domain.policies.scoring import Scores
from inference.llm import (
    Completion,
    LanguageModel,
    LanguageModelError,
    LanguageModelNotAsked,
    LanguageModelUnavailable,
)
from workers.distillation.answer import Said, read_answer
from workers.distillation.budget import CallBudget, Reservation
from workers.distillation.judging import Judged, judged
from workers.distillation.prompt import SCHEMA_NAME, Asked, Question, question, size_of

PURPOSE: Final = "distil"
MOST_EPISODES: Final = 10
MOST_CHARACTERS: Final = 24_000
"""Of episodes and shortlists in one question; an episode that is longer is left to the rules."""

_SECRET_BYTES: Final = 32


class ModelFindings(Struct, frozen=True, kw_only=True):
    """What a model found in one episode, as far as the episode bears it out.

    ``scores`` are the model's five, None where it gave none that make sense. ``dropped`` counts
    what was not believed, by reason. The last ``by_rules`` of the findings are the rules', for what
    the model was not believed about, said in another language than was asked, or did not come to.
    """

    findings: tuple[Finding, ...]
    scores: Scores | None = None
    dropped: dict[str, int] = {}
    by_rules: int = 0


class ByModel(Struct, frozen=True, kw_only=True):
    """What came of asking.

    Every episode of the batch is in exactly one of ``found`` and ``left``. ``left`` are for the
    rules, each with the reason in a word; ``stopped`` are for nobody now. ``calls`` are those that
    went out, to be recorded (`commands.language_model`).
    """

    found: dict[str, ModelFindings]
    left: dict[str, str]
    calls: tuple[LlmCalled, ...] = ()


class Patience(Struct, frozen=True, kw_only=True):
    """How often one question is sent to a server that does not answer, and the pauses between.

    A server that asks for a longer pause than ``longest_pause_s`` is asked another time.
    """

    attempts: int = 3
    first_pause_s: float = 1.0
    growth: float = 4.0
    longest_pause_s: float = 20.0


class Means(Struct, frozen=True, kw_only=True):
    """What asking needs beside the model.

    ``pause`` waits so many seconds and tells whether to stop; ``randomness`` gives so many random
    bytes; ``by_rules`` distils without a model.
    """

    budget: CallBudget
    pause: Callable[[float], bool]
    by_rules: Callable[[Talk], Sequence[Finding]]
    randomness: Callable[[int], bytes] = os.urandom
    patience: Patience = Patience()


def distil_by_model(
    model: LanguageModel, batch: Sequence[Asked], language: Language, means: Means
) -> ByModel:
    """Have a model distil a batch; never raises for what the model does.

    Each call that is not for exempt episodes alone is taken from the budget before it goes out;
    when none is left only the exempt ones are asked about. Raises `LogUnavailable` where the
    budget cannot be asked; nothing is lost by it.
    """
    run = _Run(model, language, means)
    for portion in _portions(batch, run.left):
        run.ask(portion)
    return run.result(batch)


def _portions(batch: Sequence[Asked], left: dict[str, str]) -> list[list[Asked]]:
    """Cut a batch into questions, each of one namespace and within bounds."""
    by_scope: dict[str, list[list[Asked]]] = {}
    for one in batch:
        if size_of(one) > MOST_CHARACTERS:
            left[one.talk.episode_id] = "too_long"
            continue
        portions = by_scope.setdefault(one.scope, [[]])
        size = sum(map(size_of, portions[-1])) + size_of(one)
        if size > MOST_CHARACTERS or len(portions[-1]) == MOST_EPISODES:
            portions.append([])
        portions[-1].append(one)
    return [portion for portions in by_scope.values() for portion in portions if portion]


class _Failed(Exception):
    """The answer cannot be used at all; ``reason`` says why."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class _Run:
    """One batch on its way: what was found, and what is left so far."""

    def __init__(self, model: LanguageModel, language: Language, means: Means) -> None:
        self.left: dict[str, str] = {}
        self._model = model
        self._language = language
        self._means = means
        self._calls: list[LlmCalled] = []
        self._whole: dict[str, Judged] = {}
        self._partly: dict[str, tuple[Judged, str]] = {}

    def ask(self, batch: Sequence[Asked], *, again: bool = False, insist: bool = False) -> None:
        """Ask about these, and once more about those that were not answered well."""
        try:
            asked, completion = self._complete(batch, insist=insist)
            unanswered = self._take(asked, completion)
        except _Failed as failure:
            reasons = {i: failure.reason for one in batch if (i := _id(one)) not in self.left}
            unanswered = reasons
        self.left.update(unanswered)
        rest = [one for one in batch if unanswered.get(_id(one), "") in _WORTH_ASKING_AGAIN]
        if again or not rest:
            return
        half = (len(rest) + 1) // 2 if len(rest) == len(batch) else len(rest)
        for portion in filter(None, (rest[:half], rest[half:])):
            foreign = any(unanswered[_id(one)] == "wrong_language" for one in portion)
            self.ask(portion, again=True, insist=foreign)

    def result(self, batch: Sequence[Asked]) -> ByModel:
        """Give what came of it; what is missing of an episode is filled in by the rules."""
        found: dict[str, ModelFindings] = {}
        for one in batch:
            episode_id = _id(one)
            taken, reason = self._whole.get(episode_id), ""
            if taken is None and episode_id in self._partly:
                taken, reason = self._partly[episode_id]
            if taken is None:
                continue
            complete = _found(taken, self._filled_in(one.talk, taken, reason))
            if complete.findings or not taken.dropped:
                found[episode_id] = complete
            else:
                self.left[episode_id] = max(taken.dropped, key=taken.dropped.__getitem__)
        left = {_id(one): self.left[_id(one)] for one in batch if _id(one) not in found}
        return ByModel(found=found, left=left, calls=tuple(self._calls))

    # --- one question --------------------------------------------------------------------------

    def _complete(self, batch: Sequence[Asked], *, insist: bool) -> tuple[Question, Completion]:
        """Send a question until it is answered. Raises `_Failed`."""
        patience = self._means.patience
        pause_s = patience.first_pause_s
        for attempt in range(1, patience.attempts + 1):
            reservation, affordable = self._afford(batch)
            asked = question(
                affordable, self._language, self._means.randomness(_SECRET_BYTES), insist=insist
            )
            try:
                completion = self._model.complete(
                    asked.messages, schema_name=SCHEMA_NAME, schema=asked.schema
                )
            except LanguageModelError as error:
                self._note_failure(error, reservation)
                wanted_s = pause_s if error.pause_s is None else error.pause_s
                if (
                    not isinstance(error, LanguageModelUnavailable)
                    or error.reason == "circuit_open"
                    or attempt == patience.attempts
                    or wanted_s > patience.longest_pause_s
                ):
                    raise _Failed(error.reason) from error
                if self._means.pause(wanted_s):
                    raise _Failed("stopped") from error
                pause_s = min(pause_s * patience.growth, patience.longest_pause_s)
            else:
                return asked, completion
        raise AssertionError("the last attempt returns or raises")

    def _afford(self, batch: Sequence[Asked]) -> tuple[Reservation | None, list[Asked]]:
        """Take a call for these; without one only those are left that need none."""
        if all(one.exempt for one in batch):
            return None, list(batch)
        reservation = self._means.budget.reserve(self._means.randomness(16).hex(), "distil")
        if reservation is not None:
            return reservation, list(batch)
        self.left.update({_id(one): "over_budget" for one in batch if not one.exempt})
        exempt = [one for one in batch if one.exempt]
        if not exempt:
            raise _Failed("over_budget")
        return None, exempt

    def _note_failure(self, error: LanguageModelError, reservation: Reservation | None) -> None:
        if not isinstance(error, LanguageModelNotAsked):
            self._calls.append(_call(self._model, None, error.reason, ok=False))
        elif reservation is not None:
            self._means.budget.give_back(reservation)

    # --- one answer ----------------------------------------------------------------------------

    def _take(self, asked: Question, completion: Completion) -> dict[str, str]:
        """Take what can be used of an answer; gives who was not answered well, and why."""
        answer = read_answer(completion.text, cut=completion.cut)
        of_episode = _by_episode(answer.said, asked)
        unanswered: dict[str, str] = {}
        dropped: Counter[str] = Counter()
        for handle, one in asked.episodes.items():
            said = of_episode.get(handle)
            if said is None:
                unanswered[_id(one)] = answer.trouble or "unanswered"
                continue
            found = judged(said, one.talk, asked.memories[_id(one)], self._language)
            dropped.update(found.dropped)
            if said.whole and not found.foreign:
                self._whole[_id(one)] = found
                self.left.pop(_id(one), None)
                continue
            reason = "wrong_language" if found.foreign else answer.trouble or "wrong_type"
            unanswered[_id(one)] = reason
            if said.whole or found.findings:
                self._partly[_id(one)] = found, reason
        ok = len(unanswered) < len(asked.episodes)
        dropped["not_asked"] += sum(one.handle not in asked.episodes for one in answer.said)
        worst = next((name for name, count in dropped.most_common(1) if count), None)
        fault = next(iter(unanswered.values()), None) or worst
        self._calls.append(_call(self._model, completion, fault, ok=ok))
        return unanswered

    def _filled_in(self, talk: Talk, taken: Judged, reason: str) -> list[Finding]:
        """Give what the rules find where the model was not believed, or was cut off."""
        if not taken.doubted and reason in ("", "wrong_language"):
            return []
        believed = [one.evidence for one in taken.findings]
        new = [
            one for one in self._means.by_rules(talk) if not _touches(one, believed, talk.content)
        ]
        if reason not in ("", "wrong_language"):
            return new
        return [one for one in new if _touches(one, taken.doubted, talk.content)]


_WORTH_ASKING_AGAIN: Final = frozenset(
    {
        "answer_too_large",
        "empty_answer",
        "not_a_completion",
        "not_json",
        "refused",
        "request_refused",
        "truncated",
        "unanswered",
        "wrong_language",
        "wrong_type",
    }
)
"""Faults of an answer; a server that does not answer was asked often enough."""


def _id(asked: Asked) -> str:
    return asked.talk.episode_id


def _by_episode(said: Sequence[Said], asked: Question) -> dict[str, Said]:
    """Put together what was said of each episode that was asked about."""
    if len(said) == 1 and len(asked.episodes) == 1 and said[0].handle is None:
        return dict.fromkeys(asked.episodes, said[0])
    merged: dict[str, Said] = {}
    for one in said:
        if one.handle not in asked.episodes:
            continue
        known = merged.get(one.handle)
        merged[one.handle] = one if known is None else _together(known, one)
    return merged


def _together(one: Said, other: Said) -> Said:
    return Said(
        handle=one.handle,
        scores=one.scores or other.scores,
        findings=[*one.findings, *other.findings],
        whole=one.whole and other.whole,
    )


def _touches(finding: Finding, quoted: Sequence[str], text: str) -> bool:
    """Tell whether a finding rests on a part of the text that one of the quotations shares."""
    start = text.find(finding.evidence)
    if start < 0:
        return False
    end = start + len(finding.evidence)
    places = [(at, at + len(one)) for one in quoted if (at := text.find(one)) >= 0]
    return any(first < end and start < last for first, last in places)


def _found(judgement: Judged, filled_in: Sequence[Finding]) -> ModelFindings:
    own = judgement.findings
    # What they rested on among the rules' own may not be there.
    moved = [replace(one, rests_on=()) for one in filled_in]
    return ModelFindings(
        findings=(*own, *moved),
        scores=judgement.scores,
        dropped=judgement.dropped,
        by_rules=len(moved),
    )


def _call(
    model: LanguageModel, completion: Completion | None, reason: str | None, *, ok: bool
) -> LlmCalled:
    tokens = completion.prompt_tokens + completion.completion_tokens if completion else 0
    return LlmCalled(purpose=PURPOSE, model=model.name, tokens=tokens, ok=ok, reason=reason)
