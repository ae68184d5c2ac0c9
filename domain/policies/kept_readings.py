"""Keeps what short texts were read as, so that what is read again and again is read once.

Long texts are read anew: a few thousand of the largest that may be stored, each with what it was
taken apart into, would fill the memory.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import Concatenate, Final, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

LONGEST_KEPT: Final = 500
"""Characters. A sentence, or a memory, is seldom longer."""


def kept_where_short(
    most: int, longest: int = LONGEST_KEPT
) -> Callable[[Callable[Concatenate[str, P], R]], Callable[Concatenate[str, P], R]]:
    """Keep up to ``most`` results of a pure function of a text; those asked for last stay.

    ``longest`` is how many characters a text may have whose result is kept.
    """

    def keeping(read: Callable[Concatenate[str, P], R]) -> Callable[Concatenate[str, P], R]:
        kept: Callable[..., R] = lru_cache(maxsize=most)(read)

        @wraps(read)
        def of(text: str, /, *args: P.args, **kwargs: P.kwargs) -> R:
            if len(text) > longest:
                return read(text, *args, **kwargs)
            return kept(text, *args, **kwargs)

        return of

    return keeping
