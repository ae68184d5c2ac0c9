"""Eight clients mix commands over HTTP while the API and the log server are killed under them.

What each client was told is compared with the log by identity of ids and positions, and both views
with oracles that fold the raw log by other code.
"""

from __future__ import annotations

import random
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import lancedb
import pytest

from domain.identity import command_id
from eventlog.embedded import find_server
from memoryweave.errors import WrongState
from memoryweave.exchange import Retries
from projections.vector.schema import TABLE, from_arrow
from tests.nodes import NodeProcess
from tests.oracle import Fact, read_log
from tests.oracle_vector import stretches_of
from tests.projections.vector.places import differences
from tests.servers import eventually
from tests.state_tables import assert_state_equals_log

CLIENTS = 8
WORDS = ("port", "backup", "proxy", "乌龙茶", "数据库", "Kyoto", "nginx", "invoice")


EVENT_OF = {
    "commit": "EpisodeCommitted",
    "remember": "MemoryCreated",
    "useful": "FeedbackGiven",
    "correct": "MemoryCorrected",
    "delete": "MemoryDeleted",
    "restore": "MemoryRestored",
    "tag": "MemoryTagged",
}
ROUTE_OF = {
    "commit": "POST /api/v1/commit",
    "remember": "POST /api/v1/commit",
    "useful": "POST /api/v1/feedback/useful",
    "correct": "POST /api/v1/feedback/correct",
    "delete": "DELETE /api/v1/distilled/{memory_id}",
    "restore": "POST /api/v1/memory/{memory_id}/restore",
    "tag": "POST /api/v1/memory/{memory_id}/tags",
}
MAY_CHANGE_NOTHING = ("delete", "restore")
"""What another client did before is not done again: no event, and the receipt is a duplicate."""


@dataclass(frozen=True)
class Told:
    """What a client was told of one command on the thing ``id``."""

    kind: str
    key: str
    id: str = ""
    position: int = 0
    duplicate: bool = False
    refused: bool = False


class Ledger:
    """What was acknowledged, and the memories there are to work on. Thread-safe."""

    def __init__(self, first_memory: str) -> None:
        self.lock = threading.Lock()
        self.told: list[Told] = []
        self.memories = [first_memory]
        self.failures: list[BaseException] = []

    def note(self, told: Told) -> None:
        with self.lock:
            self.told.append(told)
            if told.kind == "remember":
                self.memories.append(told.id)

    def any_memory(self, chance: random.Random) -> str:
        with self.lock:
            return chance.choice(self.memories)

    def count(self) -> int:
        with self.lock:
            return len(self.told)


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
    with NodeProcess(tmp_path / "data") as node:
        with node.client() as client:
            ledger = Ledger(client.remember("the first memory").memory_id)
        clients = [
            threading.Thread(target=_talk, args=(node, ledger, f"{seed}-{number}", commands))
            for number in range(CLIENTS)
        ]
        for client in clients:
            client.start()
        kills = ["api"] * api_kills + ["log"] * log_kills
        chance.shuffle(kills)
        for number, victim in enumerate(kills, 1):
            due = CLIENTS * commands * number // (len(kills) + 1)
            eventually(lambda due=due: ledger.count() >= due or bool(ledger.failures), within_s=240)
            _kill(node, victim)
        for client in clients:
            client.join(timeout=300)
        assert not any(client.is_alive() for client in clients)
        assert ledger.failures == []

        eventually(node.is_ready, within_s=60, every_s=0.1)
        url = find_server(node.data, "log")
        assert url is not None
        facts = read_log(url)  # fails unless positions are 1, 2, 3, …
        _assert_each_command_once(facts, ledger)
        eventually(lambda: _caught_up(node, len(facts)), within_s=120, every_s=0.1)
        assert_state_equals_log(node.data / "views" / "state", url)
        assert differences(_vector_rows(node.data), stretches_of(facts)) == []
        assert node.stop() == 0


def _talk(node: NodeProcess, ledger: Ledger, seed: str, commands: int) -> None:
    """Send ``commands`` commands one after the other; each is repeated until it is answered."""
    chance = random.Random(seed)
    try:
        with node.client(retries=Retries(within_s=120.0)) as client:
            for number in range(commands):
                _one_command(client, ledger, chance, f"{seed} {number}")
    except BaseException as error:  # noqa: BLE001  # given to the test, which fails by it
        ledger.failures.append(error)


def _one_command(client: Any, ledger: Ledger, chance: random.Random, name: str) -> None:
    text = f"{chance.choice(WORDS)} {name} {chance.choice(WORDS)}"
    memory = ledger.any_memory(chance)
    kind = chance.choice(tuple(EVENT_OF))
    key = {"idempotency_key": f"{kind} {name}"}
    try:
        match kind:
            case "commit":
                receipt = client.commit(text, speaker="owner", session_id="s", **key)
            case "remember":
                receipt = client.remember(text, **key)
            case "useful":
                receipt = client.feedback_useful(memory, **key)
            case "correct":
                receipt = client.feedback_correct(memory, text, **key)
            case "delete":
                receipt = client.delete_memory(memory, **key)
            case "restore":
                receipt = client.restore(memory, **key)
            case _:
                receipt = client.set_tags(memory, [f"tag {name}"], **key)
    except WrongState:
        # A tombstone cannot be corrected: refused, so nothing of it may be in the log.
        ledger.note(Told(kind, key["idempotency_key"], refused=True))
        return
    subject = receipt.episode_id if kind == "commit" else receipt.memory_id
    ledger.note(Told(kind, key["idempotency_key"], subject, receipt.position, receipt.duplicate))


def _kill(node: NodeProcess, victim: str) -> None:
    process = node.children()[victim]
    process.kill()
    eventually(
        lambda: node.children().get(victim, process).pid != process.pid, within_s=60, every_s=0.05
    )


def _assert_each_command_once(facts: list[Fact], ledger: Ledger) -> None:
    of_command: dict[str, list[Fact]] = {}
    for fact in facts:
        of_command.setdefault(fact["command_id"], []).append(fact)
    for stored in of_command.values():
        positions = [fact["position"] for fact in stored]
        assert positions == list(range(positions[0], positions[-1] + 1)), "an append in parts"
    for told in ledger.told:
        stored = of_command.pop(command_id("admin", ROUTE_OF[told.kind], told.key), [])
        if told.refused or (not stored and told.duplicate and told.kind in MAY_CHANGE_NOTHING):
            assert not stored, f"{told} was refused, yet it is in the log"
            continue
        named = [(fact["type"], fact["id"]) for fact in stored]
        assert named.count((EVENT_OF[told.kind], told.id)) == 1, f"{told}: the log has {named}"
        assert told.position in [fact["position"] for fact in stored], told
    assert len(of_command) == 1, "the log holds commands of which nobody was told"


def _caught_up(node: NodeProcess, head: int) -> bool:
    with node.client() as client:
        views = client.health().views
    return all(
        view.position >= head and not view.parked and not view.missing_vectors
        for view in views.values()
    )


def _vector_rows(data: Path) -> Any:
    view = data / "views" / "vector"
    folder = view / (view / "CURRENT").read_text().strip()
    database = lancedb.connect(folder)
    table = database.open_table(TABLE)
    return from_arrow(table.search().where("layer != '__sys__'").limit(None).to_arrow())
