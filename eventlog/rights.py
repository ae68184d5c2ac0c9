"""As whom a process speaks to the log's server, and which of that user's rights can do harm.

Nothing is tried: ACL DRYRUN tells what a user may do without doing it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from msgspec import Struct
from redis.exceptions import NoPermissionError, ResponseError

from eventlog.acl import LogUser
from eventlog.connection import Argument, Connections
from eventlog.keys import Keys

_ANYWHERE: Final[tuple[tuple[str, tuple[Argument, ...]], ...]] = (
    ("FLUSHALL", ("FLUSHALL",)),
    ("FLUSHDB", ("FLUSHDB",)),
    ("SWAPDB", ("SWAPDB", 0, 1)),
    ("CONFIG SET", ("CONFIG", "SET", "maxmemory-policy", "allkeys-lru")),
    ("SHUTDOWN", ("SHUTDOWN", "NOSAVE")),
    ("DEBUG", ("DEBUG", "RELOAD")),
    ("REPLICAOF", ("REPLICAOF", "NO", "ONE")),
    ("ACL SETUSER", ("ACL", "SETUSER", "default", "on")),
    ("FUNCTION LOAD", ("FUNCTION", "LOAD", "#!lua name=a")),
    ("EVAL", ("EVAL", "return 1", 0)),
)

NEEDED: Final[dict[LogUser, tuple[str, ...]]] = {"archiver": ("XTRIM",)}
"""What a user needs for its work although it could do harm."""


class Rights(Struct, frozen=True):
    """Who speaks ("" where it may not be asked), and the harmful commands that this user may send.

    ``harmful`` is None where the server does not tell.
    """

    user: str
    harmful: tuple[str, ...] | None


UNKNOWN: Final = Rights("", None)


def rights_on(server: Connections, keys: Keys) -> Rights:
    """Ask the server as whom this connection speaks, and what that user may do to a log.

    Raises `NotSent` and redis.RedisError where the server does not answer.
    """
    try:
        user = str(server.call("ACL", "WHOAMI").decode())
    except NoPermissionError:
        return UNKNOWN
    try:
        harmful = tuple(
            name
            for name, command in _harmful_to(keys)
            if server.call("ACL", "DRYRUN", user, *command) == b"OK"
        )
    except ResponseError:
        # Not allowed, or a server before Redis 7, which the guard refuses.
        return Rights(user, None)
    return Rights(user, harmful)


def _harmful_to(keys: Keys) -> Iterable[tuple[str, tuple[Argument, ...]]]:
    log, other = keys.stream, f"{keys.stream}:other"
    yield from _ANYWHERE
    yield "DEL", ("DEL", log)
    yield "UNLINK", ("UNLINK", log)
    yield "RENAME", ("RENAME", log, other)
    yield "RESTORE", ("RESTORE", log, 0, "", "REPLACE")
    yield "EXPIRE", ("EXPIRE", log, 1)
    yield "SET", ("SET", log, "")
    yield "XDEL", ("XDEL", log, "1-0")
    yield "XSETID", ("XSETID", log, "1-0")
    yield "XTRIM", ("XTRIM", log, "MAXLEN", 0)
