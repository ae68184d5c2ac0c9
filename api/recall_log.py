"""Tells the log what was recalled, behind the answers (spec: events.md, "Recall").

An answer only puts a few numbers into memory here. One thread of the process writes them down, one
event for each agent, after two seconds or at a hundred recalls. Nothing here can hold up or fail a
recall: while the log cannot be written, so many recalls wait and no more, and later ones are
counted and let go. What a crash takes is lost; feedback that names it is taken all the same.
"""

from __future__ import annotations

import threading
from collections import Counter, deque
from collections.abc import Callable
from typing import Final, Literal

import structlog

from commands.command import Clock
from commands.recalls import (
    EVENTS_A_STRETCH,
    RECALLS_AN_EVENT,
    RESULTS_AN_EVENT,
    AskedRecall,
    RecallBatch,
)
from domain.errors import Erased, LogFull, LogUnavailable
from domain.identity import uuid7

RecallLogging = Literal["all", "sampled", "off"]

WRITE_AFTER_S: Final = 2.0
MOST_WAITING: Final = 10_000
"""Recalls in memory at most, each a few kilobytes."""

SAMPLED_ONE_IN: Final = 10
_AGAIN_AFTER_S: Final = 1.0
_LONGEST_PAUSE_S: Final = 30.0
_GIVEN_UP_AFTER_S: Final = 10.0
"""At the end of the process."""

_logger = structlog.get_logger("api")


class RecallLog:
    """Takes recalls of any thread and writes them in one of its own. `close` it at the end."""

    def __init__(
        self,
        write: Callable[[RecallBatch], None],
        clock: Clock,
        randomness: Callable[[int], bytes],
        logging: RecallLogging = "all",
        write_after_s: float = WRITE_AFTER_S,
    ) -> None:
        """``write`` stores one batch, once however often it is given; it may raise and block."""
        self._write = write
        self._clock = clock
        self._randomness = randomness
        self._logging = logging
        self._write_after_s = write_after_s
        self._name = randomness(8).hex()
        self._waiting: deque[tuple[str, AskedRecall]] = deque()
        self._in_flight: RecallBatch | None = None
        self._places: dict[str, tuple[int, int]] = {}
        self._changed = threading.Condition()
        self._again_after_s = _AGAIN_AFTER_S
        self._ending = False
        self._thread: threading.Thread | None = None
        self._written = 0
        self._dropped: Counter[str] = Counter()

    def add(self, actor: str, recall: AskedRecall) -> None:
        """Take one recall to be written down. Never waits, never raises."""
        if self._logging == "off" or (self._logging == "sampled" and not _is_sampled(recall)):
            return
        with self._changed:
            if self._ending or self._count() >= MOST_WAITING:
                self._dropped["full"] += 1
                return
            self._waiting.append((actor, recall))
            if self._thread is None:
                # A daemon: a log that hangs must not keep the process from ending.
                self._thread = threading.Thread(target=self._run, name="recall-log", daemon=True)
                self._thread.start()
            elif len(self._waiting) in (1, RECALLS_AN_EVENT):
                self._changed.notify_all()

    def waiting(self) -> int:
        """Give how many recalls are not in the log yet."""
        with self._changed:
            return self._count()

    def written(self) -> int:
        """Give how many recalls were written down since the process began."""
        with self._changed:
            return self._written

    def dropped(self) -> dict[str, int]:
        """Give how many recalls were let go, by why: ``full``, ``refused``, ``ended``."""
        with self._changed:
            return {why: self._dropped[why] for why in ("full", "refused", "ended")}

    def close(self) -> None:
        """Write what waits, within seconds, and take no more."""
        with self._changed:
            self._ending = True
            self._changed.notify_all()
        if self._thread is not None:
            self._thread.join(_GIVEN_UP_AFTER_S)

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(self._has_work)
                self._changed.wait_for(self._is_due, timeout=self._write_after_s)
                if not self._count():
                    return  # it ends, and everything is written
            while self._write_one():
                continue
            with self._changed:
                if self._ending and self._count():
                    self._dropped["ended"] += self._count()
                    return
                if self._in_flight is not None:
                    self._changed.wait_for(lambda: self._ending, timeout=self._again_after_s)

    def _write_one(self) -> bool:
        """Write the next batch; tell whether to go on at once. The log's absence is no failure."""
        batch = self._in_flight or self._next_batch()
        if batch is None:
            return False
        try:
            self._write(batch)
        except (LogUnavailable, LogFull) as error:
            # Nobody knows whether it was stored: the same batch again, before any other.
            if self._again_after_s == _AGAIN_AFTER_S:
                _logger.warning("recalls_not_written_yet", reason=str(error))
            self._again_after_s = min(2 * self._again_after_s, _LONGEST_PAUSE_S)
            return False
        except Erased:
            # Something was erased that this stretch had told of, and the stretch's key with it.
            self._end_stretch(batch.actor)
            self._in_flight = self._batch(batch.actor, batch.recalls)
        except Exception as error:  # noqa: BLE001  # a refused batch must not end the thread
            _logger.warning(
                "recalls_let_go", reason=type(error).__name__, recalls=len(batch.recalls)
            )
            self._end_stretch(batch.actor)  # nobody knows how far it has come
            self._done(refused=len(batch.recalls))
        else:
            stretch, place = self._places.get(batch.actor, (0, 0))
            self._places[batch.actor] = (stretch, place + 1)
            if place + 1 >= EVENTS_A_STRETCH:
                self._end_stretch(batch.actor)
            self._done(written=len(batch.recalls))
        return True

    def _next_batch(self) -> RecallBatch | None:
        with self._changed:
            if not self._waiting:
                return None
            actor = self._waiting[0][0]
            taken: list[AskedRecall] = []
            others: deque[tuple[str, AskedRecall]] = deque()
            results = 0
            for entry in self._waiting:
                # After the first that has no place none of this agent's has: their order stays.
                if entry[0] == actor and len(taken) < RECALLS_AN_EVENT:
                    results += entry[1].results
                    if not taken or results <= RESULTS_AN_EVENT:
                        taken.append(entry[1])
                        continue
                others.append(entry)
            self._waiting = others
            self._in_flight = self._batch(actor, taken)
            return self._in_flight

    def _batch(self, actor: str, recalls: list[AskedRecall]) -> RecallBatch:
        stretch, place = self._places.get(actor, (0, 0))
        return RecallBatch(
            key=uuid7(int(self._clock().timestamp() * 1000), self._randomness(10)),
            actor=actor,
            stretch=f"{self._name}:{stretch}",
            version=place + 1,
            recalls=recalls,
        )

    def _end_stretch(self, actor: str) -> None:
        stretch, _ = self._places.get(actor, (0, 0))
        self._places[actor] = (stretch + 1, 0)

    def _done(self, *, written: int = 0, refused: int = 0) -> None:
        with self._changed:
            self._in_flight = None
            self._again_after_s = _AGAIN_AFTER_S
            self._written += written
            self._dropped["refused"] += refused
            self._changed.notify_all()

    def _has_work(self) -> bool:
        return self._ending or self._count() > 0

    def _is_due(self) -> bool:
        return self._ending or len(self._waiting) >= RECALLS_AN_EVENT

    def _count(self) -> int:
        return len(self._waiting) + (len(self._in_flight.recalls) if self._in_flight else 0)


def _is_sampled(recall: AskedRecall) -> bool:
    return int(recall.served.recall_id[-4:], 16) % SAMPLED_ONE_IN == 0
