"""When the query asks about, as spans of days, and how near a moment is to them.

A day, a month or a year ("on May 2nd", "2025年3月", "in June") is of every year where the query
names none. Times relative to now are in `relative_times`.
"""

from __future__ import annotations

import calendar
import math
import re
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, time
from typing import Final

from msgspec import Struct

from queries.relative_times import Span, relative_spans

DECAY: Final = 0.15
"""Outside a span nearness falls by e with every such share of the span's length."""

YEARS_BACK: Final = 10
"""How far back a time without a year is searched for."""

_MONTHS: Final = {
    **{name.lower(): number for number, name in enumerate(calendar.month_name) if name},
    **{name.lower(): number for number, name in enumerate(calendar.month_abbr) if name},
    "sept": 9,
}
_CHINESE: Final = {name: 1 + i for i, name in enumerate("一二三四五六七八九十")} | {
    "十一": 11,
    "十二": 12,
}
_MONTH = "(" + "|".join(sorted(_MONTHS, key=len, reverse=True)) + ")"
_NUMBER = r"(\d{1,2}|十[一二]?|[一二三四五六七八九])"
_DAY = r"(\d{1,2})(?:st|nd|rd|th)?"
_YEAR_AFTER = r"(?:,?\s+(\d{4}))?"
_BEFORE_A_MONTH = "in|during|since|until|by|of|last|this|next|early|late|mid"


class TimeCue(Struct, frozen=True):
    """A day, a month or a year; a part that is None is open."""

    year: int | None = None
    month: int | None = None
    day: int | None = None

    def span_in(self, year: int) -> Span | None:
        """Give the days it names in a year, None where there is no such day."""
        if self.month is None:
            return Span(date(year, 1, 1), date(year, 12, 31))
        last = calendar.monthrange(year, self.month)[1]
        if self.day is None:
            return Span(date(year, self.month, 1), date(year, self.month, last))
        if self.day > last:
            return None
        day = date(year, self.month, self.day)
        return Span(day, day)

    def spans_near(self, year: int) -> list[Span]:
        """Give the days it names in its own year, else in that one and those beside it."""
        years = (self.year,) if self.year is not None else (year - 1, year, year + 1)
        return [span for one in years if (span := self.span_in(one)) is not None]


Cue = TimeCue | Span


def time_cues(query: str, today: date) -> list[Cue]:
    """Give the times that a query names, longest forms first; each text counts once."""
    found: list[Cue] = []
    rest = query
    for pattern, read in _FORMS:

        def take(match: re.Match[str], read: Callable[..., TimeCue] = read) -> str:
            cue = read(*match.groups())
            if not _is_valid(cue):
                return match.group()
            found.append(cue)
            return " " * len(match.group())

        rest = pattern.sub(take, rest)
    return [*found, *relative_spans(rest, today)]


def nearness(day: date, cues: Sequence[Cue]) -> float:
    """Give 1 within a time named, and less the more days lie between, in shares of its length.

    It is in [0, 1], and 0 where no time is named.
    """
    best = 0.0
    for cue in cues:
        spans = [cue] if isinstance(cue, Span) else cue.spans_near(day.year)
        for first, last in spans:
            gap = max((first - day).days, (day - last).days, 0)
            best = max(best, math.exp(-gap / (DECAY * ((last - first).days + 1))))
    return best


def searched_spans(cues: Sequence[Cue], today: date) -> tuple[tuple[datetime, datetime], ...]:
    """Give the times to search, inclusive; one without a year in each of the last years."""
    spans: list[Span] = []
    for cue in cues:
        if isinstance(cue, Span):
            spans.append(cue)
            continue
        years = range(today.year - YEARS_BACK, today.year + 2) if cue.year is None else [cue.year]
        spans += [span for year in years if (span := cue.span_in(year)) is not None]
    return tuple(
        (datetime.combine(first, time.min, UTC), datetime.combine(last, time.max, UTC))
        for first, last in spans
    )


def _is_valid(cue: TimeCue) -> bool:
    return (
        (cue.year is None or 1900 <= cue.year < 2200)
        and (cue.month is None or 1 <= cue.month <= 12)
        and (cue.day is None or 1 <= cue.day <= 31)
    )


def _number(text: str | None) -> int | None:
    if text is None:
        return None
    return int(text) if text.isdigit() else _CHINESE[text]


def _cue(year: str | None, month: str | None, day: str | None = None) -> TimeCue:
    number = None
    if month is not None:
        number = _MONTHS.get(month.lower()) or _number(month)
    return TimeCue(_number(year), number, _number(day))


_Form = tuple[re.Pattern[str], Callable[..., TimeCue]]


def _form(pattern: str, read: Callable[..., TimeCue]) -> _Form:
    return re.compile(pattern, re.IGNORECASE), read


_FORMS: Final[tuple[_Form, ...]] = (
    _form(r"(?<!\d)(\d{4})[-/年.](\d{1,2})[-/月.](\d{1,2})(?!\d)[日号]?", _cue),
    _form(rf"(?<!\d)(\d{{4}})年{_NUMBER}月(?:份)?(?:{_NUMBER}[日号])?", _cue),
    _form(r"(?<!\d)(\d{4})-(\d{1,2})(?!\d|-)", _cue),
    _form(rf"{_NUMBER}月(?:份)?(?:(\d{{1,2}})[日号])?", lambda m, d: _cue(None, m, d)),
    _form(rf"\b{_MONTH}\.?\s+{_DAY}{_YEAR_AFTER}\b", lambda m, d, y: _cue(y, m, d)),
    _form(rf"\b{_DAY}(?: of)?\s+{_MONTH}\.?{_YEAR_AFTER}\b", lambda d, m, y: _cue(y, m, d)),
    _form(rf"\b{_MONTH}\.?,?\s+(?:of )?(\d{{4}})\b", lambda m, y: _cue(y, m)),
    _form(rf"\b(?:{_BEFORE_A_MONTH})[ -]{_MONTH}\b(?!\s+\d)", lambda m: _cue(None, m)),
    _form(r"(?<![\d.$-])((?:19|20)\d\d)年?(?![\d.-])", lambda y: _cue(y, None)),
)
