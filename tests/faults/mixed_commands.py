"""Clients that mix commands over HTTP, and what they were told, to be compared with the log.

What each client was told is compared with the log by identity of ids and positions, and a node's
views with oracles that fold the raw log by other code.
"""

from __future__ import annotations

import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import lancedb

from domain.identity import command_id
from memoryweave.client import Client
from memoryweave.errors import Unavailable, Unreachable, WrongState
from memoryweave.exchange import Retries
from projections.vector.schema import TABLE, from_arrow
from tests.oracle import Fact

R = TypeVar("R")

ANSWERED_WITHIN_S = 600.0
WORDS = ("port", "backup", "proxy", "乌龙茶", "数据库", "Kyoto", "nginx", "invoice")

DISTILLER = "system:distiller"
ENDINGS = {"EpisodeDistilled", "EpisodeSkipped"}
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

    def has(self, due: int) -> bool:
        """Tell whether so many commands were answered, or a client has failed."""
        with self.lock:
            return len(self.told) >= due or bool(self.failures)


def talk(
    urls: Sequence[str], key: str, ledger: Ledger, seed: str, commands: int | Iterable[int]
) -> None:
    """Send commands one after the other, each to any of the nodes: so many, or one for each number.

    Each is repeated, with its key, until a node has answered it.
    """
    chance = random.Random(seed)
    try:
        with ExitStack() as stack:
            clients = [
                stack.enter_context(
                    Client(url, key, outbox=None, retries=Retries(within_s=1.0), timeout_s=10.0)
                )
                for url in urls
            ]
            for number in range(commands) if isinstance(commands, int) else commands:
                _one_command(clients, ledger, chance, f"{seed} {number}")
    except BaseException as error:  # noqa: BLE001  # given to the test, which fails by it
        ledger.failures.append(error)


def _answered(clients: Sequence[Client], chance: random.Random, send: Callable[[Client], R]) -> R:
    """Send a command to one node after the other until one answers it."""
    deadline = time.monotonic() + ANSWERED_WITHIN_S
    while True:
        try:
            return send(chance.choice(clients))
        except (Unreachable, Unavailable):
            if time.monotonic() > deadline:
                raise


def _one_command(
    clients: Sequence[Client], ledger: Ledger, chance: random.Random, name: str
) -> None:
    text = f"{chance.choice(WORDS)} {name} {chance.choice(WORDS)}"
    memory = ledger.any_memory(chance)
    kind = chance.choice(tuple(EVENT_OF))
    key = f"{kind} {name}"

    def send(client: Any) -> Any:
        match kind:
            case "commit":
                return client.commit(text, speaker="owner", session_id="s", idempotency_key=key)
            case "remember":
                return client.remember(text, idempotency_key=key)
            case "useful":
                return client.feedback_useful(memory, idempotency_key=key)
            case "correct":
                return client.feedback_correct(memory, text, idempotency_key=key)
            case "delete":
                return client.delete_memory(memory, idempotency_key=key)
            case "restore":
                return client.restore(memory, idempotency_key=key)
            case _:
                return client.set_tags(memory, [f"tag {name}"], idempotency_key=key)

    try:
        receipt = _answered(clients, chance, send)
    except WrongState:
        # A tombstone cannot be corrected: refused, so nothing of it may be in the log.
        ledger.note(Told(kind, key, refused=True))
        return
    subject = receipt.episode_id if kind == "commit" else receipt.memory_id
    ledger.note(Told(kind, key, subject, receipt.position, receipt.duplicate))


def assert_each_command_once(facts: list[Fact], ledger: Ledger) -> None:
    """Fail unless the log holds what was acknowledged, once, and nothing else.

    One command more than the ledger's: the one that stored its first memory. And those of the
    distiller, which end each episode once.
    """
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
    by_itself = {name for name, stored in of_command.items() if stored[0]["actor"] == DISTILLER}
    assert len(of_command) - len(by_itself) == 1, "the log holds commands of which nobody was told"
    ended = Counter(
        fact["id"] for name in by_itself for fact in of_command[name] if fact["type"] in ENDINGS
    )
    assert all(count == 1 for count in ended.values()), f"distilled twice: {ended.most_common(1)}"


def vector_rows(data: Path) -> Any:
    """Read the live vector view of a node."""
    view = data / "views" / "vector"
    folder = view / (view / "CURRENT").read_text().strip()
    database = lancedb.connect(folder)
    table = database.open_table(TABLE)
    return from_arrow(table.search().where("layer != '__sys__'").limit(None).to_arrow())
