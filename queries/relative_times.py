"""Times that a query gives from today on: "last week", "three days ago", 上周, 前天."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, timedelta
from typing import Final, NamedTuple


class Span(NamedTuple):
    """Days from ``first`` to ``last``, both of them included."""

    first: date
    last: date


_NUMBERS: Final = {
    **{
        word: n
        for n, word in enumerate(
            ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"), 1
        )
    },
    **{word: n for n, word in enumerate("一二三四五六七八九十", 1)},
    "a": 1,
    "an": 1,
    "两": 2,
}
_COUNT = r"(\d{1,3}|" + "|".join(sorted(_NUMBERS, key=len, reverse=True)) + ")"
_CHINESE_COUNT = r"(?<![\d一二三四五六七八九十百])" + _COUNT
_CHINESE_WEEK = "(?:周|星期|礼拜)"


def relative_spans(query: str, today: date) -> list[Span]:
    """Give the spans of days that a query names from ``today`` on; each text counts once.

    Weeks begin on Monday.
    """
    found: list[Span] = []
    rest = query
    for pattern, span_of in _FORMS:
        found.extend(span_of(today, *match.groups()) for match in pattern.finditer(rest))
        rest = pattern.sub(lambda match: " " * len(match.group()), rest)
    return found


def _days(today: date, ago: int) -> Span:
    day = today - timedelta(days=ago)
    return Span(day, day)


def _week(today: date, ago: int) -> Span:
    monday = today - timedelta(days=today.weekday() + 7 * ago)
    return Span(monday, monday + timedelta(days=6))


def _month(today: date, ago: int) -> Span:
    first = _first_of_month(today, ago)
    return Span(first, _first_of_month(today, ago - 1) - timedelta(days=1))


def _year(today: date, ago: int) -> Span:
    year = max(1, today.year - ago)
    return Span(date(year, 1, 1), date(year, 12, 31))


def _first_of_month(today: date, ago: int) -> date:
    months = max(12, today.year * 12 + today.month - 1 - ago)
    return date(months // 12, months % 12 + 1, 1)


def _count(text: str) -> int:
    return int(text) if text.isdecimal() else _NUMBERS[text.casefold()]


_Form = tuple[re.Pattern[str], Callable[..., Span]]


def _form(pattern: str, span_of: Callable[..., Span]) -> _Form:
    return re.compile(pattern, re.IGNORECASE), span_of


def _counted(unit: Callable[[date, int], Span]) -> Callable[[date, str], Span]:
    return lambda today, count: unit(today, _count(count))


def _fixed(unit: Callable[[date, int], Span], ago: int) -> Callable[[date], Span]:
    return lambda today: unit(today, ago)


_FORMS: Final[tuple[_Form, ...]] = (
    _form(rf"\b{_COUNT} days? ago\b", _counted(_days)),
    _form(rf"\b{_COUNT} weeks? ago\b", _counted(_week)),
    _form(rf"\b{_COUNT} months? ago\b", _counted(_month)),
    _form(rf"\b{_COUNT} years? ago\b", _counted(_year)),
    _form(rf"{_CHINESE_COUNT}天(?:以?前|之前)", _counted(_days)),
    _form(rf"{_CHINESE_COUNT}个?{_CHINESE_WEEK}(?:以?前|之前)", _counted(_week)),
    _form(rf"{_CHINESE_COUNT}个月(?:以?前|之前)", _counted(_month)),
    _form(rf"{_CHINESE_COUNT}年(?:以?前|之前)", _counted(_year)),
    _form(r"\bthe day before yesterday\b|前天", _fixed(_days, 2)),
    _form(r"\byesterday\b|\blast night\b|昨[天日晚]", _fixed(_days, 1)),
    _form(r"\btoday\b|\btonight\b|今[天日晚]", _fixed(_days, 0)),
    _form(rf"\blast week\b|上个?{_CHINESE_WEEK}", _fixed(_week, 1)),
    _form(rf"\bthis week\b|[这本]个?{_CHINESE_WEEK}", _fixed(_week, 0)),
    _form(r"\blast month\b|上个?月", _fixed(_month, 1)),
    _form(r"\bthis month\b|这个月|本月", _fixed(_month, 0)),
    _form(r"\bthe year before last\b|前年", _fixed(_year, 2)),
    _form(r"\blast year\b|去年", _fixed(_year, 1)),
    _form(r"\bthis year\b|今年", _fixed(_year, 0)),
)
