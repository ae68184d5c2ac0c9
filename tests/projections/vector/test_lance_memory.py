"""What Lance may hold in memory is bounded in the worker that builds views, unless it is told."""

from __future__ import annotations

import json
import os
import subprocess
import sys

SEEN = """
import json, os
from projections.vector.lance_memory import bound_lance_memory
bound_lance_memory()
print(json.dumps({name: value for name, value in os.environ.items() if name.startswith("LANCE_")}))
"""


def test_reading_ahead_and_parts_of_indices_are_bounded_where_nobody_said_otherwise() -> None:
    bare = {name: value for name, value in os.environ.items() if not name.startswith("LANCE_")}
    assert seen(bare) == {
        "LANCE_DEFAULT_IO_BUFFER_SIZE": "33554432",
        "LANCE_DEFAULT_FRAGMENT_READAHEAD": "1",
        "LANCE_FTS_PARTITION_SIZE": "64",
    }
    assert seen({**bare, "LANCE_FTS_PARTITION_SIZE": "9"})["LANCE_FTS_PARTITION_SIZE"] == "9"


def seen(environment: dict[str, str]) -> dict[str, str]:
    told = subprocess.run(
        [sys.executable, "-c", SEEN],
        env=environment,
        stdout=subprocess.PIPE,
        timeout=30,
        check=True,
    )
    found: dict[str, str] = json.loads(told.stdout)
    return found
