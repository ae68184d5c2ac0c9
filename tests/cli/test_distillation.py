"""`memoryweave candidates` and `memoryweave redistil` against a running node."""

from __future__ import annotations

from datetime import UTC, datetime

from commands.application import MemoryApplication
from tests.cli.shell import Shell
from tests.commands.distilling import Distiller
from tests.erasure.node_log import admin_log_url
from tests.servers import eventually


def a_candidate(shell: Shell, statement: str, namespace: str) -> str:
    """Commit a statement and make a candidate of it, before the node's own distiller does."""
    made: list[str] = []

    def proposed() -> bool:
        arguments = ("commit", statement, "--namespace", namespace, "--wait")
        episode = shell.json(*arguments)["episode_id"]
        with MemoryApplication(admin_log_url(shell.node)) as application:
            distiller = Distiller(application, lambda: datetime.now(UTC))
            made.extend(distiller.distil(episode, statement, settle="confirm").memory_ids)
        return bool(made)

    eventually(proposed)
    eventually(lambda: len(listed(shell, namespace)) == 1)
    return made[0]


def listed(shell: Shell, namespace: str) -> list[str]:
    items = shell.json("candidates", "list", "--namespace", namespace)["items"]
    return [item["id"] for item in items]


def test_candidates_are_listed_settled_and_dismissed(shell: Shell) -> None:
    empty = shell.run("candidates", "list", "--namespace", "cli-nothing").stdout
    assert empty == "nothing waits\n"
    first = a_candidate(shell, "The loom answers on port 4411.", "cli-loom")
    shown = shell.run("candidates", "list", "--namespace", "cli-loom").stdout
    assert f"{first}  cli-loom  fact\n  The loom answers on port 4411.\n" in shown
    told = shell.run("candidates", "settle", first, "--content", "The loom answers on 4412.").stdout
    assert told.startswith("settled 1 at position ")
    eventually(lambda: listed(shell, "cli-loom") == [])

    second = a_candidate(shell, "The spindle is blue.", "cli-spindle")
    told = shell.run("candidates", "dismiss", second, "--reason", "who cares").stdout
    assert told.startswith("dismissed 1 at position ")
    eventually(lambda: listed(shell, "cli-spindle") == [])
    with shell.node.client() as client:
        assert client.memory(first).content == "The loom answers on 4412."
        ended = client.provenance(second).ended
    assert ended is not None
    assert (ended.by, ended.reason) == ("dismissed", "who cares")
    refused = shell.run("candidates", "settle", second, code=1)
    assert "tombstone" in refused.stderr


def test_a_namespace_is_distilled_anew(shell: Shell) -> None:
    a_candidate(shell, "The shuttle is green.", "cli-shuttle")
    done = shell.run("redistil", "--namespace", "cli-shuttle", "--reason", "again").stdout
    assert done == "waiting to be distilled anew: 1 episodes\n"
    assert "anew" in shell.run("redistil", "--namespace", "cli-shuttle").stdout
    assert "name either" in shell.run("redistil", code=2).stderr
