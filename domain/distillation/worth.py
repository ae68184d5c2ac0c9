"""How much a sentence tells that is worth keeping, by features that anyone can check.

Words of content, names, numbers and times count for it, and that the speaker tells of himself;
kindness, advice and wisdom about life in general count against it.
"""

from __future__ import annotations

import re
from typing import Final

from msgspec import Struct

from domain.distillation.modality import Modality
from domain.distillation.person import FIRST_PERSON
from domain.distillation.person_words import PAST
from domain.distillation.times import names_a_time
from domain.policies.statement_words import EMPTY_ENGLISH


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_WORD: Final = re.compile(r"[A-Za-z][A-Za-z'’-]+|\d[\w.,:/%-]*|[\u3400-\u9fff]")
_NAME: Final = re.compile(
    r"(?<=[a-z,] )(?!I\b|I['’])[A-Z][\w'’-]+|\"[^\"]{2,60}\"|“[^”]{2,60}”|《[^》]+》|「[^」]+」"
)
_NUMBER: Final = re.compile(
    r"\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|dozen|hundred|thousand|first|second"
    r"|third"
    r"|once|twice)\b|[一二两三四五六七八九十百千万][个年月天岁次条位只本元块号点]",
    re.IGNORECASE,
)
_WEAK: Final = _words(
    """
    great good nice cool awesome amazing wonderful fantastic lovely sweet happy glad excited love
    like fun really always never much many lot lots life people things thing time way make makes
    made feel feels felt think know see look looks going got get keep keeping best better special
    hard important inspiring incredible beautiful special stuff everyone someone something
    anything everything nothing forward back bring brings day days world moment moments journey
    support wait help little big new still even well sure need want can't don't it's that's i'm
    i've you're not recently lately yet nothing none sometimes often usually no ages while
    definitely totally super pretty kind positive proud grateful thankful blast
    """
)
_SELF: Final = re.compile(r"\b(?:I|I['’](?:m|ve|d|ll))\b|\bi['’]m\b|(?<!自)我(?!们|国|方)")


_DONE: Final = re.compile(
    r"\b(?:[Ii]|[Ww]e)(?:['’]ve)?(?: \w+ly| just| also| even| have| had| once| both| all)* (\w+)"
    r"|\b[Mm]y \w+ (\w+)"
)
_DONE_CHINESE: Final = re.compile(r"我[^，,。]{1,14}[了过]")
_FELT: Final = frozenset(
    ("was", "were", "had", "felt", "thought", "knew", "said", "loved", "liked", "wanted", "needed")
)
"""Past forms that tell of a state of mind as often as of an event."""

HAN: Final = 2


class Worth(Struct, frozen=True):
    """What a sentence has; counts, and 0 or 1."""

    content: int
    names: int
    numbers: int
    times: int
    events: int
    himself: int
    his: int
    unsure: int


def worth(sentence: str, how: Modality) -> Worth:
    """Count what a sentence has."""
    said = [word.casefold().replace("’", "'") for word in _WORD.findall(sentence)]
    content = {w for w in said if w not in EMPTY_ENGLISH and w not in _WEAK and len(w) > 1}
    han = sum(w >= "\u3400" for w in said)
    return Worth(
        content=len(content) + han // HAN,
        names=len(_NAME.findall(sentence)),
        numbers=len(_NUMBER.findall(sentence)),
        times=int(names_a_time(sentence)),
        events=int(_tells_an_event(sentence)),
        himself=int(_SELF.search(sentence) is not None),
        his=int(FIRST_PERSON.search(sentence) is not None),
        unsure=int(how.tentative or how.hearsay or how.conditional),
    )


def _tells_an_event(sentence: str) -> bool:
    """Tell whether the speaker says what he did or what happened to him."""
    if _DONE_CHINESE.search(sentence):
        return True
    verbs = (found.group(1) or found.group(2) for found in _DONE.finditer(sentence))
    return any(
        (verb in PAST or (verb.endswith("ed") and len(verb) > 4)) and verb not in _FELT
        for verb in verbs
    )
