"""Users of the log's server and of the volatile one, each with the rights of one kind of process.

A right is a command together with the keys it may name; a script gives none, because the server
checks every command inside it against the user that runs it. What a user can do all the same is in
docs/log-server.md.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any, Final, Literal
from urllib.parse import urlsplit, urlunsplit

from msgspec import Struct

from eventlog.keys import Keys

LogUser = Literal["writer", "reader", "archiver", "admin"]
"""``writer``: API processes. ``reader``: the projection worker. ``archiver``: the lifecycle worker.
``admin``: the supervisor, and an admin at the command line."""

VolatileUser = Literal["writer", "admin"]

_EVERYTHING: Final = ("~*", "&*", "+@all")
_CONNECTING: Final = ("+ping", "+acl|whoami", "+acl|dryrun")
"""ACL DRYRUN only tells what a user may do; with it a process can say that it may too much."""
_GUARDING: Final = ("+info", "+config|get", "+script|exists")
_READING: Final = (
    "+exists +get +mget +hget +hmget +hgetall +hkeys +hlen +hscan +hvals +xinfo|stream +xlen "
    "+xrange +xread +xrevrange +zcard +zcount +zrange +zscore +evalsha_ro"
)


class ServerUser(Struct, frozen=True):
    """A user of a server: what it is called, the password it gives, what it may do."""

    name: str
    password: str
    rules: tuple[str, ...]

    def __repr__(self) -> str:
        """Keep the password out of logs and tracebacks."""
        return f"ServerUser({self.name!r}, ***)"

    @property
    def definition(self) -> tuple[str, ...]:
        """What follows ``ACL SETUSER`` or ``user`` in a configuration; the password as its hash."""
        digest = hashlib.sha256(self.password.encode()).hexdigest()
        return (self.name, "reset", "on", f"#{digest}", *self.rules)


def log_rules(user: LogUser, log: str) -> tuple[str, ...]:
    """Give the rules of a user of the server that holds the log of that name.

    Each rule in parentheses stands for itself: its commands on its keys, and nothing else.
    """
    if user == "admin":
        return _EVERYTHING
    keys = Keys(log)
    reading = (*_CONNECTING, *_GUARDING, f"(%R~{keys.every} {_READING})")
    if user == "reader":
        return (
            *reading,
            # Says how far it has come, so that trimming waits for it; and how its node is.
            f"(~{keys.readers} +hset)",
            f"(~{keys.node('*')} +set +del)",
            f"(~{keys.nodes} +zadd +zremrangebyscore)",
        )
    appending = (
        *reading,
        f"(~{keys.every} +evalsha)",
        f"(~{keys.stream} +xadd)",
        f"(~{keys.aggregate('*')} +zadd)",
        f"(~{keys.meta} ~{keys.every_sealing_key} +hsetnx)",
        f"(~{keys.every_command} ~{keys.snapshots('*')} ~{keys.tracking} +hset)",
        f"(~{keys.every_command} +expireat)",
    )
    if user == "writer":
        return (
            *appending,
            # Before its first write, and when an erasure must reach the file.
            "+bgrewriteaof",
            f"(~{keys.every_sealing_key} ~{keys.snapshots('*')} +hdel)",
        )
    return (
        *appending,
        f"(~{keys.lease('*')} +hset +pexpire +del)",
        f"(~{keys.meta} +hset +hincrby)",
        f"(~{keys.every_model_call} +sismember +scard +sadd +srem +expire)",
        f"(~{keys.stream} +xtrim)",
        f"(~{keys.aggregate('*')} +zrem)",
        f"(~{keys.snapshots('*')} +hdel)",
    )


def volatile_rules(user: VolatileUser) -> tuple[str, ...]:
    """Give the rules of a user of the volatile server.

    It has the rate buckets, when keys were used, and the answers that are kept for a while.
    """
    if user == "admin":
        return _EVERYTHING
    buckets = "(~mw:rate:* +evalsha +hmget +hset +pexpire)"
    answers = "(~mw:recall:* +get +set +unlink)"
    return (
        *_CONNECTING,
        "+script|load",
        "+scan",
        buckets,
        "(~mw:last-used +hset +hgetall)",
        answers,
    )


def config_lines(users: Sequence[ServerUser]) -> str:
    """Give the lines of a configuration in which these are the only users who may speak."""
    if not users:
        return ""
    lines = ["user default reset off", *("user " + " ".join(user.definition) for user in users)]
    return "".join(f"{line}\n" for line in lines)


def set_users(client: Any, users: Sequence[ServerUser]) -> None:
    """Give a running server these users and no other that may speak; nothing if there are none.

    ``client`` may do so. Raises redis.RedisError.
    """
    for user in users:
        client.execute_command("ACL", "SETUSER", *user.definition)
    if users:
        client.execute_command("ACL", "SETUSER", "default", "reset", "off")


def with_user(url: str, name: str, password: str) -> str:
    """Give a server's address with the user who shall speak there. The URL is a secret then."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=f"{name}:{password}@{parts.netloc}"))
