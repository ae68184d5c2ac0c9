"""Whether a sentence only says again what one of a set of texts says (for `own_output`)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations, pairwise
from typing import Final

from msgspec import Struct

from domain.policies import statement_words as words
from domain.policies.context_block import reference, unescaped
from domain.policies.statement import (
    Clause,
    Statement,
    is_character,
    is_number,
    joined,
    statement,
)
from domain.policies.text import normalise
from domain.settings import PolicySettings

LEAST_WEIGHT: Final = 2.0
"""Words of meaning that a sentence must have to be known by them alone."""

IN_ORDER: Final = 0.6
"""Share of a sentence's words that must stand in the served text's order."""

FEW: Final = 4
IN_ORDER_OF_MANY: Final = 0.5
"""The same, of four words or more."""

DIRECTED: Final = 0.85
"""The same, where the order says who does what to whom."""

LONG: Final = 12.0
"""Words of meaning from which one changed word leaves a text the same, if its 8-grams say so."""

_SENTENCES: Final = re.compile(r"(?<=[.。!！?？])(?=\s|[^\x00-\x7f])\s*|\n+")
_SPEAKER: Final = re.compile(r"^[\w .'-]{1,40}[:：]\s+(?=\S)")


class Served(Struct, frozen=True):
    """A text that was handed out; of which memory, None for an episode's."""

    text: str
    memory_id: str | None = None


def says_nothing_beyond(said: Statement, other: Statement) -> bool:
    """Tell whether a sentence only says what another text says, or part of it."""
    return any(part.turning == said.whole.turning for part in _parts_saying(said, other))


class KnownTexts:
    """The served texts, prepared: by digest, by reference, by the words in them."""

    def __init__(self, served: Sequence[Served], policy: PolicySettings) -> None:
        self._policy = policy
        self._served = served
        self._exact: dict[str, str] | None = None
        self._by_word: dict[str, set[int]] = {}
        self._statements: list[tuple[str, str, Statement]] = []

    def holders_of_exactly(self, sentence: str) -> list[str]:
        """Give whose text this is, or a sentence of; [] for none."""
        if not self._served:
            return []
        self._prepare()
        assert self._exact is not None
        exact = self._exact.get(bare(sentence))
        return [] if exact is None else [exact]

    def holders_of(self, clauses: Sequence[str]) -> list[str]:
        """Give whose texts these clauses of one sentence say, "" for an episode's; [] for none.

        One text says them all, or each is said by one and names what that text begins with: of "the
        backup is on Monday" the clause "on Monday" is nothing, beside another subject.
        """
        if not self._served or not clauses:
            return []
        self._prepare()
        said = [statement(clause) for clause in clauses]
        found = [
            self._saying(clause, one, long=len(said) == 1)
            for clause, one in zip(clauses, said, strict=True)
        ]
        everywhere = set(found[0]).intersection(*found[1:])
        for at in sorted(everywhere):
            if _turned_alike(said, self._statements[at][2]):
                return [self._statements[at][0]]
        alone = [
            next((at for at in places if self._says_alone(at, one)), None)
            for places, one in zip(found, said, strict=True)
        ]
        return [] if None in alone else [self._statements[at][0] for at in alone if at is not None]

    def has_other_numbers(self, marked: str, text: str) -> bool:
        """Tell whether a line with a reference has other numbers than the text it refers to."""
        said = next((one.text for one in self._served if reference(one.text) == marked), None)
        return said is not None and not _numbers(text) <= _numbers(said)

    def _saying(self, sentence: str, said: Statement, *, long: bool) -> list[int]:
        """Give the numbers of the texts that say a clause."""
        if said.weight < LEAST_WEIGHT:
            return []
        allowed = 2 if long and said.weight >= LONG else 0
        counts: dict[int, int] = {}
        for unit in set(said.units):
            for at in self._by_word.get(unit, ()):
                counts[at] = counts.get(at, 0) + 1
        needed = len(set(said.units)) - allowed
        return [
            at
            for at in sorted(at for at, count in counts.items() if count >= needed)
            if any(_parts_saying(said, self._statements[at][2]))
            or (allowed and self._nearly(sentence, said, *self._statements[at][1:]))
        ]

    def _says_alone(self, at: int, said: Statement) -> bool:
        """Tell whether a text says a clause, and the clause names what the text begins with."""
        other = self._statements[at][2]
        return _head(other.whole) in {*said.units, None} and says_nothing_beyond(said, other)

    def _nearly(self, sentence: str, said: Statement, text: str, other: Statement) -> bool:
        missing = _missing(said, other.whole)
        # Of Chinese a word has two characters.
        most = 2 if all(map(is_character, missing)) else 1
        hard = said.names.union(filter(is_number, said.units), (u for u, _ in said.whole.turning))
        return (
            len(missing) <= most
            and hard.isdisjoint(missing)
            and said.whole.turning == other.whole.turning
            and _has_verb(said, other.whole)
            and _in_order(said, other.whole, other)
            and _overlap(sentence, text) >= self._policy.own_output_overlap
        )

    def _prepare(self) -> None:
        if self._exact is not None:
            return
        self._exact = {}
        for one in self._served:
            for part in _parts_of(one.text):
                self._exact.setdefault(bare(part), one.memory_id or "")
            reduced = statement(_without_speaker(one.text))
            at = len(self._statements)
            self._statements.append((one.memory_id or "", one.text, reduced))
            for unit in set(reduced.units):
                self._by_word.setdefault(unit, set()).add(at)


