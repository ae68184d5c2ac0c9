"""The owner's word on what was distilled."""

import pytest

from domain.errors import Forbidden, InvalidCommand, NotFound, WrongState
from domain.events import CandidateDismissed, CandidateSettled
from domain.memory import MEMORY
from tests.commands.distilling import Distiller, events_of

CAT = "The cat sleeps at noon."
PORT = "The gateway listens on port 7443."


@pytest.fixture
def distiller(application) -> Distiller:
    return Distiller(application)


@pytest.fixture
def candidate(hermes, distiller):
    """Give a candidate that says the text."""

    def make(text=CAT):
        episode_id = hermes.commit(text).episode_id
        [made] = distiller.distil(episode_id, text, settle="confirm").memory_ids
        return made

    return make


@pytest.fixture
def state_of(application):
    return lambda memory_id: application.load(MEMORY, memory_id)


def test_a_settled_candidate_lives(application, owner, candidate, state_of):
    one = candidate()
    receipt = owner.settle(one)
    assert receipt.memory_ids == [one]
    memory = state_of(one)
    assert (memory.is_live, memory.is_settled, memory.text_version) == (True, True, 1)
    assert events_of(application, one)[-1].body == CandidateSettled(agent_id="owner")
    assert (memory.told_by, memory.source) == ("hermes-a06", "agent_inference")


def test_a_candidate_is_settled_in_other_words(owner, hermes, distiller, candidate, state_of):
    one = candidate()
    owner.settle(one, content="The cat sleeps at eleven.")
    memory = state_of(one)
    assert (memory.text_version, memory.source, memory.told_by) == (2, "owner_edit", "owner")
    assert memory.is_the_owners
    seen = distiller.distil(hermes.commit("talk").episode_id, "The cat sleeps at eleven.", CAT)
    assert seen.reinforced_ids == (one,)
    assert len(seen.memory_ids) == 1


def test_a_live_memory_can_be_settled_too(application, owner, hermes, state_of):
    one = hermes.remember(CAT).memory_id
    assert not owner.settle(one).duplicate
    assert owner.settle(one).duplicate
    assert owner.settle(one, content=CAT).duplicate
    assert not owner.settle(one, content=PORT).duplicate
    assert state_of(one).text_version == 2
    assert len(events_of(application, one)) == 3


def test_settling_is_all_of_them_or_none(owner, hermes, candidate, state_of):
    one, two = candidate(), candidate(PORT)
    hermes.delete(two)
    with pytest.raises(WrongState, match="tombstone"):
        owner.settle(one, two)
    with pytest.raises(NotFound):
        owner.settle(one, "0d3a9c0e-0000-5000-8000-000000000009")
    assert state_of(one).is_candidate
    hermes.restore(two)
    assert state_of(two).is_candidate
    owner.settle(one, two, one)
    assert state_of(one).is_live
    assert state_of(two).is_live


def test_another_text_is_for_one_memory(owner, candidate):
    one, two = candidate(), candidate(PORT)
    with pytest.raises(InvalidCommand, match="content"):
        owner.settle(one, two, content="both")
    with pytest.raises(InvalidCommand, match="blanks"):
        owner.settle(one, content="  ")


def test_two_memories_never_say_one_text(owner, hermes, candidate, state_of):
    one = candidate()
    hermes.remember(CAT)
    with pytest.raises(WrongState, match="says exactly this text already"):
        owner.settle(one)
    hermes.remember(PORT)
    with pytest.raises(WrongState, match="says exactly this text already"):
        owner.settle(one, content=PORT)
    assert state_of(one).is_candidate


def test_a_dismissed_candidate_is_a_tombstone_that_can_be_restored_as_one(
    application, owner, candidate, state_of
):
    one = candidate()
    owner.dismiss(one)
    assert owner.dismiss(one).duplicate
    assert state_of(one).state == "tombstone"
    assert events_of(application, one)[-1].body == CandidateDismissed(agent_id="owner")
    with pytest.raises(WrongState, match="restore it first"):
        owner.settle(one)
    owner.restore(one)
    assert state_of(one).is_candidate
    owner.settle(one)
    assert state_of(one).is_live


def test_what_lives_is_not_dismissed(owner, hermes, candidate, state_of):
    one, live = candidate(PORT), hermes.remember(CAT).memory_id
    with pytest.raises(WrongState, match="no candidate"):
        owner.dismiss(one, live)
    assert state_of(one).is_candidate


def test_only_the_owner_settles_and_dismisses(hermes, cron, admin, candidate, state_of):
    one = candidate()
    for speaker in (hermes, cron, admin):
        with pytest.raises(Forbidden, match="owner's key"):
            speaker.settle(one)
        with pytest.raises(Forbidden, match="owner's key"):
            speaker.dismiss(one)
    assert state_of(one).is_candidate


def test_a_repeat_with_the_same_key_is_one_command(owner, candidate):
    one = candidate()
    first = owner.settle(one, content=PORT, key="k")
    again = owner.settle(one, content=PORT, key="k")
    assert (again.position, again.duplicate) == (first.position, True)


def test_tags_have_a_level_and_keep_it(application, owner, hermes):
    one = hermes.remember(CAT).memory_id
    hermes.tag(one, "pets", "home", level="user")
    hermes.tag(one, "pets", "nap")
    hermes.tag(one, "nap", "pets")
    hermes.tag(one, "nap", "pets", level="project")
    tagged = [(e.body.tags, e.body.levels) for e in events_of(application, one)[1:]]
    assert tagged == [
        (["home", "pets"], {"home": "user", "pets": "user"}),
        (["nap", "pets"], {"pets": "user"}),
        (["nap", "pets"], {"nap": "project", "pets": "project"}),
    ]
