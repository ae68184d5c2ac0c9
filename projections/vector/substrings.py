"""Where short strings stand in a long one, by comparing numbers instead of characters.

Every four bytes that follow each other are one number. A string is looked for by its first four,
all places at once, and what is left is compared only where these stand. `str.find` is asked anew
for each place: a word that stands in most of two hundred texts took four times as long.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

Places = NDArray[np.int64]

_WIDTH: Final = 4
_NUMBER: Final = np.dtype("<u4")


def places_of(strings: Sequence[bytes], text: bytes) -> list[Places]:
    """Give for each string, of one byte or more, every place in ``text`` where it begins, in order.

    Places may overlap. ``text`` holds no byte 0, and neither do the strings.
    """
    # With so many bytes after it, any string can be compared from any place.
    padded = text + bytes(max(map(len, strings), default=0) + _WIDTH)
    count = len(padded) - _WIDTH + 1
    numbers = np.ascontiguousarray(np.ndarray(count, _NUMBER, padded, strides=(1,)))
    return [_places(numbers, string) for string in strings]


def _places(numbers: NDArray[np.uint32], string: bytes) -> Places:
    first = _number(string[:_WIDTH].ljust(_WIDTH, b"\0"))
    if len(string) < _WIDTH:
        mask = _number((b"\xff" * len(string)).ljust(_WIDTH, b"\0"))
        return np.flatnonzero((numbers & mask) == first)
    places = np.flatnonzero(numbers == first)
    last = len(string) - _WIDTH
    for at in (*range(_WIDTH, last, _WIDTH), last):
        places = places[numbers[places + at] == _number(string[at : at + _WIDTH])]
    return places


def _number(four: bytes) -> np.uint32:
    return np.frombuffer(four, _NUMBER)[0]  # type: ignore[no-any-return]  # as its dtype says
