"""Words that stand for something said before, and what they stand for, where that is sure."""

from __future__ import annotations

import re
from typing import Final, Literal

from domain.policies.statement_words import EMPTY_ENGLISH


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


Reference = Literal["none", "weak", "dangling"]

ENOUGH: Final = 4
"""Words of content before a pronoun, of which one will be what it stands for."""

_WORD: Final = re.compile(r"[A-Za-z]{4,}")
_HAN: Final = re.compile(r"[\u3400-\u9fff]")
_PRONOUN: Final = re.compile(
    r"\b(?:it|its|it['’](?:s|ll|d)|he|she|him|her|his|hers|they|them|their|theirs|they['’]\w+"
    r"|s?he['’]\w+"
    r"|these|those|this|that|that['’]s|those['’]re|one(?=[.!,]|$))\b",
    re.IGNORECASE,
)
_EXPLETIVE: Final = re.compile(
    r"(?i)\bit(?:['’]s|['’]ll be|['’]d be|[ ](?:is|was|feels?|felt|has been|can be|would be|will"
    r" be))"
    r"(?:[ ](?:not|so|really|very|always|been|just|pretty|such a|quite|too|also|still|often"
    r"|never)\b)*"
    r"[ ](?!(?:like|about|my|the|all|what|one|helping|giving|making|getting)\b)"
    r"(?:an?[ ](?:\w+[ ])?)?[a-z]+(?:[ ](?:for[ ]\w+[ ])?(?:to|that|when|how|since|if|seeing"
    r"|being|having|getting"
    r"|knowing|coming|working|doing|watching|hearing)\b)"
    r"|\bit[ ](?:takes|took|turns out|makes sense|means a lot|seems (?:like|that)|rains?|rained"
    r"|snow(?:s|ed))\b"
    r"|\bit(?:['’]s|[ ](?:is|was|has))[ ](?:been[ ])?(?:time|\d|raining|snowing|cold|hot|late"
    r"|early|dark|a while|ages|years"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)day|an? (?:\w+[ ])?(?:day|week|month|year|while))\b"
    r"|\b(?:make|made|making|makes)[ ]it[ ](?:to|through|a|easier|easy|hard|harder|possible"
    r"|clear|\w+[ ]to)\b"
    r"|\btake[ ]it[ ]easy\b|\bit[ ]all\b"
)
_IMPLIED: Final = re.compile(
    r"(?i)(?:reminds|makes|made|gives|gave|brings|brought|helps|helped|feels|looks|sounds|keeps"
    r"|means|takes|turned|shows"
    r"|seems|works|worked|tastes)\b"
)
"""Begin a sentence whose subject was said before."""

_THERE: Final = re.compile(
    r"(?i)(?<!\bover )(?<!\bout )\bthere\b(?![’']s|[’']re|[’']ve|[ ](?:is|are|was|were|has|have"
    r"|had|will|would|might|may|must|should"
    r"|could|can|used|seems?|isn|aren|wasn|weren)\b)"
)
_CONJUNCTION: Final = re.compile(
    r"(?i)(?<=[a-z\"”')] )(?<!\blike )(?<!\babout )(?<!\bof )(?<!\bfor )(?<!\bwith )(?<!\bto"
    r" )(?<!\bat )"
    r"(?<!\bdo )(?<!\bdid )(?<!\bdoing )(?<!\blove )(?<!\bthan )(?<!\band )(?<!\bbut"
    r" )(?<!\bafter )(?<!\bbefore )"
    r"(?<!\bfrom )(?<!\bin )(?<!\bby )(?<!\bis )(?<!\bwas )that(?:['’](?:s|ll|d))?(?= \w)"
)
_TIME: Final = re.compile(
    r"(?i)(?:this|that|these)[ ](?:past[ ]|coming[ ])?(?:week|month|year|morning|afternoon"
    r"|evening|night|weekend|summer"
    r"|winter|spring|fall|autumn|time|day|days|season|(?:mon|tues|wednes|thurs|fri|satur"
    r"|sun)day)s?\b"
)
_PLACE: Final = re.compile(
    r"\b(?:at|in|to|on|from|near|visit\w*)[ ](?!it\b|that\b|this\b)\w+|(?<=[a-z,] )(?!I\b)[A-Z]\w+"
)
_DETERMINED: Final = re.compile(
    r"\bsome(?:thing|one|body|where)\b|\b(?:a|an|the|my|our|your|some|another|every|each|any"
    r"|many|several|two|three|four|five"
    r"|[A-Za-z]+['’]s|\d+)"
    r"[ ](?!(?:lot|bit|while|way|time)\b)[a-z]{3,}|(?<=[a-z,] )(?!I\b)[A-Z]\w+|\b[a-z]{3,} \d"
    r"|\"[^\"]+\""
    r"|\b(?!(?:always|sometimes|perhaps|besides|towards|makes|takes|gives|helps|looks|feels"
    r"|seems|needs|wants|means|comes|goes|keeps|brings|reminds|lets|turns|does)\b)[a-z]{4,}s\b",
)
_STARTING_NAME: Final = re.compile(
    r"^(?!(?:It|This|That|These|Those|There|They|He|She|What|Why|How|Who|Whose|Where|Which|When"
    r"|Then|And|But|I|We|You|Here"
    r"|Just|Also|If|So|Not)\b)"
    r"[A-Z]?[\w-]{2,}(?:['’]s\b|[ ](?:is|was|are|were|has|had|have|will|can|does|did|\w{2,}ed"
    r"|\w{2,}s)\b)"
)
_POINTS: Final = re.compile(
    r"(?i)(?:this|that|these|those)[ ](?!(?:is|was|are|were|has|have|had|will|would|can|could"
    r"|should|and|but|to"
    r"|in|for|really|made|makes|helps|helped|gives|gave|means|meant|all|also|just|so|too|on|with"
    r"|from|when|because"
    r"|at|of|as|by|or|if|your|my|his|her|our|their|the|next|again|now|today|before|once"
    r"|yesterday|ever|not|what|how|you|they|she|one)\b)\w{3,}"
)
"""Points to something and names it: "this book"."""

