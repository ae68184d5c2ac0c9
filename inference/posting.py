"""One POST of JSON to a model server, within a time and a size."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Mapping
from typing import Any, Final, Self

import httpx

from inference.circuit_breaker import Monotonic

LONGEST_ANSWER: Final = 64 * 2**20

_READ_OF_A_REFUSAL: Final = 4_096
_GRACE: Final = 1.25
"""A connection is cut when httpx's own time-outs and our deadline have had their chance."""


class NoAnswer(Exception):
    """The server may answer if asked again after ``pause_s`` (None: as long as we like).

    ``reason`` is the cause in one word; ``sent`` is False where the request surely never left.
    """

    def __init__(
        self, cause: str, reason: str, pause_s: float | None = None, *, sent: bool = True
    ) -> None:
        super().__init__(cause)
        self.reason = reason
        self.pause_s = pause_s
        self.sent = sent


class Refused(Exception):
    """The server answered, and would say the same again. ``reason`` is the cause in one word.

    ``about`` are those of the request's own fields that the answer names.
    """

    def __init__(self, cause: str, reason: str, about: frozenset[str] = frozenset()) -> None:
        super().__init__(cause)
        self.reason = reason
        self.about = about


def post(
    client: httpx.Client,
    url: str,
    body: Mapping[str, Any],
    *,
    timeout_s: float,
    monotonic: Monotonic,
    longest: int = LONGEST_ANSWER,
) -> bytes:
    """Give the body of an answer with status 200, of at most ``longest`` bytes.

    Raises `NoAnswer` and `Refused`. Of another answer only the status is kept: servers like to
    repeat texts and keys in their error bodies.
    """
    deadline = monotonic() + timeout_s
    with _Cutting(timeout_s * _GRACE) as cutting:
        try:
            extensions = {"trace": cutting.trace}
            with client.stream(
                "POST", url, json=body, timeout=timeout_s, extensions=extensions
            ) as response:
                _check_status(response, body)
                read = _read(response, deadline, monotonic, longest)
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout) as error:
            raise NoAnswer(type(error).__name__, "unreachable", sent=False) from error
        except httpx.TimeoutException as error:
            raise NoAnswer(type(error).__name__, "timeout") from error
        except httpx.TransportError as error:
            reason = "timeout" if cutting.done else "connection_lost"
            raise NoAnswer(type(error).__name__, reason) from error
        except httpx.DecodingError as error:
            raise Refused("answered with a body that does not unpack", "not_unpackable") from error
        if cutting.done:
            raise NoAnswer("the answer took too long", "timeout")
        return read


class _Cutting:
    """Ends a connection that was made for a request when the request's time is over.

    A server that sends its headers byte by byte is never silent for as long as a time-out of one
    read, and between the reads of headers nobody asks us. ``done`` tells whether it came to that.
    A connection that is used again is not told of, so whoever fears such a server keeps none.
    """

    def __init__(self, seconds: float) -> None:
        self.done = False
        self._timer = threading.Timer(seconds, self._cut)
        self._timer.daemon = True
        self._stream: Any = None

    def trace(self, event: str, info: Mapping[str, Any]) -> None:
        """Note the connection, as httpx tells of what it does."""
        if event not in ("connection.connect_tcp.complete", "connection.start_tls.complete"):
            return
        if self._stream is None:
            self._timer.start()
        self._stream = info["return_value"]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()

    def _cut(self) -> None:
        self.done = True
        with contextlib.suppress(OSError):  # it ended at this very moment
            self._stream.get_extra_info("socket").shutdown(socket.SHUT_RDWR)


def _check_status(response: httpx.Response, asked: Mapping[str, Any]) -> None:
    status = response.status_code
    if status in (408, 409, 425, 429) or status >= 500:
        reason = "rate_limited" if status == 429 else "server_error"
        raise NoAnswer(f"status {status}", reason, _retry_after_s(response))
    if status != 200:
        said = next(response.iter_bytes(), b"")[:_READ_OF_A_REFUSAL]
        about = frozenset(name for name in asked if name.encode() in said)
        raise Refused(f"refused the request with status {status}", "request_refused", about)


def _read(response: httpx.Response, deadline: float, monotonic: Monotonic, longest: int) -> bytes:
    # httpx's time-out is for each read: a server that trickles would hold us for ever.
    body = bytearray()
    for part in response.iter_bytes():
        body += part
        if len(body) > longest:
            raise Refused(f"answered over {longest} bytes", "answer_too_large")
        if monotonic() > deadline:
            raise NoAnswer("the answer took too long", "timeout")
    return bytes(body)


def _retry_after_s(response: httpx.Response) -> float | None:
    value = response.headers.get("Retry-After", "")
    return float(value) if value.isdigit() else None
