"""At most one memory of a namespace that can be recalled says exactly a text."""

from __future__ import annotations

import itertools
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from random import Random

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from domain.errors import WrongState
from domain.events import NewMemory
from domain.memory import MEMORY
from tests.commands.distilling import Distiller
from tests.commands.speaking import START, Speaker

TEXT = "the port is 3000"


def memories(application):
    """Fold every memory of the log, by its raw events."""
    head = application.event_log.head().position
    ids = [e.aggregate_id for e in application.read(1, head) if isinstance(e.body, NewMemory)]
    return [application.load(MEMORY, memory_id) for memory_id in ids]


def assert_no_text_twice(application):
    live = [m for m in memories(application) if m.is_live]
    counts = Counter((m.namespace, m.text_hash) for m in live)
    assert max(counts.values(), default=0) <= 1, counts


def test_a_text_is_free_again_when_its_memory_was_deleted(hermes):
    first = hermes.remember(TEXT).memory_id
    hermes.delete(first)
    second = hermes.remember(TEXT)
    assert not second.reinforced
    assert second.memory_id != first
    assert hermes.remember(TEXT).memory_id == second.memory_id


def test_a_text_is_free_again_when_its_memory_says_something_else(hermes):
    first = hermes.remember(TEXT).memory_id
    hermes.correct(first, "the port is 3001")
    assert not hermes.remember(TEXT).reinforced
    corrected = hermes.remember("the port is 3001")
    assert (corrected.reinforced, corrected.memory_id) == (True, first)


def test_a_text_is_free_again_when_its_memory_has_expired(hermes):
    hermes.remember(TEXT, expires_at=START + timedelta(hours=1))
    assert hermes.remember(TEXT).reinforced
    hermes.clock.move(hours=1)
    assert not hermes.remember(TEXT).reinforced


def test_a_tombstone_is_not_restored_beside_a_memory_that_says_the_same(hermes):
    first = hermes.remember(TEXT).memory_id
    hermes.delete(first)
    second = hermes.remember(TEXT).memory_id
    with pytest.raises(WrongState, match=second):
        hermes.restore(first)
    hermes.delete(second)
    hermes.restore(first)
    assert hermes.remember(TEXT).memory_id == first
    with pytest.raises(WrongState, match=first):
        hermes.restore(second)


def test_a_memory_is_not_corrected_to_what_another_says(hermes):
    first = hermes.remember(TEXT).memory_id
    second = hermes.remember("the port is 3001").memory_id
    with pytest.raises(WrongState, match=first):
        hermes.correct(second, f" {TEXT}")
    hermes.delete(first)
    assert hermes.correct(second, TEXT).version == 2


def test_a_correction_that_only_changes_blanks_keeps_the_claim(hermes):
    first = hermes.remember(TEXT).memory_id
    assert hermes.correct(first, f"{TEXT} ").version == 2
    assert hermes.remember(TEXT).memory_id == first


def test_eight_threads_remember_one_text_and_one_memory_comes_of_it(application):
    speakers = [Speaker.agent(application, f"agent-{n}") for n in range(8)]
    with ThreadPoolExecutor(8) as pool:
        receipts = list(pool.map(lambda s: s.remember(TEXT, namespace="shared"), speakers))
    assert len({r.memory_id for r in receipts}) == 1
    assert [r.reinforced for r in receipts].count(False) == 1
    [memory] = memories(application)
    assert set(memory.episodes) == {r.episode_id for r in receipts}


@pytest.mark.parametrize("seed", range(3))
def test_threads_that_remember_correct_delete_and_restore_never_make_a_text_twice(
    application, seed
):
    owner = Speaker.of_kind(application, "owner")
    texts = [f"text {n}" for n in range(3)]
    known = [owner.remember(text, namespace="shared").memory_id for text in texts]
    refused = itertools.count()

    def worker(number):
        chance = Random(f"{seed}-{number}")
        for _ in range(25):
            step = chance.choice(
                [
                    lambda: known.append(
                        owner.remember(chance.choice(texts), namespace="shared").memory_id
                    ),
                    lambda: owner.correct(chance.choice(known), chance.choice(texts)),
                    lambda: owner.delete(chance.choice(known)),
                    lambda: owner.restore(chance.choice(known)),
                ]
            )
            try:
                step()
            except WrongState:
                next(refused)

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(worker, range(6)))
    assert_no_text_twice(application)
    assert next(refused) > 0, "nothing was ever in the way: the test tries nothing"


