"""Many writers on one memory: each command takes effect exactly once, or is refused."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commands.application import MemoryApplication
from commands.contention import Contention, pause_before
from domain.errors import Contended, VersionMismatch
from domain.events import FeedbackGiven, MemoryCorrected, MemoryTagged
from domain.memory import MEMORY
from domain.settings import PolicySettings
from tests.commands.speaking import Speaker
from tests.servers import eventually


def run_all(speakers, memory_id, rounds):
    """Let each speaker vote, correct and tag by turns; give how many commands were sent."""

    def worker(number):
        speaker = speakers[number]
        for step in range(rounds):
            speaker.useful(memory_id)
            speaker.correct(memory_id, f"text {number}-{step}")
            speaker.not_useful(memory_id)
            speaker.tag(memory_id, f"tag {number}-{step}")

    with ThreadPoolExecutor(len(speakers)) as pool:
        list(pool.map(worker, range(len(speakers))))
    return len(speakers) * rounds


def test_eight_threads_on_one_memory_all_take_effect(application):
    speakers = [Speaker.agent(application, f"agent-{n}") for n in range(8)]
    memory = speakers[0].remember("start", namespace="shared").memory_id
    count = run_all(speakers, memory, rounds=6)
    state = application.load(MEMORY, memory)
    assert (state.useful, state.not_useful, state.text_version) == (count, count, 1 + count)
    entries = application.event_log.read_aggregate(memory)
    bodies = [application.codec.open(e).body for e in entries]
    for kind, expected in ((FeedbackGiven, 2 * count), (MemoryTagged, count)):
        assert sum(isinstance(b, kind) for b in bodies) == expected
    texts = [b.content for b in bodies if isinstance(b, MemoryCorrected)]
    assert sorted(texts) == sorted(f"text {n}-{s}" for n in range(8) for s in range(6))


def test_writers_of_several_processes_all_take_effect(log_server, log_name):
    """Applications of their own know nothing of each other, as processes do."""
    with ExitStack() as stack:
        applications = [
            stack.enter_context(MemoryApplication(log_server.url, log_name)) for _ in range(3)
        ]
        speakers = [Speaker.agent(a, f"agent-{n}") for n, a in enumerate(applications)]
        memory = speakers[0].remember("start", namespace="shared").memory_id
        count = run_all(speakers, memory, rounds=6)
        state = applications[0].load(MEMORY, memory)
    assert (state.useful, state.not_useful, state.text_version) == (count, count, 1 + count)


def test_of_correctors_that_read_the_same_version_one_wins_each_time(application):
    owner = Speaker.of_kind(application, "owner")
    memory = owner.remember("start").memory_id

    def correct(number):
        try:
            return owner.correct(memory, f"text {number}", expected_version=1).version
        except VersionMismatch as refused:
            return (refused.expected, refused.actual)

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(correct, range(8)))
    assert answers.count(2) == 1
    assert answers.count((1, 2)) == 7
    assert application.load(MEMORY, memory).text_version == 2


class AlwaysLate(MemoryApplication):
    """Somebody else changes the memory before every append of this one."""

    def store(self, work, context, fence=None):
        self.rivals.useful(self.fought_over)
        return super().store(work, context, fence)


def test_a_command_that_always_loses_gives_up_with_contended_and_stores_nothing(
    log_server, log_name, application
):
    owner = Speaker.of_kind(application, "owner")
    memory = owner.remember("start").memory_id
    policy = PolicySettings(attempts_on_conflict=4)
    with AlwaysLate(log_server.url, log_name, policy) as late:
        late.rivals, late.fought_over = owner, memory
        with pytest.raises(Contended, match="4 times"):
            Speaker.of_kind(late, "owner").tag(memory, "x")
        state = application.load(MEMORY, memory)
        assert (state.useful, state.version) == (4, 5)


class Watched(Contention):
    """Notes when a command finds that somebody is trying again on what it touches."""

    def __init__(self, order):
        super().__init__()
        self.order = order

    def fought_over(self, aggregate_ids):
        lock = super().fought_over(aggregate_ids)
        self.order.append("queued" if lock else "free")
        return lock


def test_a_newcomer_queues_behind_who_is_trying_again(application):
    owner = Speaker.of_kind(application, "owner")
    memory = owner.remember("start").memory_id
    order = []
    application.contention = Watched(order)
    with ThreadPoolExecutor(1) as pool:
        with application.contention.alone_on(memory):
            waiting = pool.submit(lambda: order.append(owner.useful(memory).version))
            eventually(lambda: order == ["queued"])
            owner_of_the_turn = application.load(MEMORY, memory)
            order.append("released")
        waiting.result()
    assert owner_of_the_turn.useful == 0
    assert order == ["queued", "released", 1]
    owner.useful(memory)
    assert order[3:] == ["free"]


@given(st.integers(0, 40), st.text(max_size=40))
def test_pauses_are_short_grow_and_are_each_commands_own(attempt, command_id):
    pause = pause_before(attempt, command_id)
    assert 0 <= pause <= min(0.001 * 2.0 ** max(attempt - 2, 0), 0.032)
    assert pause == pause_before(attempt, command_id)
    assert attempt >= 2 or pause == 0


def test_two_commands_do_not_pause_alike():
    pauses = {pause_before(9, f"command-{n}") for n in range(50)}
    assert len(pauses) > 20
