"""One POST of JSON to a model server, within a time and a size."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import httpx

from inference.circuit_breaker import Monotonic

_LONGEST_ANSWER: Final = 64 * 2**20


class NoAnswer(Exception):
    """The server may answer if asked again after ``pause_s`` (None: as long as we like)."""

    def __init__(self, cause: str, pause_s: float | None = None) -> None:
        super().__init__(cause)
        self.pause_s = pause_s


class Refused(Exception):
    """The server answered, and would say the same again."""


def post(
    client: httpx.Client,
    url: str,
    body: Mapping[str, Any],
    *,
    timeout_s: float,
    monotonic: Monotonic,
) -> bytes:
    """Give the body of an answer with status 200.

    Raises `NoAnswer` and `Refused`. Of another answer only the status is kept: servers like to
    repeat texts and keys in their error bodies.
    """
    deadline = monotonic() + timeout_s
    try:
        with client.stream("POST", url, json=body, timeout=timeout_s) as response:
            _check_status(response)
            return _read(response, deadline, monotonic)
    except httpx.TransportError as error:
        raise NoAnswer(type(error).__name__) from error


def _check_status(response: httpx.Response) -> None:
    status = response.status_code
    if status in (408, 409, 425, 429) or status >= 500:
        raise NoAnswer(f"status {status}", _retry_after_s(response))
    if status != 200:
        raise Refused(f"refused the request with status {status}")


def _read(response: httpx.Response, deadline: float, monotonic: Monotonic) -> bytes:
    # httpx's time-out is for each read: a server that trickles would hold us for ever.
    body = bytearray()
    for part in response.iter_bytes():
        body += part
        if len(body) > _LONGEST_ANSWER:
            raise Refused(f"answered over {_LONGEST_ANSWER} bytes")
        if monotonic() > deadline:
            raise NoAnswer("the answer took too long")
    return bytes(body)


def _retry_after_s(response: httpx.Response) -> float | None:
    value = response.headers.get("Retry-After", "")
    return float(value) if value.isdigit() else None
