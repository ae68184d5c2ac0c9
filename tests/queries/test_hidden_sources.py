"""A memory may rest on what not everybody who reads it may read: of that nothing is shown."""

from __future__ import annotations

import pytest

from bench.real_stack import RealStack
from commands.execution import execute
from commands.unit_of_work import UnitOfWork
from domain.caller import Caller
from domain.errors import NotFound
from domain.events import MemorySuperseded
from domain.memory import MEMORY
from memoryweave.contract import Provenance, Recall
from queries.bootstrap import bootstrap
from queries.episode import episode
from queries.memories import MemoryList, memories
from queries.memory import memory, versions
from queries.provenance import provenance
from tests.commands.speaking import Hand, Speaker
from tests.queries.conftest import speaking
from tests.queries.distilling import distil

CANARY = "canary-51f0"


@pytest.fixture
def coder(stack: RealStack, clock: Hand) -> Speaker:
    """An agent that may not read what hermes keeps to itself."""
    return speaking(Speaker.agent(stack.application, "coder-1", main="coder-main"), clock)


@pytest.fixture
def told(stack: RealStack, hermes: Speaker) -> tuple[str, str]:
    """A private episode of hermes, and the memory that all share and that rests on it."""
    private = hermes.commit(
        f"between us: {CANARY} said that the printer is in room 12",
        speaker=f"{CANARY} the speaker",
        metadata={"external_id": f"{CANARY}-line-7"},
        session_id=f"{CANARY}-session",
    ).episode_id
    [shared] = distil(
        stack,
        hermes,
        private,
        "the printer is in room 12",
        namespace="shared",
        evidence=f"{CANARY} said that …",
    )
    stack.project()
    stack.fill()
    return private, shared


def everything_told_to(
    caller: Caller, memory_id: str, stack: RealStack, clock: Hand
) -> dict[str, str]:
    """Each way to read the memory, as it goes to the wire."""
    now, state = clock(), stack.state
    answers = {
        "provenance": provenance(memory_id, caller, state, now),
        "memory": memory(memory_id, caller, state, now),
        "versions": versions(memory_id, caller, state, now),
        "list": memories(MemoryList(namespace="shared"), caller, state, now),
        "bootstrap": bootstrap(caller, state, now),
        "recall": stack.recall(Recall(query="where is the printer", explain=True), caller),
    }
    assert "room 12" in repr(answers["recall"])
    return {name: repr(answer) for name, answer in answers.items()}


def test_a_source_that_one_may_not_read_is_counted_and_nothing_of_it_is_shown(
    stack: RealStack, hermes: Speaker, coder: Speaker, clock: Hand, told: tuple[str, str]
) -> None:
    private, shared = told
    seen = provenance(shared, coder.caller, stack.state, clock())
    assert (seen.sources, seen.hidden_sources) == ([], 1)
    assert (seen.evidence, memory(shared, coder.caller, stack.state, clock()).evidence) == (
        None,
        None,
    )
    for way, text in everything_told_to(coder.caller, shared, stack, clock).items():
        assert CANARY not in text, way
        assert private not in text, way
    with pytest.raises(NotFound):
        episode(private, coder.caller, stack.state, clock())


def test_who_may_read_the_source_is_shown_all_of_it(
    stack: RealStack, hermes: Speaker, owner: Speaker, clock: Hand, told: tuple[str, str]
) -> None:
    private, shared = told
    granted = Speaker.agent(
        stack.application, "coder-2", main="coder-main", granted=frozenset({"hermes-main"})
    )
    for reader in (hermes, owner, granted):
        seen: Provenance = provenance(shared, reader.caller, stack.state, clock())
        assert seen.hidden_sources == 0
        (source,) = seen.sources
        assert (source.episode_id, source.role, source.namespace) == (
            private,
            "created",
            "hermes-main",
        )
        assert CANARY in source.content
        detail = memory(shared, reader.caller, stack.state, clock())
        assert detail.derived_from == [private]
        assert (seen.evidence, detail.evidence) == (f"{CANARY} said that …",) * 2
        assert detail.metadata == {"external_id": [f"{CANARY}-line-7"]}


def test_an_episode_does_not_tell_of_memories_that_one_may_not_read(
    stack: RealStack, hermes: Speaker, coder: Speaker, clock: Hand
) -> None:
    said = hermes.commit("the printer is in room 12", namespace="shared").episode_id
    [private] = distil(stack, hermes, said, "hermes prefers room 12", namespace="hermes-main")
    stack.project()
    assert episode(said, hermes.caller, stack.state, clock()).memory_ids == [private]
    assert episode(said, coder.caller, stack.state, clock()).memory_ids == []


def test_what_took_a_memory_s_place_is_named_to_who_may_read_it(
    stack: RealStack, hermes: Speaker, coder: Speaker, clock: Hand
) -> None:
    shared = hermes.remember("the printer is in room 12", namespace="shared").memory_id
    private = hermes.remember("the printer is in room 12, hermes says").memory_id

    def supersede(work: UnitOfWork) -> None:
        work.record(MEMORY, shared, [MemorySuperseded(by=private, reason="said better")])

    command = hermes.command(supersede, ())
    execute(stack.application, command, hermes.clock, supersede, lambda done: done)
    stack.project()
    for reader, named in ((hermes, private), (coder, None)):
        seen = provenance(shared, reader.caller, stack.state, clock())
        assert seen.ended is not None
        assert (seen.ended.by, seen.ended.superseded_by) == ("superseded", named)
        assert private not in repr(memory(shared, coder.caller, stack.state, clock()))
