"""Whether two sentences are the same statement, without a model (spec: lifecycle.md,
"De-duplication", step 2).

They are when their keys are equal, so sameness is an equivalence. The key holds the words of
meaning of each clause as a set, without inflection, and beside them what order and small words
say: what a marker (from, to, 把) or a bound (not, only, if) stands before, who does what, and which
number counts what. A pair that is missed costs a duplicate, a pair wrongly joined loses a
statement: where the rules cannot tell, the words stay in order, and two statements stay two.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from msgspec.structs import replace

from domain.distillation.finding import Finding
from domain.policies.kept_readings import kept_where_short
from domain.policies.same_statement_english import REQUESTS
from domain.policies.social import is_social
from domain.policies.statement import CHINESE
from domain.policies.statement_clauses import CONTENT, said_by
from domain.policies.statement_tokens import (
    tokens,
)
from domain.policies.statement_words import FRAMES_ENGLISH
from domain.policies.text import normalise

ALIKE: Final = 0.6
"""Jaccard coefficient from which the findings of one run may be one."""

NO_SYNONYMS: Final[Mapping[str, str]] = MappingProxyType({})

_CHINESE_RUN: Final = re.compile(f"[{CHINESE}]+")
_CODE: Final = re.compile(r"```|^ {4}\S|[{}]\s*$|;[^\S\n]*\n\s*\S", re.MULTILINE)
_BOUND: Final = re.compile(r"!|\d|:|^(?:was|will|would|could|may|must|should|or)$")
_LONGEST_COURTESY: Final = 32
_SAYING_NOTHING: Final = frozenset({"stop", "and", "be"})
_SPEAKS_OF_TIME: Final = re.compile(r"(?i)morning|noon|evening|night|later|soon|\d|早|晚|午|夜")


def statement_key(text: str, synonyms: Mapping[str, str] = NO_SYNONYMS) -> str:
    """Give what a sentence says in canonical form; equal keys are the same statement.

    ``synonyms`` maps words or phrases, in any case, to the word that stands for them.
    """
    return _key(_with(text, synonyms) if synonyms else text)


def same_statement(one: str, other: str, synonyms: Mapping[str, str] = NO_SYNONYMS) -> bool:
    """Tell whether two sentences say the same: reflexive, symmetric and transitive."""
    return statement_key(one, synonyms) == statement_key(other, synonyms)


def lexical_overlap(one: str, other: str) -> float:
    """Give how alike two texts are by their words, in [0, 1].

    It is the Jaccard coefficient, the larger of that of the English words of meaning, in their base
    forms, and that of the pairs of Chinese characters that stand side by side. Texts without either
    are alike only if equal. (P. Jaccard, New Phytologist 11(2), 1912.)
    """
    mine, theirs = _words_of(one), _words_of(other)
    if not any(mine) and not any(theirs):
        return float(normalise(one) == normalise(other))
    return max(_jaccard(a, b) for a, b in zip(mine, theirs, strict=True))


@kept_where_short(8192)
def _words_of(text: str) -> tuple[frozenset[str], frozenset[str]]:
    plain = _without_courtesy(text)
    english = {
        token.unit + ("+ed" if token.past else "")
        for token in tokens(_CHINESE_RUN.sub(" ", plain))
        if token.part in CONTENT or token.part in ("binding", "auxiliary")
    }
    runs = _CHINESE_RUN.findall(plain)
    pairs = {run[at : at + 2] for run in runs for at in range(max(1, len(run) - 1))}
    return frozenset(english), frozenset(pairs)


def _jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / len(one | other) if one and other else 0.0


def without_likes(findings: Sequence[Finding]) -> list[Finding]:
    """Make one of the findings of one run that are lexically alike: Jaccard of at least 0.6.

    Of two the fuller stays, of equals the first. Only what loses nothing is merged: all words of
    one stand in the other, and numbers, names, bounds and who does what agree. ``rests_on`` is kept
    pointing at what stayed; what the other depended on, the one that stayed depends on too.
    """
    if len(findings) == 1:
        return [_merged(findings[0], 0, findings, {0: 0})]
    stays: list[int] = []
    became: dict[int, int] = {}
    by_length = sorted(range(len(findings)), key=lambda at: (-_extent(findings[at].content), at))
    for at in by_length:
        like = next((s for s in stays if _is_within(findings[at].content, findings[s].content)), at)
        became[at] = like
        if like == at:
            stays.append(at)
    stays.sort()
    places = {at: stays.index(like) for at, like in became.items()}
    return [
        _merged(findings[at], own, [findings[b] for b in sorted(became) if became[b] == at], places)
        for own, at in enumerate(stays)
    ]


def _merged(
    stays: Finding, own: int, group: Sequence[Finding], places: Mapping[int, int]
) -> Finding:
    return replace(
        stays,
        depends_on=tuple(dict.fromkeys(i for one in [stays, *group] for i in one.depends_on)),
        rests_on=tuple(
            dict.fromkeys(
                places[at] for one in [stays, *group] for at in one.rests_on if places[at] != own
            )
        ),
        reinforces=stays.reinforces
        or next((one.reinforces for one in group if one.reinforces), None),
    )


def _extent(text: str) -> int:
    return sum(map(len, _words_of(text)))


def _is_within(part: str, whole: str) -> bool:
    """Tell whether a text is alike to another and says nothing that the other does not."""
    if statement_key(part) == statement_key(whole):
        return True
    if lexical_overlap(part, whole) < ALIKE:
        return False
    said, known = (set(statement_key(one).split()) for one in (part, whole))
    return said <= known and not any(_BOUND.search(one) for one in known - said)


@kept_where_short(8192)
def _key(text: str) -> str:
    if _CODE.search(text):
        return "=" + normalise(text)
    read = tokens(_without_courtesy(text))
    if sum(token.part not in _SAYING_NOTHING for token in read) > 1 and (said := said_by(read)):
        return said
    # One word is no statement: what was left out may be what was meant.
    return "=" + (" ".join(re.findall(r"\w+", text.casefold())) or normalise(text))


# --- what is said around a statement -----------------------------------------------------------


def _without_courtesy(text: str) -> str:
    plain = text.replace("’", "'")
    asked = ""
    while asked != plain:
        asked, plain = plain, FRAMES_ENGLISH.sub("", REQUESTS.sub(" ", plain))
    parts = re.split(r"([.,;:!?。，；：！？\n]+(?=\s|$|[^\x00-\x7f]))", plain)
    if sum(bool(part.strip()) for part in parts[::2]) < 2:
        return plain
    kept = [
        part
        for part in parts
        if not part.strip()
        or len(part) > _LONGEST_COURTESY
        or _SPEAKS_OF_TIME.search(part)
        or not is_social(part)
    ]
    return "".join(kept)


def _with(text: str, synonyms: Mapping[str, str]) -> str:
    """Put the words that stand for others in their place, the longest phrases first."""
    known = {phrase.casefold(): _final(phrase.casefold(), synonyms) for phrase in synonyms}
    pattern = "|".join(
        rf"(?<![^\W_]){re.escape(p)}(?![^\W_])" if p.isascii() else re.escape(p)
        for p in sorted(known, key=len, reverse=True)
    )
    return re.sub(pattern, lambda found: known[found.group().casefold()], text, flags=re.IGNORECASE)


def _final(phrase: str, synonyms: Mapping[str, str]) -> str:
    folded = {name.casefold(): meaning for name, meaning in synonyms.items()}
    seen = {phrase}
    while (meaning := folded.get(phrase)) is not None and meaning.casefold() not in seen:
        phrase = meaning.casefold()
        seen.add(phrase)
    # Of words that stand for each other in a circle, one must stand for all.
    return phrase if folded.get(phrase) is None else min(seen)