def _numbers(text: str) -> frozenset[str]:
    return frozenset(filter(is_number, statement(text).units))


def _parts_saying(said: Statement, other: Statement) -> Iterator[Clause]:
    """Give what of a text says all that a sentence says, but for what turns either round."""
    for part in _parts_that_may_say(said, other):
        if not _missing(said, part) and _has_verb(said, part) and _in_order(said, part, other):
            yield part


def _has_verb(said: Statement, part: Clause) -> bool:
    """Tell whether a verb of little meaning has its like."""
    return part.general or not said.whole.general


def _parts_that_may_say(said: Statement, other: Statement) -> Iterator[Clause]:
    """Give each clause of a text, and those clauses together that a sentence takes words from.

    Where it takes words from several, it must name what each of them begins with, none may be
    turned round, and no two may be alike: of "A likes tea and B likes coffee" nobody may read that
    A likes coffee, of "never on Friday, but on Monday" nothing about Monday.
    """
    yield from other.clauses
    wanted = set(said.units)
    taken = []
    for at, clause in enumerate(other.clauses):
        elsewhere = {u for i, c in enumerate(other.clauses) if i != at for u in c.units}
        if wanted.intersection(clause.units) - elsewhere:
            taken.append(clause)
    if len(taken) < 2 or any(clause.turning for clause in taken):
        return
    named = all(_head(clause) in {*wanted, None} for clause in taken)
    if named and not any(_are_alike(one, two) for one, two in combinations(taken, 2)):
        yield joined(taken)


def _are_alike(one: Clause, two: Clause) -> bool:
    """Tell whether two clauses share a word."""
    words_of_one = {unit for unit in one.units if not is_character(unit)} | one.pairs
    return not words_of_one.isdisjoint({*two.units, *two.pairs})


def _missing(said: Statement, part: Clause) -> tuple[str, ...]:
    """Give the units of a sentence that a part of a text has not."""
    has = set(part.units)
    covered = {c for pair in said.whole.pairs & part.pairs for c in pair}
    return tuple(
        unit
        for unit in said.units
        if unit not in has or (is_character(unit) and unit not in covered)
    )


def _turned_alike(said: Sequence[Statement], other: Statement) -> bool:
    """Tell whether the clauses of a sentence are turned round as the text's are that they say."""
    turning = frozenset[tuple[str, str]]().union(*(one.whole.turning for one in said))
    units = {unit for one in said for unit in one.units}
    taken = joined([clause for clause in other.clauses if units.intersection(clause.units)])
    if turning == taken.turning:
        return True
    return all(
        any(part.turning == one.whole.turning for part in _parts_saying(one, other)) for one in said
    )


def _head(clause: Clause) -> str | None:
    """Give what a clause is about: its first unit, but for the owner, who is also called you."""
    return next((unit for unit in clause.units if unit not in words.OWNER), None)


def _in_order(said: Statement, part: Clause, other: Statement) -> bool:
    """Tell whether who does what to whom is the same, as far as order shows it."""
    known = set(part.units)
    shared = [unit for unit in said.units if unit in known]
    names = said.names | other.names
    for fixed in ([u for u in shared if u in names], [u for u in shared if is_number(u)]):
        loose = [unit for unit in fixed if not _is_anchored(unit, said.units, part.units)]
        if _common(loose, part.units) < len(loose):
            return False
        if loose and _common(fixed, part.units) < len(fixed):
            return False
    needed = IN_ORDER if len(shared) < FEW else IN_ORDER_OF_MANY
    if said.ordered:
        needed = DIRECTED
    return _common(shared, part.units) >= needed * len(shared)


def _is_anchored(unit: str, said: Sequence[str], other: Sequence[str]) -> bool:
    """Tell whether a name or a number stands behind the same word, behind which stands no other."""
    before = {a for a, b in pairwise(said) if b == unit}
    return bool(before) and all(
        {b for a, b in pairwise(other) if a == word} == {unit} for word in before
    )


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """Give the length of the longest common subsequence."""
    row = [0] * (len(other) + 1)
    for unit in one:
        before = 0
        for at, candidate in enumerate(other, 1):
            row[at], before = (
                max(row[at], row[at - 1], before + 1 if unit == candidate else 0),
                row[at],
            )
    return row[-1]


def _overlap(one: str, other: str) -> float:
    """Give the share of a text's 8-grams of characters that another holds."""
    mine, theirs = _grams(bare(one)), _grams(bare(other))
    return len(mine & theirs) / len(mine) if mine else 0.0


def _grams(text: str) -> frozenset[str]:
    return frozenset(text[i : i + 8] for i in range(len(text) - 7))


@lru_cache(maxsize=4096)
def _parts_of(text: str) -> tuple[str, ...]:
    """Give a served text whole, and its sentences."""
    parts = dict.fromkeys((text, _without_speaker(text)))
    for whole in list(parts):
        parts.update(dict.fromkeys(_SENTENCES.split(whole)))
    return tuple(part for part in parts if part.strip())


def _without_speaker(text: str) -> str:
    return _SPEAKER.sub("", text)


@lru_cache(maxsize=8192)
def bare(text: str) -> str:
    """Give a text without quoting marks, case and punctuation at its ends, as two are compared."""
    plain = normalise(unescaped(text)).casefold().strip(" \t\n.。!！,，;；:：\"'“”‘’*_`>-•")
    return " ".join(plain.split())
