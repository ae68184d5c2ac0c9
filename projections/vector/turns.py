"""Where an episode stands in its session: what was said before it and after it.

Episodes of one namespace and session are numbered from 0 in the order of the log; all chunks of an
episode have its number. A new one gets the number after the largest that a row of the session has,
so numbering depends on the events alone and not on how they came in batches. An episode without a
session has no number and no neighbours. What is erased leaves a gap that nobody closes.

``turn`` spells namespace, session and number as one key, so that a neighbour's key is known by
arithmetic and found by an index, and no earlier row changes when the next turn is said.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable
from typing import Final, TypeAlias

from domain.events import EpisodeCommitted, Event, SubjectErased

Session: TypeAlias = tuple[str, str]
"""A namespace and a session id."""

Numbers: TypeAlias = dict[str, int]
"""Row ids of one session and their numbers; the largest alone may stand for all of them."""

SESSIONS_KEPT: Final = 4096


def turn_key(namespace: str, session_id: str, number: int) -> str:
    """Spell a turn. No two turns share a key: the namespace's length stands before it."""
    return f"{len(namespace)}:{namespace}{session_id}:{number}"


def sessions_of(events: Iterable[Event]) -> set[Session]:
    """Give the sessions that the events add turns to."""
    return {
        (event.body.namespace, event.body.session_id)
        for event in events
        if isinstance(event.body, EpisodeCommitted)
        and event.body.distill
        and event.body.session_id is not None
    }


def next_number(numbers: Numbers) -> int:
    """Give the number of a session's next turn."""
    return max(numbers.values(), default=-1) + 1


class LastTurns:
    """The largest number of the sessions in use, so that not every batch has to read them."""

    def __init__(self, limit: int = SESSIONS_KEPT) -> None:
        self._limit = limit
        self._last: OrderedDict[Session, int] = OrderedDict()

    def numbers(
        self,
        numbers_of: Callable[[Collection[Session]], dict[Session, Numbers]],
        events: Collection[Event],
    ) -> dict[Session, Numbers]:
        """Give what is numbered in the sessions that the events add turns to.

        Where the events erase, it is every row by its id: the largest may go on the way. What is
        not known here ``numbers_of`` is asked for, at most once, however many sessions there are.
        """
        erasing = any(isinstance(event.body, SubjectErased) for event in events)
        found: dict[Session, Numbers] = {}
        unknown: set[Session] = set()
        for session in sorted(sessions_of(events)):
            if not erasing and session in self._last:
                self._last.move_to_end(session)
                found[session] = {"": self._last[session]}
            else:
                unknown.add(session)
        return found | (numbers_of(unknown) if unknown else {})

    def keep(self, numbers: dict[Session, Numbers], events: Iterable[Event]) -> None:
        """Remember what was committed. An erasure may have taken any session's last turn."""
        if any(isinstance(event.body, SubjectErased) for event in events):
            self.forget()
            return
        for session, of_session in numbers.items():
            if of_session:
                self._last[session] = max(of_session.values())
                self._last.move_to_end(session)
        while len(self._last) > self._limit:
            self._last.popitem(last=False)

    def forget(self) -> None:
        """Forget all, as when it is not known whether a commit was made."""
        self._last.clear()
