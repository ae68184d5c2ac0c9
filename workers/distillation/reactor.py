"""The distiller: follows the log, keeps what waits, and has a batch distilled when one is due.

One is active per log, by a lease; each append carries its fence. Its checkpoint in the log's
server is the position below which nobody waits: on start everything after it is read before
anything is done. A second time done is done once, because the command says so and not what is
known here (docs/decisions/0037).
"""

from __future__ import annotations

import os
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing
from datetime import datetime
from typing import Final

import structlog
from msgspec import Struct

from domain.errors import Fenced, LogUnavailable, MemoryWeaveError
from domain.identity import uuid7
from eventlog.append import Fence, Tracked
from eventlog.codec import Codec
from eventlog.lease import Lease
from eventlog.redis_log import RedisLog
from eventlog.sealing import KeyRing
from eventlog.subscription import Checkpoint, Subscription
from workers.distillation.hands import Hands, HandsDied
from workers.distillation.job import Answer, Ended, Finished, Halted, Job, Turn
from workers.distillation.pending import Pending, Rules, Waiting
from workers.distillation.reading import Reading, utc_now
from workers.distillation.status import DistillerStatus, State

LEASE: Final = "distiller"
LEASE_S: Final = 30.0
BY_RULES: Final = 50
"""How many episodes are handed over at once where no model takes a batch of its own size."""

_CONTEXT: Final = 500
_PAGE: Final = 500
_WAIT_S: Final = 0.5
_WORKING_WAIT_S: Final = 0.25
_CHECKPOINT_EVERY_S: Final = 30.0
_FIRST_PAUSE_S: Final = 1.0
_LONGEST_PAUSE_S: Final = 15.0
_KEYS_KEPT: Final = 256
_DEATHS: Final = 2
"""So often the process dies with one episode alone before that is taken for its doing."""

_log = structlog.get_logger("distiller")


class Surroundings(Struct, frozen=True, kw_only=True):
    """Time, where word of how it goes is left, and whether a holder of the lease has died.

    Who cannot tell says no: then its lease ends by itself.
    """

    tell: Callable[[DistillerStatus], None]
    is_dead: Callable[[str], bool] = lambda _holder: False
    monotonic: Callable[[], float] = time.monotonic
    clock: Callable[[], datetime] = utc_now
    wait_s: float = _WAIT_S
    lease_s: float = LEASE_S


