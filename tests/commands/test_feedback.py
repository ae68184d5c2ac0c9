"""Votes, withdrawal, correction, tags and pins of one memory."""

import pytest

from domain.errors import Forbidden, TooLarge, VersionMismatch, WrongState
from domain.events import (
    FeedbackGiven,
    MemoryCorrected,
    MemoryDeprecated,
    MemoryTagged,
    QualityDropped,
    TextClaimed,
    TierChanged,
)
from domain.memory import MEMORY


@pytest.fixture
def shared(hermes):
    """A memory that hermes put where everybody may write."""
    return hermes.remember("the port is 3000", namespace="shared").memory_id


def last(application, count=1):
    head = application.event_log.head().position
    return [e.body for e in application.read(head - count + 1, head)]


def state(application, memory_id):
    return application.load(MEMORY, memory_id)


def test_a_vote_keeps_who_why_and_after_which_recall(application, cron, shared):
    recall = "0198f000-0000-7000-8000-000000000001"
    receipt = cron.useful(shared, recall_id=recall, reason="it worked")
    assert last(application) == [
        FeedbackGiven(
            verdict="useful", agent_id="cron-1", recall_id=recall, reason="it worked", weight=1
        )
    ]
    assert (receipt.version, receipt.duplicate) == (1, False)


def test_the_author_and_the_owner_withdraw_at_once(application, hermes, owner, shared):
    hermes.deprecate(shared, reason="wrong")
    assert last(application) == [MemoryDeprecated(agent_id="hermes-a06", reason="wrong")]
    assert not state(application, shared).is_live
    hermes.restore(shared)
    owner.deprecate(shared)
    assert last(application) == [MemoryDeprecated(agent_id="owner", reason=None)]


def test_another_agents_deprecation_is_two_votes_against_it(application, cron, shared):
    cron.deprecate(shared, reason="I doubt it")
    assert last(application) == [
        FeedbackGiven(verdict="not_useful", agent_id="cron-1", reason="I doubt it", weight=2)
    ]
    assert state(application, shared).is_live
    assert state(application, shared).not_useful == 2


def test_quality_drops_once_with_the_fifth_vote_against(application, cron, shared):
    cron.deprecate(shared)
    cron.deprecate(shared)
    cron.not_useful(shared)
    assert last(application, 2) == [
        FeedbackGiven(verdict="not_useful", agent_id="cron-1"),
        QualityDropped(score=0.0),
    ]
    cron.not_useful(shared)
    assert [type(b) for b in last(application, 2)] == [QualityDropped, FeedbackGiven]


def test_a_correction_makes_the_next_version_and_claims_its_text(application, hermes, shared):
    receipt = hermes.correct(
        shared,
        "the port is 3001",
        source="owner_message",
        reason="moved",
        trigger="the owner said so",
        expected_version=1,
    )
    assert receipt.version == 2
    corrected, claimed = last(application, 2)
    assert corrected == MemoryCorrected(
        content="the port is 3001",
        source="owner_message",
        agent_id="hermes-a06",
        reason="moved",
        trigger="the owner said so",
    )
    assert claimed == TextClaimed(namespace="shared", memory_id=shared)


def test_the_second_of_two_correctors_is_told_so(application, hermes, cron, shared):
    hermes.correct(shared, "the port is 3001", expected_version=1)
    head = application.event_log.head().position
    with pytest.raises(VersionMismatch) as refused:
        cron.correct(shared, "the port is 3002", expected_version=1)
    assert (refused.value.expected, refused.value.actual) == (1, 2)
    assert application.event_log.head().position == head
    assert cron.correct(shared, "the port is 3002", expected_version=2).version == 3
    assert cron.correct(shared, "the port is 3003").version == 4


def test_a_correction_is_held_to_the_same_limits_as_a_commit(application, hermes, shared):
    with pytest.raises(TooLarge):
        hermes.correct(shared, "织" * 21_846)
    with pytest.raises(Forbidden, match="owner_edit"):
        hermes.correct(shared, "x", source="owner_edit")
    assert state(application, shared).text_version == 1


def test_the_receipt_of_a_vote_after_a_correction_names_the_texts_version(hermes, shared):
    hermes.correct(shared, "the port is 3001")
    key = "vote-after-correction"
    first = hermes.useful(shared, key=key)
    hermes.correct(shared, "the port is 3002")
    assert (first.version, hermes.useful(shared, key=key).version) == (2, 2)


def test_tags_are_the_whole_set_from_then_on(application, hermes, cron, shared):
    hermes.tag(shared, "ports", " lab ")
    assert last(application) == [MemoryTagged(tags=["lab", "ports"])]
    cron.tag(shared)
    assert last(application) == [MemoryTagged(tags=[])]


def test_pins_are_the_owners_and_the_admins(application, hermes, owner, admin, shared):
    owner.pin(shared)
    assert last(application) == [TierChanged(tier="core")]
    admin.unpin(shared)
    assert last(application) == [TierChanged(tier="normal")]
    for refused in (hermes.pin, hermes.unpin):
        with pytest.raises(Forbidden, match="owner"):
            refused(shared)


def test_nothing_but_restoring_is_done_to_a_tombstone(application, hermes, cron, owner, shared):
    hermes.delete(shared)
    head = application.event_log.head().position
    for refused in (
        lambda: hermes.useful(shared),
        lambda: hermes.not_useful(shared),
        lambda: cron.deprecate(shared),
        lambda: hermes.correct(shared, "x"),
        lambda: hermes.tag(shared, "x"),
        lambda: owner.pin(shared),
    ):
        with pytest.raises(WrongState, match="restore it first"):
            refused()
    assert application.event_log.head().position == head
    hermes.restore(shared)
    hermes.useful(shared)
