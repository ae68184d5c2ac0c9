"""The Memory aggregate: its decisions, its fold, and what holds after any history."""

from datetime import timedelta

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from domain import memory as memories
from domain.errors import VersionMismatch, WrongState
from domain.events import (
    FeedbackGiven,
    MemoryCorrected,
    MemoryDeleted,
    MemoryDeprecated,
    MemoryReinforced,
    MemoryRestored,
    MemorySuperseded,
    MemoryTagged,
    QualityDropped,
    TierChanged,
)
from domain.memory import fold, is_present
from domain.policies.text import text_hash
from tests.domain.building import NOW, created, event_of, history


def memory(*bodies, **fields):
    return history(fold, "Memory", created(**fields), *bodies)


def vote(verdict, weight=1):
    return FeedbackGiven(verdict=verdict, agent_id="cron-1", weight=weight)


def correction(content):
    return MemoryCorrected(content=content, source="owner_message", agent_id="hermes-a06")


def test_a_new_memory_has_the_first_version_and_the_episode_it_came_from():
    new = memory()
    assert (new.version, new.text_version, new.is_live) == (1, 1, True)
    assert new.episodes == ("episode-1",)
    assert new.text_hash == text_hash("ComfyUI listens on 8188")


def test_a_correction_raises_the_text_version_by_one_and_nothing_else_does():
    changed = memory(
        correction("b"),
        vote("useful"),
        MemoryTagged(tags=["x"]),
        TierChanged(tier="core"),
        MemoryReinforced(episode_id="episode-2", match="exact", delta=0.1),
        correction("c"),
    )
    assert (changed.version, changed.text_version, changed.corrections) == (7, 3, 2)
    assert changed.text_hash == text_hash("c")
    assert changed.source == "owner_message"
    assert changed.episodes == ("episode-1", "episode-2")


def test_the_expected_version_is_that_of_the_text():
    twice = memory(vote("useful"), correction("b"), vote("useful"))
    fields = {"source": "owner_message", "agent_id": "hermes-a06"}
    [body] = memories.correct(twice, "c", expected_version=2, **fields)
    assert isinstance(body, MemoryCorrected)
    with pytest.raises(VersionMismatch) as refused:
        memories.correct(twice, "c", expected_version=1, **fields)
    assert (refused.value.expected, refused.value.actual) == (1, 2)


def test_the_same_text_again_is_a_correction_only_from_another_source():
    new = memory()
    same = "ComfyUI listens on 8188"
    assert memories.correct(new, same, source="agent_inference", agent_id="a") == []
    assert memories.correct(new, same, source="owner_edit", agent_id="owner") != []
    assert memories.correct(new, same + ".", source="agent_inference", agent_id="a") != []


@pytest.mark.parametrize(
    "end",
    [
        MemoryDeleted(agent_id="a"),
        MemoryDeprecated(agent_id="a"),
        MemorySuperseded(by="memory-2"),
    ],
)
def test_a_tombstone_can_be_restored_and_until_then_nothing_else(end):
    gone = memory(end)
    assert not gone.is_live
    for decide in (
        lambda m: memories.correct(m, "b", source="owner_edit", agent_id="owner"),
        lambda m: memories.give_feedback(m, "useful", agent_id="a"),
        lambda m: memories.change_tier(m, "core"),
        lambda m: memories.set_tags(m, ["x"]),
        lambda m: memories.reinforce(m, "episode-2", 0.1),
    ):
        with pytest.raises(WrongState, match="tombstone"):
            decide(gone)
    assert memories.delete(gone, agent_id="a") == []
    assert memories.deprecate(gone, agent_id="a") == []
    [restored] = memories.restore(gone, agent_id="a")
    back = fold(gone, event_of("Memory", 3, restored))
    assert back.is_live
    assert memories.restore(back, agent_id="a") == []


def test_quality_drops_once_at_the_fifth_vote():
    four_down = memory(*[vote("not_useful")] * 4)
    first = memories.give_feedback(four_down, "not_useful", agent_id="a")
    assert [type(b) for b in first] == [FeedbackGiven, QualityDropped]
    assert first[1].score == 0
    dropped = memory(*[vote("not_useful")] * 4, *first)
    assert [type(b) for b in memories.give_feedback(dropped, "not_useful", agent_id="a")] == [
        FeedbackGiven
    ]


def test_two_of_five_votes_are_not_low_and_one_of_four_are_too_few():
    assert len(memories.give_feedback(memory(vote("useful")), "not_useful", agent_id="a")) == 1
    mixed = memory(vote("useful"), vote("useful"), *[vote("not_useful")] * 2)
    assert len(memories.give_feedback(mixed, "not_useful", agent_id="a")) == 1


