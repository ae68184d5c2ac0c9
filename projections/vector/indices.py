"""The indices that every vector table has from its beginning."""

from __future__ import annotations

from typing import Any

from lancedb.index import FTS, Bitmap, BTree


def create_indices(table: Any) -> None:
    """Create the scalar and full-text indices of an empty table."""
    table.create_index("id", config=BTree())
    table.create_index("source_id", config=BTree())
    table.create_index("namespace", config=Bitmap())
    table.create_index("layer", config=Bitmap())
    table.create_index(
        "tokens",
        config=FTS(
            base_tokenizer="whitespace",
            with_position=True,
            max_token_length=None,
            lower_case=False,
            stem=False,
            remove_stop_words=False,
            ascii_folding=False,
        ),
    )
