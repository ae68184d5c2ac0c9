"""One append for each episode: what it becomes, and what it is seen to say again."""

import pytest

from domain.episode import EPISODE
from domain.memory import MEMORY
from tests.commands.distilling import Distiller, events_of, finding


@pytest.fixture
def distiller(application) -> Distiller:
    return Distiller(application)


def test_a_finding_becomes_a_memory_with_its_origin(application, hermes, distiller):
    episode_id = hermes.commit("The gateway listens on port 7443, by the way.").episode_id
    done = distiller.distil(episode_id, "The gateway listens on port 7443.", scores={"IS": 0.9})
    assert (len(done.memory_ids), done.reinforced_ids, done.duplicate) == (1, (), False)
    [created] = events_of(application, done.memory_ids[0])
    assert created.body.content == "The gateway listens on port 7443."
    assert created.body.derived_from == [episode_id]
    assert created.body.distilled_by == "rules"
    assert created.body.confidence == 0.8
    assert events_of(application, episode_id)[-1].body.scores == {"IS": 0.9}
    assert application.load(EPISODE, episode_id).status == "distilled"


def test_an_episode_is_distilled_once(application, hermes, distiller):
    episode_id = hermes.commit("The gateway listens on port 7443.").episode_id
    first = distiller.distil(episode_id, "The gateway listens on port 7443.")
    again = distiller.distil(episode_id, "Something else was found.")
    assert (again.memory_ids, again.duplicate) == (first.memory_ids, True)
    assert again.position == first.position


def test_the_same_text_in_two_episodes_is_one_memory_seen_twice(application, hermes, distiller):
    one, two = (hermes.commit("The cat sleeps at noon.").episode_id for _ in range(2))
    made = distiller.distil(one, "The cat sleeps at noon.")
    seen = distiller.distil(two, "The cat sleeps at noon.")
    assert seen.reinforced_ids == made.memory_ids
    memory = application.load(MEMORY, made.memory_ids[0])
    assert memory.confidence == pytest.approx(0.9)
    assert memory.episodes == (one, two)


def test_a_candidate_waits_for_the_owner(application, hermes, distiller):
    episode_id = hermes.commit("The cat sleeps at noon.").episode_id
    [made] = distiller.distil(episode_id, "The cat sleeps at noon.", settle="confirm").memory_ids
    memory = application.load(MEMORY, made)
    assert memory.is_candidate
    assert not memory.is_live


def test_an_episode_without_findings_is_skipped_for_a_reason(application, hermes, distiller):
    chat, empty = (hermes.commit("hello there").episode_id for _ in range(2))
    distiller.distil(chat, skip_reason="chit_chat")
    distiller.distil(empty)
    reasons = [events_of(application, one)[-1].body.reason for one in (chat, empty)]
    assert reasons == ["chit_chat", "nothing_found"]


def test_what_failed_waits_and_can_be_distilled(application, hermes, distiller):
    episode_id = hermes.commit("The cat sleeps at noon.").episode_id
    distiller.fail(episode_id, "the model's answer was cut off")
    distiller.fail(episode_id, "the model's answer was cut off")
    state = application.load(EPISODE, episode_id)
    assert (state.status, state.attempts, state.version) == ("failed", 1, 2)
    assert distiller.distil(episode_id, finding("The cat sleeps at noon.")).memory_ids
