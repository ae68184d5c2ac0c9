"""What each clause of a text says, as far as order does not say it, for `same_statement`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from domain.policies.same_statement_english import set_of
from domain.policies.statement_token import (
    COLON,
    INSIDE,
    POSSESSIVE,
    STOP,
    TURNED_BE,
    Token,
    is_chinese,
)
from domain.policies.statement_tokens import SUBORDINATING

MOST_LOOSE: Final = 2
"""Clauses that may come in any order; of more, what belongs to what is in their order."""

CONTENT: Final = frozenset({"thing", "inert", "number", "verb", "adverb"})
"""Parts of words that mean something by themselves."""

_SUBJECT_MARKERS: Final = frozenset({"由", "被", "让", "叫"})
_DOING: Final = _SUBJECT_MARKERS | {""}
_SILENT_MARKERS: Final = _SUBJECT_MARKERS | {"把"}
_NEGATING: Final = frozenset({"not", "never", "不", "不要", "没", "未", "从不"})
_MARKS_BEFORE: Final = {POSSESSIVE.unit: "of", INSIDE.unit: "@"}
_PARTICLES: Final = frozenset({"off", "up", "out", "down", "along", "around"})
_PRONOUNS: Final = set_of("我 你 他 她 它 我们 你们 他们 她们 它们 i you he she we they")
_AFTER_WHAT_THEY_BOUND: Final = set_of("以前 以后")
_OF: Final = frozenset({"of", POSSESSIVE.unit})
_MARKERS_OF_PLACE: Final = frozenset({"@", "of"})


def said_by(said: Sequence[Token]) -> str:
    """Give the words of meaning of each clause as a set, with what order and small words say.

    Two clauses may come in any order. "" for a text that says nothing.
    """
    clauses = [_clause_key(clause) for clause in _clauses(said)]
    loose = len(clauses) <= MOST_LOOSE
    return " ; ".join(sorted(set(clauses) - {""}) if loose else clauses)


def _clauses(said: Sequence[Token]) -> list[list[Token]]:
    """Part a text where both sides have a verb; what has none goes with what it stands beside."""
    segments: list[list[Token]] = [[]]
    for token in said:
        if token.part in ("stop", "and") or (
            token.unit in SUBORDINATING and token.part == "binding"
        ):
            segments.append([token])
        else:
            segments[-1].append(token)
            if token.unit in _AFTER_WHAT_THEY_BOUND and _has_verb(segments[-1]):
                segments.append([])
    clauses: list[list[Token]] = []
    waiting: list[Token] = []
    for segment in segments:
        if not _stands_alone(segment):
            if clauses and segment:
                clauses[-1].extend(segment)
            else:
                waiting.extend(segment)
            continue
        clauses.append([*waiting, *segment])
        waiting = []
    return [*clauses, waiting] if waiting else clauses


def _has_verb(segment: Sequence[Token]) -> bool:
    return any(token.part in ("verb", "be", "auxiliary") for token in segment)


def _stands_alone(segment: Sequence[Token]) -> bool:
    """Tell whether a part has a verb, or says of something where or for what it is."""
    if _has_verb(segment):
        return True
    said = [token for token in segment if token.part not in ("stop", "and")]
    if len(said) > 1 and said[0].part == "binding" and said[0].unit in SUBORDINATING:
        return True
    return (
        any(token.part == "marker" and token.unit not in _OF for token in said)
        and said[0].part in CONTENT
        and said[-1].part != "marker"
    )


def _clause_key(clause: Sequence[Token]) -> str:
    content = [token for token in clause if token.part in CONTENT]
    doing = _doing(clause)
    passive = {at for at, (_, is_passive) in doing.items() if is_passive}
    said = {
        token.unit + ("+ed" if token.past and at not in passive else "")
        for at, token in enumerate(clause)
        if token.part in CONTENT or (token.part in ("auxiliary", "and") and token.unit)
    }
    if passive and "was" in said:
        said -= {"was"}
        said |= {clause[at].unit + "+ed" for at in passive}
        said -= {clause[at].unit for at in passive}
    others = sum(token.part in ("thing", "verb") for token in content)
    bonds = list(_bonds(clause, passive, others))
    said.update(bonds)
    said.update(_in_order(clause, bonds))
    if others > 2:
        said.update(
            f"{clause[at].unit}<{_named(clause, who)}"
            for at, (who, _) in doing.items()
            if who is not None and _could_do_it(clause, who)
        )
    said.update(_counts(clause))
    said.update(_joined(clause))
    if not any(token.part in ("verb", "be") or token == COLON for token in clause):
        free = [
            t.unit for at, t in enumerate(clause) if t.part == "thing" and not _mark(clause, at)
        ]
        if len(free) > 2:
            said.add(">".join(free))
    return " ".join(sorted(said))


def _in_order(clause: Sequence[Token], bonds: Sequence[str]) -> Iterator[str]:
    """Give what must stand in its order, as only that says what belongs to what."""
    marks = list(dict.fromkeys(bond for bond in bonds if ":" in bond))
    kinds = [mark.partition(":")[0] for mark in marks]
    if len(set(kinds)) < len(kinds):
        yield ">".join(marks)
    for at in range(1, len(clause)):
        one, two = clause[at - 1], clause[at]
        if one.part == two.part == "thing" and _is_said_of(clause, at):
            yield f"{one.unit}_{two.unit}"
    content = [token for token in clause if token.part in CONTENT]
    telling = [token for token in clause if token.part in CONTENT or token.part == "binding"]
    verbs = [at for at, token in enumerate(telling) if token.part == "verb"]
    counts = [count.partition("#")[2] for count in _counts(clause)]
    if any(two - one > 1 for one, two in pairwise(verbs)) or len(set(counts)) < len(counts):
        yield ">".join(token.unit for token in content if token.part != "adverb")


def _doing(clause: Sequence[Token]) -> dict[int, tuple[int | None, bool]]:
    """Give for each verb who does it, None where that is not said, and whether it is done to it."""
    found: dict[int, tuple[int | None, bool]] = {}
    for at, token in enumerate(clause):
        if token.part != "verb" or _follows_verb(clause, at):
            continue
        if token.past and _is_passive(clause, at):
            agent = _agent(clause, at)
            found[at] = (agent, agent is not None)
        else:
            found[at] = (_subject(clause, at), False)
    return found


def _follows_verb(clause: Sequence[Token], at: int) -> bool:
    before = [token for token in clause[:at] if token.part != "be"]
    return bool(before) and before[-1].part == "verb"


def _is_passive(clause: Sequence[Token], verb: int) -> bool:
    for token in reversed(clause[:verb]):
        if token.part == "be" or token.unit == "was":
            return True
        if token.part not in ("binding", "adverb", "auxiliary"):
            return False
    return False


def _agent(clause: Sequence[Token], verb: int) -> int | None:
    """Give by whom a verb is done: the last word of what follows "by"."""
    by = next((at for at, t in enumerate(clause) if at > verb and t.unit == "by"), None)
    return None if by is None else _end_of_run(clause, by)


def _subject(clause: Sequence[Token], verb: int) -> int | None:
    """Give the nearest thing before a verb that no marker has taken."""
    for at in range(verb - 1, -1, -1):
        if clause[at].part == "stop":
            break
        if clause[at].part == "thing" and _mark(clause, at) in _DOING:
            return at
    turned = next((at for at, t in enumerate(clause) if at > verb and t == TURNED_BE), None)
    return None if turned is None else _end_of_run(clause, turned)


def _end_of_run(clause: Sequence[Token], before: int) -> int | None:
    """Give the last of the things that follow a word without another between."""
    end = before
    while (
        end + 1 < len(clause)
        and clause[end + 1].part == "thing"
        and (end == before or not clause[end + 1].begins)
    ):
        end += 1
    return None if end == before else end


def _named(clause: Sequence[Token], who: int) -> str:
    """Give a thing with what is said of it just before."""
    start = who
    while (
        _has_beside(clause, start)
        and clause[start - 1].part == "thing"
        and _mark(clause, start - 1) in _DOING
    ):
        start -= 1
    return "_".join(token.unit for token in clause[start : who + 1])


def _could_do_it(clause: Sequence[Token], who: int) -> bool:
    """Tell whether something else stands in the clause that could do it as well."""
    start = who
    while _has_beside(clause, start):
        start -= 1
    return any(
        token.part == "thing" and not start <= at <= who and _mark(clause, at) in _DOING | {"把"}
        for at, token in enumerate(clause)
    )


def _has_beside(clause: Sequence[Token], at: int) -> bool:
    """Tell whether the word before a thing may be said of it."""
    return (
        at > 0
        and clause[at - 1].part in ("thing", "inert")
        and not clause[at].begins
        and clause[at].unit not in _PRONOUNS
    )


def _is_said_of(clause: Sequence[Token], at: int) -> bool:
    """Tell whether a thing is said of what follows it; what says where in Chinese is not."""
    unit = clause[at - 1].unit
    if not _has_beside(clause, at) or unit in _PRONOUNS:
        return False
    return not is_chinese(unit) or _mark(clause, at - 1) in _DOING | _OF


def _mark(clause: Sequence[Token], at: int) -> str:
    """Give the marker that has taken a thing, "" for none."""
    run = at
    while run + 1 < len(clause) and clause[run + 1].part == "thing":
        run += 1
    if run + 1 < len(clause) and clause[run + 1].unit in _MARKS_BEFORE:
        return _MARKS_BEFORE[clause[run + 1].unit]
    before = at - 1
    while before >= 0 and clause[before].part in ("binding", "adverb"):
        before -= 1
    if before >= 0 and clause[before].part == "marker" and not _is_behind(clause, before):
        return clause[before].unit
    while before >= 0 and clause[before].part == "thing":
        before -= 1
    # What is said of a thing stands together; what says where may be followed by who.
    return "of" if before >= 0 and clause[before].unit == "of" else ""


def _is_behind(clause: Sequence[Token], marker: int) -> bool:
    """Tell whether a marker belongs to what stands before it."""
    unit = clause[marker].unit
    return unit in _MARKS_BEFORE or (
        marker > 0 and clause[marker - 1].part == "verb" and unit in _PARTICLES
    )


def _bonds(clause: Sequence[Token], passive: set[int], others: int) -> Iterator[str]:
    """Give each marker and each bound with the word that it stands before."""
    for at, token in enumerate(clause):
        if token.part == "marker":
            mark = _MARKS_BEFORE.get(token.unit, token.unit)
            bound = _marked(clause, at)
            if mark in _SILENT_MARKERS or (mark == "by" and passive):
                continue
            if mark in _MARKERS_OF_PLACE:
                if bound is None or bound.part != "thing":
                    continue
                if mark == "of" and (others < 3 or bound.unit in _PRONOUNS):
                    continue
            elif bound is None:
                bound = _next(clause[:at][::-1])
            yield f"{mark}:{bound.unit if bound else ''}"
        elif token.part == "binding":
            bound = _bound(clause, at) or _next(clause[:at][::-1])
            yield f"{token.unit}!{bound.unit if bound else ''}"


def _marked(clause: Sequence[Token], at: int) -> Token | None:
    if clause[at].unit in _MARKS_BEFORE:
        return clause[at - 1] if at else None
    if at and clause[at - 1].part == "verb" and clause[at].unit in _PARTICLES:
        return clause[at - 1]
    if clause[at].unit == "of" and (end := _end_of_run(clause, at)) is not None:
        return clause[end]
    following = _next(clause[at + 1 :])
    is_turned = following is None and any(token.part == "be" for token in clause[:at])
    # Redis is what it depends on; it is Redis that it depends on.
    return _next(clause) if is_turned else following


def _bound(clause: Sequence[Token], at: int) -> Token | None:
    """Give the word that a bound stands before; a negation looks past what says where and when."""
    following = clause[at + 1 :]
    if clause[at].unit in _AFTER_WHAT_THEY_BOUND and at and clause[at - 1].part in CONTENT:
        return clause[at - 1]
    if clause[at].unit in _NEGATING and following and following[0].part == "marker":
        past = _next(following[2:])
        if past is not None:
            return past
    return _next(following)


def _next(following: Sequence[Token]) -> Token | None:
    return next((token for token in following if token.part in CONTENT), None)


def _counts(clause: Sequence[Token]) -> Iterator[str]:
    """Give, where there are several numbers, each with what it stands beside."""
    numbers = [at for at, token in enumerate(clause) if token.part == "number"]
    for at in numbers if len(numbers) > 1 else ():
        beside = clause[at + 1] if at + 1 < len(clause) else STOP
        if beside.part not in CONTENT or beside.part == "number":
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
        if token.part in ("thing", "inert", "number"):
            found.append(token.unit)
        elif token != POSSESSIVE:
            break
    return found
