"""What a row tells whoever finds it, in one column.

A question fetches some hundred rows by their places, and each column of each row is looked up by
itself: sixteen columns of a hundred rows took 24 ms of a table of a million, one takes 5. What is
in this column is in the others too, which filters, indices and folds look at.
"""

from __future__ import annotations

from typing import Final

import msgspec
from msgspec import Struct

COLUMN: Final = "told"


class Told(Struct, frozen=True, array_like=True, gc=False):
    """What `hits.Hit` says of a row (`schema.Row`), in this order; another is another schema."""

    row_id: str
    layer: str
    source_id: str
    version: int
    content: str
    tokens: str
    speaker: str | None
    namespace: str
    session_id: str | None
    session_seq: int | None
    observed_at: int | None
    recorded_at: int
    chunk_index: int
    chunk_of: int
    derived_from: tuple[str, ...]


encode_told: Final = msgspec.msgpack.Encoder().encode
decode_told: Final = msgspec.msgpack.Decoder(Told).decode
