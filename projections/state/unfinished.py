"""Which erasures were begun and are not finished: asked by who finishes them."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

from projections.generation import current_generation
from projections.state.schema import FILE_NAME


def unfinished_erasures(view: Path) -> list[tuple[str, str]]:
    """Give kind and id of what is being erased, the oldest first; [] while there is no view.

    Raises `sqlite3.Error`.
    """
    generation = current_generation(view)
    file = view / str(generation) / FILE_NAME
    if generation is None or not file.exists():
        return []
    uri = f"file:{quote(str(file.absolute()))}?mode=ro"
    with closing(sqlite3.connect(uri, uri=True, isolation_level=None)) as connection:
        return list(
            connection.execute(
                "SELECT target, target_id FROM erasures WHERE finished_position IS NULL "
                "ORDER BY position"
            )
        )
