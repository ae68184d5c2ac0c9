"""A node of one's own: `memoryweave up` on a directory and a free port, ended afterwards."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from memoryweave.client import Client
from memoryweave.contract import Commit, Recall, RecallAnswer
from memoryweave.errors import MemoryWeaveError
from memoryweave.exchange import Retries
from memoryweave.operation import Wait
from memoryweave.outbox import Queued
from workers.cli.failure import Failure
from workers.cli.shown import wait_until_shown
from workers.declared_settings import DECLARED
from workers.keys import kept_keys
from workers.ports import claimable_port

_START_WITHIN_S: Final = 180.0
_LOOK_EVERY_S: Final = 0.2
_END_WITHIN_S: Final = 60.0
_BATCH: Final = 100
SEARCHED: Final = ("state", "vector")
NOTHING_DISTILLED: Final = {"MEMORYWEAVE_DISTILL_BY": "off"}
_KEPT: Final = ("embed_", "llm_", "rerank_")
"""Settings of the environment that a node of one's own takes: which models it asks."""


class Served:
    """A memory to be measured over HTTP, with the admin's key, which no rate limit holds back."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def store(self, entries: Sequence[Commit]) -> None:
        """Import the entries, a namespace after the other, and wait for their vectors."""
        by_namespace: defaultdict[str | None, list[Commit]] = defaultdict(list)
        for entry in entries:
            by_namespace[entry.namespace].append(entry)
        batches = [
            part[start : start + _BATCH]
            for part in by_namespace.values()
            for start in range(0, len(part), _BATCH)
        ]
        position = 0
        for number, batch in enumerate(batches, start=1):
            # The last one waits in the service, which after a few entries is all that it takes.
            wait: Wait | None = "vectors" if number == len(batches) else None
            receipt = self._client.batch_commit(batch, wait=wait)
            assert not isinstance(receipt, Queued), "this client has no outbox"
            position = receipt.position
        wait_until_shown(self._client, position, views=SEARCHED)

    def recall(self, request: Recall) -> RecallAnswer:
        """Ask over HTTP."""
        return self._client.recall(
            request.query, namespaces=request.namespaces, top_k=request.top_k
        )


@contextmanager
def served(vectors: Path | None) -> Iterator[Served]:
    """Start a node with an empty log; its vector cache is ``vectors``, if given."""
    with client_of_a_node(vectors, NOTHING_DISTILLED) as client:
        yield Served(client)


@contextmanager
def client_of_a_node(vectors: Path | None, settings: Mapping[str, str]) -> Iterator[Client]:
    """Start a node with an empty log and give a client with its admin's key (see `own_node`).

    Its vector cache is ``vectors``, if given.
    """
    with tempfile.TemporaryDirectory(prefix="mw-") as place:
        data = Path(place) / "data"
        if vectors is not None:
            data.mkdir(mode=0o700)
            vectors.mkdir(parents=True, exist_ok=True)
            (data / "cache").symlink_to(vectors.resolve(), target_is_directory=True)
        retries = Retries(within_s=30.0)
        with (
            own_node(data, settings) as url,
            Client(url, kept_keys(data)["API_KEY"], outbox=None, retries=retries) as client,
        ):
            yield client


@contextmanager
def own_node(data: Path, settings: Mapping[str, str] = NOTHING_DISTILLED) -> Iterator[str]:
    """Run a node on ``data`` and give its URL. Raises `Failure` where it does not start.

    ``settings`` are those of the environment that it gets. Without others nothing is distilled
    there: what is measured must not depend on how far that has come.
    """
    port = claimable_port("127.0.0.1", 0)
    log = data.parent / "up.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "workers.cli.main", "up", "--data", data, "--port", str(port)],
            stdout=output,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            env={**_without_a_place(), **settings},
        )
    try:
        url = f"http://127.0.0.1:{port}"
        _await_ready(process, url, log)
        yield url
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(_END_WITHIN_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise


def _await_ready(process: subprocess.Popen[bytes], url: str, log: Path) -> None:
    deadline = time.monotonic() + _START_WITHIN_S
    with Client(url, outbox=None) as client:
        while True:
            if process.poll() is not None or time.monotonic() > deadline:
                raise Failure(f"the service did not start:\n{log.read_text(errors='replace')}")
            if _is_well(client):
                return
            with suppress(subprocess.TimeoutExpired):
                process.wait(_LOOK_EVERY_S)  # a service that ends is seen at once


def _is_well(client: Client) -> bool:
    try:
        return client.health().status == "ok"
    except MemoryWeaveError:
        return False


def _without_a_place() -> dict[str, str]:
    """Give the environment without what would lead the node to somebody's own log."""
    placed = {d.variable for d in DECLARED if not d.field.startswith(_KEPT)}
    return {name: value for name, value in os.environ.items() if name not in placed}
