"""Keeps the table quick to search: indices, compaction, old versions."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, Final

from lancedb.index import FTS, Bitmap, BTree

OLD_VERSIONS: Final = timedelta(minutes=10)
"""How long a version stays for readers that still look at it."""


def create_indices(table: Any) -> None:
    """Create the scalar and full-text indices. Repeating it changes nothing."""
    have = {column for index in table.list_indices() for column in index.columns}
    wanted = {
        "id": BTree(),
        "source_id": BTree(),
        "namespace": Bitmap(),
        "layer": Bitmap(),
        "tokens": FTS(
            base_tokenizer="whitespace",
            with_position=True,
            max_token_length=None,
            lower_case=False,
            stem=False,
            remove_stop_words=False,
            ascii_folding=False,
        ),
    }
    for column, config in wanted.items():
        if column not in have:
            table.create_index(column, config=config)


def optimize(table: Any) -> None:
    """Compact, fold new rows into the indices, drop versions that no reader can hold."""
    table.optimize(cleanup_older_than=OLD_VERSIONS)
