"""Which numbers and dates a statement has that nobody said, for `grounding`.

Numbers said in words count as said in digits. A date counts as said when its parts were, or when a
time was named from the moment of speaking on ("next Friday") and it lies within reach of that.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from datetime import date, datetime
from typing import Final

from domain.distillation import number_words as words

_NUMBER: Final = re.compile(r"(?<![\d.])\d+(?:[.:]\d+)*|\d+")
_THOUSANDS: Final = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_WORD: Final = re.compile(r"[a-z]+")
_MONTH: Final = "(" + "|".join(f"{name[:3]}(?:{name[3:]})?" for name in words.MONTHS) + r")\b\.?"
_DATES: Final = (
    re.compile(r"\b(?P<y>\d{4})[-/.](?P<m>\d{1,2})[-/.](?P<d>\d{1,2})(?!\d)"),
    re.compile(
        rf"\b(?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? (?P<n>{_MONTH}),?(?: (?P<y>\d{{4}}))?"
    ),
    re.compile(rf"\b(?P<n>{_MONTH}) (?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?!\d)(?:,? (?P<y>\d{{4}}))?"),
    re.compile(rf"\b(?P<n>{_MONTH}),?(?: of)? (?P<y>\d{{4}})(?!\d)"),
    re.compile(r"(?:(?P<y>\d{4})年)(?:(?P<m>\d{1,2})月)?(?:(?P<d>\d{1,2})[日号])?"),
    re.compile(r"(?P<m>\d{1,2})月(?:(?P<d>\d{1,2})[日号])?"),
    re.compile(r"\b(?P<y>\d{4})-(?P<m>\d{2})(?![-\d])"),
    re.compile(r"(?:\bin|\bof|\bsince|\bby|\buntil|\bbefore|\bafter|年) (?P<y>(?:19|20)\d\d)\b"),
)
_DASH: Final = r"\s*(?:[-–—~至到]|to|and)\s*"
_RANGES: Final = (
    re.compile(rf"\b(\d{{1,2}})(?:st|nd|rd|th)?{_DASH}(?=(\d{{1,2}})(?:st|nd|rd|th)? {_MONTH})"),
    re.compile(rf"(?<=[a-z] )(\d{{1,2}}){_DASH}(?=(\d{{1,2}})(?:st|nd|rd|th)?,? \d{{4}})"),
    re.compile(rf"(?<=月)(\d{{1,2}})[日号]?{_DASH}(?=(\d{{1,2}})[日号])"),
)
"""The beginning of a range of days before its end."""

_LONGEST_RANGE: Final = 14
_RELATIVE: Final = re.compile(
    r"\b(?:to(?:day|night|morrow)|yesterday|ago|last|next|this|coming|past|previous|since|recently"
    r"|(?:in|for|within) (?:a|an|the|\w+) ?(?:few )?(?:day|week|month|year)s?|soon|now|currently"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|weekend|anniversary|(?:day|week|month|year)s?"
    r"|spring|summer|autumn|winter|christmas|easter|new year|birthday)\b"
    rf"|\b{_MONTH}"
    r"|[今明昨前后去]天?[年日晚早]?|上|下|这|本|周|星期|礼拜|月|号|年|日|刚|最近|春|夏|秋|冬",
    re.IGNORECASE,
)
_REACH_DAYS: Final = 800
_CLOCK: Final = re.compile(r"\b(\d{1,2}):(\d{2})\b")


def unsaid_numbers(statement: str, source: str, said_at: datetime) -> list[str]:
    """Give the numbers, dates and times of a statement that a text said at a time does not bear."""
    left, said = _plain(statement), numbers_of(source)
    plain = _plain(source)
    if _RELATIVE.search(plain):
        for pattern in _RANGES:
            # What bears out its end bears out its beginning, a week or two before.
            left = pattern.sub(lambda found: "" if _is_short(found) else found.group(), left)
    for pattern in _DATES:
        for found in list(pattern.finditer(left)):
            if _is_borne_out(found, plain, said, said_at):
                left = left.replace(found.group(), " ", 1)
    for found in _CLOCK.finditer(left):
        if _is_the_time(int(found[1]), found[2], said):
            left = left.replace(found.group(), " ", 1)
    said |= {"0", "1"}
    tokens = dict.fromkeys(found.group() for found in _NUMBER.finditer(left))
    return [
        *(t for t in tokens if not said.intersection(_readings(t)) and not _is_beginning(t, said)),
        *(word for word, value in _in_words(left) if str(value) not in said and word not in plain),
    ]


def numbers_of(text: str) -> frozenset[str]:
    """Give the numbers of a text in digits, also those that it says in words."""
    plain = _plain(text)
    found: set[str] = set()
    for match in _NUMBER.finditer(plain):
        found.update(_readings(match.group()))
    found.update(str(value) for _, value in _in_words(plain, every=True))
    return frozenset(found)


def _plain(text: str) -> str:
    return _THOUSANDS.sub("", unicodedata.normalize("NFKC", text)).casefold()


def _readings(token: str) -> Iterator[str]:
    """Give a number as written, without leading zeros, and the parts of an address or a time."""
    yield token
    if token.isdecimal():
        yield str(int(token)) if len(token) < 20 else token
    elif ":" in token or token.count(".") == 3:
        for part in token.split(":"):
            yield part
            if part.isdecimal() and len(part) < 20:
                yield str(int(part))
    else:
        yield token.rstrip("0").rstrip(".")


def _is_beginning(token: str, said: frozenset[str]) -> bool:
    """Tell whether it is the beginning of a version that was said in full."""
    return "." in token and any(one.startswith(f"{token}.") for one in said)


def _in_words(plain: str, *, every: bool = False) -> Iterator[tuple[str, int]]:
    total = 0
    read: list[str] = []
    for match in [*_WORD.finditer(plain), None]:
        word = match.group() if match else ""
        value = words.VALUES.get(word)
        if word in words.SCALES and read:
            if every:
                yield " ".join(read), total
            total *= words.SCALES[word]
            read.append(word)
        elif value and value < 10 and read and read[-1] in words.TENS:
            total += value
            read.append(word)
        else:
            if read and (every or len(read) > 1 or read[0] not in words.VAGUE):
                yield " ".join(read), total
            read, total = ([], 0) if value is None else ([word], value)
    for found in words.HAN.finditer(plain if every else words.HAN_IDIOMS.sub(" ", plain)):
        value = _chinese_value(found.group())
        if every or value > 1:
            yield found.group(), value


def _chinese_value(signs: str) -> int:
    if not any(sign in words.UNITS for sign in signs):
        return int("".join(str(words.DIGITS[sign]) for sign in signs))
    total = part = digit = 0
    for sign in signs:
        if sign in words.DIGITS:
            digit = words.DIGITS[sign]
        elif sign == "万":
            total, part, digit = (total + part + digit or 1) * 10_000, 0, 0
        else:
            part, digit = part + (digit or 1) * words.UNITS[sign], 0
    return total + part + digit


def _is_borne_out(
    found: re.Match[str], plain: str, said: frozenset[str], said_at: datetime
) -> bool:
    parts = found.groupdict()
    year, day = parts.get("y"), parts.get("d")
    name = parts.get("n")
    month = _MONTHS_BY_START[name[:3]] if name else int(parts.get("m") or 0)
    try:
        meant = date(int(year or said_at.year), month or 1, int(day or 1))
    except ValueError:
        return False
    if year and day and meant == said_at.date():
        return True
    has_month = not month or (
        words.MONTHS[month - 1][:3] in plain or str(month) in said or month == said_at.month
    )
    has_year = not year or year in said or int(year) == said_at.year
    has_day = not day or str(int(day)) in said
    if has_month and has_year and has_day:
        return True
    near = abs((meant - said_at.date()).days) <= _REACH_DAYS
    return near and _RELATIVE.search(plain) is not None


def _is_short(found: re.Match[str]) -> bool:
    """Tell whether a range of days is one: of at most two weeks, over the end of a month too."""
    first, last = int(found[1]), int(found[2])
    length = last - first if last >= first else last + 31 - first
    return 1 <= first <= 31 and length <= _LONGEST_RANGE


def _is_the_time(hour: int, minutes: str, said: frozenset[str]) -> bool:
    if hour > 24:
        return False
    has_minutes = minutes == "00" or str(int(minutes)) in said or minutes in ("15", "30", "45")
    return has_minutes and not said.isdisjoint({str(hour), str(hour % 12), str(hour % 12 or 12)})


_MONTHS_BY_START: Final = {name[:3]: number for number, name in enumerate(words.MONTHS, 1)}
