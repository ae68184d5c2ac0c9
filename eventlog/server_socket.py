"""What stands behind the socket of an embedded server: speaking to it, and ending its process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Final
from urllib.parse import quote

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from eventlog.acl import ServerUser
from eventlog.server_lock import ServerRecord

_ANSWER_WITHIN_S: Final = 5.0


def url_of(socket: Path) -> str:
    """Give the server's address, as redis-py takes it; no user is named."""
    return f"unix://{quote(str(socket))}"


def client_of(socket: Path, user: ServerUser | None) -> redis.Redis:
    """Give a client that speaks as that user, or as nobody, and repeats nothing by itself."""
    return redis.Redis(
        unix_socket_path=str(socket),
        username=user.name if user else None,
        password=user.password if user else None,
        socket_timeout=_ANSWER_WITHIN_S,
        socket_connect_timeout=_ANSWER_WITHIN_S,
        retry=Retry(NoBackoff(), 0),
        driver_info=None,
        decode_responses=True,
        protocol=2,
    )


def is_answered(socket: Path) -> bool:
    """Tell whether anybody answers at that socket, were it only that we may not speak."""
    try:
        with client_of(socket, None) as client:
            client.ping()
    except (redis.AuthenticationError, redis.ResponseError):
        return True
    except redis.RedisError:
        return False
    return True


def end_unreachable(record: ServerRecord) -> None:
    """Tell the process of a server that nobody can speak to to end, if it is that server still."""
    if record.socket in _command_line(record.pid):
        with suppress(ProcessLookupError):
            os.kill(record.pid, signal.SIGTERM)


def _command_line(pid: int) -> str:
    if sys.platform == "linux":
        try:
            return Path(f"/proc/{pid}/cmdline").read_text(errors="replace")
        except OSError:
            return ""
    return subprocess.run(
        ["ps", "-o", "args=", "-p", str(pid)], capture_output=True, text=True, check=False
    ).stdout
