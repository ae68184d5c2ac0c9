"""The indices that every vector table has from its beginning."""

from __future__ import annotations

from typing import Any


def create_indices(table: Any) -> None:
    """Create the scalar and full-text indices of an empty table."""
    from lancedb.index import Bitmap, BTree

    table.create_index("id", config=BTree())
    table.create_index("source_id", config=BTree())
    table.create_index("session_id", config=BTree())
    table.create_index("turn", config=BTree())
    table.create_index("namespace", config=Bitmap())
    table.create_index("layer", config=Bitmap())
    build_text_index(table)


def build_text_index(table: Any) -> None:
    """Build the full-text index anew; its files keep the words of rows that are gone until then."""
    from lancedb.index import FTS

    table.create_index(
        "tokens",
        replace=True,
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
