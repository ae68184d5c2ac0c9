"""The episodes that wait to be distilled, as the events of the log tell it; no texts.

Only when they came and when they may be tried is known here. Whether one still has to be distilled
is read from the log when its turn comes, so a place here that is out of date costs a look.
"""

from __future__ import annotations

import heapq
from collections import Counter, OrderedDict, deque
from collections.abc import Collection, Sequence
from typing import Final, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

Session: TypeAlias = tuple[str, str]
"""A namespace and a session id."""

TURNS_BEFORE: Final = 4
_SESSIONS_KEPT: Final = 2_000


class Rules(Struct, frozen=True, kw_only=True):
    """When those that wait are distilled (spec: lifecycle.md, "Distillation").

    At once when ``batch`` of them wait, when ``wait_s`` seconds have passed since the last batch,
    when one is urgent, or when more than ``queue`` of one session wait. One that failed is tried
    again after ``first_pause_s``, each time ``growth`` times later, ``attempts`` times in all.
    """

    batch: int = 10
    wait_s: float = 300.0
    queue: int = 50
    attempts: int = 5
    first_pause_s: float = 10.0
    growth: float = 4.0

    def pause_after(self, attempt: int) -> float | None:
        """Give the seconds from a failed attempt to the next, None where there is no next."""
        if attempt >= self.attempts:
            return None
        return self.first_pause_s * self.growth ** (attempt - 1)


class Waiting(Struct, frozen=True, kw_only=True):
    """One episode that waits.

    ``position`` is that of the event that asks for it: its commit, or a request to distil it
    again. ``before`` are the turns of its session before it, oldest first. ``not_before`` is
    when it may be tried, in the seconds of the reactor's monotonic clock; ``attempts`` have failed.
    ``exempt``: what it costs counts against no budget.
    """

    episode_id: str
    position: int
    session: Session | None = None
    urgent: bool = False
    exempt: bool = False
    before: tuple[str, ...] = ()
    not_before: float = 0.0
    attempts: int = 0


