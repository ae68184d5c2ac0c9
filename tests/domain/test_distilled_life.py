"""The life of what is distilled, as folds: an episode and its outcomes, a candidate and its end.

A model beside each fold keeps what must come out, in other words than the fold's.
"""

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from domain import candidate as candidates
from domain import episode as episodes
from domain import memory as memories
from domain import verification
from domain.errors import WrongState
from domain.events import (
    CandidateSettled,
    EpisodeDistilled,
    EpisodeSkipped,
    MemoryProposed,
    MemoryVerified,
)
from domain.memory_digests import statement_hash
from tests.domain.building import committed, created, event_of, history

TEXTS = ("The gateway listens on port 7443.", "The gateway listens on port 7444.", "Ada likes tea.")


def proposed(**fields):
    like = created(TEXTS[0], distilled_by="rules", confidence=0.6, clarity=0.6, **fields)
    return MemoryProposed(**{name: getattr(like, name) for name in like.__struct_fields__})


class LifeOfADistilledMemory(RuleBasedStateMachine):
    """Begins as a candidate or lives at once."""

    def __init__(self):
        super().__init__()
        self.memory = None
        self.text, self.texts = TEXTS[0], 1
        self.confidence = 0.6
        self.waiting = self.settled = self.erased = False
        self.ended = None
        self.borne_out, self.faint = 0, 0
        self.places: set[str] = set()

    @property
    def there(self):
        return not self.erased and self.ended is None

    def record(self, bodies):
        for body in bodies:
            version = self.memory.version + 1
            self.memory = memories.fold(self.memory, event_of("Memory", version, body))
        return bodies

    @precondition(lambda self: self.memory is None)
    @rule(candidate=st.booleans())
    def begin(self, candidate):
        first = proposed() if candidate else created(TEXTS[0], confidence=0.6, distilled_by="rules")
        self.memory = memories.fold(None, event_of("Memory", 1, first))
        self.waiting = candidate

    @precondition(lambda self: self.memory is not None and self.there)
    @rule(episode=st.sampled_from(["e1", "e2", "e3"]), match=st.sampled_from(["exact", "similar"]))
    def reinforce(self, episode, match):
        [body] = self.record(memories.reinforce(self.memory, episode, 0.1, match))
        assert body.match == match
        self.confidence += 0.1

    @precondition(lambda self: self.memory is not None and self.there)
    @rule(
        rule=st.sampled_from(["P1", "P2", "P3"]),
        delta=st.sampled_from([0.0, 0.15]),
        session=st.sampled_from([None, "s1", "s2", "s3", "s4", "s5", "s6"]),
        episode=st.sampled_from(["e4", "e5", "e6"]),
    )
    def verify(self, rule, delta, session, episode):
        bodies = self.record(
            verification.verify(self.memory, rule, delta, episode_id=episode, session_id=session)
        )
        place = session or episode
        if place in self.places:
            assert bodies == []
            return
        room = max(0.0, 1.0 - self.confidence)
        if not bodies:
            assert room == 0
            assert delta == 0 or self.borne_out >= 2
            return
        [body] = bodies
        assert isinstance(body, MemoryVerified)
        self.places.add(place)
        if delta == 0:
            self.faint += 1
            expected = min(0.1, room) if self.faint % 3 == 0 else 0.0
        else:
            self.borne_out += 1
            expected = min(delta, room)
        assert body.delta == pytest.approx(expected)
        self.confidence += body.delta
        assert self.confidence <= 1.0 or body.delta == 0

    @precondition(lambda self: self.memory is not None and self.there)
    @rule(content=st.sampled_from([None, *TEXTS]))
    def settle(self, content):
        bodies = self.record(
            candidates.settle(self.memory, agent_id="owner", content=content, source="owner_edit")
        )
        is_new = content is not None and content != self.text
        assert [type(b) for b in bodies] == (
            [CandidateSettled] if is_new or not self.settled else []
        )
        if is_new:
            self.text, self.texts = content, self.texts + 1
        self.waiting, self.settled = False, True

    @precondition(lambda self: self.memory is not None and self.there and not self.waiting)
    @rule(
        content=st.sampled_from(TEXTS),
        who=st.sampled_from([("hermes-a06", "agent_inference"), ("owner", "owner_edit")]),
    )
    def correct(self, content, who):
        agent_id, source = who
        if self.record(memories.correct(self.memory, content, source=source, agent_id=agent_id)):
            self.text, self.texts = content, self.texts + 1

    @precondition(lambda self: self.memory is not None and self.waiting and self.there)
    @rule()
    def a_candidate_takes_no_corrections_and_no_votes(self):
        for decide in (
            lambda m: memories.correct(m, "x", source="owner_edit", agent_id="owner"),
            lambda m: memories.give_feedback(m, "useful", agent_id="a"),
            lambda m: memories.change_tier(m, "core"),
        ):
            with pytest.raises(WrongState, match="candidate"):
                decide(self.memory)

    @precondition(lambda self: self.memory is not None and not self.erased)
    @rule()
    def dismiss(self):
        if self.there and not self.waiting:
            with pytest.raises(WrongState, match="no candidate"):
                candidates.dismiss(self.memory, agent_id="owner")
        elif self.record(candidates.dismiss(self.memory, agent_id="owner", reason="chatter")):
            assert self.there
            self.ended = "person"
        else:
            assert not self.there

    @precondition(lambda self: self.memory is not None)
    @rule(
        how=st.sampled_from(["delete", "deprecate", "redistil", "supersede", "with episode"]),
    )
    def end(self, how):
        match how:
            case "delete":
                bodies = memories.delete(self.memory, agent_id="hermes-a06")
            case "with episode":
                bodies = memories.delete(self.memory, agent_id="hermes-a06", with_episode="e1")
            case "deprecate":
                bodies = memories.deprecate(self.memory, agent_id="owner")
            case "redistil":
                bodies = memories.deprecate(self.memory, agent_id="system:distiller")
            case _:
                bodies = memories.supersede(self.memory, "memory-2")
        assert bool(self.record(bodies)) == self.there
        if bodies:
            self.ended = "person" if how in ("delete", "deprecate") else "system"

    @precondition(lambda self: self.memory is not None and not self.erased)
    @rule()
    def restore(self):
        assert bool(self.record(memories.restore(self.memory, agent_id="a"))) == (not self.there)
        self.ended = None

    @precondition(lambda self: self.memory is not None)
    @rule(sure=st.integers(0, 9))
    def erase(self, sure):
        if sure == 0:
            assert bool(self.record(memories.erase(self.memory))) == (not self.erased)
            self.erased = True

    @precondition(lambda self: self.memory is not None and not self.there)
    @rule()
    def nothing_else_happens_to_what_is_not_there(self):
        for decide in (
            lambda m: memories.reinforce(m, "e1", 0.1),
            lambda m: candidates.settle(m, agent_id="owner"),
            lambda m: verification.verify(m, "P1", 0.15, episode_id="e9", session_id=None),
            lambda m: memories.set_tags(m, ["x"]),
        ):
            with pytest.raises(WrongState):
                decide(self.memory)

    @invariant()
    def the_state_is_what_was_decided(self):
        if self.memory is None:
            return
        state = self.memory
        if self.erased:
            digests = (state.content_hash, state.text_hash, state.statement_hash, state.tags_hash)
            assert (state.state, set(digests), state.tag_levels) == ("erased", {""}, ())
            return
        standing = "candidate" if self.waiting else "live"
        assert state.state == (standing if self.there else "tombstone")
        assert (state.is_live, state.is_candidate) == (
            self.there and not self.waiting,
            self.there and self.waiting,
        )
        assert state.is_unwanted == (self.ended == "person")
        assert state.is_settled == self.settled
        assert state.is_the_owners == (self.settled or self.texts > 1)
        assert state.statement_hash == statement_hash(self.text)
        assert state.text_version == self.texts
        assert state.confidence == pytest.approx(self.confidence)
        assert (state.verifications, state.faint_verifications) == (self.borne_out, self.faint)
        assert set(state.verified_in) == self.places


