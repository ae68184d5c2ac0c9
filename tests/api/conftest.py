"""One live service per session; a test that needs a fresh log starts its own."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

import pytest

from tests.api.service import Service, running_service
from tests.servers import LogServer

_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def volatile_server() -> Iterator[LogServer]:
    """A real volatile store: nothing is persisted."""
    with LogServer(appendonly="no") as server:
        yield server


@pytest.fixture(scope="session")
def service(
    log_server: LogServer, volatile_server: LogServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Service]:
    """The service that most tests share. What a test needs to be its own, it names freshly."""
    data = tmp_path_factory.mktemp("node")
    with running_service(log_server, volatile_server, data, "api-tests") as running:
        yield running


@pytest.fixture
def fresh() -> Callable[[str], str]:
    """Make names that no other test of this session uses."""
    return lambda stem: f"{stem}-{next(_numbers)}"
