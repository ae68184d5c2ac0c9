"""Repeating until the outcome is definite: with pauses, and not where it cannot help."""

from __future__ import annotations

import socket
import threading
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from domain.errors import LogUnavailable
from eventlog.outcomes import Appended, InDoubt
from eventlog.redis_log import RedisLog
from tests.eventlog.entries import an_entry, new_command
from tests.servers import LogServer


class ScriptedServer:
    """Accepts connections and answers every command with the same line, or hangs up."""

    def __init__(self, path: Path, answer: bytes) -> None:
        self.url = f"unix://{path}"
        self.commands = 0
        self._answer = answer
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listener.bind(str(path))
        self._listener.listen()
        threading.Thread(target=self._serve, daemon=True).start()

    def close(self) -> None:
        self._listener.close()

    def _serve(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._converse, args=(client,), daemon=True).start()

    def _converse(self, client: socket.socket) -> None:
        with client:
            while data := client.recv(65536):
                if b"EVALSHA" not in data:  # redis-py introduces itself
                    client.sendall(b"+OK\r\n" * data.count(b"CLIENT\r\n"))
                    continue
                self.commands += 1
                if not self._answer:
                    return
                client.sendall(self._answer)


@pytest.fixture
def scripted(log_server: LogServer) -> Iterator[list[ScriptedServer]]:
    made: list[ScriptedServer] = []
    yield made
    for server in made:
        server.close()


def answering(made: list[ScriptedServer], directory: Path, answer: bytes) -> ScriptedServer:
    path = directory / uuid.uuid4().hex[:8]
    made.append(ScriptedServer(path, answer))
    return made[-1]


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"-MISCONF Errors writing to the AOF file: No space left on device\r\n",
        b"-ERR something nobody has heard of\r\n",
    ],
    ids=["hangs up", "cannot write its file", "an unknown error"],
)
def test_an_answer_that_settles_nothing_is_in_doubt_after_a_few_attempts(
    scripted: list[ScriptedServer], log_server: LogServer, answer: bytes
) -> None:
    server = answering(scripted, log_server.directory, answer)
    with RedisLog(server.url, deadline_s=1.0) as log, pytest.raises(InDoubt):
        log.append([an_entry("a", 1)], **new_command())
    # 5 ms, then twice as long each time up to 250: a busy loop would make thousands.
    assert 2 <= server.commands <= 10


@pytest.mark.parametrize(
    "answer",
    [
        b"-LOADING the dataset is being loaded\r\n",
        b"-READONLY You can't write against a read only replica.\r\n",
        b"-CLUSTERDOWN Hash slot not served\r\n",
        b"-MASTERDOWN Link with MASTER is down\r\n",
        b"-TRYAGAIN Multiple keys request during rehashing of slot\r\n",
        b"-BUSY a script is running\r\n",
        b"-NOREPLICAS Not enough good replicas to write.\r\n",
    ],
    ids=lambda answer: answer.split()[0].decode(),
)
def test_a_server_that_has_not_begun_yet_is_asked_again_and_then_nothing_was_stored(
    scripted: list[ScriptedServer], log_server: LogServer, answer: bytes
) -> None:
    server = answering(scripted, log_server.directory, answer)
    with (
        RedisLog(server.url, deadline_s=0.5) as log,
        pytest.raises(LogUnavailable, match="nothing was stored") as error,
    ):
        log.append([an_entry("a", 1)], **new_command())
    assert not isinstance(error.value, InDoubt)
    assert server.commands >= 2


def test_what_is_forbidden_is_not_asked_again(
    scripted: list[ScriptedServer], log_server: LogServer
) -> None:
    server = answering(scripted, log_server.directory, b"-NOPERM no permission\r\n")
    with RedisLog(server.url) as log:
        with pytest.raises(LogUnavailable, match="does not allow"):
            log.append([an_entry("a", 1)], **new_command())
        assert server.commands == 1
        with pytest.raises(LogUnavailable):
            log.head()
        assert server.commands == 2


def test_a_server_that_comes_back_within_the_deadline_gets_the_command() -> None:
    with LogServer() as server, RedisLog(server.url, deadline_s=20) as log:
        server.kill()
        outcome: list[object] = []
        writer = threading.Thread(
            target=lambda: outcome.append(log.append([an_entry("a", 1)], **new_command()))
        )
        writer.start()
        server.start()
        writer.join()
        assert outcome == [Appended(1, 1)]
