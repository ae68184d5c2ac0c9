"""Eight clients mix commands over HTTP while the API and the log server are killed under them.

What each client was told is compared with the log by identity of ids and positions, and both views
with oracles that fold the raw log by other code.
"""

from __future__ import annotations

import random
import threading
from pathlib import Path

import pytest

from eventlog.redis_log import RedisLog
from tests.faults.at_rest import AT_ONCE, is_at_rest
from tests.faults.mixed_commands import Ledger, assert_each_command_once, talk, vector_rows
from tests.nodes import NodeProcess
from tests.oracle import read_log
from tests.oracle_vector import stretches_of
from tests.projections.vector.places import differences
from tests.servers import eventually
from tests.state_tables import assert_state_equals_log

CLIENTS = 8


@pytest.mark.parametrize(
    ("commands", "api_kills", "log_kills"),
    [
        pytest.param(25, 1, 1, id="25 commands each"),
        pytest.param(250, 3, 2, id="250 commands each", marks=pytest.mark.slow),
    ],
)
def test_every_acknowledged_command_is_in_the_log_once_and_both_views_agree(
    tmp_path: Path, commands: int, api_kills: int, log_kills: int
) -> None:
    seed = 20261130
    print(f"seed {seed}")
    chance = random.Random(seed)
    with NodeProcess(tmp_path / "data", **AT_ONCE) as node:
        with node.client() as client:
            ledger = Ledger(client.remember("the first memory").memory_id)
        clients = [
            threading.Thread(
                target=talk, args=([node.url], node.key, ledger, f"{seed}-{number}", commands)
            )
            for number in range(CLIENTS)
        ]
        for client in clients:
            client.start()
        kills = ["api"] * api_kills + ["log"] * log_kills
        chance.shuffle(kills)
        for number, victim in enumerate(kills, 1):
            due = CLIENTS * commands * number // (len(kills) + 1)
            eventually(lambda due=due: ledger.has(due), within_s=240)
            _kill(node, victim)
        for client in clients:
            client.join(timeout=300)
        assert not any(client.is_alive() for client in clients)
        assert ledger.failures == []

        eventually(node.is_ready, within_s=60, every_s=0.1)
        url = node.log_url()
        with RedisLog(url) as log:
            eventually(lambda: is_at_rest(node, log.head().position), within_s=120, every_s=0.1)
        facts = read_log(url)  # fails unless positions are 1, 2, 3, …
        assert_each_command_once(facts, ledger)
        assert_state_equals_log(node.data / "views" / "state", url)
        assert differences(vector_rows(node.data), stretches_of(facts)) == []
        assert node.stop() == 0


def _kill(node: NodeProcess, victim: str) -> None:
    process = node.children()[victim]
    process.kill()
    eventually(
        lambda: node.children().get(victim, process).pid != process.pid, within_s=60, every_s=0.05
    )
