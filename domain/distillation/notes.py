"""What an owner tells an agent, or an agent notes: a statement each.

Here sentences are about the work rather than about one's day, and each is to be found, corrected
and superseded by itself. A sentence that says nothing without the one before it goes with it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

import msgspec

from domain.distillation.candidates import Candidate, heard
from domain.distillation.cues import TECHNICAL, category_of, clarity_of, decay_class_of
from domain.distillation.finding import Finding, Talk
from domain.distillation.openings import names_called
from domain.distillation.person import FIRST_PERSON, about
from domain.distillation.person_words import PRESENT, REQUESTED
from domain.distillation.pronouns import reference_of, resolved
from domain.distillation.times import with_dates
from domain.distillation.turns import Turn, turns
from domain.distillation.wording import closed, joined

LEAST: Final = 2.0
"""Words of content from which a plain sentence is worth a memory."""

MOST: Final = 40
"""Findings that one turn gives at the most; of a long document those that say most."""

LONGEST: Final = 320
"""Characters that sentences put together may have."""

_HAN: Final = re.compile(r"[\u3400-\u9fff]")
_THEREFORE: Final = re.compile(
    r"(?i)^(?:so|therefore|thus|hence|that['’]s why|for that reason|because of (?:that|this)|as"
    r" a result"
    r"|consequently)\b|^(?:所以|因此|于是|故而?|为此|这就是为什么)"
)
_DONE: Final = re.compile(
    r"(?i)^(?:done|fixed|updated|changed|created|added|removed|deployed|moved|renamed|installed"
    r"|restarted|configured|set|merged|upgraded|migrated|switched)\b"
    r"|^(?:i|we)(?:['’]ve| have)?(?: just| now| already| also| successfully)* (?:\w+ed|set|put"
    r"|built|wrote|made|found|ran"
    r"|took|chose)\b|\b(?:is|are|has been|have been) now\b|^(?:我们?)?(?:刚才?|刚刚"
    r"|现在)?(?:已经?(?:将|把|为|给|在|完成|更新|修改|部署|设|改|删|加|建|修)|把|将)"
    r"|^(?:我们?)?[^，。]{0,12}(?:完成|修好|改好|设好|更新|部署)了"
)
_HAN_REQUEST: Final = re.compile(
    r"(?:请|麻烦|劳驾|帮(?:我|忙)|给我|替我)(?!.*了[。.!！]*$)|(?:把|将)(?!.*了[。.!！]*$)"
    r"|(?:写|查|找|翻译|总结|解释|生成|列出|推荐)一?(?:下|个|段|篇|首|份|些)"
)
_OWNER_NAMES: Final = ("The owner", "The owner's", "用户")
_AGENT_NAMES: Final = ("The assistant", "The assistant's", "助手")


def noted(talk: Talk, turn: Turn, already: int) -> list[Finding]:
    """Give the statements of a turn; ``already``: how many findings stand before them."""
    called = names_called([speaker for speaker, _ in talk.before])
    taken = [one for one in heard(talk.content, turn, called).candidates if one.states]
    if turn.role == "assistant" and _is_one_of_two(talk):
        taken = [one for one in taken if _DONE.search(one.plain) and not one.addressed]
    groups = _grouped([one for one in taken if _is_worth(one)])
    groups = _best(groups)
    found: list[Finding] = []
    for group in groups:
        rests = (already + len(found) - 1,) if found and _rests(group) else ()
        found.append(_finding(group, talk, turn, rests))
    return found


def _is_one_of_two(talk: Talk) -> bool:
    """Tell whether an agent answers somebody, rather than notes something down."""
    return (talk.speaker is not None and bool(talk.before)) or len(turns(talk)) > 1


def _is_worth(one: Candidate) -> bool:
    has = one.worth
    if one.sentence.kind in ("config", "code", "row"):
        return True
    if _is_request(one):
        return False
    if one.addressed and not has.his and category_of(one.plain) == "fact":
        return False
    marked = category_of(one.plain) != "fact" or TECHNICAL.search(one.plain) is not None
    weight = has.content + has.names + has.numbers + 2 * marked - has.unsure
    return weight >= LEAST


def _is_request(one: Candidate) -> bool:
    """Tell whether a sentence asks for something to be done once, rather than always."""
    if one.sentence.kind != "prose" or category_of(one.plain) != "fact":
        return False
    word = one.plain.split(maxsplit=1)[0].casefold().strip(",.!")
    return word in PRESENT or word in REQUESTED or _HAN_REQUEST.match(one.plain) is not None


def _grouped(taken: Sequence[Candidate]) -> list[list[Candidate]]:
    """Put sentences together that cannot be understood apart, and those that tell one story."""
    groups: list[list[Candidate]] = []
    for one in taken:
        before = groups[-1] if groups else []
        alike = bool(before) and before[-1].sentence.paragraph == one.sentence.paragraph
        if one.sentence.kind in ("config", "code", "row") or not alike:
            if not _dangles(one):
                groups.append([one])
            continue
        length = sum(len(other.plain) for other in before) + len(one.plain)
        if _dangles(one):
            written = resolved(one.plain, before[-1].plain) if len(before) == 1 else None
            if written is not None:
                groups.append([msgspec.structs.replace(one, plain=written)])
            elif length < LONGEST:
                before.append(one)
        elif _tells(one) and _tells(before[-1]) and len(before) < 3 and length < LONGEST:
            before.append(one)
        else:
            groups.append([one])
    return groups


def _dangles(one: Candidate) -> bool:
    is_prose = one.sentence.kind in ("prose", "item")
    return is_prose and reference_of(one.plain) == "dangling"


def _tells(one: Candidate) -> bool:
    """Tell whether a sentence is part of a story rather than a statement to be found by itself."""
    return (
        one.sentence.kind == "prose"
        and category_of(one.plain) == "fact"
        and TECHNICAL.search(one.plain) is None
        and _THEREFORE.search(one.sentence.text) is None
    )


def _best(groups: list[list[Candidate]]) -> list[list[Candidate]]:
    if len(groups) <= MOST:
        return groups

    def told(place: int) -> int:
        return sum(one.worth.content + one.worth.numbers for one in groups[place])

    kept = sorted(range(len(groups)), key=lambda place: -told(place))[:MOST]
    return [groups[place] for place in sorted(kept)]


def _rests(group: Sequence[Candidate]) -> bool:
    return _THEREFORE.search(group[0].sentence.text) is not None


def _finding(group: Sequence[Candidate], talk: Talk, turn: Turn, rests: tuple[int, ...]) -> Finding:
    first = group[0]
    content, safe = _statement(group, talk, turn)
    if first.sentence.kind == "code":
        category = talk.category or "template"
    else:
        category = talk.category or category_of(first.plain)
    return Finding(
        content=content,
        category=category,
        decay_class=talk.decay_class or decay_class_of(first.plain, category),
        clarity=min(clarity_of(one.how, safe=safe) for one in group),
        evidence=talk.content[first.sentence.start : group[-1].sentence.end],
        rests_on=rests,
    )


def _statement(group: Sequence[Candidate], talk: Talk, turn: Turn) -> tuple[str, bool]:
    first = group[0].sentence
    if first.kind == "config":
        return first.lead + first.text, True
    if first.kind == "row":
        return group[0].plain, True
    if first.kind == "code":
        return f"{first.lead}{'：' if _HAN.search(first.lead) else ':'}\n{first.text}", True
    if turn.role == "quoted":
        mark = talk.content[turn.start : first.start].strip()
        mark = mark if len(mark) <= 60 and "\n" not in mark else ""
        text = f"{mark} {joined([one.plain for one in group])}".strip()
        return with_dates(text, talk.said_at), False
    who, whose, han = _AGENT_NAMES if turn.role == "assistant" else _OWNER_NAMES
    told = [about(one.plain, han if _HAN.search(one.plain) else who, whose) for one in group]
    if all(told):
        return with_dates(_under(first.lead, [text or "" for text in told]), talk.said_at), True
    text = _under(first.lead, [one.plain for one in group])
    if any(FIRST_PERSON.search(one.plain) for one in group) and not _is_ours(text):
        text = f"{han}：{text}" if _HAN.search(text) else f"{who}: {text}"
    return with_dates(text, talk.said_at), False


def _under(lead: str, parts: Sequence[str]) -> str:
    """Join sentences; an item of a list stands behind the line that leads to it."""
    if not lead:
        return joined(parts)
    colon = "：" if _HAN.search(lead) else ": "
    rest = f" {joined(parts[1:])}" if len(parts) > 1 else ""
    return f"{lead}{colon}{closed(parts[0])}{rest}"


def _is_ours(text: str) -> bool:
    """Tell whether a sentence is about "us", which stands as it is."""
    return re.search(r"(?i)\b(?:I|me|my|mine|myself|i['’]\w+)\b|我(?!们)", text) is None
