"""How a sentence is meant: as a fact, or as something asked, wished, supposed or merely heard.

Only what is meant as a fact, or says itself that it is not sure, may become a memory.
"""

from __future__ import annotations

import re
from typing import Final

from msgspec import Struct

from domain.distillation import modality_words as words
from domain.policies.social import is_social

_QUESTION_MARK: Final = re.compile(r"[?？][\"'”’)）!！?？\s\U0001f300-\U0001faff]*$")
_HAN: Final = re.compile(r"[\u3400-\u9fff]")


class Modality(Struct, frozen=True):
    """How a sentence is meant; several may hold."""

    question: bool = False
    hypothetical: bool = False
    reaction: bool = False
    tentative: bool = False
    hearsay: bool = False
    conditional: bool = False
    negated: bool = False

    @property
    def states(self) -> bool:
        """Tell whether it states something, be it with care."""
        return not (self.question or self.hypothetical or self.reaction)


def modality(sentence: str) -> Modality:
    """Tell how a sentence is meant."""
    plain = sentence.replace("’", "'").strip()
    has_han = _HAN.search(plain) is not None
    return Modality(
        question=_is_question(plain, has_han=has_han),
        hypothetical=words.HYPOTHETICAL.search(plain) is not None,
        reaction=_is_reaction(plain, has_han=has_han),
        tentative=words.TENTATIVE.search(plain) is not None,
        hearsay=words.HEARSAY.search(plain) is not None,
        conditional=words.CONDITIONAL.search(plain) is not None,
        negated=words.NEGATION.search(plain) is not None,
    )


def _is_question(plain: str, *, has_han: bool) -> bool:
    if _QUESTION_MARK.search(plain):
        return True
    if has_han:
        return (
            words.QUESTION_CHINESE.search(plain.rstrip("。.!！ ")) is not None
            and words.ASSERTING_CHINESE.search(plain) is None
        )
    return words.QUESTION_ENGLISH.match(plain) is not None


def _is_reaction(plain: str, *, has_han: bool) -> bool:
    if words.PROPOSAL.match(plain) or is_social(plain):
        return True
    pattern = words.REACTION_CHINESE if has_han else words.REACTION
    return pattern.match(plain) is not None
