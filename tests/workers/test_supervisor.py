"""`memoryweave up` as one thing: starts, mends itself, stops, and leaves nothing behind."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from ipaddress import IPv4Address
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

from tests.nodes import NodeProcess, lives
from tests.servers import LogServer, eventually


@pytest.fixture
def node(tmp_path: Path) -> Iterator[NodeProcess]:
    """A node of its own, because these tests kill it."""
    with NodeProcess(tmp_path / "data") as running:
        yield running


def test_it_adopts_mends_refuses_a_second_start_and_stops_cleanly(node: NodeProcess) -> None:
    first = node.children()
    assert set(first) == {"api", "worker", "lifecycle", "log", "volatile"}
    # Ctrl-C reaches none of them, and they share the processor by their niceness.
    assert all(os.getpgid(child.pid) == child.pid for child in first.values())
    assert {os.getsid(child.pid) for child in first.values()} == {os.getsid(node.pid)}

    # Killed, it takes its children along; the servers are adopted by the next start.
    node.signal(signal.SIGKILL)
    node.wait()
    eventually(lambda: not lives(first["api"]) and not lives(first["worker"]))
    node.start()
    assert set(node.children()) == {"api", "worker", "lifecycle"}
    second = {**first, **node.children()}
    assert all(lives(process) for process in second.values())

    # Another start on the same directory is refused, and says who is there.
    other = NodeProcess(node.data)
    other.start(wait=False)
    assert other.wait() == 1
    assert f"already served by process {node.pid} at {node.url}" in other.output

    # What dies is started again.
    for name in ("api", "worker", "lifecycle", "log"):
        second[name].kill()
    eventually(lambda: set(node.children()) == {"api", "worker", "lifecycle", "log"}, within_s=30)
    eventually(node.is_ready, within_s=60, every_s=0.1)
    third = node.children()
    assert all(third[name].pid != second[name].pid for name in third)
    assert lives(second["volatile"])

    # Ctrl-C ends everything.
    assert node.stop() == 0
    assert "Traceback" not in node.output
    assert node.output.rstrip().endswith("memoryweave: stopped")
    assert not any(lives(process) for process in (*first.values(), *third.values()))


@pytest.mark.slow
def test_a_log_server_that_cannot_start_yet_is_tried_again(node: NodeProcess) -> None:
    manifest = node.data / "log" / "appendonlydir" / "appendonly.aof.manifest"
    good = manifest.read_bytes()
    manifest.write_bytes(b"file nonsense")
    node.children()["log"].kill()
    eventually(lambda: "server not revived" in node.output, within_s=30)
    manifest.write_bytes(good)
    eventually(lambda: "server revived" in node.output, within_s=30)
    eventually(node.is_ready, within_s=60, every_s=0.1)


def test_a_port_in_use_is_a_clear_error_and_nothing_is_started(tmp_path: Path) -> None:
    node = NodeProcess(tmp_path / "data")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", node.port))
        taken.listen()
        node.start(wait=False)
        assert node.wait() == 2
    assert f"port: {node.port} on 127.0.0.1 is in use" in node.output
    assert not (node.data / "log").exists()


def test_a_bad_setting_ends_the_start_with_its_name(tmp_path: Path) -> None:
    node = NodeProcess(tmp_path / "data", MEMORYWEAVE_TIME_ZONE="Mars/Olympus")
    node.start(wait=False)
    assert node.wait() == 2
    assert "MEMORYWEAVE_TIME_ZONE" in node.output
    assert "Traceback" not in node.output


def test_a_log_server_that_may_lose_events_is_refused_by_name(tmp_path: Path) -> None:
    with LogServer(appendfsync="everysec") as careless:
        node = NodeProcess(tmp_path / "data", REDIS_URL=careless.url)
        node.start(wait=False)
        assert node.wait() == 1
    assert "appendfsync must be always" in node.output
    assert "--allow-volatile" in node.output


def self_signed(folder: Path) -> tuple[Path, Path]:
    """Write a certificate for 127.0.0.1 and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(hours=1))
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(IPv4Address("127.0.0.1"))]), False
        )
        .sign(key, hashes.SHA256())
    )
    (folder / "chain.pem").write_bytes(certificate.public_bytes(Encoding.PEM))
    (folder / "key.pem").write_bytes(
        key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    )
    return folder / "chain.pem", folder / "key.pem"


@pytest.mark.slow
def test_it_serves_https_with_a_certificate_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    certificate, key = self_signed(tmp_path)
    tls = ("--tls-certificate", str(certificate), "--tls-key", str(key))
    node = NodeProcess(tmp_path / "data", *tls)
    node.url = node.url.replace("http:", "https:")
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    with node, node.client() as client:
        assert client.health().status == "ok"
