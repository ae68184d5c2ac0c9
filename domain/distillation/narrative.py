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
from domain.distillation.modality import is_question
from domain.distillation.modality_words import PRESENTING
from domain.distillation.openings import names_called
from domain.distillation.person import FIRST_PERSON, about
from domain.distillation.pronouns import points_to_something, reference_of
from domain.distillation.sentences import sentences
from domain.distillation.times import with_dates
from domain.distillation.turns import Turn, last_said
from domain.distillation.wording import joined

LEAST: Final = -1.0
"""Score from which a turn is worth a memory."""

MOST_SENTENCES: Final = 3
SHARE: Final = 0.6
"""How much of a longer turn a statement may keep."""

SHORT: Final = 110
"""Characters up to which a statement need not be shorter than the turn."""

LONGEST_QUESTION: Final = 130
"""Characters of a question that an answer may be given with."""

_HAN: Final = re.compile(r"[\u3400-\u9fff]")
_COURTESY: Final = re.compile(
    r"(?i)\bhow(?:['’]re|['’]ve|['’]s| are| have| is) (?:you|ya|u|it|things|everything|life|your"
    r" day)\b"
    r"|\bwhat['’]?s (?:up|new|been)|anything new|doin['’g]*\?|(?:最近|今天)(?:怎么样|过得|还好"
    r"|好吗)|有什么(?:可以|能)帮"
    r"|^(?:and |what about |how about )?(?:you|u|yourself)\?|right\?$|, huh\?|^(?:really|yeah"
    r"|oh)\?$|^你呢"
)
_ASKING: Final = re.compile(
    r"(?i)^(?:(?:so|and|but|oh|well|hey)[, ]+)*(?:what|when|where|how|why|who|which)?\s*"
    r"(?:is|was|are|were|['’]s|do|does|did)?\s*(?=it\b)(?:it['’]?s? (?:called|like|named|about))?"
)
_SUBORDINATE: Final = re.compile(
    r"(?i)(?:since|because|['’]cause|when|until|after|before|to|in|on|at|by|with|for|from|about)\b"
)
_VERB: Final = re.compile(
    r"(?i)\b(?:is|are|was|were|am|has|have|had|do|does|did|can|could|will|would|should|must|may"
    r"|might"
    r"|\w+['’](?:s|re|ve|d|ll|m)|\w{2,}ed|went|got|made|took|came|saw|found|gave|felt|ran|won"
    r"|lost|met)\b"
)


def narrated(talk: Talk, turn: Turn) -> list[Finding]:
    """Give the statement of a person's turn, if it is worth one."""
    called = names_called([*(speaker for speaker, _ in talk.before), talk.speaker])
    taken = heard(talk.content, turn, called)
    asked = asked_before(talk, turn)
    chosen = _chosen(taken, asked)
    bare = bool(chosen) and _answers_barely(asked, chosen[0])
    if not chosen or turn_score(taken, answers=bool(asked)) + 0.7 * bare < LEAST:
        return []
    content, safe = _statement(chosen, talk, turn, asked)
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
        + 0.6 * any(one.events for one in own)
        + 0.5 * taken.shows
        - 0.4 * sum(one.unsure for one in own)
        - 0.1 * taken.asks
    )


def asked_before(talk: Talk, turn: Turn) -> str:
    """Give the last question that the turn before asked of this speaker, "" for none."""
    earlier = talk.content[: turn.start].rstrip()
    if earlier:
        speaker, content = None, earlier.rsplit("\n", 1)[-1]
    elif talk.before:
        speaker, content = last_said(*talk.before[-1])
    else:
        return ""
    if speaker is not None and speaker == turn.name:
        return ""
    before = [one.text for one in sentences(content) if one.kind == "prose"]
    places = [place for place, text in enumerate(before) if is_question(text)]
    if not places or _COURTESY.search(before[places[-1]]):
        return ""
    question = before[places[-1]]
    if places[-1] > 0 and not _tells(question):
        # "That bowl is lovely. Did you make it?": the two tell together what one does not.
        both = f"{before[places[-1] - 1]} {question}"
        if points_to_something(before[places[-1] - 1]) and len(both) <= LONGEST_QUESTION:
            return both
    return question


