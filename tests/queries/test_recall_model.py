"""Recall against a model of the log, while its two views lag behind each other at random."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from bench.real_stack import RealStack
from memoryweave.contract import Recall
from tests.commands.speaking import Speaker

STEPS = 50


class Model:
    """What is live after each command: id → text, by the position of the command's last event."""

    def __init__(self) -> None:
        self.history: list[tuple[int, dict[str, str]]] = [(0, {})]
        self.ended: dict[str, str] = {}
        self.numbers = iter(range(10_000))

    @property
    def live(self) -> dict[str, str]:
        return dict(self.history[-1][1])

    def new_text(self) -> str:
        return f"gateway note number {next(self.numbers)}"

    def now(self, position: int, live: dict[str, str]) -> None:
        self.history.append((position, live))

    def at(self, position: int) -> dict[str, str]:
        return [live for reached, live in self.history if reached <= position][-1]


def remember(model: Model, hermes: Speaker, chance: random.Random) -> None:
    text = model.new_text()
    receipt = hermes.remember(text)
    model.now(receipt.position, model.live | {receipt.memory_id: text})


def commit(model: Model, hermes: Speaker, chance: random.Random) -> None:
    text = model.new_text()
    receipt = hermes.commit(text)
    model.now(receipt.position, model.live | {f"episode {receipt.episode_id}": text})


def correct(model: Model, hermes: Speaker, chance: random.Random) -> None:
    memories = [name for name in model.live if not name.startswith("episode ")]
    if memories:
        chosen, text = chance.choice(memories), model.new_text()
        receipt = hermes.correct(chosen, text)
        model.now(receipt.position, model.live | {chosen: text})


def delete(model: Model, hermes: Speaker, chance: random.Random) -> None:
    live = model.live
    if live:
        chosen = chance.choice(sorted(live))
        if chosen.startswith("episode "):
            receipt = hermes.delete_episode(chosen.removeprefix("episode "))
        else:
            receipt = hermes.delete(chosen)
            model.ended[chosen] = live[chosen]
        del live[chosen]
        model.now(receipt.position, live)


def restore(model: Model, hermes: Speaker, chance: random.Random) -> None:
    if model.ended:
        chosen = chance.choice(sorted(model.ended))
        receipt = hermes.restore(chosen)
        model.now(receipt.position, model.live | {chosen: model.ended.pop(chosen)})


COMMANDS: list[Callable[[Model, Speaker, random.Random], None]] = [
    remember,
    commit,
    correct,
    correct,
    delete,
    restore,
]


@pytest.mark.parametrize(
    "seed", [1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 12))]
)
def test_recall_shows_exactly_what_both_views_hold_live_with_the_same_text(
    stack: RealStack, hermes: Speaker, seed: int
) -> None:
    chance, model = random.Random(seed), Model()
    for _ in range(STEPS):
        chance.choice(COMMANDS)(model, hermes, chance)
        for view in ("state", "vector"):
            if chance.random() < 0.3:
                stack.project(view)
        if chance.random() < 0.2:
            stack.fill()
        if chance.random() < 0.5:
            state = stack.state.checkpoint().position
            vector = stack.vector.checkpoint().position
            answer = stack.recall(Recall(query="gateway", top_k=100), hermes.caller)
            shown = {
                (result.id if result.layer == "memory" else f"episode {result.id}", result.content)
                for result in answer.results
            }
            assert shown == set(model.at(state).items()) & set(model.at(vector).items())
            assert answer.position == min(state, vector)
