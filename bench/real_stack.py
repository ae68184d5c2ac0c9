"""The real house in one process: commands, log, both projectors, recall; nothing is replaced.

What `workers` spreads over processes is driven here step by step, so that a measurement or a test
decides when views catch up and when vectors are filled.
"""

from __future__ import annotations

import hashlib
import itertools
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec

from commands.application import MemoryApplication
from commands.command import Command, CommandContext
from commands.commit import batch_commit
from domain.caller import Caller
from domain.identity import command_id
from eventlog.codec import UnknownEventType
from eventlog.subscription import Checkpoint, Subscription
from inference.embedder import Embedder
from memoryweave.contract import BatchCommit, BatchReceipt, Commit, Recall, RecallAnswer
from projections.batch import sort_batch
from projections.generation import ViewDirectory
from projections.parking import Parking
from projections.state.projector import StateProjector
from projections.state.view import StateView
from projections.vector.cache import VectorCache
from projections.vector.filler import VectorFiller
from projections.vector.maintenance import optimize
from projections.vector.projector import VectorProjector
from projections.vector.view import VectorView
from queries.recall import RecallParts, recall
from queries.stages import EVERY_STAGE

OWNER = Caller(actor="owner", kind="owner")
_ENTRIES = 200
_EVENTS = 500


def utc_now() -> datetime:
    return datetime.now(UTC)


class RealStack:
    """One log with its two views under ``folder``. ``vectors`` may outlive it: it is the cache."""

    def __init__(
        self,
        folder: Path,
        redis_url: str,
        log_name: str,
        embedder: Embedder,
        *,
        vectors: Path | None = None,
        clock: Callable[[], datetime] = utc_now,
    ) -> None:
        self.application = MemoryApplication(redis_url, log_name)
        self.embedder = embedder
        self.clock = clock
        self.stages = EVERY_STAGE
        self.pool = ThreadPoolExecutor(2, thread_name_prefix="lexical")
        self._redis_url, self._log_name = redis_url, log_name
        self._directories = [ViewDirectory(folder / "views" / name) for name in ("state", "vector")]
        self.state_folder, self.vector_folder = (held.live for held in self._directories)
        self.cache = VectorCache(vectors or folder / "cache", embedder.name, embedder.dimension)
        self.state_projector = StateProjector(self._directories[0].live)
        self.vector_projector = VectorProjector(self._directories[1].live, self.cache)
        self.state = StateView(self._directories[0].path)
        self.vector = VectorView(self._directories[1].path)
        self._command_numbers = itertools.count(1)

    def commit(self, entries: Iterable[Commit], caller: Caller = OWNER) -> list[BatchReceipt]:
        """Commit entries, 200 an append: each may become four events, and 1,000 is the limit."""
        entries = list(entries)
        return [
            self._commit_batch(entries[start : start + _ENTRIES], caller)
            for start in range(0, len(entries), _ENTRIES)
        ]

    def project(self, view: str | None = None) -> None:
        """Bring both views, or the one named, to the head of the log."""
        for projector in (self.state_projector, self.vector_projector):
            if view in (None, projector.name):
                self._project(projector)

    def reopen_views(self) -> None:
        """Let the readers open their files anew, as another process would."""
        self.state.close()
        self.state = StateView(self._directories[0].path)
        self.vector = VectorView(self._directories[1].path)

    def fill(self, *, within_s: float = 3600.0) -> None:
        """Give every waiting row its vector."""
        failures: list[Exception] = []
        filler = VectorFiller(self.vector_projector, self.embedder, report=failures.append)
        try:
            deadline = time.monotonic() + within_s
            while self.vector_projector.waiting:
                if not filler.write():
                    time.sleep(0.002)
                if failures:
                    raise failures[0]
                if time.monotonic() > deadline:
                    raise TimeoutError(f"{len(self.vector_projector.waiting)} rows still wait")
        finally:
            filler.close()

    def optimize(self) -> None:
        """Do the vector view's maintenance now."""
        optimize(self.vector_folder)
        self.vector_projector.table.checkout_latest()

    @property
    def parts(self) -> RecallParts:
        """What a recall works with."""
        return RecallParts(
            state=self.state,
            vector=self.vector,
            embedder=self.embedder,
            pool=self.pool,
            stages=self.stages,
        )

    def recall(self, request: Recall, caller: Caller = OWNER) -> RecallAnswer:
        """Recall through the real query code."""
        return recall(request, caller, self.parts, self.clock, "recall")

    def close(self) -> None:
        """Close everything."""
        self.pool.shutdown()
        self.state.close()
        self.state_projector.close()
        self.cache.close()
        for directory in self._directories:
            directory.close()
        self.application.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _commit_batch(self, entries: list[Commit], caller: Caller) -> BatchReceipt:
        request = BatchCommit(entries=entries)
        number = next(self._command_numbers)
        context = CommandContext(
            command_id=command_id(caller.actor, "/batch-commit", f"batch {number}"),
            fingerprint=hashlib.sha256(msgspec.json.encode(request)).hexdigest(),
            correlation_id=f"batch {number}",
        )
        command = Command(caller=caller, context=context, request=request)
        return batch_commit(self.application, command, self.clock)

    def _project(self, projector: StateProjector | VectorProjector) -> None:
        codec = self.application.codec
        checkpoint: Checkpoint = projector.checkpoint()
        with Subscription(self._redis_url, self._log_name, checkpoint) as subscription:
            while entries := subscription.read(_EVENTS, wait_s=0):
                batch = sort_batch(
                    entries,
                    codec.open_batch(entries),
                    blocked={parked.key for parked in projector.parked()},
                    poisoned={},
                    shown=projector.aggregate_types,
                )
                if isinstance(batch.halt, UnknownEventType):
                    raise batch.halt
                projector.apply(
                    batch.events,
                    subscription.checkpoint_at(entries[-1]),
                    Parking(added=tuple(batch.parked)),
                )
