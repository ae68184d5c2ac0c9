"""How much of a table Lance holds in memory while it reads through it or makes an index of it.

Its defaults let reading run ahead of the work by up to 2 GB, and a part of a words' index grow to
hundreds of megabytes: what builds a view would need more memory the longer the log is (measured in
docs/decisions/0039-one-heap-and-parts-of-an-index.md).
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Final

_BOUNDS: Final[Mapping[str, str]] = {
    "LANCE_DEFAULT_IO_BUFFER_SIZE": str(32 << 20),  # bytes read and not yet worked on
    "LANCE_DEFAULT_FRAGMENT_READAHEAD": "1",  # fragments that are opened beside the one at hand
    "LANCE_FTS_PARTITION_SIZE": "64",  # MB of a words' index
}


def bound_lance_memory() -> None:
    """Set the bounds for this process. A variable that is set is kept.

    Lance looks at them when it first reads a table, not when it is loaded.
    """
    for name, value in _BOUNDS.items():
        os.environ.setdefault(name, value)