TestLifeOfADistilledMemory = LifeOfADistilledMemory.TestCase
TestLifeOfADistilledMemory.settings = settings(
    max_examples=60, stateful_step_count=30, deadline=None
)


class LifeOfAnEpisode(RuleBasedStateMachine):
    """Committed, distilled or skipped, asked for anew, deleted, restored, erased: in any order."""

    def __init__(self):
        super().__init__()
        self.episode = history(episodes.fold, "Episode", committed())
        self.status = "pending"
        self.made: list[str] = []
        self.requests = self.attempts = self.outcomes = 0
        self.deleted = self.erased = False

    def record(self, bodies):
        for body in bodies:
            version = self.episode.version + 1
            self.episode = episodes.fold(self.episode, event_of("Episode", version, body))
        return bodies

    @property
    def waits(self):
        return self.status in ("pending", "failed") and not (self.deleted or self.erased)

    @precondition(lambda self: self.waits)
    @rule(ids=st.lists(st.sampled_from(["m1", "m2", "m3"]), unique=True), skip=st.booleans())
    def come_to_an_outcome(self, ids, skip):
        if skip:
            self.record([EpisodeSkipped(reason="chit_chat")])
        else:
            outcome = EpisodeDistilled(memory_ids=ids, reinforced_ids=[], distiller="rules")
            self.record([outcome])
            self.made += [one for one in ids if one not in self.made]
        self.status = "skipped" if skip else "distilled"
        self.outcomes += 1

    @rule(attempt=st.integers(1, 4))
    def fail(self, attempt):
        recorded = self.record(episodes.fail(self.episode, "no answer", attempt))
        assert bool(recorded) == (self.waits and attempt > self.attempts)
        if recorded:
            self.status, self.attempts = "failed", attempt

    @rule()
    def ask_anew(self):
        if self.deleted or self.erased:
            with pytest.raises(WrongState):
                episodes.redistil(self.episode)
            return
        assert bool(self.record(episodes.redistil(self.episode, "a better model"))) == (
            self.status != "pending"
        )
        if self.status != "pending":
            self.status, self.attempts, self.requests = "pending", 0, self.requests + 1

    @precondition(lambda self: not self.erased)
    @rule()
    def delete_or_restore(self):
        if self.deleted:
            self.record(episodes.restore(self.episode, agent_id="a"))
        else:
            self.record(episodes.delete(self.episode))
        self.deleted = not self.deleted

    @rule(sure=st.integers(0, 9))
    def erase(self, sure):
        if sure == 0:
            self.record(episodes.erase(self.episode))
            self.erased = True

    @invariant()
    def the_state_is_what_happened(self):
        state = self.episode
        assert state.status == self.status
        assert state.is_waiting == self.waits
        assert state.memory_ids == tuple(self.made)
        assert (state.redistillations, state.attempts) == (self.requests, self.attempts)
        assert self.outcomes <= self.requests + 1
        assert (state.is_deleted, state.is_erased) == (self.deleted, self.erased)


