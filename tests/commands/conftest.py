"""A write side on a real log, and callers who speak to it."""

from collections.abc import Iterator

import pytest

from commands.application import MemoryApplication
from eventlog.redis_log import RedisLog
from tests.commands.speaking import Speaker


@pytest.fixture
def application(log_server, log_name) -> Iterator[MemoryApplication]:
    with MemoryApplication(log_server.url, log_name) as application:
        yield application


@pytest.fixture
def raw_log(application) -> RedisLog:
    """The log beside the application, for looking."""
    return application.event_log


@pytest.fixture
def hermes(application) -> Speaker:
    """An agent that may carry the owner's word."""
    return Speaker.agent(application, "hermes-a06", main="hermes-main", may_claim=True)


@pytest.fixture
def cron(application) -> Speaker:
    """Another agent, with a namespace of its own."""
    return Speaker.agent(application, "cron-1")


@pytest.fixture
def owner(application) -> Speaker:
    return Speaker.of_kind(application, "owner")


@pytest.fixture
def admin(application) -> Speaker:
    return Speaker.of_kind(application, "admin")
