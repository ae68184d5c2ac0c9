"""What people tell each other, as one statement a turn.

Most turns of ordinary talk are not worth a memory. Which are is decided by a linear score over what
the turn's sentences have (`worth`); its weights were fitted by logistic regression on turns that
questions were asked about later, and rounded.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Final

from domain.distillation.candidates import Candidate, Heard, heard
from domain.distillation.cues import category_of, clarity_of, decay_class_of
from domain.distillation.finding import Finding, Talk
from domain.distillation.modality import modality
from domain.distillation.openings import names_called
from domain.distillation.person import FIRST_PERSON, about
from domain.distillation.pronouns import reference_of
from domain.distillation.sentences import sentences
from domain.distillation.times import with_dates
from domain.distillation.turns import Turn
from domain.distillation.wording import joined

LEAST: Final = -1.2
"""Score from which a turn is worth a memory."""

MOST_SENTENCES: Final = 3
SHARE: Final = 0.62
"""How much of a longer turn a statement may keep."""

SHORT: Final = 90
"""Characters up to which a statement need not be shorter than the turn."""

_HAN: Final = re.compile(r"[\u3400-\u9fff]")


def narrated(talk: Talk, turn: Turn) -> list[Finding]:
    """Give the statement of a person's turn, if it is worth one."""
    called = names_called([*(speaker for speaker, _ in talk.before), *_called_in(talk)])
    taken = heard(talk.content, turn, called)
    question = asked_before(talk, turn)
    if turn_score(taken, answers=bool(question)) < LEAST:
        return []
    chosen = _chosen(taken)
    if not chosen:
        return []
    content, safe = _statement(chosen, talk, turn)
    return [_finding(content, chosen, talk, safe=safe)]


def turn_score(taken: Heard, *, answers: bool) -> float:
    """Give what a turn is worth: above 0 worth a memory. ``answers``: it was asked for."""
    own = [one.worth for one in taken.candidates if one.states and not one.addressed]
    told = sum(one.content for one in own)
    of_himself = sum(one.content for one in own if one.his)
    spoken_to = sum(one.worth.content for one in taken.candidates if one.states and one.addressed)
    return (
        -3.0
        + 0.9 * answers
        + 1.5 * min(2, sum(one.times for one in own))
        + 0.75 * min(4, sum(one.names for one in own))
        + 0.55 * min(3, sum(one.numbers for one in own))
        + 0.1 * max((one.content for one in own), default=0)
        + 0.25 * math.log1p(told)
        + 0.25 * math.log1p(of_himself)
        + 0.05 * (told - of_himself)
        + 0.15 * spoken_to
        + 0.25 * any(one.himself for one in own)
        + 0.2 * any(one.his for one in own)
        + 0.5 * taken.shows
        - 0.4 * sum(one.unsure for one in own)
        - 0.1 * taken.asks
    )


def asked_before(talk: Talk, turn: Turn) -> str:
    """Give the question that the turn before asked of this speaker, "" for none."""
    if turn.start > 0 and talk.content[: turn.start].strip():
        before = talk.content[: turn.start].rsplit("\n", 2)[-2:]
        return next((line for line in reversed(before) if "?" in line or "？" in line), "")
    if not talk.before:
        return ""
    speaker, content = talk.before[-1]
    if speaker == turn.name:
        return ""
    asked = [one.text for one in sentences(content) if modality(one.text).question]
    return asked[-1] if asked else ""


def sentence_score(one: Candidate) -> float:
    """Give how much a sentence tells, to choose among those of a turn."""
    has = one.worth
    return (
        0.1 * has.content
        + 0.75 * min(2, has.names)
        + 0.55 * min(2, has.numbers)
        + 1.5 * has.times
        + 0.3 * has.himself
        + 0.2 * has.his
        - 0.4 * has.unsure
        - 0.6 * one.addressed
    )


def _chosen(taken: Heard) -> list[Candidate]:
    """Choose sentences, best first, as long as they stay short; in the turn's order."""
    stating = [one for one in taken.candidates if one.states]
    ranked = sorted(stating, key=lambda one: -sentence_score(one))
    longest = max(SHORT, SHARE * sum(len(one.sentence.text) for one in taken.candidates))
    chosen: list[Candidate] = []
    for one in ranked:
        if sentence_score(one) <= 0.2 or len(chosen) == MOST_SENTENCES:
            break
        length = sum(len(other.plain) for other in chosen) + len(one.plain)
        if chosen and (length > longest or sentence_score(one) < 0.35 * sentence_score(chosen[0])):
            continue
        chosen.append(one)
    order = {id(one): place for place, one in enumerate(taken.candidates)}
    chosen.sort(key=lambda one: order[id(one)])
    return _understood(chosen)


def _understood(chosen: Sequence[Candidate]) -> list[Candidate]:
    """Leave out what points to something said elsewhere."""
    kept: list[Candidate] = []
    said = ""
    for one in chosen:
        if reference_of(one.plain, said) != "dangling":
            kept.append(one)
            said += " " + one.plain
    return kept


def _statement(chosen: Sequence[Candidate], talk: Talk, turn: Turn) -> tuple[str, bool]:
    """Write the statement; whether it is one of the third person throughout."""
    name = turn.name
    told = [about(one.plain, name, f"{name}'s") for one in chosen]
    names_speaker = any(FIRST_PERSON.search(one.plain) for one in chosen) and name in (
        told[0] or ""
    )
    if all(told) and names_speaker:
        text = joined([sentence or "" for sentence in told])
        return with_dates(text, talk.said_at), True
    text = with_dates(joined([one.plain for one in chosen]), talk.said_at)
    colon = "：" if _HAN.search(text) else ": "
    return f"{name}{colon}{text}", False


def _finding(content: str, chosen: Sequence[Candidate], talk: Talk, *, safe: bool) -> Finding:
    best = max(chosen, key=sentence_score)
    category = talk.category or category_of(best.plain)
    return Finding(
        content=content,
        category=category,
        decay_class=talk.decay_class or decay_class_of(best.plain, category),
        clarity=min(clarity_of(one.how, safe=safe) for one in chosen),
        evidence=talk.content[chosen[0].sentence.start : chosen[-1].sentence.end],
    )


def _called_in(talk: Talk) -> list[str | None]:
    return [talk.speaker] if talk.speaker else []
