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
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from msgspec.structs import replace

from domain.distillation.finding import Finding
from domain.policies.same_statement_english import REQUESTS
from domain.policies.social import is_social
from domain.policies.statement import CHINESE
from domain.policies.statement_tokens import STOP, SUBORDINATING, Token, tokens
from domain.policies.statement_words import FRAMES_ENGLISH
from domain.policies.text import normalise

ALIKE: Final = 0.6
"""Jaccard coefficient from which the findings of one run may be one."""

NO_SYNONYMS: Final[Mapping[str, str]] = MappingProxyType({})

_CHINESE_RUN: Final = re.compile(f"[{CHINESE}]+")
_CODE: Final = re.compile(r"```|^ {4}\S|[{};]\s*$", re.MULTILINE)
_BOUND: Final = re.compile(r"!|\d|:|^(?:was|will|would|could|may|must|should|or)$")
_CONTENT: Final = frozenset({"thing", "inert", "number", "verb", "adverb"})
_SUBJECT_MARKERS: Final = frozenset({"由", "被", "让", "叫"})
_SILENT_MARKERS: Final = _SUBJECT_MARKERS | {"把"}
_MARKERS_OF_PLACE: Final = frozenset({"@", "of"})
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


@lru_cache(maxsize=8192)
def _words_of(text: str) -> tuple[frozenset[str], frozenset[str]]:
    plain = _without_courtesy(text)
    english = {
        token.unit + ("+ed" if token.past else "")
        for token in tokens(_CHINESE_RUN.sub(" ", plain))
        if token.part in _CONTENT or token.part in ("binding", "auxiliary")
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


@lru_cache(maxsize=8192)
def _key(text: str) -> str:
    if _CODE.search(text):
        return "=" + normalise(text)
    clauses = {_clause_key(clause) for clause in _clauses(tokens(_without_courtesy(text)))}
    said = " ; ".join(sorted(clauses - {""}))
    return said or "=" + " ".join(re.findall(r"\w+", text.casefold())) or "=" + normalise(text)


# --- what is said around a statement -----------------------------------------------------------


def _without_courtesy(text: str) -> str:
    plain = text.replace("’", "'")
    asked = ""
    while asked != plain:
        asked, plain = plain, FRAMES_ENGLISH.sub("", REQUESTS.sub(" ", plain))
    parts = re.split(r"([.,;:!?。，；：！？\n]+(?=\s|$|[^\x00-\x7f]))", plain)
    kept = [
        part
        for part in parts
        if not part.strip()
        or len(part) > _LONGEST_COURTESY
        or _SPEAKS_OF_TIME.search(part)
        or not is_social(part)
    ]
    return "".join(kept)


_LONGEST_COURTESY: Final = 40


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


# --- clauses -----------------------------------------------------------------------------------


def _clauses(said: Sequence[Token]) -> list[list[Token]]:
    """Part a text where both sides have a verb; what has none goes with what it stands beside."""
    segments: list[list[Token]] = [[]]
    for token in said:
        if (
            token is STOP
            or token.part == "and"
            or (token.unit in SUBORDINATING and token.part == "binding")
        ):
            segments.append([token])
        else:
            segments[-1].append(token)
    clauses: list[list[Token]] = []
    waiting: list[Token] = []
    for segment in segments:
        if not any(token.part in ("verb", "be", "auxiliary") for token in segment):
            if clauses and segment:
                clauses[-1].extend(segment)
            else:
                waiting.extend(segment)
            continue
        clauses.append([*waiting, *segment])
        waiting = []
    return [*clauses, waiting] if waiting else clauses


def _clause_key(clause: Sequence[Token]) -> str:
    content = [token for token in clause if token.part in _CONTENT]
    doing = _doing(clause)
    passive = {at for at, (_, is_passive) in doing.items() if is_passive}
    said = {
        token.unit + ("+ed" if token.past and at not in passive else "")
        for at, token in enumerate(clause)
        if token.part in _CONTENT or (token.part in ("auxiliary", "and") and token.unit)
    }
    if passive and "was" in said:
        said -= {"was"}
        said |= {clause[at].unit + "+ed" for at in passive}
        said -= {clause[at].unit for at in passive}
    others = sum(token.part in ("thing", "verb") for token in content)
    said.update(_bonds(clause, passive, others))
    if others > 2:
        said.update(f"{clause[at].unit}<{who}" for at, (who, _) in doing.items() if who)
    said.update(_counts(clause))
    said.update(_joined(clause))
    if not any(token.part in ("verb", "be") for token in clause):
        free = [
            t.unit for at, t in enumerate(clause) if t.part == "thing" and not _mark(clause, at)
        ]
        if len(free) > 2:
            said.add(">".join(free))
    return " ".join(sorted(said))


def _doing(clause: Sequence[Token]) -> dict[int, tuple[str, bool]]:
    """Give for each verb who does it, "" where that is not said, and whether it is done to it."""
    found = {}
    for at, token in enumerate(clause):
        if token.part != "verb":
            continue
        if token.past and _is_passive(clause, at):
            agent = _agent(clause, at)
            found[at] = (agent, bool(agent))
        else:
            found[at] = (_subject(clause, at), False)
    return found


def _is_passive(clause: Sequence[Token], verb: int) -> bool:
    for token in reversed(clause[:verb]):
        if token.part == "be" or token.unit == "was":
            return True
        if token.part not in ("binding", "adverb", "auxiliary"):
            return False
    return False


def _agent(clause: Sequence[Token], verb: int) -> str:
    """Give whom a verb is done by: the last word of what follows "by"."""
    by = next((at for at, t in enumerate(clause) if at > verb and t.unit == "by"), None)
    who = ""
    for token in clause[by + 1 :] if by is not None else ():
        if token.part != "thing":
            break
        who = token.unit
    return who


def _subject(clause: Sequence[Token], verb: int) -> str:
    """Give the nearest thing before a verb that no marker has taken."""
    for at in range(verb - 1, -1, -1):
        token = clause[at]
        if token is STOP or token.unit == "|":
            return ""
        if token.part != "thing":
            continue
        mark = _mark(clause, at)
        if not mark or mark in _SUBJECT_MARKERS:
            return token.unit
    return ""


def _mark(clause: Sequence[Token], at: int) -> str:
    """Give the marker that stands directly before a thing, "" for none."""
    before = clause[at - 1] if at else STOP
    return before.unit if before.part == "marker" and before.unit != "'s" else ""


def _bonds(clause: Sequence[Token], passive: set[int], others: int) -> Iterator[str]:
    """Give each marker and each bound with the word that it stands before."""
    for at, token in enumerate(clause):
        if token.part == "marker":
            if token.unit == "'s":
                mark, bound = "of", _next(clause[:at][::-1])
            else:
                mark, bound = token.unit, _next(clause[at + 1 :])
            if mark in _SILENT_MARKERS or (mark == "by" and passive):
                continue
            if mark in _MARKERS_OF_PLACE:
                if bound is None or bound.part != "thing" or (mark == "of" and others < 3):
                    continue
            elif bound is None:
                bound = _next(clause[:at][::-1])
            yield f"{mark}:{bound.unit if bound else ''}"
        elif token.part == "binding":
            bound = _next(clause[at + 1 :]) or _next(clause[:at][::-1])
            yield f"{token.unit}!{bound.unit if bound else ''}"


def _next(following: Sequence[Token]) -> Token | None:
    return next((token for token in following if token.part in _CONTENT), None)


def _counts(clause: Sequence[Token]) -> Iterator[str]:
    """Give, where there are several numbers, each with what it stands beside."""
    numbers = [at for at, token in enumerate(clause) if token.part == "number"]
    for at in numbers if len(numbers) > 1 else ():
        beside = clause[at + 1] if at + 1 < len(clause) else STOP
        if beside.part not in _CONTENT or beside.part == "number":
            beside = clause[at - 1] if at else STOP
        yield f"{clause[at].unit}#{beside.unit}"


def _joined(clause: Sequence[Token]) -> Iterator[str]:
    """Give, on both sides of an "and" between several words, the words that belong together."""
    for at, token in enumerate(clause):
        if token.part == "and":
            left = _run(clause[:at][::-1])[::-1]
            right = _run(clause[at + 1 :])
            if len(left) + len(right) > 2:
                yield "_".join(left)
                yield "_".join(right)


def _run(following: Sequence[Token]) -> list[str]:
    found = []
    for token in following:
        if token.part not in ("thing", "inert", "number"):
            break
        found.append(token.unit)
    return found
