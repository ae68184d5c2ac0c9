"""A vector view's writer in a process of its own, which dies at one point of its work.

``python -m tests.projections.vector.worker_process URL LOG FOLDER [KILL_AT NUMBER]`` follows the
log to its end, fills and tidies up, and ends; or kills itself with SIGKILL when the point is
reached for the NUMBER-th time. The faults are in this file, not in the product.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import projections.vector.maintenance as upkeep
from domain.events import Event
from eventlog.codec import Codec
from eventlog.redis_log import RedisLog
from eventlog.sealing import KeyRing
from eventlog.subscription import Subscription
from projections.vector.filler import VectorFiller
from projections.vector.projector import VectorProjector
from tests.projections.vector.places import LetterEmbedder, Place

KILL_POINTS = (
    "before a merge",
    "after a merge",
    "while embedding",
    "before a fill",
    "after a fill",
    "before compaction",
    "between compaction and indexing",
    "after indexing",
)
EVENTS_A_BATCH = 20


def main(url: str, name: str, folder: str, kill_at: str = "", number: str = "0") -> None:
    _arm(kill_at, int(number))
    place = Place(Path(folder))
    with (
        RedisLog(url, name) as log,
        Subscription(url, name, place.projector.checkpoint()) as source,
    ):
        _follow(place, Codec(KeyRing(log.subject_keys)), source)
    place.close()


def _follow(place: Place, codec: Codec, source: Subscription) -> None:
    filler = VectorFiller(place.projector, LetterEmbedder(), report=_fail)
    tidy = upkeep.Maintenance(place.projector, report=_fail, monotonic=lambda: 0.0)
    idle = threading.Event()
    entries: list[Any] = []
    while (entries := source.read(EVENTS_A_BATCH, 0.01)) or place.projector.waiting:
        if entries:
            events = codec.open_batch(entries)
            assert all(isinstance(event, Event) for event in events)
            place.projector.apply(events, source.checkpoint_at(entries[-1]))
        filler.write()
        while tidy.step():
            idle.wait(0)
    filler.close()
    tidy.close()


def _fail(error: Exception) -> None:
    print(error, file=sys.stderr)
    os._exit(3)


def _arm(kill_at: str, number: int) -> None:
    upkeep.COMMITS_PER_ROUND = 4
    seen: Counter[str] = Counter()

    def at(point: str) -> None:
        seen[point] += 1
        if point == kill_at and seen[point] == number:
            os.kill(os.getpid(), signal.SIGKILL)

    def around(owner: Any, method: str, before: str, after: str) -> None:
        real: Callable[..., Any] = getattr(owner, method)

        def step(*args: Any, **named: Any) -> Any:
            at(before)
            result = real(*args, **named)
            at(after)
            return result

        setattr(owner, method, step)

    around(VectorProjector, "_merge", "before a merge", "after a merge")
    around(VectorProjector, "_merge_vectors", "before a fill", "after a fill")
    around(LetterEmbedder, "embed_documents", "while embedding", "")
    around(upkeep, "index_what_is_new", "between compaction and indexing", "after indexing")
    around(upkeep, "compact", "before compaction", "")


if __name__ == "__main__":
    main(*sys.argv[1:])
