"""Work that nobody waits for makes way for work that somebody does."""

from __future__ import annotations

import os
import threading
from typing import Final

LOWEST: Final = 19


def give_way(niceness: int) -> None:
    """Give this thread, and those it will start, at least that niceness; never less than it has.

    Less would be refused to who is not root, and who started the process low meant it.
    """
    thread = threading.get_native_id()
    present = os.getpriority(os.PRIO_PROCESS, thread)
    os.setpriority(os.PRIO_PROCESS, thread, min(LOWEST, max(present, niceness)))
