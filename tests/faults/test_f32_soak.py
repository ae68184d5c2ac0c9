"""F32: a node under a random mix of faults, as a seed plans it.

The log server is killed (F1) or stands still for longer than a command waits (F9), the projection
worker is killed at work (F7) and in the middle of a rebuild (F22), the archiver is killed (F23),
while clients mix commands. MEMORYWEAVE_SOAK_S sets its seconds, MEMORYWEAVE_SOAK_SEED the seed.
"""

from __future__ import annotations

import os
import random
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final, Literal, get_args

import pytest
from msgspec import Struct

from eventlog.redis_log import RedisLog
from eventlog.verification import verify_log
from projections.build_request import read_request, request_build
from tests.faults.at_rest import AT_ONCE, is_at_rest
from tests.faults.mixed_commands import Ledger, assert_each_command_once, talk, vector_rows
from tests.nodes import NodeProcess
from tests.oracle import read_log
from tests.oracle_analytics import event_differences, event_rows
from tests.oracle_vector import stretches_of
from tests.projections.vector.places import differences
from tests.servers import eventually
from tests.state_tables import assert_state_is
from workers.archive import open_archive, seen_links
from workers.settings import Settings
from workers.views import VIEW_KINDS

Kind = Literal["F1", "F7", "F9", "F22", "F23"]
VICTIM: Final[dict[Kind, str]] = {
    "F1": "log",
    "F7": "worker",
    "F9": "log",
    "F22": "worker",
    "F23": "lifecycle",
}
RESTED_S: Final = {"log": 31.0, "worker": 31.0, "lifecycle": 150.0}
"""What dies within 30 s counts as dying early, and after eight times the node gives up. A dead
archiver's lease lasts 60 s: the next one must come to work before it dies, too."""
CLIENTS: Final = 4
COMMAND_EVERY_S: Final = 0.25
SEED: Final = int(os.environ.get("MEMORYWEAVE_SOAK_SEED", "20261130"))
LONG_S: Final = float(os.environ.get("MEMORYWEAVE_SOAK_S", "600"))


class Fault(Struct, frozen=True):
    """What happens ``at_s`` seconds after the start; ``wait_s`` is how long what is done lasts."""

    at_s: float
    kind: Kind
    wait_s: float
    view: str


def plan(seed: int, length_s: float) -> list[Fault]:
    """Plan the faults of a soak: the same seed gives the same ones, a longer soak has more."""
    chance = random.Random(seed)
    faults: list[Fault] = []
    rested: dict[str, float] = {}
    at = 0.0
    while (at := at + chance.uniform(1.0, 6.0)) < length_s:
        draw = chance.random()
        wait_s, view = chance.random(), chance.choice(sorted(VIEW_KINDS))
        possible = [kind for kind in get_args(Kind) if rested.get(VICTIM[kind], 0.0) <= at]
        if possible:
            kind = possible[int(draw * len(possible))]
            rested[VICTIM[kind]] = at + RESTED_S[VICTIM[kind]]
            faults.append(Fault(round(at, 2), kind, round(wait_s, 2), view))
    return faults


def do(node: NodeProcess, fault: Fault) -> None:
    """Let one fault happen, and wait until what died runs again."""
    victim = node.children()[VICTIM[fault.kind]]
    if fault.kind == "F9":
        victim.suspend()
        _pass(5.5 + 2 * fault.wait_s)
        victim.resume()
        return
    if fault.kind == "F22":
        view = node.data / "views" / fault.view
        request_build(view, "the soak asks for it")
        _pass(fault.wait_s)
    victim.kill()
    name = VICTIM[fault.kind]
    eventually(
        lambda: node.children().get(name, victim).pid != victim.pid, within_s=90, every_s=0.05
    )


def _pass(seconds: float) -> None:
    """Let time pass: that a fault lasts is what it is about."""
    until = time.monotonic() + seconds
    eventually(lambda: time.monotonic() >= until, within_s=seconds + 60, every_s=0.02)


def test_f32_a_seed_plans_the_same_faults_again_and_all_kinds_of_them() -> None:
    assert plan(7, 600) == plan(7, 600)
    assert plan(7, 600) != plan(8, 600)
    long = plan(7, 600)
    assert plan(7, 100) == [fault for fault in long if fault.at_s < 100]
    assert {fault.kind for fault in long} == set(get_args(Kind))
    assert len(long) >= 40


@pytest.mark.slow
@pytest.mark.timeout(4 * LONG_S + 1200)
def test_f32_a_soak_under_mixed_faults_loses_doubles_and_parts_nothing(tmp_path: Path) -> None:
    soak(tmp_path, LONG_S)


def soak(folder: Path, length_s: float) -> None:
    """Run a node under the faults that `SEED` plans, then hold it against the oracles."""
    faults = plan(SEED, length_s)
    print(f"seed {SEED}, {length_s:.0f} s: {' '.join(f'{f.kind}@{f.at_s}' for f in faults)}")
    small = {
        "MEMORYWEAVE_ARCHIVE_SEGMENT_EVENTS": "100",
        "MEMORYWEAVE_ARCHIVE_HOT_WINDOW": "200",
    }
    with NodeProcess(folder / "data", **small, **AT_ONCE) as node:
        with node.client() as client:
            ledger = Ledger(client.remember("the first memory").memory_id)
        stop = threading.Event()
        clients = [
            threading.Thread(
                target=talk,
                args=([node.url], node.key, ledger, f"{SEED}-{number}", _paced(stop)),
            )
            for number in range(CLIENTS)
        ]
        for one in clients:
            one.start()
        try:
            began = time.monotonic()
            for fault in faults:
                _pass(max(0.0, began + fault.at_s - time.monotonic()))
                assert ledger.failures == []
                do(node, fault)
        finally:
            stop.set()
            for one in clients:
                one.join(timeout=300)
        assert not any(one.is_alive() for one in clients)
        assert ledger.failures == []
        _hold_against_the_log(node, ledger)
        assert node.stop() == 0


def _paced(stop: threading.Event) -> Iterator[int]:
    number = 0
    while not stop.wait(COMMAND_EVERY_S):
        yield number
        number += 1


def _hold_against_the_log(node: NodeProcess, ledger: Ledger) -> None:
    settings = Settings(data=node.data)
    eventually(lambda: _is_built(node.data), within_s=300, every_s=0.1)
    eventually(node.is_ready, within_s=120, every_s=0.1)
    archive = open_archive(settings)
    with RedisLog(node.log_url(), archive=archive) as log:
        # The archiver may be at work still; what it says is in the log too.
        eventually(lambda: is_at_rest(node, log.head().position), within_s=300, every_s=0.1)
        facts = read_log(node.log_url(), archive=node.data / "archive")
        verified = verify_log(log, archive, seen_links(settings))
        print(f"{len(facts)} events, {verified.segments} segments, floor {log.floor()}")
        assert verified.segments or LONG_S < 300, "the archiver was at work"
    commands = [fact for fact in facts if fact["type"] != "SegmentArchived"]
    assert_each_command_once(commands, ledger)
    head = len(facts)
    eventually(lambda: is_at_rest(node, head), within_s=300, every_s=0.1)
    assert_state_is(node.data / "views" / "state", facts)
    assert differences(vector_rows(node.data), stretches_of(facts)) == []
    assert event_differences(event_rows(node.data / "views" / "analytics"), facts) == []


def _is_built(data: Path) -> bool:
    return all(read_request(data / "views" / view) is None for view in VIEW_KINDS)
