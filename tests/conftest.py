"""What every area's tests share: a real log server per session, a fresh log per test."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import hypothesis
import pytest

from eventlog.redis_log import RedisLog
from tests.nodes import NodeProcess
from tests.servers import REDIS, LogServer

# The tests share their machine: how long one example takes says nothing about the code.
hypothesis.settings.register_profile("shared machine", deadline=None, print_blob=True)
hypothesis.settings.load_profile("shared machine")

_log_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def log_server() -> Iterator[LogServer]:
    """A real log server, one per session (per worker under xdist). Don't kill or fill it."""
    with LogServer() as server:
        yield server


@pytest.fixture(scope="session")
def redis_server() -> Iterator[LogServer]:
    """Debian's redis-server, one per session; skips where it is not installed."""
    if REDIS is None:
        pytest.skip("redis-server is not installed: apt-get install redis-server runs this too")
    with LogServer(REDIS) as server:
        yield server


@pytest.fixture
def log_name() -> str:
    """A log name that no other test of this session uses."""
    return f"test{next(_log_numbers)}"


@pytest.fixture
def log(log_server: LogServer, log_name: str) -> Iterator[RedisLog]:
    """An empty log of its own."""
    with RedisLog(log_server.url, log_name) as fresh:
        yield fresh


@pytest.fixture(scope="session")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NodeProcess]:
    """A whole running node, one per session. Its API may be killed: it comes back by itself."""
    with NodeProcess(tmp_path_factory.mktemp("node") / "data") as running:
        yield running
