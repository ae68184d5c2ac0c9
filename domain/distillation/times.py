"""Times that a speaker gives from the moment of speaking on, written as dates.

"Yesterday", "last week", 下个月: a memory is read at another time, when they mean nothing. Only
what has one meaning is written as a date; of the rest ("two weeks ago", "last Friday" on a
Saturday) the moment of speaking is added, so that nothing is said that was not.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Callable
from datetime import MAXYEAR, MINYEAR, date, datetime, timedelta
from functools import partial
from typing import Final

_Writer = Callable[[date, re.Match[str]], str | None]

_DAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MONTHS: Final = tuple(month for month in calendar.month_name if month)
_COUNTS: Final = {
    **dict(zip(("one", "two", "three", "four", "five", "six"), range(1, 7), strict=True)),
    **dict(zip(("seven", "eight", "nine", "ten", "eleven", "twelve"), range(7, 13), strict=True)),
    "a": 1,
    "an": 1,
}
_COUNT: Final = r"(\d{1,3}|" + "|".join(sorted(_COUNTS, key=len, reverse=True)) + ")"
_HAN_COUNTS: Final = {word: count for count, word in enumerate("一二三四五六七八九十", 1)} | {
    "两": 2
}
_HAN_COUNT: Final = (
    r"(\d{1,3}|(?<![一二三四五六七八九十百])[一二两三四五六七八九十](?![一二三四五六七八九十百]))"
)
_WEEKDAY: Final = "(" + "|".join(_DAYS) + r"|(?:mon|tues?|wed|thur?s?|fri|sat|sun)(?=\\W|$))"
_NAMED_DAY: Final = re.compile(r"(?i)(?:last|next|past) " + _WEEKDAY)
_HAN_DAYS: Final = {word: place for place, word in enumerate("一二三四五六日")} | {"天": 6}
_PREPOSITION: Final = (
    r"(?:\b(?P<before>on|in|at|to|than|since|until|till|by|from|before|after|during|for|of|over"
    r"|through"
    r"|around|about|as of)\s+)?"
)
_PART: Final = r"(morning|afternoon|evening|night)"
_SEASON: Final = r"(spring|summer|autumn|fall|winter)"


def with_dates(text: str, said_at: datetime) -> str:
    """Give the text with the times it names relative to ``said_at`` as dates."""
    today = said_at.date()
    if _HAS_HAN.search(text):
        for pattern, write in _CHINESE:
            text = pattern.sub(partial(_in_place_of_chinese, today, write), text)
    if _CUE.search(text) and not _FIGURATIVE.search(text):
        for pattern, write in _ENGLISH:
            text = pattern.sub(partial(_in_place, today, write), text)
    return text


def _in_place_of_chinese(today: date, write: _Writer, found: re.Match[str]) -> str:
    try:
        return write(today, found) or found.group()
    except OverflowError:
        return found.group()


def names_a_time(text: str) -> bool:
    """Tell whether the text names a time relative to when it was said."""
    if _CUE.search(text) and any(pattern.search(text) for pattern, _ in _ENGLISH):
        return True
    return _HAS_HAN.search(text) is not None and any(
        pattern.search(text) for pattern, _ in _CHINESE
    )


def _in_place(today: date, write: _Writer, found: re.Match[str]) -> str:
    """Write a date where an English time stood, with the preposition that it needs."""
    try:
        written = write(today, found)
    except OverflowError:
        written = None
    if written is None:
        return found.group()
    before = found.group("before")
    preposition, _, rest = written.partition(" ")
    begins = not found.string[: found.start()].rstrip() or found.string[found.start() - 2] in ".!?"
    if preposition in ("on", "in") and begins and _AS_SUBJECT.match(found.string, found.end()):
        written = rest
    elif before and before.lower() in ("on", "in", "at"):
        # "On last Friday" has it for the day; in "what I work on today" it belongs to the verb.
        of_day = before.lower() == preposition == "on" and _NAMED_DAY.search(found.group())
        written = f"{before} {rest}" if of_day else f"{before} {written}"
    elif before:
        written = f"{before} {rest if preposition in ('on', 'in') else written}"
    if found.group()[0].isupper():
        written = written[0].upper() + written[1:]
    return written


def _day(day: date) -> str:
    return f"{day.day} {_MONTHS[day.month - 1]} {day.year}"


def _on(ago: int) -> Callable[[date, re.Match[str]], str]:
    return lambda today, _: f"on {_day(today - timedelta(days=ago))}"


def _part_of(ago: int) -> Callable[[date, re.Match[str]], str]:
    return lambda today, found: (
        f"on the {found.group(2).lower()} of {_day(today - timedelta(days=ago))}"
    )


def _of_day(ago: int) -> Callable[[date, re.Match[str]], str]:
    def write(today: date, _: re.Match[str]) -> str:
        return f"the {_day(today - timedelta(days=ago))} "

    return write


def _week(ahead: int) -> Callable[[date, re.Match[str]], str]:
    def write(today: date, _: re.Match[str]) -> str:
        monday = today + timedelta(days=7 * ahead - today.weekday())
        return f"in the week of {_span(monday, monday + timedelta(days=6))}"

    return write


def _weekend(ahead: int) -> Callable[[date, re.Match[str]], str | None]:
    def write(today: date, _: re.Match[str]) -> str | None:
        # On a weekend nobody knows which one "this" and "last" mean.
        if today.weekday() >= 5:
            return None if ahead >= 0 else f"on the weekend before {_day(today)}"
        saturday = today + timedelta(days=5 - today.weekday() + 7 * ahead)
        return f"on the weekend of {_span(saturday, saturday + timedelta(days=1))}"

    return write


def _this_weekend(today: date, _: re.Match[str]) -> str | None:
    # On a Monday "this weekend" may be over; on a Friday it is to come.
    if today.weekday() < 5:
        return None
    saturday = today - timedelta(days=today.weekday() - 5)
    return f"on the weekend of {_span(saturday, saturday + timedelta(days=1))}"


def _span(first: date, last: date) -> str:
    if first.month == last.month:
        return f"{first.day}–{_day(last)}"
    if first.year == last.year:
        return f"{first.day} {_MONTHS[first.month - 1]} – {_day(last)}"
    return f"{_day(first)} – {_day(last)}"


def _month_of(today: date, ahead: int) -> tuple[int, int]:
    months = today.year * 12 + today.month - 1 + ahead
    return _year_of(months // 12), months % 12 + 1


def _year_of(year: int) -> int:
    """Give a year that has dates. Raises OverflowError for another."""
    if not MINYEAR <= year <= MAXYEAR:
        raise OverflowError(year)
    return year


def _month(ahead: int) -> Callable[[date, re.Match[str]], str]:
    def write(today: date, _: re.Match[str]) -> str:
        year, month = _month_of(today, ahead)
        return f"in {_MONTHS[month - 1]} {year}"

    return write


def _year(ahead: int) -> Callable[[date, re.Match[str]], str]:
    return lambda today, _: f"in {_year_of(today.year + ahead)}"


def _last_weekday(today: date, found: re.Match[str]) -> str | None:
    wanted = _weekday(found.group(2))
    name = _DAYS[wanted]
    if wanted < today.weekday():
        # It has been this week already: which of the two is meant, only the speaker knows.
        return f"on the {name.capitalize()} before {_day(today)}"
    return f"on {_day(today - timedelta(days=(today.weekday() - wanted) % 7 or 7))}"


def _next_weekday(today: date, found: re.Match[str]) -> str | None:
    return f"on the next {_DAYS[_weekday(found.group(2))].capitalize()} after {_day(today)}"


def _weekday(name: str) -> int:
    return next(place for place, day in enumerate(_DAYS) if day[:3] == name[:3].lower())


def _days_from(sign: int) -> Callable[[date, re.Match[str]], str]:
    return lambda today, found: f"on {_day(today + timedelta(days=sign * _count(found.group(2))))}"


def _around(word: str) -> Callable[[date, re.Match[str]], str]:
    return lambda today, found: f"{found.group(2)} {word} {_day(today)}"


def _last_month_named(today: date, found: re.Match[str]) -> str | None:
    month = [name.lower() for name in _MONTHS].index(found.group(2).lower()) + 1
    if month == today.month:
        return None
    return f"in {_MONTHS[month - 1]} {today.year - (month > today.month)}"


def _last_season(today: date, found: re.Match[str]) -> str | None:
    # Which season it is depends on where one lives; only its year is safe, and only early in one.
    season = found.group(2).lower()
    if season == "winter" or today.month > 5 or (season == "spring" and today.month > 2):
        return None
    return f"in the {season} of {today.year - 1}"


def _this_season(today: date, found: re.Match[str]) -> str | None:
    season = found.group(2).lower()
    return None if season == "winter" else f"in the {season} of {today.year}"


def _count(text: str) -> int:
    return int(text) if text.isdecimal() else _COUNTS[text.lower()]


_Form = tuple[re.Pattern[str], _Writer]


def _form(pattern: str, write: _Writer) -> _Form:
    return re.compile(_PREPOSITION + pattern, re.IGNORECASE), write


_ENGLISH: Final[tuple[_Form, ...]] = (
    _form(r"\bthe day before yesterday\b", _on(2)),
    _form(r"\bthe day after tomorrow\b", _on(-2)),
    _form(r"\b(?:yesterday)(?:'s|’s) (?=\w)", _of_day(1)),
    _form(r"\b(?:today)(?:'s|’s) (?=\w)", _of_day(0)),
    _form(r"\b(?:tomorrow)(?:'s|’s) (?=\w)", _of_day(-1)),
    _form(rf"\byesterday {_PART}\b", _part_of(1)),
    _form(rf"\btomorrow {_PART}\b", _part_of(-1)),
    _form(rf"\bthis {_PART}\b", _part_of(0)),
    _form(r"\b(?:earlier )?today\b", _on(0)),
    _form(r"\byesterday\b", _on(1)),
    _form(r"\btomorrow\b", _on(-1)),
    _form(r"\b(?:last)(?: )(night)\b", _part_of(1)),
    _form(
        r"\btonight\b",
        lambda today, _: f"on the night of {_day(today)}",
    ),
    _form(r"(?<!the )\blast week\b(?!end)", _week(-1)),
    _form(r"\bthis (?:past )?week\b(?!end)", _week(0)),
    _form(r"\bnext week\b(?!end)", _week(1)),
    _form(r"\b(?:last|this past|the past) weekend\b", _weekend(-1)),
    _form(r"\bthis weekend\b", _this_weekend),
    _form(r"\bnext weekend\b", lambda today, _: f"on the next weekend after {_day(today)}"),
    _form(r"(?<!the )\blast month\b", _month(-1)),
    _form(r"\bthis month\b", _month(0)),
    _form(r"\bnext month\b", _month(1)),
    _form(r"(?<!the )\blast year\b", _year(-1)),
    _form(r"\bthis year\b(?!'s)", _year(0)),
    _form(r"\bnext year\b", _year(1)),
    _form(rf"\b(?:last|this past) {_WEEKDAY}\b", _last_weekday),
    _form(rf"\bnext {_WEEKDAY}\b", _next_weekday),
    _form(rf"\blast ({'|'.join(_MONTHS)})\b", _last_month_named),
    _form(rf"\blast {_SEASON}\b", _last_season),
    _form(rf"\bthis {_SEASON}\b", _this_season),
    _form(rf"\b{_COUNT} days? ago\b", _days_from(-1)),
    _form(rf"\bin {_COUNT} days?\b(?! (?:or|to|and)\b)", _days_from(1)),
    _form(
        r"\b((?:a|one|two|three|four|five|six|seven|eight|nine|ten|\d{1,3}|a few|a couple of"
        r"|several|some|many) (?:days|weeks?|months?|years?|hours?|minutes?)) ago\b",
        _around("before"),
    ),
    _form(
        r"\bin ((?:a|one|two|three|four|five|six|seven|eight|nine|ten|\d{1,3}|a few|a couple of"
        r") (?:days|weeks?|months?|years?))(?:' time)?\b(?! (?:or|to|and)\b)",
        lambda today, found: f"{found.group(2)} after {_day(today)}",
    ),
)

_AS_SUBJECT: Final = re.compile(
    r"(?:['’]s|\s+(?:was|is|were|has|will|would|could|went|felt|works?|sounds|looks|turned))\b"
)
_FIGURATIVE: Final = re.compile(r"(?i)\blike (?:it was |it were )?(?:just |only )?yesterday\b")
_CUE: Final = re.compile(
    r"(?i)\b(?:yesterday|to(?:day|night|morrow)|last|next|this|ago|past|previous"
    r"|in (?:\w+ ){1,4}?(?:days?|weeks?|months?|years?))\b"
)
_HAS_HAN: Final = re.compile(r"[\u3400-\u9fff]")


def _han_day(ahead: int) -> Callable[[date, re.Match[str]], str]:
    def write(today: date, found: re.Match[str]) -> str:
        part = next((group for group in found.groups() if group), "")
        return _han(today + timedelta(days=ahead)) + _HAN_PARTS.get(part, part)

    return write


_HAN_PARTS: Final = {"早": "早上", "晚": "晚上", "夜": "夜里", "天": "", "日": "", "儿": ""}


def _han(day: date) -> str:
    return f"{day.year}年{day.month}月{day.day}日"


def _han_week(ahead: int) -> Callable[[date, re.Match[str]], str]:
    def write(today: date, found: re.Match[str]) -> str:
        monday = today + timedelta(days=7 * ahead - today.weekday())
        named = found.group(1)
        if named in ("末", "末 "):
            saturday = monday + timedelta(days=5)
            return _han_span(saturday, saturday + timedelta(days=1)) + "的周末"
        if named:
            return _han(monday + timedelta(days=_HAN_DAYS[named]))
        return _han_span(monday, monday + timedelta(days=6)) + "这一周"

    return write


def _han_span(first: date, last: date) -> str:
    if first.month == last.month:
        return f"{_han(first)}至{last.day}日"
    if first.year == last.year:
        return f"{_han(first)}至{last.month}月{last.day}日"
    return f"{_han(first)}至{_han(last)}"


def _han_month(ahead: int) -> Callable[[date, re.Match[str]], str]:
    def write(today: date, found: re.Match[str]) -> str:
        year, month = _month_of(today, ahead)
        return f"{year}年{month}月{found.group(1) or ''}"

    return write


def _han_year(ahead: int) -> Callable[[date, re.Match[str]], str]:
    return lambda today, _: f"{_year_of(today.year + ahead)}年"


def _han_count(text: str) -> int:
    return int(text) if text.isdecimal() else _HAN_COUNTS[text]


def _han_ago(sign: int) -> Callable[[date, re.Match[str]], str]:
    return lambda today, found: _han(today + timedelta(days=sign * _han_count(found.group(1))))


def _han_around(today: date, found: re.Match[str]) -> str:
    return f"{_han(today)}的{found.group()}"


_HAN_WEEK: Final = r"(?:周|星期|礼拜)"
_HAN_WEEKDAY: Final = r"([一二三四五六日天末](?![一二三四五六七八九十]))?"
_HAN_NIGHT: Final = (
    r"(?:(天|日|儿)(?!地|气|的话|性|真|这一?步|为止|的(?:成绩|成就|我|自己))|(晚|早|夜)(?:上|晨)?)"
)


def _han_form(pattern: str, write: _Writer) -> _Form:
    return re.compile(pattern), write


_CHINESE: Final[tuple[_Form, ...]] = (
    _han_form(r"大前[天日]", _han_day(-3)),
    _han_form(r"大后[天日]", _han_day(3)),
    _han_form(r"前[天日]|前(晚)上?", _han_day(-2)),
    _han_form(r"后天(?!性|养|培)", _han_day(2)),
    _han_form(rf"昨{_HAN_NIGHT}", _han_day(-1)),
    _han_form(rf"今{_HAN_NIGHT}", _han_day(0)),
    _han_form(rf"明{_HAN_NIGHT}", _han_day(1)),
    _han_form(rf"上上个?{_HAN_WEEK}{_HAN_WEEKDAY}", _han_week(-2)),
    _han_form(rf"下下个?{_HAN_WEEK}{_HAN_WEEKDAY}", _han_week(2)),
    _han_form(rf"(?<![早晚路马])上个?{_HAN_WEEK}{_HAN_WEEKDAY}", _han_week(-1)),
    _han_form(rf"下个?{_HAN_WEEK}{_HAN_WEEKDAY}", _han_week(1)),
    _han_form(rf"[这本]个?{_HAN_WEEK}{_HAN_WEEKDAY}", _han_week(0)),
    _han_form(r"上上个月()", _han_month(-2)),
    _han_form(r"上个?月([初中底末]?)", _han_month(-1)),
    _han_form(r"下下个月()", _han_month(2)),
    _han_form(r"下个?月([初中底末]?)", _han_month(1)),
    _han_form(r"(?:这个|本)月([初中底末]?)", _han_month(0)),
    _han_form(r"(?<![\d一二三四五六七八九十几两])大前年", _han_year(-3)),
    _han_form(r"(?<![\d一二三四五六七八九十几两])前年", _han_year(-2)),
    _han_form(r"去年", _han_year(-1)),
    _han_form(r"今年", _han_year(0)),
    _han_form(r"明年", _han_year(1)),
    _han_form(r"后年", _han_year(2)),
    _han_form(rf"{_HAN_COUNT}天(?:以前|之前|前)", _han_ago(-1)),
    _han_form(rf"{_HAN_COUNT}天(?:以后|之后|后)", _han_ago(1)),
    _han_form(
        rf"(?:{_HAN_COUNT}|几|多)(?:个?(?:{_HAN_WEEK}|月|小时)|年)(?:多|半)?(?:以前|之前|前)",
        _han_around,
    ),
)
