"""What an episode becomes: one append of its outcome and of everything that it makes.

A distiller found statements in the episode; here each becomes a memory, or is seen to be one that
is known (docs/decisions/0035). The episode's version lets one outcome in, whoever else is at it;
the memories that a decision rests on are read anew here, and their versions are checked too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final, Literal

from msgspec import Struct

from commands.access import went_with_its_session
from commands.application import MemoryApplication
from commands.command import Clock, Command, CommandContext
from commands.distil_ahead import Ahead, looked_at
from commands.execution import Done, Order, execute
from commands.redistillation import Earlier, Said, end_the_others, made_before
from commands.snapshots import project
from commands.sound_findings import (
    require_sound_findings,
    require_sound_scores,
    require_sound_validations,
)
from commands.statement_claims import claim_statement, held_by_statement, held_by_text, is_held
from commands.text_claims import claim_text
from commands.unit_of_work import UnitOfWork
from domain import memory as memories
from domain.aggregate import AggregateKind
from domain.caller import DISTILLER_ACTOR, Caller
from domain.distillation.finding import Finding
from domain.episode import EPISODE, Episode
from domain.errors import InvalidCommand
from domain.events import (
    EpisodeCommitted,
    EpisodeDistilled,
    EpisodeSkipped,
    Event,
    MemoryCreated,
    MemoryProposed,
)
from domain.identity import command_id
from domain.memory import MEMORY, Memory
from domain.memory_digests import statement_hash
from domain.policies.categories import default_decay_class
from domain.policies.confidence import initial_confidence
from domain.policies.content import require_text
from domain.policies.settling import Settle
from domain.policies.text import text_hash
from domain.policies.trust import DISTILLED_BY_CALLER
from domain.policies.validation import Validation
from domain.text_claim import TextClaim, claim_scope
from domain.verification import verify
from eventlog.append import Fence

DISTILLER: Final = Caller(actor=DISTILLER_ACTOR, kind="admin")
EVIDENCE_CHARACTERS: Final = 2_000
NOTHING_FOUND: Final = "nothing_found"
EXPIRED: Final = "expired"
OWN_OUTPUT: Final = "own_output"
EXTERNAL_ID: Final = "external_id"


class Distil(Struct, frozen=True, kw_only=True):
    """What was found in an episode, or why nothing was looked for.

    ``likely`` are memories that may say one of the findings in other words, nearest first.
    ``verified`` are those that the episode bears out. ``shown`` gives the text that each memory
    had which the distiller was shown: what it says of one that has another text by now does not
    count. ``settle``: whether what is new lives at
    once or waits for the owner.
    """

    episode_id: str
    distiller: Literal["rules", "llm"]
    model: str | None = None
    scores: dict[str, float] | None = None
    findings: tuple[Finding, ...] = ()
    skip_reason: str | None = None
    likely: tuple[str, ...] = ()
    verified: tuple[Validation, ...] = ()
    shown: Mapping[str, str] = {}
    settle: Settle = "auto"

    def looked_at(self, log: str, scope: str) -> dict[str, AggregateKind[Any]]:
        """Give what will be looked at for an episode of that scope."""
        verified = (validation.memory_id for validation in self.verified)
        return looked_at(log, scope, self.findings, (*self.likely, *verified))


class Committed(Struct, frozen=True):
    """An episode as it came, and when."""

    body: EpisodeCommitted
    occurred_at: datetime


class Distilled(Struct, frozen=True, kw_only=True):
    """What the episode became. ``duplicate``: it was so before, or is not to be distilled.

    ``position`` is that of the last of its ``events``.
    """

    memory_ids: tuple[str, ...]
    reinforced_ids: tuple[str, ...]
    position: int
    events: int
    duplicate: bool


def command_for(request: Distil, because_of: Event) -> Command[Distil]:
    """Give the command of an episode's `EpisodeCommitted`, or of a `RedistillationRequested`.

    Its id follows from the event, and its fingerprint says nothing: another try may find other
    statements and is the same command all the same.
    """
    return Command(caller=DISTILLER, context=context_of("distil", because_of), request=request)


def context_of(route: str, because_of: Event, key: str = "") -> CommandContext:
    """Give the context of what the distiller does because of an event; ``key`` tells it apart."""
    return CommandContext(
        command_id=command_id(DISTILLER.actor, route, f"{because_of.event_id}{key}"),
        fingerprint="",
        correlation_id=because_of.correlation_id,
        causation_position=because_of.position,
    )


def distil(
    application: MemoryApplication,
    command: Command[Distil],
    clock: Clock,
    fence: Fence | None = None,
    ahead: Ahead | None = None,
) -> Distilled:
    """Store what the episode became, once. Nothing happens to one that does not wait.

    ``ahead`` holds what was read for several of these together. Raises `InvalidCommand` and
    `TooLarge` for a finding that cannot be stored, and what an append raises.
    """
    order = order_for(application, command, ahead or Ahead(application))
    return execute(application, command, clock, order.decide, order.receipt, fence)


def order_for(
    application: MemoryApplication, command: Command[Distil], ahead: Ahead
) -> Order[Distilled]:
    """Give what `execute_each` takes to do what `distil` does.

    Raises `InvalidCommand` and `TooLarge` for a finding that cannot be stored.
    """
    request = command.request
    if request.skip_reason is not None and request.findings:
        raise InvalidCommand("skip_reason", "an episode that is skipped has no findings")
    require_text("model", request.model)
    require_text("skip_reason", request.skip_reason)
    require_sound_scores(request.scores or {})
    require_sound_findings(request.findings, application.policy)
    require_sound_validations(request.verified)

    def decide(work: UnitOfWork) -> None:
        events = ahead.history(request.episode_id)
        work.expect({request.episode_id: project(EPISODE, None, events)})
        episode = work.get(EPISODE, request.episode_id)
        if episode is None or not episode.is_waiting or went_with_its_session(work, episode):
            return
        run = _Run(application, work, episode, _committed(events[0]), request, ahead)
        run.look_ahead()
        run.record()

    return Order(command=command, decide=decide, receipt=_receipt)


class _Run:
    """One attempt at an episode: the memories that its findings have become so far."""

    def __init__(
        self,
        application: MemoryApplication,
        work: UnitOfWork,
        episode: Episode,
        said: Committed,
        request: Distil,
        ahead: Ahead,
    ) -> None:
        self._application = application
        self._ahead = ahead
        self._work = work
        self._episode = episode
        self._said_at = said.occurred_at
        self._said = said.body
        self._request = request
        self._scope = claim_scope(episode.namespace, episode.session_id)
        self._earlier = Earlier()
        self._became: list[str | None] = []
        self._made: list[str] = []
        self._seen: list[str] = []

    def look_ahead(self) -> None:
        """Read together what will be looked at: claims and named memories, then who claims."""
        kinds = self._request.looked_at(self._work.log, self._scope)
        states = self._ahead.states(kinds)
        claimants = {
            claim.memory_id: MEMORY for claim in states.values() if isinstance(claim, TextClaim)
        }
        unknown = {one: kind for one, kind in claimants.items() if one not in states}
        self._work.expect(states | self._ahead.states(unknown))

    def record(self) -> None:
        """Record what the findings become, what else the episode bears out, and its outcome."""
        skip = self._skip_reason()
        if skip is None and not self._request.findings:
            skip = NOTHING_FOUND
        if self._episode.memory_ids or self._episode.reinforced_ids:
            self._earlier = made_before(self._application, self._work, self._episode)
        for index, finding in enumerate(() if skip else self._request.findings):
            self._became.append(self._one(index, finding))
        self._verify(skip)
        end_the_others(self._work, self._episode, self._earlier, self._came_out())
        self._work.record(EPISODE, self._episode.id, [self._outcome(skip)])

    def _came_out(self) -> list[Said]:
        return [
            Said(memory_id, finding.content, finding.evidence)
            for memory_id, finding in zip(self._became, self._request.findings, strict=False)
            if memory_id is not None
        ]

    def _skip_reason(self) -> str | None:
        expires_at = self._said.expires_at
        if expires_at is not None and self._work.now >= expires_at:
            return EXPIRED
        return self._request.skip_reason

    def _outcome(self, skip: str | None) -> EpisodeDistilled | EpisodeSkipped:
        request = self._request
        if skip:
            return EpisodeSkipped(reason=skip, scores=request.scores)
        return EpisodeDistilled(
            memory_ids=self._made,
            reinforced_ids=self._seen,
            distiller=request.distiller,
            model=request.model,
            scores=request.scores,
        )

    def _one(self, index: int, finding: Finding) -> str | None:
        """Give the memory that a finding is or becomes; None for what a person has ended."""
        exact = text_hash(finding.content)
        said = statement_hash(finding.content)
        before = self._earlier.that_said(exact, said)
        if before is not None and (old := self._work.get(MEMORY, before)) is not None:
            if old.is_unwanted:
                return None
            if is_held(self._work, old):
                self._see_again(old, "exact")
                return old.id
        known = held_by_text(self._work, self._scope, exact)
        match: Literal["exact", "similar"] = "exact"
        if known is None:
            match = "similar"
            known = self._as_shown(finding.reinforces)
            known = known or held_by_statement(self._work, self._scope, said) or self._likely(said)
        if known is None:
            return self._make(self._work.new_id(index), finding)
        self._see_again(known, match)
        return known.id

    def _likely(self, said: str) -> Memory | None:
        for memory_id in self._request.likely:
            memory = self._held(memory_id)
            if memory is not None and memory.statement_hash == said:
                claim_statement(self._work, memory)
                return memory
        return None

    def _held(self, memory_id: str | None) -> Memory | None:
        """Give a memory that somebody named if it is there, in the episode's own scope."""
        memory = self._work.find(MEMORY, memory_id) if memory_id else None
        if memory is None or memory.is_erased or not is_held(self._work, memory):
            return None
        is_near = claim_scope(memory.namespace, memory.session_id) == self._scope
        return memory if is_near else None

    def _as_shown(self, memory_id: str | None) -> Memory | None:
        """Give a memory of which the distiller said something, if it has the text that it knew."""
        memory = self._held(memory_id)
        shown = self._request.shown.get(memory_id or "")
        if memory is None or shown is None:
            return memory
        return memory if text_hash(shown) == memory.text_hash else None

    def _see_again(self, known: Memory, match: Literal["exact", "similar"]) -> None:
        """Reinforce a memory, once by an episode; what was made from the episode stays its own."""
        if known.id in self._made or known.id in self._seen:
            return
        if self._episode.id not in known.episodes:
            delta = self._work.policy.reinforcement_delta
            bodies = memories.reinforce(known, self._episode.id, delta, match)
            self._work.record(MEMORY, known.id, bodies)
        is_own = known.id in self._episode.memory_ids
        (self._made if is_own else self._seen).append(known.id)

    def _make(self, memory_id: str, finding: Finding) -> str:
        work, said = self._work, self._said
        body = MemoryProposed if self._request.settle == "confirm" else MemoryCreated
        category = said.category or finding.category
        own_class = finding.decay_class if category == finding.category else None
        memory = work.start(
            MEMORY,
            memory_id,
            body(
                content=finding.content,
                category=category,
                decay_class=said.decay_class or own_class or default_decay_class(category),
                namespace=said.namespace,
                agent_id=said.agent_id,
                source=said.source,
                distilled_by=self._distilled_by(),
                confidence=initial_confidence(finding.clarity, work.policy),
                clarity=finding.clarity,
                trigger=said.trigger,
                derived_from=[self._episode.id],
                depends_on=self._depends_on(finding, memory_id),
                entities=list(finding.entities),
                relations=list(finding.relations),
                evidence=finding.evidence[:EVIDENCE_CHARACTERS] or None,
                tags=said.tags,
                metadata={k: v for k, v in said.metadata.items() if k == EXTERNAL_ID},
                session_id=said.session_id,
                observed_at=said.observed_at or self._said_at,
                expires_at=said.expires_at,
            ),
        )
        claim_text(work, memory)
        claim_statement(work, memory)
        self._made.append(memory_id)
        return memory_id

    def _distilled_by(self) -> str:
        """Name the distiller; a model cannot pass for rules, or for the caller's own words."""
        if self._request.distiller == "rules":
            return "rules"
        model = self._request.model or "llm"
        return f"llm:{model}" if model in ("rules", DISTILLED_BY_CALLER) else model

    def _depends_on(self, finding: Finding, memory_id: str) -> list[str]:
        """Give the memories that it rests on and that are there; a later finding is not yet."""
        named = [m.id for one in finding.depends_on if (m := self._held(one)) is not None]
        rests_on = [self._became[i] for i in finding.rests_on if 0 <= i < len(self._became)]
        return [i for i in dict.fromkeys((*named, *rests_on)) if i and i != memory_id]

    def _verify(self, skip: str | None) -> None:
        """Note which other memories a new episode bears out; what this system said proves none."""
        if skip in (OWN_OUTPUT, EXPIRED) or self._episode.redistillations:
            return
        recorded = 0
        for validation in self._request.verified:
            if recorded >= self._work.policy.verifications_per_episode:
                return
            memory = self._as_shown(validation.memory_id)
            if memory is None or self._episode.id in memory.episodes:
                continue
            bodies = verify(
                memory,
                validation.rule,
                validation.delta,
                episode_id=self._episode.id,
                session_id=self._episode.session_id,
                policy=self._work.policy,
            )
            self._work.record(MEMORY, memory.id, bodies)
            recorded += len(bodies)


def _committed(event: object) -> Committed:
    """Give what was committed: states hold no text."""
    assert isinstance(event, Event)
    assert isinstance(event.body, EpisodeCommitted)
    return Committed(event.body, event.occurred_at)


def _receipt(done: Done) -> Distilled:
    became: Sequence[EpisodeDistilled] = [
        event.body for event in done.events if isinstance(event.body, EpisodeDistilled)
    ]
    return Distilled(
        memory_ids=tuple(i for body in became for i in body.memory_ids),
        reinforced_ids=tuple(i for body in became for i in body.reinforced_ids),
        position=done.position,
        events=len(done.events),
        duplicate=done.duplicate,
    )
