"""Recall of the past: exactly what was live then, with the text it had, whatever came after."""

from __future__ import annotations

import random
from typing import Any

import pytest

from bench.real_stack import RealStack
from domain.errors import Forbidden, InvalidCommand, ViewBehind
from memoryweave.contract import AsOf, Recall, RecallAnswer
from tests import past
from tests.commands.speaking import Hand, Speaker
from tests.oracle import Fact, read_log
from tests.queries.distilling import distil


def ask(
    stack: RealStack, speaker: Speaker, query: str, position: int, **options: Any
) -> RecallAnswer:
    request = Recall(query=query, as_of=AsOf(position=position), **options)
    return stack.recall(request, speaker.caller)


def texts(answer: RecallAnswer) -> list[str]:
    return [result.content for result in answer.results]


def settle(stack: RealStack) -> None:
    stack.project()
    stack.fill()


class Life:
    """Random commands of one agent. Every text holds ``gateway`` and a word that no other has."""

    def __init__(self, stack: RealStack, hermes: Speaker, clock: Hand, seed: int) -> None:
        self.stack, self.hermes, self.clock = stack, hermes, clock
        self.chance = random.Random(seed)
        self.numbers = iter(range(10_000))
        self.live: list[str] = []
        self.ended: list[str] = []
        self.episodes: list[str] = []
        self.deleted: list[str] = []

    def text(self) -> str:
        number = next(self.numbers)
        return f"gateway note qz{number}x about {self.chance.choice(['tea', 'ports', 'backups'])}"

    def go_on(self, steps: int) -> None:
        moves = (
            self.remember, self.remember, self.commit, self.correct, self.correct, self.end,
            self.restore, self.tag, self.vote, self.settle_episode, self.distil, self.ephemeral,
        )  # fmt: skip
        for _ in range(steps):
            self.clock.move(minutes=self.chance.randint(-30, 600))
            self.chance.choice(moves)()

    def remember(self) -> None:
        tags = self.chance.sample(["a", "b"], self.chance.randint(0, 2))
        self.live.append(self.hermes.remember(self.text(), tags=tags).memory_id)

    def commit(self) -> None:
        self.episodes.append(self.hermes.commit(self.text()).episode_id)

    def correct(self) -> None:
        if self.live:
            self.hermes.correct(self.chance.choice(self.live), self.text())

    def end(self) -> None:
        if self.live:
            chosen = self.live.pop(self.chance.randrange(len(self.live)))
            self.hermes.delete(chosen)
            self.ended.append(chosen)

    def restore(self) -> None:
        if self.ended:
            chosen = self.ended.pop(self.chance.randrange(len(self.ended)))
            self.hermes.restore(chosen)
            self.live.append(chosen)

    def tag(self) -> None:
        if self.live:
            self.hermes.tag(self.chance.choice(self.live), *self.chance.sample(["a", "b"], 1))

    def vote(self) -> None:
        if self.live:
            self.hermes.useful(self.chance.choice(self.live))

    def settle_episode(self) -> None:
        if self.deleted:
            self.hermes.restore_episode(self.deleted.pop())
        elif self.episodes:
            self.deleted.append(self.episodes.pop(self.chance.randrange(len(self.episodes))))
            self.hermes.delete_episode(self.deleted[-1])

    def distil(self) -> None:
        episode = self.hermes.commit(self.text()).episode_id
        reinforce = self.chance.choice(self.live) if self.live else ""
        self.live += distil(self.stack, self.hermes, episode, self.text(), reinforce=reinforce)

    def ephemeral(self) -> None:
        if self.chance.random() < 0.7:
            place = {"namespace": "hermes-ephemeral", "session_id": "s-1"}
            self.hermes.remember(self.text(), **place)
        else:
            self.hermes.close_session("s-1", namespace="hermes-ephemeral")