def test_a_heavy_vote_counts_as_many():
    three_down = memory(*[vote("not_useful")] * 3)
    bodies = memories.give_feedback(three_down, "not_useful", agent_id="a", weight=2)
    assert [type(b) for b in bodies] == [FeedbackGiven, QualityDropped]
    assert memory(vote("not_useful", 2)).not_useful == 2


def test_tags_are_a_set():
    tagged = memory(MemoryTagged(tags=["a", "b"]))
    assert memories.set_tags(tagged, ["b", "a", "a"]) == []
    [body] = memories.set_tags(tagged, ["b"])
    assert body.tags == ["b"]
    assert memories.set_tags(memory(tags=["a"]), ["a"]) == []


def test_pinning_what_is_pinned_changes_nothing():
    pinned = memory(TierChanged(tier="core"))
    assert memories.change_tier(pinned, "core") == []
    assert memories.change_tier(pinned, "normal") == [TierChanged(tier="normal")]


def test_a_memory_is_present_until_it_expires():
    short = memory(expires_at=NOW)
    assert is_present(short, NOW - timedelta(seconds=1))
    assert not is_present(short, NOW)
    assert is_present(memory(), NOW)
    assert not is_present(memory(MemoryDeleted(agent_id="a")), NOW)


def test_a_state_holds_no_text_of_the_memory():
    secret = "the cat is called Schrödinger"
    state = memory(
        MemoryTagged(tags=["Schrödinger-tag"]),
        correction(secret),
        content="Schrödinger first",
        trigger="Schrödinger asked",
    )
    assert "Schrödinger" not in repr(state)


class LifeOfAMemory(RuleBasedStateMachine):
    """Any order of decisions; a model beside the fold counts what must come out."""

    def __init__(self):
        super().__init__()
        self.memory = memory()
        self.texts = ["ComfyUI listens on 8188"]
        self.useful = self.not_useful = self.drops = 0
        self.live = True

    def record(self, bodies):
        for body in bodies:
            self.memory = fold(self.memory, event_of("Memory", self.memory.version + 1, body))
        return bodies

    @precondition(lambda self: self.live)
    @rule(verdict=st.sampled_from(["useful", "not_useful"]), weight=st.integers(1, 2))
    def give_feedback(self, verdict, weight):
        bodies = self.record(
            memories.give_feedback(self.memory, verdict, agent_id="a", weight=weight)
        )
        self.useful += weight if verdict == "useful" else 0
        self.not_useful += weight if verdict == "not_useful" else 0
        self.drops += sum(isinstance(body, QualityDropped) for body in bodies)

    @precondition(lambda self: self.live)
    @rule(content=st.sampled_from(["a", "b", "c"]), behind=st.integers(0, 2))
    def correct(self, content, behind):
        expected = len(self.texts) - behind
        fields = {"source": "agent_inference", "agent_id": "a", "expected_version": expected}
        if behind:
            with pytest.raises(VersionMismatch):
                memories.correct(self.memory, content, **fields)
        else:
            bodies = self.record(memories.correct(self.memory, content, **fields))
            assert bool(bodies) == (content != self.texts[-1])
            if bodies:
                self.texts.append(content)

    @rule(withdraw=st.sampled_from([memories.delete, memories.deprecate]))
    def end(self, withdraw):
        assert bool(self.record(withdraw(self.memory, agent_id="a"))) == self.live
        self.live = False

    @rule()
    def restore(self):
        bodies = self.record(memories.restore(self.memory, agent_id="a"))
        assert [type(b) for b in bodies] == ([] if self.live else [MemoryRestored])
        self.live = True

    @precondition(lambda self: not self.live)
    @rule()
    def nothing_is_decided_about_a_tombstone(self):
        before = self.memory
        for decide in (
            lambda: memories.give_feedback(before, "useful", agent_id="a"),
            lambda: memories.correct(before, "x", source="owner_edit", agent_id="owner"),
            lambda: memories.set_tags(before, ["x"]),
            lambda: memories.change_tier(before, "core"),
        ):
            with pytest.raises(WrongState):
                decide()

    @rule(episode=st.sampled_from(["episode-1", "episode-2", "episode-3"]))
    @precondition(lambda self: self.live)
    def reinforce(self, episode):
        self.record(memories.reinforce(self.memory, episode, 0.1))
        assert self.memory.episodes.count(episode) == 1

    @invariant()
    def the_state_is_what_was_decided(self):
        assert self.memory.is_live == self.live
        assert self.memory.text_version == len(self.texts)
        assert self.memory.corrections == len(self.texts) - 1
        assert self.memory.text_hash == text_hash(self.texts[-1])
        assert (self.memory.useful, self.memory.not_useful) == (self.useful, self.not_useful)
        assert self.drops <= 1
        assert self.memory.quality_has_dropped == bool(self.drops)


TestLifeOfAMemory = LifeOfAMemory.TestCase
TestLifeOfAMemory.settings = settings(max_examples=60, stateful_step_count=30, deadline=None)
