"""Whether a sentence only says again what one of a set of texts says (for `own_output`)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations, pairwise
from typing import Final

from domain.policies.context_block import reference
from domain.policies.served_index import ServedIndex
from domain.policies.served_text import Served, bare, sentences_of, without_speaker
from domain.policies.statement import (
    Clause,
    Statement,
    head,
    is_character,
    is_number,
    joined,
    statement,
)
from domain.settings import DEFAULT_POLICY, PolicySettings

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

_WITHIN_WORD: Final = re.compile(r"[a-zA-Z0-9]{2}|\d[.,:]|[.,:]\d")
"""Two characters of one word or number."""

_AT_ONCE: Final = 32
"""Texts that are looked up together."""

_UNSURE_AT_A_CUT: Final = 3
"""Units that a text may seem to lack where it was cut within a Chinese word."""

LookUp = Callable[[Sequence[int]], Mapping[int, Served]]
"""Gives those of these texts that were served to who asks, by number."""


def says_nothing_beyond(said: Statement, other: Statement) -> bool:
    """Tell whether a sentence only says what another text says, or part of it."""
    return any(part.turning == said.whole.turning for part in _parts_saying(said, other))


def known_texts(served: Sequence[Served], policy: PolicySettings = DEFAULT_POLICY) -> KnownTexts:
    """Give these texts, the latest first, as texts that are known."""
    index = ServedIndex(1 + sum(len(one.text) for one in served))  # whatever they hold
    by_number = dict(zip(range(len(served), 0, -1), served, strict=True))
    for number, one in by_number.items():
        index.add(number, one.text)
    return KnownTexts(index, lambda numbers: {at: by_number[at] for at in numbers}, policy)


class KnownTexts:
    """What was served to one agent: found through an index, then looked up and compared."""

    def __init__(self, index: ServedIndex, look_up: LookUp, policy: PolicySettings) -> None:
        self._index = index
        self._look_up = look_up
        self._policy = policy
        self._seen: dict[int, Served | None] = {}

    def __bool__(self) -> bool:
        """Tell whether anything is known."""
        return len(self._index) > 0

    def holders_of_exactly(self, sentence: str) -> list[str]:
        """Give whose text this is, or a sentence of; [] for none."""
        said = bare(sentence)
        places = self._index.with_sentence(said) if said else []
        for one in self._served(places):
            if said in sentences_of(one.text):
                return [_holder(one)]
        return []

    def holders_of_beginning(self, beginning: str) -> list[str]:
        """Give whose text has a sentence that begins so and was cut there; [] for none."""
        said = bare(beginning)
        units = statement(without_speaker(beginning)).units
        if not units:
            return []
        missing = min(_UNSURE_AT_A_CUT, (len(set(units)) - 1) // 2)
        for one in self._served(self._index.with_units(units, missing)):
            if any(_begins(part, said) for part in sentences_of(one.text)):
                return [_holder(one)]
        return []

    def holders_of(self, clauses: Sequence[str]) -> list[str]:
        """Give whose texts these clauses of one sentence say, "" for an episode's; [] for none.

        One text says them all, or each is said by one and names what that text begins with: of "the
        backup is on Monday" the clause "on Monday" is nothing, beside another subject.
        """
        said = [statement(clause) for clause in clauses]
        if not said or any(one.weight < LEAST_WEIGHT for one in said):
            return []
        long = len(said) == 1 and said[0].weight >= LONG
        found = [self._index.with_units(one.units, 2 if long else 0) for one in said]
        if not all(found):
            return []
        everywhere = set(found[0]).intersection(*found[1:])
        units = [unit for one in said for unit in one.units]
        first = self._index.first_not_by_chance(units)
        for served in self._served(sorted(filter(first.__le__, everywhere), reverse=True)):
            if self._says_all(clauses, said, served, long=long):
                return [_holder(served)]
        if len(said) == 1:
            return []
        holders = []
        for one, places in zip(said, found, strict=True):
            first = self._index.first_not_by_chance(one.units)
            named = [
                at for at in places if at >= first and self._index.begins_with_one_of(at, one.units)
            ]
            served_alone = (text for text in self._served(named) if _says_alone(text, one))
            holder = next(map(_holder, served_alone), None)
            if holder is None:
                return []
            holders.append(holder)
        return holders

    def has_other_numbers(self, marked: str, text: str) -> bool:
        """Tell whether a line with a reference has other numbers than the text it refers to."""
        for one in self._served(self._index.with_reference(marked)):
            if reference(one.text) == marked:
                return not _numbers(text) <= _numbers(one.text)
        return False

    def _served(self, numbers: Sequence[int]) -> Iterator[Served]:
        """Give those of these texts that the agent was served, in this order."""
        for start in range(0, len(numbers), _AT_ONCE):
            some = numbers[start : start + _AT_ONCE]
            unseen = [at for at in some if at not in self._seen]
            if unseen:
                self._seen.update(dict.fromkeys(unseen) | dict(self._look_up(unseen)))
            yield from (one for at in some if (one := self._seen[at]) is not None)

    def _says_all(
        self, clauses: Sequence[str], said: Sequence[Statement], served: Served, *, long: bool
    ) -> bool:
        """Tell whether one text says each clause of a sentence, turned round as the sentence is."""
        other = statement(without_speaker(served.text))
        return all(
            any(_parts_saying(one, other))
            or (long and self._nearly(clause, one, served.text, other))
            for clause, one in zip(clauses, said, strict=True)
        ) and _turned_alike(said, other)

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


def _holder(served: Served) -> str:
    return served.memory_id or ""


def _says_alone(served: Served, said: Statement) -> bool:
    """Tell whether a text says a clause, and the clause names what the text begins with."""
    other = statement(without_speaker(served.text))
    return head(other.whole) in {*said.units, None} and says_nothing_beyond(said, other)


def _begins(sentence: str, beginning: str) -> bool:
    """Tell whether a sentence begins so; a word of Latin letters or a number is not cut."""
    if not sentence.startswith(beginning):
        return False
    at = len(beginning)
    return at == len(sentence) or not _WITHIN_WORD.fullmatch(sentence[at - 1 : at + 1])


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
    named = all(head(clause) in {*wanted, None} for clause in taken)
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
