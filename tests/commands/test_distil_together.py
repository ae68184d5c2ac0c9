"""Distillations that are sent together come to what they come to one after the other."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from commands.distil import distil, order_for
from commands.distil_ahead import Ahead
from commands.execution import execute_each
from domain.episode import EPISODE
from domain.errors import LogUnavailable
from domain.events import EpisodeDistilled, EpisodeSkipped, Event, MemoryCreated, MemoryReinforced
from domain.memory import MEMORY
from domain.policies.validation import Validation
from tests.commands.distilling import Distiller, TogetherDistiller

SAID = (
    "The gateway listens on port 7443.",
    "the gateway listens on port 7443",
    "The gateway listens on port 7444.",
    "The cat sleeps at noon.",
    "Backups run at night.",
)
_spaces = itertools.count(1)

episodes = st.lists(
    st.tuples(st.lists(st.sampled_from(SAID), max_size=3, unique=True), st.booleans()), max_size=8
)


def outcome(events: Sequence[Event], episode_id: str) -> list[object]:
    """Give what an episode became, without ids: the texts made, and those seen or borne out."""
    texts = {e.aggregate_id: e.body.content for e in events if isinstance(e.body, MemoryCreated)}
    [end] = [
        e
        for e in events
        if e.aggregate_id == episode_id and isinstance(e.body, EpisodeDistilled | EpisodeSkipped)
    ]
    return [
        (e.type, texts.get(e.aggregate_id), e.version, getattr(e.body, "match", None))
        for e in events
        if e.command_id == end.command_id
    ]


@given(said=episodes, groups=st.lists(st.integers(1, 8), min_size=1, max_size=8))
@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_in_whatever_groups_they_go_each_becomes_the_same(application, owner, said, groups):
    alone, together = Distiller(application), TogetherDistiller(application)
    number, begun = next(_spaces), application.event_log.head().position

    def committed(space: str) -> tuple[list[str], str]:
        known = owner.remember("the backup disk is full", namespace=space).memory_id
        talk = [owner.commit(f"talk {at}", namespace=space) for at in range(len(said))]
        return [one.episode_id for one in talk], known

    def command(distiller: Distiller, at: int, episode_id: str, known: str):
        texts, bears_out = said[at]
        verified = (Validation(memory_id=known, rule="P1", delta=0.1),) if bears_out else ()
        return distiller.command(episode_id, *texts, verified=verified)

    (one_by_one, known_to_one) = committed(f"alone-{number}")
    (in_groups, known_to_each) = committed(f"together-{number}")
    for at, episode_id in enumerate(one_by_one):
        distil(application, command(alone, at, episode_id, known_to_one), alone.clock)
    start = 0
    for size in itertools.cycle(groups):
        if start >= len(said):
            break
        numbers = range(start, min(start + size, len(said)))
        commands = [command(together, at, in_groups[at], known_to_each) for at in numbers]
        assert not any(answer().duplicate for answer in together.send(commands))
        start += size
    events = application.read(begun + 1, application.event_log.head().position)
    for one, other in zip(one_by_one, in_groups, strict=True):
        assert outcome(events, one) == outcome(events, other)


def test_what_one_makes_the_next_sees_again(application, hermes):
    together = TogetherDistiller(application)
    ids = [hermes.commit(f"talk {number}").episode_id for number in range(3)]
    first, second, third = (a() for a in together.send([together.command(i, SAID[0]) for i in ids]))
    [memory_id] = first.memory_ids
    assert (second.reinforced_ids, third.reinforced_ids) == ((memory_id,), (memory_id,))
    assert application.load(MEMORY, memory_id).episodes == tuple(ids)


def test_the_same_episode_twice_in_one_go_ends_once(application, hermes):
    together = TogetherDistiller(application)
    episode_id = hermes.commit("talk").episode_id
    one, other = (a() for a in together.send([together.command(episode_id, SAID[0])] * 2))
    assert (one.duplicate, other.duplicate) == (False, True)
    assert other.memory_ids == one.memory_ids
    assert application.load(EPISODE, episode_id).version == 2


def test_what_is_refused_is_told_of_it_alone(application, hermes):
    together = TogetherDistiller(application)
    ids = [hermes.commit(f"talk {number}").episode_id for number in range(3)]
    orders = [
        order_for(application, together.command(i, said), Ahead(application))
        for i, said in zip(ids, SAID[2:], strict=True)
    ]

    def fails(work):
        raise LogUnavailable("gone")

    orders[1] = replace(orders[1], decide=fails)
    one, refused, other = execute_each(application, orders, together.clock)
    with pytest.raises(LogUnavailable):
        refused()
    assert one().memory_ids
    assert other().memory_ids
    assert application.load(EPISODE, ids[1]).is_waiting
    reinforced = application.read(1, application.event_log.head().position)
    assert not [e for e in reinforced if isinstance(e.body, MemoryReinforced)]