class Pending:
    """What waits, in the order of the log. For one thread. ``now`` is always monotonic seconds."""

    def __init__(self, rules: Rules, now: float) -> None:
        self._rules = rules
        self._last_batch = now
        self._bound: int | None = None
        self._waiting: dict[str, Waiting] = {}
        self._in_order: list[tuple[int, str]] = []
        self._ready: list[tuple[int, str]] = []
        self._later: list[tuple[float, int, str]] = []
        self._ready_ids: set[str] = set()
        self._at_once: set[str] = set()
        self._of_session: Counter[Session] = Counter()
        self._full: set[Session] = set()
        self._turns: OrderedDict[Session, deque[str]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._waiting)

    def __contains__(self, episode_id: object) -> bool:
        return episode_id in self._waiting

    # --- what events tell ----------------------------------------------------------------------

    def turn(self, episode_id: str, session: Session | None) -> tuple[str, ...]:
        """Note a turn of a session, and give those before it, oldest first."""
        if session is None:
            return ()
        turns = self._turns.setdefault(session, deque(maxlen=TURNS_BEFORE))
        self._turns.move_to_end(session)
        before = tuple(turns)
        turns.append(episode_id)
        if len(self._turns) > _SESSIONS_KEPT:
            self._turns.popitem(last=False)
        return before

    def add(self, waiting: Waiting, now: float) -> None:
        """Let an episode wait. One that waits already keeps its place unless the new one is later.

        A request to distil it again begins its attempts anew.
        """
        known = self._waiting.get(waiting.episode_id)
        if known is not None:
            if waiting.position <= known.position:
                return
            self.remove(waiting.episode_id)
        self._put(waiting, now)

    def remove(self, episode_id: str) -> None:
        """Let an episode wait no more: it was distilled, skipped, deleted or erased."""
        gone = self._waiting.pop(episode_id, None)
        if gone is None:
            return
        self._at_once.discard(episode_id)
        if episode_id in self._ready_ids:
            self._leave_ready(gone)

    def failed(self, episode_id: str, attempt: int, ago_s: float, now: float) -> None:
        """Put an episode off after a failed attempt that was ``ago_s`` seconds ago, or give it up.

        One that is given up waits no more; only a request brings it back.
        """
        known = self._waiting.get(episode_id)
        if known is None or attempt <= known.attempts:
            return
        self.remove(episode_id)
        pause = self._rules.pause_after(attempt)
        if pause is None:
            return
        not_before = now + pause - min(max(ago_s, 0.0), pause)
        self._put(replace(known, not_before=not_before, attempts=attempt), now)

    def close_session(self, namespace: str, session_id: str | None) -> list[str]:
        """Let the episodes of a closed ephemeral session wait no more; gives their ids.

        Without ``session_id`` those that name no session go.
        """
        gone = [
            waiting.episode_id
            for waiting in self._waiting.values()
            if waiting.session == (namespace, session_id or "")
        ]
        for episode_id in gone:
            self.remove(episode_id)
        self._turns.pop((namespace, session_id or ""), None)
        return gone

    # --- what is done about it -----------------------------------------------------------------

    def take(self, limit: int, now: float, leave: Collection[str] = ()) -> list[Waiting]:
        """Give up to ``limit`` that are to be distilled now, in the order of the log; [] for none.

        They go on waiting until they are removed. Those in ``leave`` are being worked at. What is
        urgent, or failed and is due again, comes first, but not before the older ones of its
        session. Once a batch is due, all
        that waited then are given, call after call; when they are gone, the time to the next
        batch begins.
        """
        self._wake(now)
        at_once = [self._waiting[i] for i in self._at_once & self._ready_ids if i not in leave]
        if at_once:
            return self._with_older(at_once, limit, leave)
        if self._bound is None and self._is_due(now):
            self._bound = max(self._waiting[one].position for one in self._ready_ids)
        if self._bound is None:
            return []
        given = self._oldest(limit, leave, self._bound)
        if not given and not leave:
            self._bound, self._last_batch = None, now
        return given

    def _is_due(self, now: float) -> bool:
        ready = len(self._ready_ids)
        waited_enough = ready > 0 and now - self._last_batch >= self._rules.wait_s
        return ready >= self._rules.batch or bool(self._full) or waited_enough

    def lowest(self) -> int | None:
        """Give the position of the first event that somebody still waits for, None for nobody."""
        while self._in_order:
            position, episode_id = self._in_order[0]
            known = self._waiting.get(episode_id)
            if known is not None and known.position == position:
                return position
            heapq.heappop(self._in_order)
        return None

    # --- helpers -------------------------------------------------------------------------------

    def _put(self, waiting: Waiting, now: float) -> None:
        self._waiting[waiting.episode_id] = waiting
        heapq.heappush(self._in_order, (waiting.position, waiting.episode_id))
        if waiting.urgent or waiting.attempts:
            self._at_once.add(waiting.episode_id)
        if waiting.not_before > now:
            heapq.heappush(self._later, (waiting.not_before, waiting.position, waiting.episode_id))
        else:
            self._enter_ready(waiting)

    def _enter_ready(self, waiting: Waiting) -> None:
        self._ready_ids.add(waiting.episode_id)
        heapq.heappush(self._ready, (waiting.position, waiting.episode_id))
        if waiting.session is not None:
            self._of_session[waiting.session] += 1
            if waiting.session[1] and self._of_session[waiting.session] > self._rules.queue:
                self._full.add(waiting.session)

    def _leave_ready(self, waiting: Waiting) -> None:
        self._ready_ids.discard(waiting.episode_id)
        session = waiting.session
        if session is None:
            return
        self._of_session[session] -= 1
        if self._of_session[session] <= self._rules.queue:
            self._full.discard(session)
        if not self._of_session[session]:
            del self._of_session[session]

    def _wake(self, now: float) -> None:
        """Let those be tried whose time has come."""
        while self._later and self._later[0][0] <= now:
            _, position, episode_id = heapq.heappop(self._later)
            known = self._waiting.get(episode_id)
            if known is None or known.position != position or known.not_before > now:
                continue  # it has gone, or was put off again
            if episode_id not in self._ready_ids:
                self._enter_ready(known)

    def _oldest(self, limit: int, leave: Collection[str], bound: int) -> list[Waiting]:
        looked_at: set[tuple[int, str]] = set()
        given: list[Waiting] = []
        while self._ready and self._ready[0][0] <= bound and len(given) < limit:
            place = heapq.heappop(self._ready)
            # One that failed and came back may have two places.
            if self._stands(place) and place not in looked_at:
                looked_at.add(place)
                if place[1] not in leave:
                    given.append(self._waiting[place[1]])
        for place in looked_at:
            heapq.heappush(self._ready, place)
        return given

    def _with_older(
        self, at_once: Sequence[Waiting], limit: int, leave: Collection[str]
    ) -> list[Waiting]:
        """Give these and the older ones of their sessions, the oldest first."""
        up_to: dict[Session, int] = {}
        chosen = {waiting.position: waiting for waiting in at_once}
        for waiting in at_once:
            if waiting.session is not None and waiting.session[1]:
                known = up_to.get(waiting.session, 0)
                up_to[waiting.session] = max(known, waiting.position)
        if up_to:
            for one in self._ready_ids.difference(leave):
                waiting = self._waiting[one]
                if waiting.session and waiting.position <= up_to.get(waiting.session, 0):
                    chosen[waiting.position] = waiting
        return [chosen[position] for position in sorted(chosen)[:limit]]

    def _stands(self, place: tuple[int, str]) -> bool:
        position, episode_id = place
        known = self._waiting.get(episode_id)
        return known is not None and known.position == position and episode_id in self._ready_ids
