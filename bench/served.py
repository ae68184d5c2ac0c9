"""A memory to be measured: a node with default settings, spoken to over HTTP."""

from __future__ import annotations

import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from memoryweave.client import Client
from memoryweave.contract import Commit, Recall, RecallAnswer
from memoryweave.outbox import Queued
from tests.nodes import NodeProcess
from workers.cli.shown import wait_until_shown

_BATCH: Final = 100


class Served:
    """Stores and asks with the admin's key, which no rate limit holds back."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def store(self, entries: Sequence[Commit]) -> None:
        """Import the entries, a namespace after the other, and wait for their vectors."""
        by_namespace: defaultdict[str | None, list[Commit]] = defaultdict(list)
        for entry in entries:
            by_namespace[entry.namespace].append(entry)
        position = 0
        for part in by_namespace.values():
            for start in range(0, len(part), _BATCH):
                receipt = self._client.batch_commit(part[start : start + _BATCH])
                assert not isinstance(receipt, Queued), "this client has no outbox"
                position = receipt.position
        wait_until_shown(self._client, position)

    def recall(self, request: Recall) -> RecallAnswer:
        """Ask over HTTP."""
        return self._client.recall(
            request.query, namespaces=request.namespaces, top_k=request.top_k
        )


@contextmanager
def served(vectors: Path | None) -> Iterator[Served]:
    """Start a node with an empty log; its vector cache is ``vectors``, if given."""
    with tempfile.TemporaryDirectory(prefix="mw-") as place:
        data = Path(place) / "data"
        if vectors is not None:
            data.mkdir(mode=0o700)
            vectors.mkdir(parents=True, exist_ok=True)
            (data / "cache").symlink_to(vectors.resolve(), target_is_directory=True)
        with NodeProcess(data) as node, node.client() as client:
            yield Served(client)
