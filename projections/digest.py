"""One number for a whole view, the same on every node at the same position.

Each row is hashed by itself and the hashes are added as integers, so the order in which a store
gives its rows does not matter, and two rows can't cancel out as they would under XOR. Vectors are
no rows here: they are filled in, not projected. Floats count to nine decimals.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, TypeAlias

import msgspec
from msgspec import Struct

_MODULUS: Final = 1 << 256
_DECIMALS: Final = 9
RowSeen: TypeAlias = Callable[[str, int], object]
"""Told of every row that is digested: its table, and its hash as an unsigned 256-bit integer."""

_encode: Final = msgspec.json.Encoder(order="sorted").encode


class ViewDigest(Struct, frozen=True, kw_only=True):
    """What a view says at ``position``: how many rows, and their SHA-256 sum as 64 hex digits.

    ``parked`` are the positions it could not show, ``erased`` how many subjects were erased before
    (None where a view does not count them); two views are equal only if these are, too.
    """

    view: str
    position: int
    rows: int
    sha256: str
    parked: list[int]
    erased: int | None = None


Frozen: TypeAlias = Callable[[RowSeen | None], ViewDigest]
"""Digests a view as it was at one moment, whatever is written meanwhile."""


def digest_of(
    view: str,
    position: int,
    rows: Iterable[tuple[str, Mapping[str, Any]]],
    parked: Iterable[int] = (),
    seen: RowSeen | None = None,
) -> ViewDigest:
    """Digest rows, each a table's name with its columns (JSON-ready values or bytes)."""
    total, count = 0, 0
    for table, row in rows:
        row_hash = _row_hash(table, row)
        if seen is not None:
            seen(table, row_hash)
        total += row_hash
        count += 1
    return ViewDigest(
        view=view,
        position=position,
        rows=count,
        sha256=f"{total % _MODULUS:064x}",
        parked=sorted(parked),
    )


def _row_hash(table: str, row: Mapping[str, Any]) -> int:
    rounded = {
        name: round(value, _DECIMALS) + 0.0 if isinstance(value, float) else value
        for name, value in row.items()
    }
    return int.from_bytes(hashlib.sha256(_encode([table, rounded])).digest())