@pytest.mark.parametrize("settle", ["auto", "confirm"])
def test_threads_that_distil_settle_remember_and_delete_never_make_a_text_twice(
    application, settle
):
    owner = Speaker.of_kind(application, "owner")
    texts = [f"text {n}" for n in range(3)]
    first = owner.remember(texts[0], namespace="shared")
    known = [first.memory_id]
    refused = itertools.count()

    def worker(number):
        chance = Random(f"{settle}-{number}")
        distiller = Distiller(application)

        def distil():
            said = chance.sample(texts, 2)
            episode_id = owner.commit(" and ".join(said), namespace="shared").episode_id
            known.extend(distiller.distil(episode_id, *said, settle=settle).memory_ids)

        for _ in range(20):
            step = chance.choice(
                [
                    distil,
                    distil,
                    lambda: owner.settle(chance.choice(known)),
                    lambda: owner.settle(chance.choice(known), content=chance.choice(texts)),
                    lambda: owner.dismiss(chance.choice(known)),
                    lambda: owner.remember(chance.choice(texts), namespace="shared"),
                    lambda: owner.correct(chance.choice(known), chance.choice(texts)),
                    lambda: owner.delete(chance.choice(known)),
                    lambda: owner.restore(chance.choice(known)),
                ]
            )
            try:
                step()
            except WrongState:
                next(refused)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(worker, range(4)))
    assert_no_text_twice(application)
    assert next(refused) > 0, "nothing was ever in the way: the test tries nothing"


class OneWriter(RuleBasedStateMachine):
    """Any order of commands on few texts, against a model that knows each memory's text."""

    application = None
    numbers = itertools.count()

    def __init__(self):
        super().__init__()
        self.namespace = f"space-{next(self.numbers)}"
        self.owner = Speaker.of_kind(self.application, "owner")
        self.text: dict[str, str] = {}
        self.live: set[str] = set()

    def says(self, text):
        return next((m for m in self.live if self.text[m] == text), None)

    texts = st.sampled_from(["a", "b", "c"])
    picks = st.integers(0, 5)

    @rule(text=texts)
    def remember(self, text):
        receipt = self.owner.remember(text, namespace=self.namespace)
        known = self.says(text)
        assert receipt.reinforced == (known is not None)
        if known is None:
            assert receipt.memory_id not in self.text
            self.text[receipt.memory_id] = text
            self.live.add(receipt.memory_id)
        else:
            assert receipt.memory_id == known

    def pick(self, number):
        return list(self.text)[number % len(self.text)] if self.text else None

    @rule(number=picks, text=texts)
    def correct(self, number, text):
        if (memory := self.pick(number)) is None:
            return
        holder = self.says(text)
        if memory not in self.live or (holder is not None and holder != memory):
            with pytest.raises(WrongState):
                self.owner.correct(memory, text, source="owner_edit")
        else:
            self.owner.correct(memory, text, source="owner_edit")
            self.text[memory] = text

    @rule(number=picks)
    def delete(self, number):
        if memory := self.pick(number):
            assert self.owner.delete(memory).duplicate == (memory not in self.live)
            self.live.discard(memory)

    @rule(number=picks)
    def restore(self, number):
        if (memory := self.pick(number)) is None:
            return
        if memory not in self.live and self.says(self.text[memory]):
            with pytest.raises(WrongState):
                self.owner.restore(memory)
        else:
            assert self.owner.restore(memory).duplicate == (memory in self.live)
            self.live.add(memory)

    @invariant()
    def no_text_stands_twice(self):
        said = [self.text[m] for m in self.live]
        assert len(said) == len(set(said))
        for memory in self.text:
            assert self.application.load(MEMORY, memory).is_live == (memory in self.live)


def test_any_order_of_commands_leaves_every_text_to_one_memory(application):
    machine = type("OneWriterOnALog", (OneWriter,), {"application": application})
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=25,
            stateful_step_count=20,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
