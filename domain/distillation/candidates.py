"""The sentences of a turn that may become a statement, each with what decides about it."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from domain.distillation.modality import Modality, modality
from domain.distillation.modality_words import OTHERS, PRESENTING
from domain.distillation.openings import without_closing, without_opening
from domain.distillation.sentences import Sentence, sentences
from domain.distillation.turns import Turn
from domain.distillation.worth import Worth, worth


class Candidate(Struct, frozen=True):
    """A sentence: where it stands, and what it says without greeting and name called."""

    sentence: Sentence
    plain: str
    how: Modality
    worth: Worth
    addressed: bool

    @property
    def states(self) -> bool:
        """Tell whether it states something."""
        return self.how.states


class Heard(Struct, frozen=True):
    """A turn taken apart. ``asks`` and ``kind`` count what states nothing."""

    candidates: list[Candidate]
    asks: int
    kind: int
    shows: int


def heard(text: str, turn: Turn, called: Sequence[str]) -> Heard:
    """Take a turn apart."""
    found: list[Candidate] = []
    asks = kind = shows = 0
    for sentence in sentences(text, turn.start, turn.end):
        if sentence.kind == "aside":
            shows += 1
            continue
        if sentence.kind in ("config", "code"):
            found.append(_as_it_stands(sentence))
            continue
        plain = without_closing(without_opening(sentence.text, called), called)
        if not plain:
            kind += 1
            continue
        how = modality(plain)
        if how.question:
            asks += 1
            continue
        if not how.states:
            kind += 1
        if PRESENTING.search(plain):
            shows += 1
        addressed = OTHERS.search(plain) is not None
        found.append(Candidate(sentence, plain, how, worth(plain, how, addressed), addressed))
    return Heard(found, asks, kind, shows)


def _as_it_stands(sentence: Sentence) -> Candidate:
    how = Modality()
    return Candidate(sentence, sentence.text, how, worth(sentence.text, how, False), False)
