"""The sentences of a text, each with where it stands: prose, markdown, lists, configuration.

English, Chinese and mixed. A sentence is cut out verbatim, so that it can be its own evidence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, Literal

from msgspec import Struct

from domain.policies.kept_readings import kept_where_short

Kind = Literal["prose", "item", "config", "row", "aside", "code"]

_FENCE: Final = re.compile(r"[ \t]*(```|~~~)")
_SETTINGS: Final = re.compile(
    r"(?i)[ \t]*(?:```|~~~)[ ]?(?:ya?ml|toml|ini|env|dotenv|properties|conf)\b"
)
_HEADING: Final = re.compile(r"[ \t]{0,3}#{1,6}[ \t]+(?P<text>.*?)[ \t#]*$")
_RULE: Final = re.compile(
    r"[ \t]*(?:[-=*_][ \t]*){3,}$|[ \t]*+(?:\|[ \t]*+)?(?::?-{2,}+:?[ \t]*+\|[ \t]*+)+.*$"
)
_ITEM: Final = re.compile(
    r"[ \t>]*(?:[-*+•·][ \t]+(?:\[[ xX]\][ \t]+)?|\(?\d{1,3}[.)、][ \t]*(?!\d)|[①-⑳][ \t]*)(?=\S)"
)
_CONFIG: Final = re.compile(
    r"(?P<indent>[ \t]*)(?:-[ ])?(?:export[ ]+)?"
    r"(?P<key>[A-Za-z_][\w.-]{0,63})[ \t]*(?:=|:(?=[ \t]|$))[ \t]*(?P<value>[^\s].{0,199}?)?[ \t]*$"
)
_PLAIN_VALUE: Final = re.compile(
    r"(?:\"[^\"]*\"|'[^']*'|\[[^\]]*\]|[\w./:@~*+,%$\\{}<>=&?!^|()-]+(?:[ ]\w{1,3})?)(?:\s+#.*)?"
)
_ASIDE: Final = re.compile(r"\[[^\[\]\n]{3,400}\](?!\()|（[^（）\n]{0,12}(?:图片|照片)[^（）\n]*）")
_END: Final = re.compile(
    r"[。！？!?…]+[”’\"'）)\]]*(?:\s*[\U0001f300-\U0001faff\u2600-\u27bf\ufe0f]+)*"
    r"|(?<!\.)\.(?:[\"'”’)]*)(?=\s|$)|\.{2,}(?=\s|$)|\n+"
)
_ABBREVIATED: Final = re.compile(
    r"(?:^|[\s(])(?:e\.g|i\.e|etc|vs|cf|approx|no|nr|dr|mr|mrs|ms|st|jr|sr|prof|inc|ltd|co|fig"
    r"|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|[A-Za-z](?:\.[A-Za-z])*)$",
    re.IGNORECASE,
)


_NUMBERED: Final = re.compile(r"(?:^|[。！？；：][ \t]*|[.!?;:][ \t]+)\d{1,2}$")
"""The number of a point within a line, whose stop ends nothing."""

_KEPT: Final = 256
"""Turns of late: the gate, the rules and what they ask each split the same."""

_BRACKETED: Final = re.compile(r"[ \t]*[(（][^()（）\n]{1,80}[)）][ \t.。]*(?:\n|$)")


class Sentence(Struct, frozen=True):
    """One sentence; ``text[start:end]`` of what was split is ``text``.

    ``lead`` is what it stands under and needs to be understood: the line before a list, the keys
    above a line of configuration.
    """

    text: str
    start: int
    end: int
    kind: Kind = "prose"
    lead: str = ""
    paragraph: int = 0


def sentences(text: str, start: int = 0, end: int | None = None) -> tuple[Sentence, ...]:
    """Split ``text[start:end]``; headings, rules and long code are left out."""
    return _sentences(text, start, len(text) if end is None else end)


@kept_where_short(_KEPT)
def _sentences(text: str, start: int, end: int) -> tuple[Sentence, ...]:
    found: list[Sentence] = []
    lead = header = ""
    paragraph = 0
    above: list[tuple[int, str]] = []
    for kind, first, last in _blocks(text, start, end):
        block = text[first:last]
        if kind == "blank":
            paragraph += 1
            above.clear()
            header = header if _RULE.match(block) else ""
            if found and found[-1].kind in ("item", "code"):
                lead = ""
        elif kind == "heading":
            paragraph += 1
            lead = ""
        elif kind == "code":
            if lead and block.count("\n") <= 14 and len(block) <= 800:
                found.append(Sentence(block, first, last, "code", lead, paragraph))
            lead = ""
        elif kind == "config":
            found.extend(_configuration(block, first, above, lead, paragraph))
        elif kind == "row":
            if header:
                found.append(Sentence(block.strip(), first, last, "row", header, paragraph))
            header = header or block.strip()
        elif kind == "item":
            if above and _indent(block) > above[-1][0]:
                found.append(_value(block, first, above, paragraph))
                continue
            mark = _ITEM.match(block)
            body = first + (mark.end() if mark else 0)
            found.extend(_prose(text, body, last, "item", lead, paragraph))
        else:
            stripped = block.rstrip()
            if stripped.endswith((":", "：")) and len(stripped) <= 120:
                lead = stripped.rstrip(":：").strip("*_ \t")
                continue
            found.extend(_prose(text, first, last, "prose", "", paragraph))
            lead = ""
    return tuple(found)


def _blocks(text: str, start: int, end: int) -> Iterator[tuple[str, int, int]]:
    """Give the lines by kind, lines of one paragraph of prose each on their own."""
    at = start
    fence = ""
    settings = False
    begun = at
    while at < end:
        stop = text.find("\n", at, end)
        stop = end if stop < 0 else stop
        line = text[at:stop]
        mark = _FENCE.match(line)
        if fence:
            if mark and mark.group(1) == fence:
                yield "code", begun, stop
                fence = ""
        elif mark and (settings or _SETTINGS.match(line)):
            # Configuration is read like any other lines of it.
            settings = not settings
            yield "blank", at, stop
        elif mark:
            fence, begun = mark.group(1), at
        elif not line.strip() or _RULE.match(line):
            yield "blank", at, stop
        elif _HEADING.match(line):
            yield "heading", at, stop
        else:
            yield _kind_of(line), at, stop
        at = stop + 1
    if fence:
        yield "code", begun, end


def _kind_of(line: str) -> str:
    if line.lstrip().startswith("|") and line.count("|") > 2:
        return "row"
    config = _CONFIG.fullmatch(line)
    if config:
        value = config.group("value") or ""
        keyed = re.search(r"[\d_.-]|^[a-z]+$|^[A-Z_]+$", config.group("key"))
        if keyed and (not value or _PLAIN_VALUE.fullmatch(value)) and not line.endswith("："):
            bare = not value and config.group("indent") == "" and not config.group("key").islower()
            return "prose" if bare else "config"
    return "item" if _ITEM.match(line) else "prose"


def _configuration(
    line: str, first: int, above: list[tuple[int, str]], lead: str, paragraph: int
) -> Iterator[Sentence]:
    """Give a line of configuration under the keys that it stands in."""
    config = _CONFIG.fullmatch(line)
    assert config is not None
    indent = len(config.group("indent").expandtabs(4))
    while above and above[-1][0] >= indent:
        above.pop()
    if config.group("value") is None:
        above.append((indent, config.group("key")))
        return
    at = first + config.start("key")
    keys = ".".join(key for _, key in above)
    text = line[config.start("key") :].rstrip()
    under = f"{keys}." if keys else f"{lead}: " if lead else ""
    yield Sentence(text, at, at + len(text), "config", under, paragraph)


def _indent(line: str) -> int:
    plain = line.expandtabs(4)
    return len(plain) - len(plain.lstrip())


def _value(line: str, first: int, above: list[tuple[int, str]], paragraph: int) -> Sentence:
    """Give one of several values of a key, under its keys."""
    mark = _ITEM.match(line)
    at = first + (mark.end() if mark else 0)
    text = line[at - first :].rstrip()
    keys = ".".join(key for _, key in above)
    return Sentence(text, at, at + len(text), "config", f"{keys}: ", paragraph)


def _prose(
    text: str, first: int, last: int, kind: Kind, lead: str, paragraph: int
) -> Iterator[Sentence]:
    at = first
    for aside in _ASIDE.finditer(text, first, last):
        yield from _split(text, at, aside.start(), kind, lead, paragraph)
        yield Sentence(aside.group(), aside.start(), aside.end(), "aside", lead, paragraph)
        at = aside.end()
    yield from _split(text, at, last, kind, lead, paragraph)


def _split(
    text: str, first: int, last: int, kind: Kind, lead: str, paragraph: int
) -> Iterator[Sentence]:
    at = first
    ends = [
        end.end() for end in _END.finditer(text, first, last) if _is_end(text, first, end, last)
    ]
    for stop in [*ends, last]:
        if _BRACKETED.match(text, stop, last) and stop < last:
            # What stands in brackets behind a sentence belongs to it.
            continue
        yield from _trimmed(text, at, stop, kind, lead, paragraph)
        at = max(at, stop)


def _is_end(text: str, first: int, end: re.Match[str], last: int) -> bool:
    return end.group()[0] != "." or _ends_sentence(text, first, end, last)


def _ends_sentence(text: str, at: int, end: re.Match[str], last: int) -> bool:
    """Tell whether a full stop ends a sentence rather than a shortened word."""
    following = text[end.end() : min(last, end.end() + 8)].lstrip()
    before = text[max(at, end.start() - 12) : end.start()]
    if not following:
        return True
    if end.group().startswith(".."):
        return not following[0].islower()
    if _NUMBERED.search(before):
        return False
    if _ABBREVIATED.search(before):
        return bool(re.match(r"[\u3400-\u9fff]", following)) or (
            (before[-1:] == "I" or before.endswith(("etc", "a.m", "p.m")))
            and following[0].isupper()
        )
    return not following[0].islower() or len(before) > 3


def _trimmed(
    text: str, first: int, last: int, kind: Kind, lead: str, paragraph: int
) -> Iterator[Sentence]:
    while first < last and (text[first].isspace() or text[first] in "*_>"):
        first += 1
    while last > first and (text[last - 1].isspace() or text[last - 1] in "*_"):
        last -= 1
    if any(map(str.isalnum, text[first:last])):
        yield Sentence(text[first:last], first, last, kind, lead, paragraph)
