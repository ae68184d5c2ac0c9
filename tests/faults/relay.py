"""A socket between client and log server that can lose what passes through it."""

from __future__ import annotations

import socket
import threading
from pathlib import Path


class Relay:
    """Passes bytes between clients and a server's unix socket.

    While ``losing_answers`` is set, commands reach the server and answers are thrown away
    together with the connection, as when a network breaks after the command was carried out.
    """

    def __init__(self, directory: Path, server_socket: str) -> None:
        self.path = str(directory / "relay")
        self.url = f"unix://{self.path}"
        self.losing_answers = 0
        self.answers_lost = 0
        self._server_socket = server_socket
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listener.bind(self.path)
        self._listener.listen()
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._listener.close()
        Path(self.path).unlink()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            server.connect(self._server_socket)
            threading.Thread(target=self._commands, args=(client, server), daemon=True).start()
            threading.Thread(target=self._answers, args=(server, client), daemon=True).start()

    def _commands(self, client: socket.socket, server: socket.socket) -> None:
        _pass_on(client, server)

    def _answers(self, server: socket.socket, client: socket.socket) -> None:
        while data := _received(server):
            # Only answers of the append script are lost, not those of the handshake.
            if self.losing_answers and data.startswith(b"*"):
                self.losing_answers -= 1
                self.answers_lost += 1
                break
            client.sendall(data)
        _end(client)
        _end(server)


def _pass_on(source: socket.socket, target: socket.socket) -> None:
    try:
        while data := _received(source):
            target.sendall(data)
    except OSError:
        _end(source)
    _end(target)


def _received(source: socket.socket) -> bytes:
    try:
        return source.recv(65536)
    except OSError:
        return b""


def _end(end: socket.socket) -> None:
    try:
        end.shutdown(socket.SHUT_RDWR)
    except OSError:
        end.close()
