"""One POST of JSON to a model server, within a time and a size."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import httpx

from inference.circuit_breaker import Monotonic

LONGEST_ANSWER: Final = 64 * 2**20


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
    """The server answered, and would say the same again. ``reason`` is the cause in one word."""

    def __init__(self, cause: str, reason: str) -> None:
        super().__init__(cause)
        self.reason = reason


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
    try:
        with client.stream("POST", url, json=body, timeout=timeout_s) as response:
            _check_status(response)
            return _read(response, deadline, monotonic, longest)
    except (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout) as error:
        raise NoAnswer(type(error).__name__, "unreachable", sent=False) from error
    except httpx.TimeoutException as error:
        raise NoAnswer(type(error).__name__, "timeout") from error
    except httpx.TransportError as error:
        raise NoAnswer(type(error).__name__, "connection_lost") from error
    except httpx.DecodingError as error:
        raise Refused("answered with a body that does not unpack", "not_unpackable") from error


def _check_status(response: httpx.Response) -> None:
    status = response.status_code
    if status in (408, 409, 425, 429) or status >= 500:
        reason = "rate_limited" if status == 429 else "server_error"
        raise NoAnswer(f"status {status}", reason, _retry_after_s(response))
    if status != 200:
        raise Refused(f"refused the request with status {status}", "request_refused")


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
