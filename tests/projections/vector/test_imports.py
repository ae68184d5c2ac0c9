"""What a process at rest does not load: it would stay in its memory."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.projections.vector.histories import History
from tests.projections.vector.places import DIMENSION, MODEL, Place

READS_AND_WRITES = """
import sys
from pathlib import Path
import api.app
from projections.vector.cache import VectorCache
from projections.vector.view import VectorView
from workers.vector_view import VectorBuild, VectorProjector
folder = Path(sys.argv[1])
cache = VectorCache(folder / "cache", sys.argv[2], int(sys.argv[3]))
projector = VectorProjector(folder / "views" / "vector" / "1", cache)
view = VectorView(folder / "views" / "vector")
assert view.checkpoint() == projector.checkpoint()
assert len(projector.rows_of({"m1"})) == 1
assert view.digest().position == 1
(folder / "begun").mkdir()
VectorProjector(folder / "begun", cache)
print("lancedb" in sys.modules)
"""


def test_neither_who_reads_nor_who_begins_or_merges_loads_lancedb_besides_its_engine(
    place: Place, history: History, tmp_path: Path
) -> None:
    history.create("statement")
    place.project(history.events)
    place.close()
    done = subprocess.run(
        [sys.executable, "-c", READS_AND_WRITES, str(tmp_path), MODEL, str(DIMENSION)],
        check=True,
        stdout=subprocess.PIPE,
    )
    assert done.stdout == b"False\n"