TestLifeOfAnEpisode = LifeOfAnEpisode.TestCase
TestLifeOfAnEpisode.settings = settings(max_examples=60, stateful_step_count=25, deadline=None)


def test_nothing_is_distilled_anew_that_holds_nothing_to_distil():
    for fields in ({"distill": False}, {"content": "", "own_output": 40}):
        episode = history(episodes.fold, "Episode", committed(**fields))
        with pytest.raises(WrongState, match="nothing to distil"):
            episodes.redistil(episode)


def test_a_level_of_a_tag_stands_in_no_state_as_text():
    tagged = history(
        memories.fold,
        "Memory",
        created(),
        *memories.set_tags(history(memories.fold, "Memory", created()), ["Schrödinger"], "user"),
    )
    assert "Schrödinger" not in repr(tagged)
    assert memories.set_tags(tagged, ["Schrödinger"]) == []
    assert memories.set_tags(tagged, ["Schrödinger"], "user") == []
    [changed] = memories.set_tags(tagged, ["Schrödinger", "cat"], "project")
    assert changed.levels == {"Schrödinger": "project", "cat": "project"}


def test_one_statement_has_one_hash_and_another_number_another():
    said = statement_hash("The gateway listens on port 7443.")
    assert statement_hash("the gateway is listening on port 7443") == said
    assert statement_hash("The gateway listens on port 7444.") != said
    assert len({statement_hash(one) for one in ("?", "!", "x" * 501, "x " * 501)}) == 4
