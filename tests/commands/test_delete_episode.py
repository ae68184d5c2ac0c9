"""Deleting an episode takes along what rests on it alone."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from domain.episode import EPISODE
from domain.events import EpisodeDeleted, MemoryDeleted
from domain.memory import MEMORY


def is_live(application, memory_id):
    return application.load(MEMORY, memory_id).is_live


def test_a_conversation_is_taken_out_by_itself(application, hermes):
    episode = hermes.commit("talk").episode_id
    receipt = hermes.delete_episode(episode)
    assert receipt.memory_ids == []
    [event] = application.read(2, 2)
    assert isinstance(event.body, EpisodeDeleted)
    assert application.load(EPISODE, episode).is_deleted


def test_its_memory_goes_in_the_same_append_and_can_be_restored(application, hermes):
    made = hermes.remember("the port is 3000")
    receipt = hermes.delete_episode(made.episode_id)
    assert receipt.memory_ids == [made.memory_id]
    types = [type(e.body) for e in application.read(5, receipt.position)]
    assert types == [EpisodeDeleted, MemoryDeleted]
    hermes.restore(made.memory_id)
    assert is_live(application, made.memory_id)


@pytest.mark.parametrize("first_goes_first", [True, False])
def test_a_memory_seen_in_two_episodes_goes_with_the_second(application, hermes, first_goes_first):
    made, again = hermes.remember("the port is 3000"), hermes.remember("the port is 3000")
    order = [made.episode_id, again.episode_id]
    if not first_goes_first:
        order.reverse()
    assert hermes.delete_episode(order[0]).memory_ids == []
    assert is_live(application, made.memory_id)
    assert hermes.delete_episode(order[1]).memory_ids == [made.memory_id]
    assert not is_live(application, made.memory_id)


def test_a_restored_episode_holds_its_memory_again(application, hermes):
    made, again = hermes.remember("the port is 3000"), hermes.remember("the port is 3000")
    hermes.delete_episode(made.episode_id)
    hermes.restore_episode(made.episode_id)
    assert hermes.delete_episode(again.episode_id).memory_ids == []
    assert is_live(application, made.memory_id)


def test_a_corrected_memory_goes_with_its_episode_too(application, hermes):
    made = hermes.remember("the port is 3000")
    hermes.correct(made.memory_id, "the port is 3001")
    assert hermes.delete_episode(made.episode_id).memory_ids == [made.memory_id]


def test_a_tombstone_is_not_deleted_again(hermes):
    made = hermes.remember("the port is 3000")
    hermes.delete(made.memory_id)
    assert hermes.delete_episode(made.episode_id).memory_ids == []


def test_episodes_of_one_memory_deleted_at_once_leave_it_dead_once(application, hermes):
    episodes = [hermes.remember("the port is 3000") for _ in range(8)]
    memory = episodes[0].memory_id
    with ThreadPoolExecutor(8) as pool:
        receipts = list(pool.map(lambda r: hermes.delete_episode(r.episode_id), episodes))
    assert [r.memory_ids for r in receipts].count([memory]) == 1
    assert not is_live(application, memory)
