"""The running digest of a log: whoever agrees on it at one position agrees on all before.

``chain(0)`` is 32 zero bytes; ``chain(n)`` is the SHA-256 of ``chain(n-1)``, the position, and
every field of entry ``n`` exactly as it is stored, each with its length before it, so that no two
different entries give the same bytes. Vectors, sealing keys and whatever is not in the log are not
in it.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterable, Sequence
from typing import Final

from eventlog.entry import RawEntry, fields_of

BEGINNING: Final = bytes(32)
"""The chain before the first event."""


def link(before: bytes, position: int, fields: Sequence[bytes]) -> bytes:
    """Give the chain after an entry: 32 bytes. ``fields`` are its names and values in turn."""
    lengths = struct.pack(f">QI{len(fields)}I", position, len(fields), *map(len, fields))
    return hashlib.sha256(before + lengths + b"".join(fields)).digest()


def link_entry(before: bytes, entry: RawEntry) -> bytes:
    """Give the chain after an entry."""
    return link(before, entry.position, fields_of(entry))


def links(before: bytes, entries: Iterable[RawEntry]) -> list[bytes]:
    """Give the chain after each of several entries, which follow one another."""
    found = []
    for entry in entries:
        before = link_entry(before, entry)
        found.append(before)
    return found
