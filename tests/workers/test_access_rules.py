"""A whole node whose processes speak to its servers with no more rights than they need."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis

from eventlog.acl import with_user
from eventlog.connection import Connections
from eventlog.embedded import find_server
from eventlog.guard import load_missing_scripts
from eventlog.redis_log import RedisLog
from eventlog.server_config import ServerName
from memoryweave import contract
from memoryweave.errors import Unavailable
from memoryweave.exchange import Retries
from tests.nodes import COMMAND, NodeProcess
from tests.servers import eventually
from workers.keys import server_password

SMALL_ARCHIVE = {
    "MEMORYWEAVE_ARCHIVE_SEGMENT_EVENTS": "20",
    "MEMORYWEAVE_ARCHIVE_HOT_WINDOW": "10",
}


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NodeProcess]:
    """A node of this module's own: its servers are looked into."""
    with NodeProcess(tmp_path_factory.mktemp("ruled") / "data", **SMALL_ARCHIVE) as running:
        yield running


def asked(node: NodeProcess, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a command of the node's command line."""
    return subprocess.run(
        [*COMMAND, *arguments, "--data", str(node.data)],
        env=node.environment,
        capture_output=True,
        text=True,
        check=False,
    )


def memoryweave(node: NodeProcess, *arguments: str) -> str:
    """Run a command of the node's command line and give what it printed."""
    done = asked(node, *arguments)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_nothing_of_a_nodes_whole_life_is_refused(node: NodeProcess) -> None:
    with node.client() as admin:
        agent = admin.register_agent("hermes-1", kind="hermes", namespace="hermes-main")
    with node.client(agent.api_key) as client:
        kept = client.remember("ComfyUI listens on port 8188")
        assert kept.memory_id is not None
        client.batch_commit([contract.Commit(content=f"episode {n}") for n in range(40)])
        client.feedback_useful(kept.memory_id)
        client.feedback_correct(kept.memory_id, "ComfyUI listens on port 8189", reason="moved")
        position = client.commit("one more").position
        found = client.recall("which port", min_position=position)
        assert found.results
    # It gives its lease back, and looks when it is started again: it archives and trims now.
    node.children()["lifecycle"].terminate()
    archive = node.data / "archive" / "manifest.json"
    eventually(archive.exists, within_s=30)
    with redis.Redis.from_url(node.log_url()) as server:
        eventually(lambda: int(server.hget("{mw:main}:meta", "floor") or 1) > 20, within_s=30)
    assert "are what they were" in memoryweave(node, "verify")
    assert memoryweave(node, "log", "show", "--json", "--last", "5").count("\n") == 5
    memoryweave(node, "rebuild", "state")
    assert memoryweave(node, "demo")
    # What the demo said is not trimmed before all views have told that they have seen it.
    eventually(lambda: asked(node, "doctor").returncode == 0, within_s=60, every_s=1)
    said = json.loads(memoryweave(node, "doctor", "--json"))
    assert said["users"] == {"api": "writer", "projections": "reader", "lifecycle": "archiver"}
    assert said["warnings"] == []
    assert node.refusals() == []


@pytest.mark.parametrize("server", ["log", "volatile"])
def test_who_gives_no_name_or_a_wrong_password_gets_no_answer(
    node: NodeProcess, server: str
) -> None:
    url, password = address(node, server)
    for tried in (url, with_user(url, "admin", "a guess"), with_user(url, "default", "")):
        with (
            redis.Redis.from_url(tried) as anybody,
            pytest.raises((redis.AuthenticationError, redis.ResponseError)),
        ):
            anybody.ping()
    with redis.Redis.from_url(with_user(url, "admin", password)) as admin:
        assert admin.acl_log()
        admin.execute_command("ACL", "LOG", "RESET")


def address(node: NodeProcess, server: str) -> tuple[str, str]:
    """Give a server's address without a user, and its admin's password."""
    name: ServerName = "log" if server == "log" else "volatile"
    url, password = find_server(node.data, name), server_password(node.data, name, "admin")
    assert url is not None
    assert password is not None
    return url, password


def test_passwords_are_in_the_keys_file_and_nowhere_else(node: NodeProcess) -> None:
    lines = (node.data / "keys").read_bytes().splitlines()
    passwords = [line.split(b"=")[1] for line in lines if b"_PASSWORD=" in line]
    assert len(set(passwords)) == 6
    assert (node.data / "keys").stat().st_mode & 0o777 == 0o600
    run = Path(json.loads((node.data / "log.lock").read_text())["socket"]).parent
    looked_at = 0
    for file in [*node.data.rglob("*"), *run.glob("*.conf")]:
        if file.is_file() and file.name != "keys":
            looked_at += 1
            assert not [p for p in passwords if p in file.read_bytes()], file
    assert looked_at > 10
    assert not any(p.decode() in node.output for p in passwords)
    for process in node.children().values():
        assert not any(p.decode() in " ".join(process.cmdline()) for p in passwords)


def test_scripts_that_the_server_forgot_are_put_back_and_commands_wait(node: NodeProcess) -> None:
    with node.client() as client, redis.Redis.from_url(node.log_url()) as admin:
        admin.script_flush()
        kept = client.remember("after the flush", namespace="shared")
        assert not kept.duplicate
        # That the API may not load them itself is in there.
        admin.execute_command("ACL", "LOG", "RESET")
    server = Connections.to(node.log_url("writer"), timeout_s=2)
    # Nothing is missing, so nothing has to be loaded.
    eventually(lambda: load_missing_scripts(server))
    server.close()


def test_f30_a_node_refuses_writes_and_says_so_while_its_server_could_lose_them(
    node: NodeProcess,
) -> None:
    hasty = Retries(within_s=0.0)
    with (
        node.client() as client,
        node.client(retries=hasty) as impatient,
        redis.Redis.from_url(node.log_url()) as admin,
    ):
        before = client.commit("before", namespace="shared", wait="vectors").position
        admin.config_set("maxmemory-policy", "allkeys-lru")

        def is_refused() -> bool:
            try:
                impatient.commit("meanwhile", namespace="shared", idempotency_key="meanwhile")
            except Unavailable:
                return True
            return False

        eventually(is_refused)
        health = client.health()
        assert (health.status, health.log.writable, health.log.durable) == (
            "degraded",
            False,
            False,
        )
        (alarm,) = [part.reason for part in health.degraded if part.part == "durability"]
        assert "maxmemory-policy must be noeviction, it is allkeys-lru" in alarm
        assert client.recall("before", namespaces=["shared"]).results

        admin.config_set("maxmemory-policy", "noeviction")
        after = client.commit("after", namespace="shared").position
        with RedisLog(node.log_url("reader")) as log:
            # Read with its contiguity asserted: it went on where it was.
            assert [entry.position for entry in log.read(before, after)][-1] == after > before
        assert client.health().log.writable