class Distiller:
    """One claim to distil a log. ``holder`` is a name that no other process has or had.

    ``batch`` is how many episodes the hands are given at once.
    """

    def __init__(
        self,
        log: RedisLog,
        hands: Hands,
        rules: Rules,
        surroundings: Surroundings,
        *,
        holder: str,
        batch: int = BY_RULES,
    ) -> None:
        self._log = log
        self._hands = hands
        self._rules = rules
        self._around = surroundings
        self._batch = batch
        self._lease = Lease(log, LEASE, holder, surroundings.lease_s)
        self._suspects: set[str] = set()
        self._died_alone: Counter[str] = Counter()
        self._ended: Counter[str] = Counter()
        self._last = Finished()
        self._trouble = ""

    def run(self, stop: threading.Event, follow: Callable[[], str]) -> None:
        """Distil until ``stop``. ``follow`` is asked at each start for the epoch to follow.

        What keeps it from working is said in the status and tried again, later and later.
        """
        pause = _FIRST_PAUSE_S
        while not stop.is_set():
            began = self._around.monotonic()
            try:
                if self._attempt(stop, follow):
                    continue
            except HandsDied as error:
                self._trouble = str(error)
                _log.error("distiller_died", reason=str(error))
            except (MemoryWeaveError, OSError) as error:
                self._trouble = f"{type(error).__name__}: {error}"
                _log.warning("distiller_waits", reason=self._trouble)
            except Exception as error:  # noqa: BLE001  # the thread must not end unseen
                self._trouble = type(error).__name__
                _log.error("distiller_failed", reason=self._trouble)
            finally:
                self._hands.close()
            if self._around.monotonic() - began > _LONGEST_PAUSE_S:
                pause = _FIRST_PAUSE_S
            self._tell("paused")
            stop.wait(pause)
            pause = min(2 * pause, _LONGEST_PAUSE_S)
        try:
            self._lease.release()
        except LogUnavailable as error:
            _log.info("lease_not_given_back", reason=str(error))  # it ends by itself

    def _attempt(self, stop: threading.Event, follow: Callable[[], str]) -> bool:
        """Work while the lease is held; True where nothing was wrong."""
        epoch = follow()
        fence = self._take()
        if fence is None:
            self._trouble = ""
            self._tell("standby")
            stop.wait(self._around.lease_s / 3)
            return True
        with closing(_Shift(self._log, epoch, self._rules, self._around)) as shift:
            try:
                self._work(shift, fence, stop)
            except Fenced as error:
                _log.warning("lease_lost", reason=str(error))
            finally:
                self._hands.close()
            return True

    def _take(self) -> Fence | None:
        """Take the lease; from one who is known to be dead without waiting for its end."""
        state = self._lease.take()
        if state.fence is None and self._around.is_dead(state.holder):
            _log.info("lease_taken_over", holder=state.holder)
            Lease(self._log, LEASE, state.holder, self._around.lease_s).release()
            state = self._lease.take()
        return state.fence

    def _work(self, shift: _Shift, fence: Fence, stop: threading.Event) -> None:
        around = self._around
        renew_at = around.monotonic() + around.lease_s / 3
        at_work: dict[str, Waiting] = {}
        state: State = "reading"
        quiet = False
        while not stop.is_set():
            if around.monotonic() >= renew_at:
                self._renew(fence)
                renew_at = around.monotonic() + around.lease_s / 3
            if at_work:
                self._hear(self._hands_answer(at_work), shift.pending, at_work)
            # Nothing is begun before all that the log tells by now is known.
            if shift.read(around.wait_s if quiet else 0.0):
                quiet = False
                self._tell(state, shift)
                continue
            self._trouble = ""
            if not at_work:
                at_work = self._begin(shift.pending, fence)
            state, quiet = ("working", False) if at_work else ("waiting", True)
            if quiet:
                self._hands.rest()
            shift.keep_checkpoint(fence)
            self._tell(state, shift)
        shift.keep_checkpoint(fence, at_once=True)

    def _renew(self, fence: Fence) -> None:
        held = self._lease.take()
        if held.fence != fence:
            raise Fenced(f"{held.holder} distils this log by now")

    def _begin(self, pending: Pending, fence: Fence) -> dict[str, Waiting]:
        """Hand over what is due, if anything is."""
        taken = pending.take(self._batch, self._around.monotonic())
        alone = [waiting for waiting in taken if waiting.episode_id in self._suspects]
        if alone:
            # Somebody in the batch was the end of the process: each is tried by itself now.
            taken = alone[:1]
        if not taken:
            return {}
        turns = tuple(
            Turn(
                episode_id=waiting.episode_id,
                before=waiting.before,
                exempt=waiting.exempt,
                fatal=self._died_alone[waiting.episode_id] >= _DEATHS,
            )
            for waiting in taken
        )
        self._hands.start(Job(fence=fence, turns=turns))
        return {waiting.episode_id: waiting for waiting in taken}

    def _hands_answer(self, at_work: dict[str, Waiting]) -> Sequence[Answer]:
        try:
            return self._hands.answers(_WORKING_WAIT_S)
        except HandsDied as died:
            if not died.working:
                raise
            _log.error("distiller_died", reason=str(died), episodes=len(at_work))
            if len(at_work) == 1:
                # Its keys: a mapping would be taken for counts.
                self._died_alone.update(at_work.keys())
            self._suspects.update(at_work)
            at_work.clear()
            return ()

    def _hear(
        self, answers: Sequence[Answer], pending: Pending, at_work: dict[str, Waiting]
    ) -> None:
        for said in answers:
            match said:
                case Ended(episode_id=episode_id, ending=ending):
                    self._ended[ending] += 1
                    self._suspects.discard(episode_id)
                    del self._died_alone[episode_id]
                    at_work.pop(episode_id, None)
                    if ending != "failed":
                        pending.remove(episode_id)
                case Finished(model=model):
                    self._last = said if model else self._last
                    at_work.clear()
                case Halted(reason=reason, fenced=True):
                    raise Fenced(reason)
                case Halted(reason=reason):
                    raise LogUnavailable(reason)

    def _tell(self, state: State, shift: _Shift | None = None) -> None:
        self._around.tell(
            DistillerStatus(
                at=self._around.clock(),
                state=state,
                pid=os.getpid(),
                waiting=len(shift.pending) if shift else 0,
                position=shift.position if shift else 0,
                distilled=self._ended["distilled"],
                skipped=self._ended["skipped"],
                failed=self._ended["failed"],
                model=self._last.model,
                model_trouble=self._last.trouble,
                calls_left=self._last.calls_left,
                trouble=self._trouble,
            )
        )


class _Shift:
    """One reading of the log from the checkpoint on, while the lease is held."""

    def __init__(self, log: RedisLog, epoch: str, rules: Rules, around: Surroundings) -> None:
        self._log = log
        self._around = around
        self._upstream = f"{LEASE}:{log.head().epoch}"
        self._kept = log.tracked_position(self._upstream) or 0
        self._keep_at = around.monotonic() + _CHECKPOINT_EVERY_S
        self.pending = Pending(rules, around.monotonic())
        self.position = max(0, self._kept - _CONTEXT)
        codec = Codec(KeyRing(log.subject_keys, size=_KEYS_KEPT))
        self._reading = Reading(self.pending, codec, self._kept + 1)
        beginning = Checkpoint(self.position, epoch)
        self._source = Subscription(log.url, log.name, beginning, log.archive)

    def close(self) -> None:
        self._source.close()

    def read(self, wait_s: float) -> bool:
        """Take account of what comes next, waiting for it; False where nothing came."""
        entries = self._source.read(_PAGE, wait_s)
        if entries:
            self._reading.read(entries, self._around.monotonic(), self._around.clock())
            self.position = entries[-1].position
        return bool(entries)

    def keep_checkpoint(self, fence: Fence, *, at_once: bool = False) -> None:
        """Keep now and then below which position nobody waits."""
        now = self._around.monotonic()
        if now < self._keep_at and not at_once:
            return
        self._keep_at = now + _CHECKPOINT_EVERY_S
        lowest = self.pending.lowest()
        position = self.position if lowest is None else lowest - 1
        if position <= self._kept:
            return
        present = int(self._around.clock().timestamp() * 1000)
        self._log.append(
            [],
            command_id=uuid7(present, os.urandom(10)),
            fingerprint="",
            fence=fence,
            tracking=Tracked(self._upstream, position),
        )
        self._kept = position
