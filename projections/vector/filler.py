"""Gives rows their vectors after the fact, whatever the model server does (decision 0009).

Two halves. A thread embeds the texts of waiting rows, a few at a time, and puts the vectors into
the cache: it never touches the table, so a slow or dead model server holds up nothing. Between
batches the writer calls `VectorFiller.write`, which merges the vectors that are there.

The merge updates a row only where ``target.event_pos = source.event_pos``. No insert: it would
resurrect a purged row. No plain update: it would reopen a stretch that was closed meanwhile.
"""

from __future__ import annotations

import itertools
import queue
import threading
from collections.abc import Callable
from typing import Final

from msgspec import Struct

from inference.embedder import Embedder, EmbedderMisbehaved, EmbedderUnavailable
from projections.priority import give_way
from projections.vector.chunks import estimated_tokens
from projections.vector.projector import VectorProjector
from projections.vector.schema import embedded_text, text_sha

TEXTS_PER_CALL: Final = 8
"""Few enough that whoever waits for the processor waits for a fraction of a second."""

ROWS_PER_ROUND: Final = 32
"""Rows given to the thread at a time, and written together."""

TOKENS_PER_ROUND: Final = 2_000
"""What newer rows wait for at most while a round is embedded: five of the longest chunks."""

_NICENESS: Final = 10


class _Waiting(Struct, frozen=True):
    row_id: str
    text: str


class VectorFiller:
    """Fills the rows of one projector. `write` belongs to the writer's thread, as `apply` does."""

    def __init__(
        self,
        projector: VectorProjector,
        embedder: Embedder,
        *,
        report: Callable[[Exception], None],
        retry_s: float = 5.0,
    ) -> None:
        """``report`` is told of failures; after one the model is left alone for ``retry_s``.

        Raises ValueError if the embedder is not the one whose vectors the view holds.
        """
        cache = projector.cache
        if (embedder.name, embedder.dimension) != (cache.model, cache.dimension):
            raise ValueError(f"{embedder.name!r} cannot fill a view of {cache.model!r} vectors")
        self._projector = projector
        self._embedder = embedder
        self._report = report
        self._retry_s = retry_s
        self._stopped = threading.Event()
        self._todo: queue.SimpleQueue[list[_Waiting] | None] = queue.SimpleQueue()
        self._tried: queue.SimpleQueue[list[_Waiting]] = queue.SimpleQueue()
        self._busy = False
        self._failing: frozenset[str] = frozenset()
        self._thread = threading.Thread(
            target=self._embed_rounds, name="vector-filler", daemon=True
        )
        self._thread.start()

    def write(self) -> int:
        """Write the vectors that are there and hand out the next texts; tell how many rows.

        Never waits for the model. Storage errors pass through; the same call may be repeated.
        """
        written = 0
        if self._busy and not self._tried.empty():
            tried = {row.row_id: text_sha(row.text) for row in self._tried.get()}
            stored = self._projector.stored(tried)
            # Of a text that was taken away meanwhile, the cache must not keep the vector.
            self._projector.forget_unused(
                tried[id_] for id_ in tried.keys() - {r.id for r in stored}
            )
            written = self._projector.fill(stored)
            self._busy = False
            # What is still waiting after its turn failed: the others go first.
            self._failing |= self._projector.waiting.keys() & tried.keys()
        if not self._busy:
            written += self._next_round()
        return written

    def close(self) -> None:
        """Stop the thread. A model call that is under way is not waited for longer than 5 s."""
        self._stopped.set()
        self._todo.put(None)
        self._thread.join(timeout=5.0)

    def _next_round(self) -> int:
        """Fill what the cache knows already, newest first, and hand the rest to the thread."""
        waiting = self._projector.waiting
        if waiting and self._failing.issuperset(waiting):
            self._failing = frozenset()
        fresh = (row_id for row_id in reversed(waiting) if row_id not in self._failing)
        ids = list(itertools.islice(fresh, ROWS_PER_ROUND))
        if not ids:
            return 0
        rows = self._projector.stored(ids)
        written = self._projector.fill(rows)
        texts = {row.id: embedded_text(row.speaker, row.content) for row in rows}
        rest = [_Waiting(id_, texts[id_]) for id_ in ids if id_ in texts and id_ in waiting]
        if rest:
            self._busy = True
            self._todo.put(_one_round(rest))
        return written

    def _embed_rounds(self) -> None:
        """Run in the thread: embed what is handed out, at low priority."""
        give_way(_NICENESS)
        while (todo := self._todo.get()) is not None:
            failure: Exception | None = None
            for start in range(0, len(todo), TEXTS_PER_CALL):
                failure = self._embed(todo[start : start + TEXTS_PER_CALL]) or failure
                if self._stopped.is_set() or isinstance(failure, EmbedderUnavailable):
                    break
            self._tried.put(todo)
            if failure is not None:
                self._report(failure)
                self._stopped.wait(self._retry_s)

    def _embed(self, rows: list[_Waiting]) -> Exception | None:
        """Put the rows' vectors into the cache, or give the reason why not all are there."""
        try:
            vectors = self._embedder.embed_documents([row.text for row in rows])
            shas = [text_sha(row.text) for row in rows]
            self._projector.cache.put(dict(zip(shas, vectors, strict=True)))
        except EmbedderMisbehaved as error:
            if len(rows) == 1:
                return error
            # One text may be what the model cannot take: the others need not wait for it.
            failures = [failure for row in rows if (failure := self._embed([row]))]
            return failures[0] if failures else None
        except Exception as error:  # noqa: BLE001  # reported; the rows keep waiting and are tried again
            return error
        return None


def _one_round(rows: list[_Waiting]) -> list[_Waiting]:
    """Give the first of the rows: as many as a round's tokens allow, one at least."""
    totals = itertools.accumulate(estimated_tokens(row.text) for row in rows)
    return [
        row
        for row, total in zip(rows, totals, strict=True)
        if row is rows[0] or total <= TOKENS_PER_ROUND
    ]
