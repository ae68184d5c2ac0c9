"""Reading for several distillations at once what each will look at, in two round trips for all.

What is read here may be out of date by the time it is used: the append compares the versions, and
whoever meets a conflict reads anew. So each thing is given once at most, to the first who asks.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from commands.application import MemoryApplication
from domain.aggregate import Aggregate, AggregateKind
from domain.distillation.finding import Finding
from domain.events import Event
from domain.memory import MEMORY
from domain.memory_digests import statement_hash
from domain.policies.text import text_hash
from domain.text_claim import TEXT_CLAIM, TextClaim, claim_id, statement_claim_id

Kinds = Mapping[str, AggregateKind[Any]]
"""Aggregates by id, with what each of them is."""


class Ahead:
    """What was read for a number of commands. For one thread."""

    def __init__(self, application: MemoryApplication) -> None:
        self._application = application
        self._states: dict[str, Aggregate | None] = {}
        self._histories: dict[str, Sequence[Event]] = {}

    def read(self, kinds: Kinds, histories: Mapping[str, Sequence[Event]]) -> None:
        """Read these, and who claims what is claimed; ``histories`` are episodes read already."""
        self._histories |= histories
        self._states |= self._application.load_many(kinds)
        claimants = {
            claim.memory_id: MEMORY
            for claim in self._states.values()
            if isinstance(claim, TextClaim) and claim.memory_id not in self._states
        }
        if claimants:
            self._states |= self._application.load_many(claimants)

    def history(self, episode_id: str) -> Sequence[Event]:
        """Give an episode's events, read now unless they were read ahead."""
        known = self._histories.pop(episode_id, None)
        if known is not None:
            return known
        return [e for e in self._application.events.get(episode_id) if isinstance(e, Event)]

    def states(self, kinds: Kinds) -> dict[str, Aggregate | None]:
        """Give these aggregates, read now unless they were read ahead."""
        known = {one: self._states.pop(one) for one in kinds if one in self._states}
        rest = {one: kind for one, kind in kinds.items() if one not in known}
        return known | (self._application.load_many(rest) if rest else {})


def looked_at(
    log: str, scope: str, findings: Sequence[Finding], named: Iterable[str]
) -> dict[str, AggregateKind[Any]]:
    """Give the claims on what was found in a scope, and the memories that somebody named."""
    kinds: dict[str, AggregateKind[Any]] = {}
    for finding in findings:
        said = statement_hash(finding.content)
        kinds[claim_id(log, scope, text_hash(finding.content))] = TEXT_CLAIM
        kinds[statement_claim_id(log, scope, said)] = TEXT_CLAIM
    for finding in findings:
        if finding.reinforces:
            kinds.setdefault(finding.reinforces, MEMORY)
    for memory_id in named:
        kinds.setdefault(memory_id, MEMORY)
    return kinds
