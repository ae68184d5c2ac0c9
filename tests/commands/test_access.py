"""What is not yours is not there, and what you may only read you may not change."""

import pytest

from domain.errors import Forbidden, NotFound
from tests.commands.speaking import Speaker

NOWHERE = "00000000-0000-5000-8000-000000000000"

on_a_memory = {
    "useful": lambda s, m: s.useful(m),
    "not useful": lambda s, m: s.not_useful(m),
    "deprecate": lambda s, m: s.deprecate(m),
    "correct": lambda s, m: s.correct(m, "something else"),
    "delete": lambda s, m: s.delete(m),
    "restore": lambda s, m: s.restore(m),
    "pin": lambda s, m: s.pin(m),
    "unpin": lambda s, m: s.unpin(m),
    "tag": lambda s, m: s.tag(m, "x"),
}
on_an_episode = {
    "delete episode": lambda s, e: s.delete_episode(e),
    "restore episode": lambda s, e: s.restore_episode(e),
}


def message_of(refused, thing_id):
    return str(refused.value).replace(thing_id, "…")


@pytest.mark.parametrize("act", on_a_memory.values(), ids=on_a_memory)
def test_a_foreign_memory_is_as_if_it_did_not_exist(application, hermes, cron, act):
    foreign = hermes.remember("a secret").memory_id
    head = application.event_log.head().position
    messages = set()
    for memory_id in (foreign, NOWHERE):
        with pytest.raises(NotFound) as refused:
            act(cron, memory_id)
        messages.add(message_of(refused, memory_id))
    assert len(messages) == 1
    assert application.event_log.head().position == head


@pytest.mark.parametrize("act", on_an_episode.values(), ids=on_an_episode)
def test_a_foreign_episode_is_as_if_it_did_not_exist(application, hermes, cron, act):
    foreign = hermes.commit("a secret").episode_id
    messages = set()
    for episode_id in (foreign, NOWHERE):
        with pytest.raises(NotFound) as refused:
            act(cron, episode_id)
        messages.add(message_of(refused, episode_id))
    assert len(messages) == 1
    assert application.event_log.head().position == 1


def test_who_may_settle_and_distil_anew_is_told_before_what_there_is(hermes, owner, admin):
    memory, episode = hermes.remember("mine").memory_id, hermes.commit("mine too").episode_id
    for thing in (memory, NOWHERE):
        for speaker in (hermes, admin):
            for act in (speaker.settle, speaker.dismiss):
                with pytest.raises(Forbidden):
                    act(thing)
        with pytest.raises(NotFound):
            owner.redistil(thing)
    for thing in (episode, NOWHERE):
        with pytest.raises(Forbidden):
            hermes.redistil(thing)
        with pytest.raises(NotFound):
            owner.settle(thing)
        with pytest.raises(NotFound):
            owner.dismiss(thing)


@pytest.mark.parametrize("act", on_a_memory.values(), ids=on_a_memory)
def test_a_memory_is_no_episode_and_an_episode_no_memory(hermes, act):
    receipt = hermes.remember("mine")
    with pytest.raises(NotFound):
        act(hermes, receipt.episode_id)
    with pytest.raises(NotFound):
        hermes.delete_episode(receipt.memory_id)


def test_a_grant_lets_an_agent_read_and_vote_but_not_change(application, hermes):
    memory = hermes.remember("readable").memory_id
    episode = hermes.commit("readable too").episode_id
    reader = Speaker.agent(application, "cron-1", granted=frozenset({"hermes-main"}))
    for name in ("useful", "not useful", "deprecate"):
        assert not on_a_memory[name](reader, memory).duplicate
    for name in ("correct", "delete", "restore", "pin", "unpin", "tag"):
        with pytest.raises(Forbidden):
            on_a_memory[name](reader, memory)
    for act in on_an_episode.values():
        with pytest.raises(Forbidden):
            act(reader, episode)


def test_in_shared_anybody_may_edit_but_only_the_author_may_withdraw(hermes, cron):
    receipt = hermes.remember("for all", namespace="shared")
    cron.tag(receipt.memory_id, "x")
    cron.correct(receipt.memory_id, "for everybody")
    for name in ("delete", "restore"):
        with pytest.raises(Forbidden, match="hermes-a06"):
            on_a_memory[name](cron, receipt.memory_id)
    with pytest.raises(Forbidden, match="hermes-a06"):
        cron.delete_episode(receipt.episode_id)
    hermes.delete(receipt.memory_id)


@pytest.mark.parametrize("kind", ["owner", "admin"])
def test_the_owner_and_the_admin_may_do_all_of_it_everywhere(application, hermes, kind):
    speaker = Speaker.of_kind(application, kind)
    receipt = hermes.remember("private")
    for name in ("useful", "not useful", "correct", "pin", "unpin", "tag", "delete", "restore"):
        assert not on_a_memory[name](speaker, receipt.memory_id).duplicate, name
    for act in on_an_episode.values():
        assert not act(speaker, receipt.episode_id).duplicate


def test_an_author_that_lost_the_namespace_is_a_reader_like_others(application):
    before = Speaker.agent(application, "mover", main="old-main")
    memory = before.remember("x").memory_id
    after = Speaker.agent(application, "mover", main="new-main", granted=frozenset({"old-main"}))
    with pytest.raises(Forbidden):
        after.delete(memory)
    after.deprecate(memory)
    before.useful(memory)  # two votes against, no tombstone
