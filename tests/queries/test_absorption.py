"""A memory stands for its episodes: what goes, what stays, and with which score."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from bench.real_stack import RealStack
from memoryweave.contract import Recall
from queries.absorption import Part, absorbed
from queries.stages import EVERY_STAGE
from tests.commands.speaking import Speaker
from tests.queries.asking import ask, settle
from tests.queries.distilling import distil


def absorb(*parts: Part) -> list[tuple[str, float]]:
    left = absorbed(
        parts, lambda part: part, lambda part, score: structs.replace(part, score=score)
    )
    return [(part.id, part.score) for part in left]


def test_a_memory_takes_the_better_score_and_its_episode_goes() -> None:
    memory = Part(id="m", score=0.4, sources=["e", "elsewhere"])
    assert absorb(Part(id="e", score=0.9), Part(id="x", score=0.5), memory) == [
        ("m", 0.9),
        ("x", 0.5),
    ]
    assert absorb(memory, Part(id="e", score=0.1)) == [("m", 0.4)]


def test_of_several_memories_of_one_episode_the_best_takes_its_score() -> None:
    parts = [
        Part(id="e", score=0.9),
        Part(id="good", score=0.6, sources=["e"]),
        Part(id="poor", score=0.2, sources=["e"]),
    ]
    assert absorb(*parts) == [("good", 0.9), ("poor", 0.2)]


@settings(max_examples=100)
@given(st.data())
def test_only_sources_go_and_no_score_gets_worse(data: st.DataObject) -> None:
    score = st.floats(0.0, 1.0)
    episodes = [
        Part(id=f"e{n}", score=data.draw(score)) for n in range(data.draw(st.integers(0, 5)))
    ]
    ids = st.lists(st.sampled_from([f"e{n}" for n in range(6)]), max_size=4, unique=True)
    memories = [
        Part(id=f"m{n}", score=data.draw(score), sources=data.draw(ids))
        for n in range(data.draw(st.integers(0, 4)))
    ]
    parts = data.draw(st.permutations([*episodes, *memories]))
    before = {part.id: part.score for part in parts}
    after = dict(absorb(*parts))
    sources = {source for memory in memories for source in memory.sources}
    assert after.keys() == before.keys() - sources
    assert all(after[id_] >= before[id_] for id_ in after)
    assert list(after.values()) == sorted(after.values(), reverse=True)
    if sources & before.keys():
        assert max(after.values()) == max(before.values())


def test_an_episode_and_its_memory_take_one_place(stack: RealStack, hermes: Speaker) -> None:
    episode = hermes.commit("the printer moved to room 12, near the lift").episode_id
    [memory] = distil(stack, hermes, episode, "the printer is in room 12")
    other = hermes.commit("the printer is out of toner").episode_id
    settle(stack)
    stack.stages = structs.replace(EVERY_STAGE, signals=False)
    request = Recall(query="in which room is the printer, near the lift?")
    results = stack.recall(request, hermes.caller).results
    assert [result.id for result in results] == [memory, other]
    assert results[0].derived_from == [episode]
    stack.stages = structs.replace(stack.stages, absorption=False)
    alone = {result.id: result.score for result in stack.recall(request, hermes.caller).results}
    assert alone.keys() == {memory, other, episode}
    assert results[0].score == max(alone.values())
    stack.stages = EVERY_STAGE
    only = ask(stack, hermes, "in which room is the printer", layers=["episode"]).results
    assert {result.id for result in only} == {episode, other}