def _tells(asked: str) -> bool:
    """Tell whether a question says by itself what it is about."""
    return (
        0 < len(asked) <= LONGEST_QUESTION
        and "\n" not in asked
        and (points_to_something(asked) or reference_of(_ASKING.sub("", asked)) != "dangling")
    )


def sentence_score(one: Candidate) -> float:
    """Give how much a sentence tells, to choose among those of a turn."""
    has = one.worth
    return (
        0.1 * has.content
        + 0.75 * min(2, has.names)
        + 0.55 * min(2, has.numbers)
        + 1.5 * has.times
        + 0.4 * has.events
        + 0.3 * has.himself
        + 0.2 * has.his
        - 0.4 * has.unsure
        - 0.6 * one.addressed
        - 1.0 * (PRESENTING.search(one.plain) is not None)
    )


def _chosen(taken: Heard, asked: str) -> list[Candidate]:
    """Choose sentences, best first, as long as they stay short; in the turn's order.

    One that points to what was said just before takes that along, or is left out.
    """
    stating = [one for one in taken.candidates if one.states]
    longest = max(SHORT, SHARE * sum(len(one.sentence.text) for one in taken.candidates))
    best = max(map(sentence_score, stating), default=0.0)
    places: set[int] = set()
    for place in sorted(range(len(stating)), key=lambda place: -sentence_score(stating[place])):
        low = sentence_score(stating[place]) <= max(0.2, 0.3 * best)
        if place in places or (low and not (place == 0 and _answers_barely(asked, stating[0]))):
            continue
        needed = _needed(place, stating, places, asked)
        length = sum(len(stating[one].plain) for one in places | needed)
        many = len(places | needed) > MOST_SENTENCES
        if not needed or (places and (many or length > longest)):
            continue
        places |= needed
    return [stating[place] for place in sorted(places)]


def _needed(
    place: int, stating: Sequence[Candidate], places: set[int], asked: str
) -> frozenset[int]:
    """Give which sentences a sentence needs to be understood, itself one; none: it cannot be."""
    before = " ".join(stating[one].plain for one in sorted(places) if one < place)
    one = stating[place]
    if reference_of(one.plain, before) != "dangling" or _is_told_by(asked, one, place):
        return frozenset({place})
    if place == 0:
        return frozenset()
    with_it = _needed(place - 1, stating, places, asked) if len(stating) < 12 else frozenset()
    if not with_it or reference_of(one.plain, stating[place - 1].plain) == "dangling":
        return frozenset()
    return with_it | {place}


def _answers_barely(asked: str, one: Candidate) -> bool:
    """Tell whether a sentence is an answer that says nothing without its question."""
    return _tells(asked) and is_fragment(one.plain) and one.worth.content > 1


def _is_told_by(asked: str, one: Candidate, place: int) -> bool:
    """Tell whether the question before a turn tells what its first sentence is about."""
    return place == 0 and _tells(asked) and not one.addressed and one.worth.content > 1


def _statement(chosen: Sequence[Candidate], talk: Talk, turn: Turn, asked: str) -> tuple[str, bool]:
    """Write the statement; whether it is one of the third person throughout."""
    name = turn.name
    first = chosen[0].plain
    if _tells(asked) and (reference_of(first) == "dangling" or is_fragment(first)):
        text = with_dates(joined([one.plain for one in chosen]), talk.said_at)
        if _HAN.search(text):
            return f"{name}（被问“{asked}”）：{text}", False
        return f'{name}, asked "{asked}": {text}', False
    told = [about(one.plain, name, f"{name}'s") for one in chosen]
    own = any(FIRST_PERSON.search(one.plain) for one in chosen)
    if all(told) and own and name in (told[0] or ""):
        return with_dates(joined([text or "" for text in told]), talk.said_at), True
    text = with_dates(joined([one.plain for one in chosen]), talk.said_at)
    colon = "：" if _HAN.search(text) else ": "
    return f"{name}{colon}{text}", False


def is_fragment(sentence: str) -> bool:
    """Tell whether a sentence is only an answer: no verb of its own."""
    if _HAN.search(sentence):
        return len(sentence) < 8
    if _SUBORDINATE.match(sentence):
        return "," not in sentence
    return _VERB.search(sentence) is None and FIRST_PERSON.search(sentence) is None


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
