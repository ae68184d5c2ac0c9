"""How a process takes memory from the system for what is not Python's: glibc's arenas.

glibc gives each thread that allocates an arena of its own, up to eight for every core, and hardly
gives back what lies scattered in them. Lance's threads take and free whole fragments, so a process
that writes or indexes a table held on to hundreds of megabytes that nothing used (measured in
docs/decisions/0039-one-heap-and-parts-of-an-index.md).
"""

from __future__ import annotations

import ctypes
import os
import sys
from typing import Final

_M_ARENA_MAX: Final = -8
_GIVEN: Final = "MALLOC_ARENA_MAX"


def keep_one_heap() -> None:
    """Let all threads of this process share one arena; before they are started.

    Does nothing where the C library is another, or where MALLOC_ARENA_MAX says what is wanted.
    """
    libc = _glibc()
    if libc is not None and _GIVEN not in os.environ:
        libc.mallopt(_M_ARENA_MAX, 1)


def give_back_freed() -> None:
    """Give the system what was freed and lies between what is not; where glibc can."""
    libc = _glibc()
    if libc is not None:
        libc.malloc_trim(0)


def _glibc() -> ctypes.CDLL | None:
    if sys.platform != "linux":
        return None
    libc = ctypes.CDLL(None)
    return libc if hasattr(libc, "gnu_get_libc_version") else None
