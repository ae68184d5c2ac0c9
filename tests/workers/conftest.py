"""A model server, and a distiller that asks it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from eventlog.redis_log import RedisLog
from tests.inference.chat_server import ChatServer, chat_server
from tests.workers.model_distiller import Distiller


@pytest.fixture(scope="module")
def running_chat() -> Iterator[ChatServer]:
    with chat_server() as running:
        yield running


@pytest.fixture
def chat(running_chat: ChatServer) -> ChatServer:
    """The server, well-behaved and with nothing asked yet."""
    running_chat.requests.clear()
    running_chat.trouble = lambda request: None
    running_chat.reply = lambda request: "{}"
    return running_chat


@pytest.fixture
def distiller(chat: ChatServer, log: RedisLog) -> Iterator[Distiller]:
    made = Distiller(chat, log)
    yield made
    made.model.close()
