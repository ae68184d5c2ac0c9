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
_ASKING_CLAUSE: Final = re.compile(
    r"(?i)\s*(?:[,;–—-]+|\.{2,})\s*(?:(?:so|and|but|also|then|well) )?(?=(?:what|how|who|where"
    r"|when|why|which|do|does|did|are|is|was|were"
    r"|have|has|can|could|would|will|should|want|wanna|any|ever|got|right|huh|you know|isn't"
    r"|don't|doesn't|aren't|won't|know)\b[^,;]*\?)"
)
_ASKING_CLAUSE_CHINESE: Final = re.compile(
    r"[，,；;](?=(?:那么?|所以|但是?|不过|而且)?(?:请问|请|你|您|有没有|有什么|有哪|是不是"
    r"|能不能|可以|可不可以|怎么|如何|为什么|什么|哪|谁"
    r"|不知道(?:你|您|有没有)|是否|[这那它][^，,。]{0,10}(?:吗|么)|对吗|对吧|好吗|行吗|该怎么"
    r"|应该怎么|想(?:问|请教"
    r"|听听))[^。]*[?？]?[^。]*$)"
)
_TOPIC: Final = re.compile(
    r"(?i)(?:if|when|since|because|while|once|after|before|until|unless|for|as|given|in case)\b"
)
_TOPIC_CHINESE: Final = re.compile(
    r"^(?:那|如果|假如|要是|关于|对于|除了|至于|请问)|(?:的话|时候?|方面|上)$"
)
MOST_SOCIAL: Final = 48
"""Characters of a sentence that may be nothing but friendly."""

_HAN: Final = re.compile(r"[\u3400-\u9fff]")


class Modality(Struct, frozen=True):
    """How a sentence is meant; several may hold."""

    question: bool = False
    hypothetical: bool = False
    reaction: bool = False
    tentative: bool = False
    hearsay: bool = False
    conditional: bool = False

    @property
    def states(self) -> bool:
        """Tell whether it states something, be it with care."""
        return not (self.question or self.hypothetical or self.reaction)


def modality(sentence: str) -> Modality:
    """Tell how a sentence is meant; of a question nothing else is told."""
    plain = sentence.replace("’", "'").strip()
    if is_question(plain):
        return Modality(question=True)
    return Modality(
        hypothetical=words.HYPOTHETICAL.search(plain) is not None,
        reaction=_is_reaction(plain),
        tentative=words.TENTATIVE.search(plain) is not None,
        hearsay=words.HEARSAY.search(plain) is not None,
        conditional=words.CONDITIONAL.search(plain) is not None,
    )


def stated_before_asking(sentence: str) -> str:
    """Give what a question states before it asks: "I moved to Lisbon, have you been there?".

    It ends with a comma or dash less; "" where nothing is stated first.
    """
    plain = sentence.replace("’", "'")
    if _HAN.search(plain):
        cut = _ASKING_CLAUSE_CHINESE.search(plain)
        told = plain[: cut.start()] if cut else ""
        is_told = len(told) >= 6 and _TOPIC_CHINESE.search(told) is None
    else:
        cut = _ASKING_CLAUSE.search(plain)
        told = plain[: cut.start()] if cut else ""
        is_told = len(told.split()) >= 4 and _TOPIC.match(told) is None
    return sentence[: len(told)] if is_told and not is_question(told) else ""


def is_question(sentence: str) -> bool:
    """Tell whether a sentence asks, whatever mark ends it."""
    if _QUESTION_MARK.search(sentence):
        return True
    if _HAN.search(sentence):
        return (
            words.QUESTION_CHINESE.search(sentence.rstrip("。.!！ ")) is not None
            and words.ASSERTING_CHINESE.search(sentence) is None
        )
    return words.QUESTION_ENGLISH.match(sentence.replace("’", "'")) is not None


def _is_reaction(plain: str) -> bool:
    pattern = words.REACTION_CHINESE if _HAN.search(plain) else words.REACTION
    if pattern.match(plain) or words.PROPOSAL.match(plain):
        return True
    return len(plain) <= MOST_SOCIAL and is_social(plain)
