"""What the operating system refused, told as such.

Lance gives every failure of a disk as a RuntimeError whose text ends in the system's error number,
and quotes paths and filters before it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

_NUMBER: Final = re.compile(r"\(os error (\d+)\)")


@contextmanager
def told_as_os_errors() -> Iterator[None]:
    """Raise OSError where Lance says that the system failed; anything else passes through."""
    try:
        yield
    except (RuntimeError, ValueError) as error:
        found = _NUMBER.search(str(error))
        if found is None:
            raise
        number = int(found[1])
        raise OSError(number, os.strerror(number)) from error
