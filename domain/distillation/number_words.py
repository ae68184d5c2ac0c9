"""The words of numbers and months, English and Chinese (for `numbers`)."""

from __future__ import annotations

import re
from typing import Final


def _listed(text: str) -> tuple[str, ...]:
    return tuple(text.split())


SMALL: Final = _listed(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen"
)
ORDINALS: Final = _listed(
    "zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth "
    "thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth"
)
TENS: Final = _listed("twenty thirty forty fifty sixty seventy eighty ninety")
VALUES: Final = {
    **{word: value for value, word in enumerate(SMALL)},
    **{word: value for value, word in enumerate(ORDINALS)},
    **{word: 10 * value for value, word in enumerate(TENS, 2)},
    **{word[:-1] + "ieth": 10 * value for value, word in enumerate(TENS, 2)},
    "once": 1,
    "twice": 2,
    "couple": 2,
    "both": 2,
    "pair": 2,
    "dozen": 12,
    "half": 30,
}
SCALES: Final = {"hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 10**9}
VAGUE: Final = frozenset({"zeroth", "first", "second", "one", "zero", "once", "both", "half"})
"""Said without a count being meant, or by who sums two things up."""

DIGITS: Final = {sign: value for value, sign in enumerate("〇一二三四五六七八九")} | {
    "零": 0,
    "两": 2,
    "俩": 2,
    "半": 30,
}
UNITS: Final = {"十": 10, "百": 100, "千": 1_000, "万": 10_000}
HAN: Final = re.compile("[零〇一二两俩三四五六七八九十百千万半]+")
HAN_IDIOMS: Final = re.compile(
    "万一|千万|十分|万分|百分之|一些|一下|一起|一样|一直|一般|一定|统一|唯一|四川|三明治|七夕|五官|半天|一半"
)

MONTHS: Final = _listed(
    "january february march april may june july august september october november december"
)
