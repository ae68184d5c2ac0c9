"""Whether a sentence only says again what one of a set of texts says (for `own_output`)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from msgspec import Struct

from domain.policies.context_block import reference, unescaped
from domain.policies.statement import Statement, statement
from domain.policies.text import normalise
from domain.settings import PolicySettings

LEAST_WEIGHT: Final = 2.0
"""Words of meaning that a sentence must have to be known by them alone."""

IN_ORDER: Final = 0.6
"""Share of a sentence's words that must stand in the served text's order."""

LONG: Final = 12.0
"""Words of meaning from which one changed word leaves a text the same, if its 8-grams say so."""


class Served(Struct, frozen=True):
    """A text that was handed out; of which memory, None for an episode's."""

    text: str
    memory_id: str | None = None


def says_nothing_beyond(said: Statement, other: Statement) -> bool:
    """Tell whether a sentence only says what another says, or part of it."""
    return not _missing(said, other) and _agrees(said, other) and _in_order(said, other)


class KnownTexts:
    """The served texts, prepared: by digest, by reference, by the words in them."""

    def __init__(self, served: Sequence[Served], policy: PolicySettings) -> None:
        self._policy = policy
        self._served = served
        self._exact: dict[str, str] | None = None
        self._by_word: dict[str, set[int]] = {}
        self._statements: list[tuple[str, str, Statement]] = []
        self._references: dict[str, str] = {}

    def holder_of(self, sentence: str) -> str | None:
        """Give whose text says all that a sentence says; "" for an episode's."""
        if not self._served:
            return None
        self._prepare()
        assert self._exact is not None
        exact = self._exact.get(bare(sentence))
        if exact is not None:
            return exact
        said = statement(sentence)
        if said.weight < LEAST_WEIGHT:
            return None
        return self._holder(sentence, said)

    def has_other_numbers(self, marked: str, text: str) -> bool:
        """Tell whether a line with a reference has other numbers than the text it refers to."""
        self._prepare()
        said = self._references.get(marked)
        return said is not None and not set(statement(text).numbers) <= set(statement(said).numbers)

    def _holder(self, sentence: str, said: Statement) -> str | None:
        allowed = 1 if said.weight >= LONG else 0
        counts: dict[int, int] = {}
        for unit in set(said.units):
            for at in self._by_word.get(unit, ()):
                counts[at] = counts.get(at, 0) + 1
        needed = len(set(said.units)) - (2 if allowed else 0)
        for at in sorted(at for at, count in counts.items() if count >= needed):
            holder, text, other = self._statements[at]
            if says_nothing_beyond(said, other):
                return holder
            if allowed and self._nearly(sentence, said, text, other):
                return holder
        return None

    def _nearly(self, sentence: str, said: Statement, text: str, other: Statement) -> bool:
        missing = _missing(said, other)
        hard = {*said.numbers, *said.names, *said.turning}
        # Of Chinese a word has two characters.
        most = 2 if all(map(_is_character, missing)) else 1
        if len(missing) > most or hard & set(missing):
            return False
        return (
            _agrees(said, other)
            and _in_order(said, other)
            and _overlap(sentence, text) >= self._policy.own_output_overlap
        )

    def _prepare(self) -> None:
        if self._exact is not None:
            return
        self._exact = {}
        for one in self._served:
            self._references.setdefault(reference(one.text), one.text)
            for part in _parts_of(one.text):
                self._exact.setdefault(bare(part), one.memory_id or "")
                reduced = statement(part)
                if reduced.weight < LEAST_WEIGHT:
                    continue
                at = len(self._statements)
                self._statements.append((one.memory_id or "", part, reduced))
                for unit in set(reduced.units):
                    self._by_word.setdefault(unit, set()).add(at)


def _missing(said: Statement, other: Statement) -> tuple[str, ...]:
    """Give the units of a sentence that the other has not."""
    has = set(other.units)
    covered = {c for pair in said.pairs & other.pairs for c in pair}
    return tuple(
        unit
        for unit in said.units
        if unit not in has or (_is_character(unit) and unit not in covered)
    )


def _agrees(said: Statement, other: Statement) -> bool:
    """Tell whether both are turned round alike and a verb of little meaning has its like."""
    return said.turning == other.turning and (other.general or not said.general)


def _in_order(said: Statement, other: Statement) -> bool:
    """Tell whether who does what to whom is the same, as far as order shows it."""
    known = set(other.units)
    shared = [unit for unit in said.units if unit in known]
    names = said.names | other.names
    strict = [u for u in shared if u in names], [u for u in shared if any(map(str.isdigit, u))]
    if any(_common(ordered, other.units) < len(ordered) for ordered in strict):
        return False
    needed = 1.0 if said.ordered or other.ordered else IN_ORDER
    return _common(shared, other.units) >= needed * len(shared)


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
    """Give a served text whole, and its sentences and clauses."""
    without_speaker = re.sub(r"^[\w .'-]{1,40}[:：]\s*", "", text)
    parts = {text: None, without_speaker: None}
    for whole in (text, without_speaker):
        for sentence in re.split(r"(?<=[.。!！?？;；])(?=\s|[^\x00-\x7f])\s*|\n+", whole):
            parts[sentence] = None
            parts.update(dict.fromkeys(re.split(r"[,，;；]\s*|\n", sentence)))
    return tuple(part for part in parts if part and part.strip())


@lru_cache(maxsize=8192)
def bare(text: str) -> str:
    """Give a text without quoting marks, case and punctuation at its ends, as two are compared."""
    plain = normalise(unescaped(text)).casefold().strip(" \t\n.。!！,，;；:：\"'“”‘’*_`>-•")
    return " ".join(plain.split())


def _is_character(unit: str) -> bool:
    return len(unit) == 1 and unit >= "\u3400"