def assert_recall_is_the_fold(
    stack: RealStack, hermes: Speaker, facts: list[Fact], position: int, chance: random.Random
) -> None:
    tables, now = past.tables_at(facts, position), past.clock_at(facts, position)
    memories = past.live_memories(tables, now)
    live = {(row["id"], row["content"], row["version"]) for row in memories.values()} | {
        (row["id"], row["content"], 1) for row in past.live_episodes(tables, now).values()
    }
    answer = ask(stack, hermes, "gateway", position, top_k=100)
    assert answer.as_of_position == position
    assert answer.degraded == []
    assert {(one.id, one.content, one.version) for one in answer.results} == live
    tagged = ask(stack, hermes, "gateway", position, top_k=100, tags=["a"], layers=["memory"])
    assert {one.id for one in tagged.results} == {
        key for key, row in memories.items() if "a" in row["tags"]
    }
    for thing, text, version in chance.sample(sorted(live), min(2, len(live))):
        found = ask(stack, hermes, text.split()[2], position, top_k=1)
        assert [(one.id, one.content, one.version) for one in found.results] == [
            (thing, text, version)
        ]


@pytest.mark.parametrize(
    ("seed", "steps", "positions"),
    [(1, 70, 12), *(pytest.param(seed, 110, 100, marks=pytest.mark.slow) for seed in range(2, 12))],
)
def test_recall_of_the_past_gives_what_was_live_then_with_its_text(
    stack: RealStack, hermes: Speaker, clock: Hand, seed: int, steps: int, positions: int
) -> None:
    chance = random.Random(seed)
    life = Life(stack, hermes, clock, seed)
    for _ in range(4):
        life.go_on(steps // 4)
        stack.project()
        if chance.random() < 0.5:
            stack.fill()
    settle(stack)
    facts = read_log(stack.application.event_log.url, stack.application.event_log.name)
    for _ in range(positions):
        assert_recall_is_the_fold(stack, hermes, facts, chance.randint(1, len(facts)), chance)


def test_a_unique_term_is_found_behind_many_rows_that_were_not_live_then(
    stack: RealStack, hermes: Speaker
) -> None:
    one = hermes.remember("the beacon on the pier is amber")
    hermes.delete(one.memory_id)
    later = [hermes.remember(f"beacon beacon number {number}") for number in range(60)]
    for receipt in later[::2]:
        hermes.delete(receipt.memory_id)
    for receipt in later[1::2]:
        for turn in range(5):
            hermes.correct(receipt.memory_id, f"beacon beacon {receipt.position} turn {turn}")
    settle(stack)
    assert texts(ask(stack, hermes, "beacon", one.position, top_k=1)) == [
        "the beacon on the pier is amber"
    ]
    stack.optimize()
    stack.reopen_views()
    assert texts(ask(stack, hermes, "beacon", one.position)) == ["the beacon on the pier is amber"]


def test_superseded_episodes_take_no_place_of_what_was_live_then(
    stack: RealStack, hermes: Speaker
) -> None:
    hermes.remember("there is a note about the heron by the pond and the old mill")
    for number in range(70):
        episode = hermes.commit(f"heron heron {number}").episode_id
        [made] = distil(stack, hermes, episode, f"statement {number}")
        then = hermes.delete(made).position
    hermes.commit("heron, said much later")
    settle(stack)
    assert texts(ask(stack, hermes, "heron", then, top_k=1)) == [
        "there is a note about the heron by the pond and the old mill"
    ]
    superseded = ask(stack, hermes, "heron", then, top_k=100, layers=["episode"])
    assert len(superseded.results) == 70
    assert {tuple(one.warnings) for one in superseded.results} == {("memory_deleted",)}


def test_an_answer_about_the_past_says_what_was_so_then(
    stack: RealStack, hermes: Speaker, owner: Speaker, clock: Hand
) -> None:
    told = hermes.remember("the kiln fires at 1240 degrees", tags=["clay"])
    clock.move(days=200)
    owner.pin(told.memory_id)
    hermes.tag(told.memory_id, "oven")
    hermes.correct(told.memory_id, "the kiln fires at 1260 degrees", source="config_parse")
    settle(stack)
    [then] = ask(stack, hermes, "kiln", told.position).results
    assert (then.content, then.version, then.tier) == (
        "the kiln fires at 1240 degrees",
        1,
        "normal",
    )
    assert (then.source, then.position) == ("agent_inference", told.position - 2)
    assert then.confidence > 0.5
    [now] = stack.recall(Recall(query="kiln"), hermes.caller).results
    assert (now.version, now.tier, now.source) == (2, "core", "config_parse")
    assert ask(stack, hermes, "kiln", told.position, tags=["oven"]).results == []
    assert len(ask(stack, hermes, "kiln", told.position, tags=["clay"]).results) == 1


def test_a_time_asks_for_the_last_position_not_after_it(
    stack: RealStack, hermes: Speaker, clock: Hand
) -> None:
    noon = clock()
    told = hermes.remember("the ferry leaves at nine")
    clock.move(hours=2)
    hermes.correct(told.memory_id, "the ferry leaves at ten")
    settle(stack)
    for time, text in ((noon, "nine"), (clock(), "ten")):
        answer = stack.recall(Recall(query="ferry", as_of=AsOf(time=time)), hermes.caller)
        assert texts(answer) == [f"the ferry leaves at {text}"]
    before = AsOf(time=noon.replace(hour=noon.hour - 1))
    assert stack.recall(Recall(query="ferry", as_of=before), hermes.caller).results == []


def test_todays_grants_decide_who_may_read_the_past(
    stack: RealStack, hermes: Speaker, owner: Speaker
) -> None:
    theirs = owner.remember("a secret harbour", namespace="other-main")
    settle(stack)
    assert ask(stack, hermes, "harbour", theirs.position).results == []
    with pytest.raises(Forbidden):
        ask(stack, hermes, "harbour", theirs.position, namespaces=["other-main"])
    assert texts(ask(stack, owner, "harbour", theirs.position)) == ["a secret harbour"]


def test_what_a_closed_session_took_is_gone_from_the_past(
    stack: RealStack, hermes: Speaker
) -> None:
    place = {"namespace": "hermes-ephemeral", "session_id": "s-1"}
    told = hermes.remember("a passing marmot", **place)
    settle(stack)
    assert texts(ask(stack, hermes, "marmot", told.position)) == ["a passing marmot"]
    hermes.close_session("s-1", namespace="hermes-ephemeral")
    settle(stack)
    assert ask(stack, hermes, "marmot", told.position).results == []


def test_without_word_index_and_embedder_the_past_is_scanned(
    stack: RealStack, hermes: Speaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = hermes.remember("the ferry leaves at nine")
    raw = hermes.commit("ferry, said in passing")
    hermes.correct(told.memory_id, "the ferry leaves at ten")
    hermes.delete_episode(raw.episode_id)
    settle(stack)
    for table in stack.vector_folder.glob("*.lance"):
        for file in sorted(table.rglob("*"), reverse=True):
            file.unlink() if file.is_file() else file.rmdir()
    stack.reopen_views()
    answer = ask(stack, hermes, "ferry", raw.position)
    assert answer.level == "scan"
    assert set(texts(answer)) == {"the ferry leaves at nine", "ferry, said in passing"}


def test_a_moment_that_the_views_have_not_reached_is_refused(
    stack: RealStack, hermes: Speaker
) -> None:
    position = hermes.remember("the lathe is in hall B").position
    with pytest.raises(ViewBehind):
        ask(stack, hermes, "lathe", position)
    stack.project("state")
    with pytest.raises(ViewBehind, match="view vector"):
        ask(stack, hermes, "lathe", position)
    settle(stack)
    with pytest.raises(InvalidCommand, match="not both"):
        stack.recall(Recall(query="lathe", as_of=AsOf()), hermes.caller)
