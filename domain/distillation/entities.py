"""Named things in a text, found by how they are written (spec: lifecycle.md, "Distillation").

No model and no dictionary of names: a path, an address, a version look like what they are; a name
of a person or a product is taken by its capital only where a capital means something, and in
Chinese only beside a word that introduces one. What is doubtful is left out: a missed entity costs
a link, a wrong one joins what has nothing to do with each other.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import Final

from domain.distillation import entity_words as words
from domain.distillation.names import chinese_names, english_names
from domain.distillation.spans import Found, without_overlaps
from domain.events import Entity

_RUN: Final = re.compile(r"[!-~]{257,}")
_END: Final = r"(?![A-Za-z0-9_])"
_TRAILING: Final = ".,;:!?'\")]}>"
_NOT_URL: Final = r"\s<>\"'`，。；：、！？（）()《》「」『』【】“”‘’\u4e00-\u9fff"
_URL: Final = re.compile(
    rf"(?:https?|wss?|ftp|ssh|git|s3|file|redis|postgres(?:ql)?|mysql|mongodb"
    rf"|amqp)://[^{_NOT_URL}]+"
    rf"|(?<![\w.@])www\.[^{_NOT_URL}]+",
    re.IGNORECASE,
)
_EMAIL: Final = re.compile(
    r"(?<![\w.+-])[A-Za-z0-9_.+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+", re.ASCII
)
_PART: Final = r"[A-Za-z0-9_.@%+~*{}$-]+"
_PATH: Final = re.compile(
    rf"(?<![\w/.:~)\]-])(?:~|\.{{1,2}})?/(?=[\w.]*[A-Za-z])(?:{_PART}/)*{_PART}/?"
    rf"|(?<![A-Za-z0-9_/.:~-])[A-Za-z]:\\(?:[\w. -]+\\)*[\w.-]+"
    rf"|(?<![A-Za-z0-9_/.:~@-])(?:[A-Za-z0-9_.-]+/)+[A-Za-z0-9_-][A-Za-z0-9_.-]*\.(?:{words.EXTENSIONS}){_END}"
    rf"|(?<![A-Za-z0-9_/.:~@-])[a-z0-9_.-]*[a-z_-][a-z0-9_.-]*/(?![A-Za-z0-9_/])"
    rf"|(?<![A-Za-z0-9_/.:~@-])\.?[A-Za-z0-9_-]*[A-Za-z_][A-Za-z0-9_.-]*\.(?:{words.EXTENSIONS}){_END}"
    rf"|(?<![A-Za-z0-9_/.:~@-])(?:Dockerfile|Makefile|\.(?:env|gitignore|bashrc|zshrc"
    rf"|vimrc)){_END}",
    re.ASCII,
)
_ROOTED: Final = re.compile(rf"(?<=[\u3400-\u9fff])/(?:{_PART}/)+{_PART}/?", re.ASCII)
_IPV4: Final = re.compile(
    r"(?<![\w.])(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:/\d{1,2})?"
    r"(?::(?P<port>\d{1,5}))?(?![\w]|\.\d)",
    re.ASCII,
)
_IPV6: Final = re.compile(
    r"(?<![\w:.])(?:(?:[0-9a-f]{1,4}:){7}[0-9a-f]{1,4}"
    r"|(?:[0-9a-f]{1,4}:){0,6}[0-9a-f]{0,4}::(?:[0-9a-f]{1,4}:){0,6}[0-9a-f]{1,4})(?![\w:])",
    re.IGNORECASE | re.ASCII,
)
_HOST: Final = re.compile(
    rf"(?<![\w.@/-])(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+(?:{words.TOP_DOMAINS})"
    r"(?::(?P<port>\d{2,5}))?(?![A-Za-z0-9_-]|\.[A-Za-z0-9])",
    re.ASCII,
)
_HOST_PORT: Final = re.compile(
    r"(?<![\w.@/-])(?P<host>[A-Za-z][A-Za-z0-9-]*):(?P<port>\d{2,5})(?![\w:.]*\d)", re.ASCII
)
_NAMED_HOST: Final = re.compile(
    r"\b(?i:host(?:name)?|server|machine|node)(?: (?:named|called|is))? "
    r"(?P<name>[A-Za-z][A-Za-z0-9]*(?:-[A-Za-z0-9]+)*(?:-\d+|\d)[A-Za-z0-9-]*"
    r"|[a-z]+(?:-[a-z0-9]+)+)"
    r"|(?:主机名?|服务器|节点|机器)(?:叫|是|为|名为)?\s?"
    r"(?P<named>[A-Za-z][A-Za-z0-9.-]*[A-Za-z0-9])",
    re.ASCII,
)
_LOCALHOST: Final = re.compile(r"(?<![\w.-])localhost(?![\w-])", re.ASCII)
_FOLLOWS: Final = (
    r"(?=\s*(?:$|[,.;:!?)\]/\"'\u2018-\u201d\u3000-\u303f\u3400-\u9fff，。；：！？、）-]|(?:and"
    r"|or|now|instead"
    r"|not|but|for|on|in|since|from|to|rather|so|because|which|by|again|today|as|with|is|was|at"
    r"|last|next|this|yesterday|tomorrow|behind|of|over|via|when|while|until|only|after|before|are|will|has|open|opened|must)\b))"
)
_PORTS: Final = (
    re.compile(
        r"(?<!USB )(?<!HDMI )(?<!switch )(?<!Ethernet )(?<!serial )\bports?\b"
        r"(?: (?:of|for) (?:(?:the|our|my) )?[\w-]+(?: [\w-]+)?)?"
        r"(?: (?:number|no\.?|is|was|are|has|been|now|set|changed|moved|switched|goes|went|to"
        r"|from))*"
        rf"\s?[:=#]?\s?(?P<a>\d{{1,5}})(?![\w.]*\d)(?:\s?(?:,|to|and|or|->|→)\s?"
        rf"(?P<b>\d{{2,5}}))?{_FOLLOWS}",
        re.IGNORECASE | re.ASCII,
    ),
    re.compile(
        rf"\b(?:listen(?:s|ing|ed)?|bind(?:s|ing)?|bound) (?:on|to|at) :?(?P<a>\d{{2,5}}){_FOLLOWS}"
    ),
    re.compile(r"(?<![\w:.\])]):(?P<a>\d{4,5})(?![\w:.]*\d)", re.ASCII),
    re.compile(r"(?<![\w.])(?P<a>\d{1,5})/(?:tcp|udp)\b", re.IGNORECASE | re.ASCII),
    re.compile(
        r"端口号?[\u3400-\u9fff]{0,2}?(?:现在|已经?|目前)?(?:是|为|用|在|改成|改为|改到|换成|换到"
        r"|设为|设成|从|仍是|还是|开在)?了?"
        r"\s?[:=]?\s?(?P<a>\d{2,5})(?!\d|\.\d)(?:\s?(?:改成|改为|改到|换成|换到|变成|到|和|、"
        r"|或)了?\s?(?P<b>\d{2,5})(?!\d))?"
    ),
    re.compile(r"(?<![\d.])(?P<a>\d{2,5})\s?(?:号|这个)?端口"),
    re.compile(r"监听(?:在|于|着|的是)?\s?:?(?P<a>\d{2,5})(?!\d|\.\d)"),
)
_SUFFIX: Final = r"(?:[-.](?:rc|alpha|beta|dev|post|pre|lts)(?:[.-]?\d+)*|-?[ab]\d+|rc\d+)?"
_V: Final = rf"[vV]?\d+(?:\.\d+)*(?:\.x)?{_SUFFIX}"
_VERSIONS: Final = (
    re.compile(rf"(?<![\w.])[vV]\d+(?:\.\d+)*{_SUFFIX}(?![\w]|\.\d)", re.ASCII),
    re.compile(rf"(?<![\w.,:/-])\d{{1,4}}\.\d+\.\d+(?:\.\d+)?{_SUFFIX}(?![\w]|\.\d)", re.ASCII),
    re.compile(
        rf"\b(?:version|release|tag)s?(?: (?:is|was|to|from|number|now))*\s?[:=]?\s"
        rf"(?P<a>{_V})(?![\w]|\.\d)",
        re.IGNORECASE | re.ASCII,
    ),
    re.compile(
        rf"\b(?:up|down)?grad(?:e|ed|ing|es)\b(?: [\w.-]+){{0,3}}? to "
        rf"(?P<a>[vV]?\d+\.\d+(?:\.\d+)*{_SUFFIX})"
        r"(?![\w%]|\.\d)",
        re.IGNORECASE | re.ASCII,
    ),
    re.compile(
        rf"(?:版本号?(?:现在|目前)?(?:是|为|用|升到|升级到|升级为|降到|定为)?了?|升级到了?"
        rf"|升级为|降级到了?|回退到了?)\s?(?P<a>[vV]?\d+(?:\.\d+)+{_SUFFIX})(?!\d|\.\d|%|万|元"
        rf"|度|米|点)"
    ),
    re.compile(rf"(?<![\w.])(?P<a>[vV]?\d+(?:\.\d+)+{_SUFFIX})\s?版"),
)
_SOFTWARE: Final = re.compile(
    r"(?<![A-Za-z0-9_./@-])(?P<name>[A-Za-z][A-Za-z0-9]*?(?:\.js|-[a-z]+|\+\+|#)?)"
    rf"(?:[ -]?(?P<version>[vV]?\d+(?:\.\d+)+{_SUFFIX})(?![\w%]|\.\d)"
    rf"| (?P<major>[vV]?\d{{1,2}}){_FOLLOWS})?(?![A-Za-z0-9_/@])",
    re.ASCII,
)
_DATES: Final = re.compile(
    r"(?:19|20)\d\d\.(?:0?[1-9]|1[0-2])\.(?:0?[1-9]|[12]\d|3[01])"
    r"|(?:0?[1-9]|[12]\d|3[01])\.(?:0?[1-9]|1[0-2])\.(?:19|20)?\d\d"
)
_UUID: Final = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_IDENTIFIERS: Final = re.compile(
    rf"(?<![A-Za-z0-9_.-])(?:{_UUID}"
    r"|[A-Za-z]*_?[A-Za-z0-9]+(?:_[A-Za-z0-9]+)+(?:\(\))?"  # snake_case
    r"|[A-Z]{2,10}-\d{2,6}"  # a ticket
    r"|[a-z]+(?:-[a-z]+)*-\d[a-z0-9]*(?:-[a-z0-9]+)*|[a-z]+\d+(?:-[a-z0-9]+)+"  # db-prod-01
    r"|[a-z]{2,}[A-Z][a-z]+(?:[A-Z][A-Za-z]*)?[A-Za-z0-9]*(?:\(\))?"  # camelCase
    r"|[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]+){2,}(?:\(\))?|[A-Z][a-z0-9]+[A-Z][a-z0-9]+\(\)"  # PascalCase
    r"|[a-z]\w*(?:\.[a-z_]\w*)*\(\)|[a-z]\w*(?:\.[a-z_]\w*){2,}"  # a call, a dotted name
    r"|(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40})(?![A-Za-z0-9_]|-[A-Za-z0-9])"
    r"|(?<![\w#&/])#\d{1,6}(?![\w])|(?<![\w-])--[a-z][a-z0-9]*(?:-[a-z0-9]+)*(?![\w-])",
    re.ASCII,
)
_CODE: Final = re.compile(r"`([^`\n]{1,80})`")
_QUOTED: Final = (
    re.compile(r"《([^《》\n]{1,40})》"),
    re.compile(r"「([^「」\n]{1,40})」"),
    re.compile(r"『([^『』\n]{1,40})』"),
    re.compile(r"“([^“”\n]{1,60})”"),
    re.compile(r"(?<![\w\"])\"([^\"\n]{1,60})\"(?!\w)"),
    re.compile(r"(?<![\w'])'([^'\n]{2,60})'(?!\w)"),
)
_LONGEST_QUOTE_WORDS: Final = 6
_LONGEST_CHINESE_QUOTE: Final = 12


def entities(text: str) -> tuple[Entity, ...]:
    """Give what the text names, in the order of the text, each once.

    Types: url, email, path, host, port, version, identifier, title, quoted, software, person,
    place, name. Names are as written, in Unicode form NFKC.
    """
    plain = unicodedata.normalize("NFKC", text)
    found: dict[tuple[str, str], Entity] = {}
    for one in named_things(plain):
        found.setdefault((one.name.casefold(), one.type), Entity(name=one.name, type=one.type))
    return tuple(found.values())


def entity_key(name: str) -> str:
    """Give the form in which two names are compared: one thing has one key."""
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


def named_things(plain: str) -> list[Found]:
    """Give the same with the places in ``plain``, a text in form NFKC; none overlaps another.

    Runs of more than 256 signs without a blank are data and not read.
    """
    plain = _RUN.sub(lambda run: " " * len(run.group()), plain)
    written = without_overlaps([*_code(plain), *_addresses(plain), *_paths(plain)])
    numbered = without_overlaps([*written, *_ports(plain), *_versions(plain)])
    technical = without_overlaps([*numbered, *_software(plain), *_identifiers(plain)])
    quotes = without_overlaps([*technical, *_quoted(plain)])
    return without_overlaps([*quotes, *english_names(plain), *chinese_names(plain)])


def _matches(pattern: re.Pattern[str], plain: str, type_: str) -> Iterator[Found]:
    for match in pattern.finditer(plain):
        name = match.group().rstrip(_TRAILING)
        if name:
            yield Found(match.start(), match.start() + len(name), name, type_)


def _addresses(plain: str) -> Iterator[Found]:
    if "." in plain or ":" in plain:
        yield from _matches(_URL, plain, "url")
        yield from _matches(_EMAIL, plain, "email")
        for pattern in (_IPV4, _HOST):
            for match in pattern.finditer(plain):
                yield from _host_and_port(match, match.group().split(":")[0])
        for match in _HOST_PORT.finditer(plain):
            host = match["host"]
            if (
                host == "localhost"
                or host.casefold() in words.SOFTWARE
                or re.search(r"[-\d]", host)
            ):
                yield from _host_and_port(match, host)
        yield from _matches(_IPV6, plain, "host")
    for match in _NAMED_HOST.finditer(plain):
        group = "name" if match["name"] else "named"
        yield Found(match.start(group), match.end(group), match[group], "host")
    yield from _matches(_LOCALHOST, plain, "host")


def _host_and_port(match: re.Match[str], host: str) -> Iterator[Found]:
    yield Found(match.start(), match.start() + len(host), host, "host")
    if match["port"] and int(match["port"]) <= 65535:
        yield Found(match.start("port"), match.end("port"), match["port"], "port")


def _paths(plain: str) -> Iterator[Found]:
    if "/" not in plain and "." not in plain and "\\" not in plain and "file" not in plain:
        return
    for pattern in (_PATH, _ROOTED):
        for found in _matches(pattern, plain, "path"):
            if found.name.casefold() not in words.SOFTWARE and len(found.name) > 2:
                yield found


def _ports(plain: str) -> Iterator[Found]:
    for pattern in _PORTS:
        for match in pattern.finditer(plain):
            for group in ("a", "b"):
                number = match.groupdict().get(group)
                if number and 0 < int(number) <= 65535:
                    yield Found(match.start(group), match.end(group), number, "port")


def _versions(plain: str) -> Iterator[Found]:
    for pattern in _VERSIONS:
        for match in pattern.finditer(plain):
            group: str | int = "a" if pattern.groupindex else 0
            if not _DATES.fullmatch(match[group]):
                yield Found(match.start(group), match.end(group), match[group], "version")


def _software(plain: str) -> Iterator[Found]:
    for match in _SOFTWARE.finditer(plain):
        name = match["name"]
        folded = name.casefold()
        if folded not in words.SOFTWARE or (folded in words.PLAIN_SOFTWARE and name == folded):
            continue
        if folded in words.PLAIN_SOFTWARE and _begins_a_sentence(plain, match.start()):
            continue
        yield Found(match.start("name"), match.end("name"), name, "software")
        for group in ("version", "major"):
            if match[group]:
                yield Found(match.start(group), match.end(group), match[group], "version")


def _begins_a_sentence(plain: str, at: int) -> bool:
    before = plain[:at].rstrip(" \t\"'“‘(*-•")
    return not before or before[-1] in ".!?。！？\n:："


def _identifiers(plain: str) -> Iterator[Found]:
    for match in _IDENTIFIERS.finditer(plain):
        name = match.group()
        if "-" in name and name.split("-")[0].casefold() in words.NO_TICKETS:
            continue
        if name.casefold() in words.SOFTWARE:
            continue
        yield Found(match.start(), match.end(), name, "identifier")


def _code(plain: str) -> Iterator[Found]:
    for match in _CODE.finditer(plain):
        name = match[1].strip()
        if name:
            yield Found(match.start(), match.end(), name, _type_of_code(name))


def _type_of_code(name: str) -> str:
    """Tell what stands between backticks: one written thing as a whole, or else an identifier."""
    kinds: Iterable[tuple[re.Pattern[str], str]] = (
        (_URL, "url"), (_EMAIL, "email"), (_PATH, "path"), (_IPV4, "host"), (_HOST, "host"),
        (_VERSIONS[0], "version"), (_VERSIONS[1], "version"),
    )  # fmt: skip
    if name.casefold() in words.SOFTWARE:
        return "software"
    return next((kind for pattern, kind in kinds if pattern.fullmatch(name)), "identifier")


def _quoted(plain: str) -> Iterator[Found]:
    for pattern in _QUOTED:
        for match in pattern.finditer(plain):
            name = match[1].strip()
            is_title = match.group()[0] == "《"
            if name and (is_title or _is_a_name(name)):
                yield Found(match.start(), match.end(), name, "title" if is_title else "quoted")


def _is_a_name(name: str) -> bool:
    """Tell whether a quotation is short enough to name something: a sentence says something."""
    chinese = sum(character >= "\u3400" for character in name)
    return (
        not name.endswith((".", "!", "?", "。", "！", "？", ",", "，"))
        and chinese <= _LONGEST_CHINESE_QUOTE
        and len(name.split()) <= _LONGEST_QUOTE_WORDS
    )
