"""The words of a namespace's memories: how rare a term is there, and which memories share it.

Where a namespace has more memories than are looked at, its newest speak for it: a share is an
estimate anyway, and what it decides (passive validation, P2) asks for a rare term in whichever of
them. What was analysed is kept for a while, for a batch comes seldom alone.
"""

from __future__ import annotations

import math
import time
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable, Iterable
from typing import Final, TypeAlias

from domain.policies.validation import FEWEST_MEMORIES

LOOKED_AT: Final = 20_000
_FRESH_S: Final = 30.0
_NAMESPACES_KEPT: Final = 8

Newest: TypeAlias = Callable[[str, int], list[tuple[str, str]]]
"""Gives id and text of a namespace's newest live memories."""

Terms: TypeAlias = Callable[[str], Iterable[str]]


class Words:
    """What one namespace's memories say, newest first."""

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}
        self._terms: dict[str, frozenset[str]] = {}
        self._memories: dict[str, set[str]] = defaultdict(set)

    def update(self, newest: list[tuple[str, str]], terms: Terms) -> None:
        """Take over what the namespace has now; only what is new is analysed."""
        present = dict(newest)
        for memory_id, text in self.texts.items():
            if present.get(memory_id) != text:
                for term in self._terms.pop(memory_id):
                    self._memories[term].discard(memory_id)
                    if not self._memories[term]:
                        del self._memories[term]
        for memory_id, text in present.items():
            if memory_id not in self._terms:
                found = frozenset(terms(text))
                self._terms[memory_id] = found
                for term in found:
                    self._memories[term].add(memory_id)
        self.texts = present

    def share(self, term: str) -> float:
        """Give in which share of the memories a term occurs; 1 where there are none.

        A small namespace counts as one of `FEWEST_MEMORIES`, so that a term of one memory is rare.
        """
        if not self.texts:
            return 1.0
        return len(self._memories.get(term, ())) / max(len(self.texts), FEWEST_MEMORIES)

    def like(self, terms: Iterable[str], limit: int) -> list[str]:
        """Give the memories that share the most, rare terms counting for more, the best first."""
        gained: Counter[str] = Counter()
        for term in set(terms):
            holders = self._memories.get(term)
            if holders:
                rarity = math.log1p(len(self.texts) / len(holders))
                for memory_id in holders:
                    gained[memory_id] += rarity  # type: ignore[assignment]  # a float counts too
        return [memory_id for memory_id, _ in gained.most_common(limit)]


class NamespaceWords:
    """The words of the namespaces that are being distilled."""

    def __init__(
        self,
        newest: Newest,
        terms: Terms,
        *,
        looked_at: int = LOOKED_AT,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._newest = newest
        self._terms = terms
        self._looked_at = looked_at
        self._monotonic = monotonic
        self._known: OrderedDict[str, tuple[float, Words]] = OrderedDict()

    def of(self, namespace: str) -> Words:
        """Give a namespace's words, not older than half a minute."""
        now = self._monotonic()
        read_at, words = self._known.get(namespace, (-math.inf, Words()))
        if now - read_at > _FRESH_S:
            words.update(self._newest(namespace, self._looked_at), self._terms)
            self._known[namespace] = now, words
        self._known.move_to_end(namespace)
        if len(self._known) > _NAMESPACES_KEPT:
            self._known.popitem(last=False)
        return words
