"""`memoryweave erase` on a live service: it asks, and `--yes` is for where nobody can be asked."""

from __future__ import annotations

import json
import subprocess

from tests.nodes import COMMAND, NodeProcess

SECRET = "the walnut safe opens with 4711"


def erase(node: NodeProcess, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, "erase", "--data", str(node.data), *arguments],
        env=node.environment,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=120,
    )


def test_it_erases_only_when_told_so_and_prints_the_receipt(node: NodeProcess) -> None:
    with node.client() as client:
        made = client.remember(SECRET, wait="true")
    assert made.memory_id is not None
    asked = erase(node, "--memory", made.memory_id)
    assert (asked.returncode, "--yes" in asked.stderr) == (1, True)
    with node.client() as client:
        assert client.memory(made.memory_id).content == SECRET
    done = erase(node, "--memory", made.memory_id, "--yes", "--json")
    assert done.returncode == 0, done.stderr
    receipt = json.loads(done.stdout)
    assert receipt["memories"] == [made.memory_id]
    assert receipt["still_holding"] == []
    again = erase(node, "--memory", made.memory_id, "--yes")
    assert again.returncode == 0
    assert "1 memories, 1 episodes, 2 keys" in again.stdout
    unknown = erase(node, "--agent", "nobody-1", "--yes")
    assert (unknown.returncode, "no agent nobody-1" in unknown.stderr) == (1, True)
    assert erase(node, "--yes").returncode == 2