_OPENS_WITH_A_THING: Final = re.compile(
    r"(?i)^(?:(?:wow|oh|whoa|hey|thanks|yeah|awesome|cool|nice|so|and|but)[ ,!]+)*(?:\w+[ ,!]+)?"
    r"(?:(?:that|this|these|those|the|your|what|which|how many|how much)[ ](?!(?:is|was|are|were"
    r"|do|does|did|made|makes|make|about"
    r"|have|has|had|can|could|will|would|should|kind|sort|type|inspired|happened|sounds|looks"
    r"|must|makes|really|so|you|they"
    r"|she|it|we|i|else|got|gave|for|to)\b)[a-z]{3,}|[A-Z]\w+['’]s)"
)

_HAN_LEADING: Final = re.compile(
    r"^(?:[他她它](?:们|俩)?|这(?:些|样|儿|里)?|那(?:些|样|儿|里)?|其|对方|后者|前者)"
)
_HAN_WEAK: Final = re.compile(
    r"^[这那](?:[本个部条家件首张款种场次位段座所只台项份间]|些)[\u3400-\u9fff]"
)
_HAN_TIME: Final = re.compile(
    r"^[这那](?:[天周月年次]|个?(?:周|月|星期|礼拜)|段时间|几天|时候?|一?刻|几年|阵子)"
)


def reference_of(sentence: str, said_before: str = "") -> Reference:
    """Tell whether a sentence needs something said elsewhere to be understood.

    ``said_before`` is what will stand before it. "weak": it points ("this book") and still names.
    """
    if _HAN.search(sentence):
        return _han_reference(sentence, said_before)
    if said_before and _names_something(said_before):
        return "none"
    if _IMPLIED.match(sentence):
        return "dangling"
    plain = sentence
    for harmless in (_TIME, _EXPLETIVE, _CONJUNCTION):
        plain = harmless.sub(lambda found: "x" * len(found.group()), plain)
    weak = False
    for found in _PRONOUN.finditer(plain):
        if weak or _names_something(plain[: found.start()]):
            break
        if not _POINTS.match(plain, found.start()):
            return "dangling"
        weak = True
    there = _THERE.search(plain)
    if there and not weak and not _names_a_place(plain[: there.start()]):
        return "dangling"
    return "weak" if weak else "none"


def _names_a_place(text: str) -> bool:
    """Tell whether something is named that one can be at: a name, or what stands behind "at"."""
    return _PLACE.search(text) is not None


def points_to_something(text: str) -> bool:
    """Tell whether a text begins by naming a thing: "that bowl", "what concert", "the agency"."""
    return _OPENS_WITH_A_THING.search(text) is not None


