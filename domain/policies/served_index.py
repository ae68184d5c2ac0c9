"""Finding, among many texts that were served, the few that a sentence may say again.

An inverted index over words and sentences. It keeps hashes and no text, so that nothing which is
erased stays in it, and a text takes one to two kilobytes. What it finds may be too much: whoever
asks looks at the texts themselves.
"""

from __future__ import annotations

import threading
from array import array
from collections.abc import Collection, Iterable, Sequence
from math import floor, prod
from typing import Final

from domain.policies.context_block import reference
from domain.policies.served_text import sentences_of, without_speaker
from domain.policies.statement import head, statement

MOST_BY_CHANCE: Final = 0.01
"""Texts, of those that came since, that may be expected to have all of a sentence's words."""

JUST_SERVED: Final = 50
"""The latest texts are before the agent's eyes: by any words they are known again."""

_FEWEST_TO_COUNT_IN: Final = 1000
"""Of fewer texts nobody can tell how common a word is: then it is held for rare."""

_NO_HEAD: Final = 0
_FEATURES_OF_A_TEXT: Final = 64
"""Words and sentences of a text, counted generously: of longer ones fewer texts are held."""


class ServedIndex:
    """Texts by number; a later one has a higher number. Thread-safe."""

    def __init__(self, most_texts: int) -> None:
        """Hold about ``most_texts`` texts of the usual length; what came first goes first."""
        self._most = most_texts * _FEATURES_OF_A_TEXT
        self._held = 0
        self._latest = 0
        self._texts: dict[int, array[int]] = {}
        self._by_feature: dict[int, int | array[int]] = {}
        self._lock = threading.Lock()

    def __len__(self) -> int:
        """Count the texts."""
        return len(self._texts)

    def add(self, number: int, text: str) -> None:
        """Hold one text more; nothing, where the number is known."""
        features = _features(text)
        with self._lock:
            if number in self._texts:
                return
            self._texts[number] = features
            self._latest = max(self._latest, number)
            self._held += len(features)
            for feature in features[1:]:
                self._enter(feature, number)
            while self._held > self._most and len(self._texts) > 1:
                self._leave(next(iter(self._texts)))

    def keep_only(self, numbers: Collection[int]) -> None:
        """Let go of all texts but these."""
        with self._lock:
            for number in [number for number in self._texts if number not in numbers]:
                self._leave(number)

    def with_sentence(self, sentence: str) -> list[int]:
        """Give the texts that may be this (`bare`), or have it as a sentence, the latest first."""
        return self._with(_of_sentence(sentence))

    def with_reference(self, marked: str) -> list[int]:
        """Give the texts that a block's line refers to so, the latest first."""
        return self._with(_of_reference(marked))

    def with_units(self, units: Iterable[str], missing: int = 0) -> list[int]:
        """Give the texts that have all these units, but for so many, the latest first."""
        wanted = set(map(hash, units))
        needed = max(1, len(wanted) - missing)
        with self._lock:
            # Whatever has all but `missing` of them has one of any `missing` + 1.
            rarest = sorted(map(self._having, wanted), key=len)[: missing + 1]
            found = set[int]().union(*rarest)
            return sorted(
                (at for at in found if len(wanted.intersection(self._texts[at])) >= needed),
                reverse=True,
            )

    def first_not_by_chance(self, units: Iterable[str]) -> int:
        """Give the lowest number of a text that hardly has all these units by chance.

        Words that many texts have are found together in some, whoever said them: the more texts
        came after one, the rarer must be the words by which it is known again. At most
        `MOST_BY_CHANCE` such texts are to be expected among those that came since.
        """
        with self._lock:
            texts = max(len(self._texts), _FEWEST_TO_COUNT_IN)
            shares = [len(self._having(unit)) / texts for unit in set(map(hash, units))]
            expected_in_one = prod(shares)
            if not expected_in_one:
                return 0
            since = max(JUST_SERVED, floor(MOST_BY_CHANCE / expected_in_one))
            return self._latest + 1 - since

    def begins_with_one_of(self, number: int, units: Iterable[str]) -> bool:
        """Tell whether a text may be about one of these, or about nothing that it names."""
        held = self._texts.get(number)
        return held is not None and held[0] in {_NO_HEAD, *map(hash, units)}

    def _with(self, feature: int) -> list[int]:
        with self._lock:
            return sorted(self._having(feature), reverse=True)

    def _having(self, feature: int) -> Sequence[int]:
        found = self._by_feature.get(feature, ())
        return (found,) if isinstance(found, int) else found

    def _enter(self, feature: int, number: int) -> None:
        found = self._by_feature.get(feature)
        if found is None:
            self._by_feature[feature] = number  # as most are: a number alone takes least
        elif isinstance(found, int):
            self._by_feature[feature] = array("q", (found, number))
        else:
            found.append(number)

    def _leave(self, number: int) -> None:
        features = self._texts.pop(number)
        self._held -= len(features)
        for feature in features[1:]:
            found = self._by_feature[feature]
            if isinstance(found, int) or len(found) == 1:
                del self._by_feature[feature]
            else:
                found.remove(number)


def _features(text: str) -> array[int]:
    """Give the hash of what the text is about, then those of all by which it is found."""
    said = statement(without_speaker(text))
    about = head(said.whole)
    features = dict.fromkeys(map(hash, said.units))
    features.update(dict.fromkeys(map(_of_sentence, sentences_of(text))))
    features[_of_reference(reference(text))] = None
    return array("q", (_NO_HEAD if about is None else hash(about), *features))


def _of_sentence(sentence: str) -> int:
    return hash(("sentence", sentence))


def _of_reference(marked: str) -> int:
    return hash(("reference", marked))
