"""A process is killed in the middle of an erase: whoever is left finishes it all the same."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.erasure.node_log import admin_log
from tests.erasure.searching import files_with
from tests.nodes import NodeProcess
from tests.servers import eventually
from tests.state_tables import tables_of

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NodeProcess]:
    with NodeProcess(tmp_path_factory.mktemp("killed") / "data") as running:
        yield running


def ask(node: NodeProcess, memory: str) -> None:
    """Ask once, and do not care for an answer that never comes."""
    try:
        httpx.post(
            f"{node.url}/api/v1/admin/erase",
            json={"memory_id": memory},
            headers={"X-API-Key": node.key},
            timeout=60,
        )
    except httpx.TransportError:
        return


@pytest.mark.parametrize("victim", ["api", "worker", "log"])
def test_an_erase_whose_process_was_killed_is_finished_and_leaves_nothing(
    node: NodeProcess, victim: str
) -> None:
    word = f"quetzalwren{victim}"
    with node.client() as client:
        made = client.remember(f"the {word} nests in April", tags=[word], wait="vectors")
        beside = client.remember(f"beside {victim}", wait="vectors")
    memory = made.memory_id
    assert memory is not None
    asking = threading.Thread(target=ask, args=(node, memory))
    with admin_log(node) as log:
        assert log.subject_keys([f"memory:{memory}"]) != {}
        asking.start()
        eventually(lambda: log.subject_keys([f"memory:{memory}"]) == {}, every_s=0.001)
    os.kill(node.children()[victim].pid, signal.SIGKILL)
    asking.join()
    eventually(lambda: finished(node.data, memory), within_s=150, every_s=0.5)
    assert files_with(node.data, word.encode()) == {}
    eventually(node.is_ready, within_s=60, every_s=0.2)
    with node.client() as client:
        assert client.memory(beside.memory_id).content == f"beside {victim}"
        receipt = client.erase(memory_id=memory)
        assert (receipt.duplicate, receipt.still_holding) == (True, [])


def finished(data: Path, memory: str) -> bool:
    rows = tables_of(data / "views" / "state")["erasures"].values()
    return any(r["target_id"] == memory and r["finished_position"] is not None for r in rows)
