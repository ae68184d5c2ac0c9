"""Nodes whose log has another history than they have followed: what they answer, what ends it."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.api.service import Service
from tests.nodes import free_port
from tests.servers import LogServer, eventually
from tests.view_workers import shows, status_of
from workers.views import VIEW_KINDS


class Pair:
    """A log server with a replica. ``url`` leads to whichever is the primary."""

    def __init__(self) -> None:
        port = str(free_port())
        self.primary = LogServer(bind="127.0.0.1", port=port)
        self.replica = LogServer(bind="127.0.0.1", port=str(free_port()))
        self._port = int(port)
        self._folder = Path(tempfile.mkdtemp(prefix="mw-"))
        self._socket = self._folder / "s"
        self.url = f"unix://{self._socket}"

    def start(self) -> None:
        self.primary.start()
        self.replica.start()
        self._lead_to(self.primary)
        with self.replica.client() as client:
            client.replicaof("127.0.0.1", self._port)

    def await_replica(self) -> None:
        """Wait until the replica has what the primary has."""

        def replicated() -> bool:
            with self.primary.client() as one, self.replica.client() as other:
                link = other.info("replication")
                return bool(
                    link["master_link_status"] == "up"
                    and link["slave_repl_offset"] == one.info("replication")["master_repl_offset"]
                )

        eventually(replicated, within_s=30)

    def cut(self) -> None:
        """Let nothing come to the replica any more."""
        with self.replica.client() as client:
            # Not paused: what is in its socket already would be applied when it goes on.
            client.replicaof("127.0.0.1", free_port())

    def fail_over(self) -> None:
        """Let the primary be lost and the replica take its place."""
        self.primary.kill()
        with self.replica.client() as client:
            client.replicaof("NO", "ONE")
        self._lead_to(self.replica)

    def stop(self) -> None:
        self.primary.stop()
        self.replica.stop()
        shutil.rmtree(self._folder)

    def _lead_to(self, server: LogServer) -> None:
        new = self._folder / "new"
        new.symlink_to(server.socket)
        new.rename(self._socket)


@contextmanager
def replicated_servers() -> Iterator[Pair]:
    """A primary and its replica, until the block ends."""
    pair = Pair()
    try:
        pair.start()
        yield pair
    finally:
        pair.stop()


def lose_data(server: LogServer) -> None:
    """End the server, remove its append-only file, and start it on what is left: nothing."""
    server.kill()
    shutil.rmtree(server.directory / "appendonlydir")
    server.start()


def assert_refused(service: Service) -> None:
    """Every view has stopped, nothing is read or stored, and /health says why and what to do."""
    settings = service.node.values
    for view in VIEW_KINDS:
        shows(settings, view, lambda said: said.problem == "log-fork")
    eventually(lambda: service.nobody.get("/health").status_code == 503)
    health = service.nobody.get("/health").json()
    assert health["status"] == "unavailable"
    assert health["log"]["writable"] is False
    [history] = [part for part in health["degraded"] if part["part"] == "history"]
    for word in ("memoryweave restore", "memoryweave init --new-epoch"):
        assert word in history["reason"]
    for method, path, body in (
        ("GET", "/memories", None),
        ("GET", "/stats", None),
        ("POST", "/recall", {"query": "x"}),
        ("POST", "/commit", {"content": "x", "namespace": "shared"}),
        ("GET", "/admin/audit", None),
        ("POST", "/admin/backup", None),
    ):
        answer = service.admin.request(method, f"/api/v1{path}", json=body)
        assert answer.status_code == 503, path
        assert answer.json()["type"].endswith("/view-degraded"), path
    assert service.admin.get("/api/v1/admin/projections").status_code == 200


def await_health(service: Service) -> None:
    """Wait until the node serves again."""
    eventually(lambda: service.nobody.get("/health").status_code == 200, within_s=60)


def positions(service: Service) -> dict[str, int]:
    """How far each view says it has come."""
    return {view: status_of(service.node.values, view).position for view in VIEW_KINDS}


def stored_ids(server: LogServer) -> dict[int, str]:
    """Event ids by position, read from the stream itself."""
    with server.client() as client:
        entries = client.xrange("{mw:main}:log")
    return {int(entry_id.split(b"-")[0]): fields[b"e"].decode() for entry_id, fields in entries}