def _names_something(text: str) -> bool:
    if _DETERMINED.search(text) is not None or _STARTING_NAME.match(text) is not None:
        return True
    told = [word for word in _WORD.findall(text) if word.casefold() not in EMPTY_ENGLISH]
    return len(told) >= ENOUGH


def _han_reference(sentence: str, said_before: str) -> Reference:
    if said_before and _HAN.search(said_before):
        return "none"
    if _HAN_TIME.match(sentence):
        return "none"
    if _HAN_WEAK.match(sentence):
        return "weak"
    return "dangling" if _HAN_LEADING.match(sentence) else "none"


_SUBJECT: Final = re.compile(
    r"^(?:It(?P<s>['’]s)?|This(?= (?:is|was|runs|uses|listens))|(?P<its>Its)|(?P<he>He"
    r"|She)(?P<hes>['’]s)?|(?P<his>His|Her(?= [a-z])))\b"
)
_NAMED: Final = re.compile(
    r"(?<![\w./-])(?:[A-Z][\w.-]*(?:[ ](?:[A-Z][\w.-]*|\d[\w.]*))*|[a-z]+[\w-]*(?:\d"
    r"|[A-Z])[\w-]*)(?![\w/])"
)
_COMMON: Final = _words(
    """
    I The A An My Our Your His Her Their Its It This That These Those There We You They He She If
    In On At To For As So Not No Yes And But Or When Then What Who How Why Where Also Just Please
    Every Each Some Any All Most Both After Before Since While Because Although Last Next Today
    Yesterday Tomorrow Monday Tuesday Wednesday Thursday Friday Saturday Sunday January February
    March April May June July August September October November December API GPU CPU RAM URL HTTP
    HTTPS SSH DNS VPN SQL JSON YAML TV USA UK AM PM OK English Chinese
    """
)
_HAN_PERSON: Final = re.compile(r"[小老阿][\u3400-\u9fff]")
_HAN_SUBJECT: Final = re.compile(r"^(?P<it>它|该服务|该项目|此服务)(?!们)|^(?P<he>[他她])(?!们|俩)")
_HAN_NAMED: Final = re.compile(
    r"《[^》]+》|「[^」]+」|(?<![\w])[A-Za-z][\w.-]*(?:[ ][A-Z\d][\w.-]*)*"
    r"|[小老阿][\u3400-\u9fff](?=[在是负说住去来有喜])"
)


def resolved(sentence: str, before: str) -> str | None:
    """Give a sentence with the pronoun that begins it replaced by the one thing named ``before``.

    ``before`` is the sentence before it. None where it names nothing or more than one thing.
    """
    han = _HAN.search(sentence) is not None
    subject = (_HAN_SUBJECT if han else _SUBJECT).match(sentence)
    if subject is None:
        return None
    things = list(dict.fromkeys(_named(before, han=han)))
    if len(things) != 1:
        return None
    name, groups = things[0], subject.groupdict()
    is_person = bool(groups.get("he") or groups.get("his"))
    # A plain name may be a person's or a thing's: "it" tells, "she" asks for a name.
    if (not _may_be_person(name)) if is_person else _HAN_PERSON.match(name):
        return None
    rest = sentence[subject.end() :]
    if groups.get("its") or groups.get("his"):
        return f"{name}'s{rest}"
    if groups.get("s") or groups.get("hes"):
        following = rest.split()[:1]
        return f"{name} has{rest}" if following in (["been"], ["got"]) else f"{name} is{rest}"
    return name + (" " if han and name[-1].isascii() else "") + rest


def _named(text: str, *, han: bool) -> list[str]:
    if han or _HAN.search(text):
        return [found.group() for found in _HAN_NAMED.finditer(text)]
    found = []
    for one in _NAMED.finditer(text):
        name = one.group().rstrip(".")
        if name in _COMMON or name.split()[0] in _COMMON:
            continue
        if (
            one.start() == 0
            and not _is_odd(name)
            and not re.match(r" (?:is|was|has|runs|uses|\w+s|\w+ed|will|can)\b", text[one.end() :])
        ):
            continue
        found.append(name)
    return found


def _is_odd(name: str) -> bool:
    """Tell whether a word is written as no plain word is."""
    return any(map(str.isdigit, name)) or any(map(str.isupper, name[1:])) or " " in name


def _may_be_person(name: str) -> bool:
    if _HAN_PERSON.match(name):
        return True
    return (
        name.isascii()
        and name.replace(" ", "").isalpha()
        and not any(map(str.isupper, name.split(maxsplit=1)[0][1:]))
    )
