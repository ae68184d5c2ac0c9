"""The start-up guard: nothing is written to a log server that may lose what it acknowledges.

Checks in this order, changing nothing before the last two: the server's software, that it has
loaded its files and is a primary, its settings, that it knows our scripts, the history it holds;
then brings the log into the present format, and has the append-only file rewritten once. A torn
last append stays in the file after a crash; on some servers the second restart then gives its
positions to the torn events instead of those acknowledged since (Redis 7.0.15 does, valkey#4342). A
rewrite before the first write ends that.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final

import redis
from msgspec import Struct
from redis.exceptions import NoPermissionError, ResponseError

from domain.errors import LogUnavailable
from eventlog.connection import Connections, NotSent
from eventlog.durability import find_shortfalls, is_rewriting, server_info
from eventlog.lineage import comes_from, read_lineage
from eventlog.loading import is_being_loaded
from eventlog.log_format import bring_up_to_date, require_present_format
from eventlog.outcomes import LogFork
from eventlog.redis_log import Head, RedisLog
from eventlog.rights import UNKNOWN, Rights, rights_on
from eventlog.scripts import OF_SERVICES
from eventlog.subscription import Checkpoint

CHAIN_LENGTH: Final = 1_000
"""This many of the newest events must follow one another without a gap."""

SCRIPTS_WITHIN_S: Final = 10.0
"""So long a user who may not load scripts waits for somebody who may."""

_OLDEST: Final = {"redis": 7, "valkey": 8}
_ANSWER_WITHIN_S: Final = 5.0
_POLL_S: Final = 0.01


class LogServerRefused(Exception):
    """The log server may lose or has lost something. ``problems`` are lines for the operator."""

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__("; ".join(problems))
        self.problems = tuple(problems)


class GuardReport(Struct, frozen=True):
    """What the guard found. ``shortfalls`` are why ``durable`` is False; empty when it is True.

    ``fork`` says why the log is not the one that this node has followed, "" where it is.
    ``rights`` are those of the user as whom the server was asked.
    """

    software: str
    head: Head
    durable: bool
    rights: Rights = UNKNOWN
    shortfalls: tuple[str, ...] = ()
    fork: str = ""


def guard_log_server(
    log: RedisLog,
    *,
    expected_epoch: str = "",
    known: Sequence[Checkpoint] = (),
    allow_volatile: bool = False,
    within_s: float = 300.0,
) -> GuardReport:
    """Let a log be written, or refuse.

    ``expected_epoch`` is the one this node has seen last ("" for a new node), ``known`` are the
    checkpoints of its views. With ``allow_volatile`` a server that may lose something is let pass
    and reported as not durable. ``within_s`` bounds the wait for loading and for the rewrite.

    Raises `LogServerRefused`, `LogFork` or `LogGap` when the log is not the one known here, and
    `LogUnavailable`.
    """
    deadline = time.monotonic() + within_s
    with _answering(log) as server:
        software, rights, shortfalls = _look_at_server(server, log, deadline)
        if shortfalls and not allow_volatile:
            raise LogServerRefused(shortfalls)
        _await_scripts(server, deadline)
        head = require_known_history(log, expected_epoch, known)
        bring_up_to_date(log)
        if _persistence(server).get("aof_enabled") == "1":
            _rewrite_once(server, deadline)
    return GuardReport(software, head, not shortfalls, rights, tuple(shortfalls))


def guard_followed_log(
    log: RedisLog,
    *,
    expected_epoch: str = "",
    known: Sequence[Checkpoint] = (),
    within_s: float = 300.0,
) -> GuardReport:
    """Let a log be followed by a node that stores no event in it, or refuse.

    Whether the server keeps what it acknowledges is reported and no reason to refuse: whoever
    writes has to answer for that. Raises as `guard_log_server` does.
    """
    deadline = time.monotonic() + within_s
    with _answering(log) as server:
        software, rights, shortfalls = _look_at_server(server, log, deadline)
        _await_scripts(server, deadline)
        head = require_known_history(log, expected_epoch, known)
        require_present_format(log)
    return GuardReport(software, head, not shortfalls, rights, tuple(shortfalls))


@contextmanager
def _answering(log: RedisLog) -> Iterator[Connections]:
    server = Connections.to(log.url, timeout_s=_ANSWER_WITHIN_S)
    try:
        yield server
    except (NotSent, redis.RedisError, OSError) as error:
        raise LogUnavailable(f"the log server does not answer: {error}") from error
    finally:
        server.close()


def _look_at_server(
    server: Connections, log: RedisLog, deadline: float
) -> tuple[str, Rights, list[str]]:
    """Give the software, the rights on it and its shortfalls, once it has loaded its files."""
    software = supported_software(server_info(server, "server"))
    _await(lambda: _persistence(server)["loading"] == "0", deadline, "loads its files")
    _require_primary(server_info(server, "replication"))
    return software, rights_on(server, log.keys), find_shortfalls(server)


def supported_software(info: dict[str, str]) -> str:
    """Name the server's software and version from ``INFO server``, or refuse what is too old."""
    kind = info.get("server_name", "redis")
    version = info.get(f"{kind}_version", info.get("redis_version", ""))
    software = f"{kind} {version}"
    major = re.match(r"\d+", version)
    if kind not in _OLDEST or major is None or int(major[0]) < _OLDEST[kind]:
        raise LogServerRefused(
            [f"the log server is {software}: Redis 7 or newer, or Valkey 8 or newer, is needed"]
        )
    return software


def _require_primary(info: dict[str, str]) -> None:
    if info.get("role") != "master":
        raise LogServerRefused(
            [
                f"the log server is a replica of {info.get('master_host')}:"
                f"{info.get('master_port')}: give the address of the primary"
            ]
        )


def require_known_history(log: RedisLog, epoch: str, known: Sequence[Checkpoint]) -> Head:
    """Compare the log with what a node has followed: the epoch, and the places of its views.

    An epoch that says it goes on from the one that was followed passes: somebody has decided that.
    So do views of such an earlier epoch, which cannot go on and are built anew. Raises `LogFork`,
    `LogGap`, `LogUnavailable`.
    """
    head = log.head()
    if is_being_loaded(log):
        raise LogFork("a restore of the log did not come to its end: run it again")
    if head.position and not head.epoch:
        raise LogFork(f"the log holds {head.position} events and no epoch: its keys were damaged")
    lineage = read_lineage(log)
    for expected in (epoch, *(checkpoint.epoch for checkpoint in known)):
        if expected not in ("", head.epoch) and not comes_from(lineage, head.epoch, expected):
            raise LogFork(
                f"the log has epoch {head.epoch or '(none: it is empty)'}, this node has followed "
                f"{expected}"
            )
    for checkpoint in known:
        if checkpoint.epoch in ("", head.epoch):
            _require_checkpoint(log, head, checkpoint)
    first = max(log.floor(), head.position - CHAIN_LENGTH + 1)
    newest = log.read(first, head.position, limit=CHAIN_LENGTH) if head.position >= first else []
    if len(newest) != head.position - first + 1:
        raise LogFork(
            f"the log ends at {head.position} and gave {len(newest)} events from {first} on"
        )
    return head


def _require_checkpoint(log: RedisLog, head: Head, checkpoint: Checkpoint) -> None:
    if checkpoint.position > head.position:
        raise LogFork(
            f"a view has come to position {checkpoint.position}, the log ends at {head.position}"
        )
    if checkpoint.event_id and checkpoint.position >= log.floor():
        there = log.read(checkpoint.position, checkpoint.position)
        if not there or there[0].event_id != checkpoint.event_id:
            raise LogFork(
                f"at position {checkpoint.position} the log holds "
                f"{there[0].event_id if there else 'nothing'}, a view has seen "
                f"{checkpoint.event_id}"
            )


def load_missing_scripts(server: Connections) -> bool:
    """Load those of our scripts that the server does not know; False where this user may not.

    Raises `NotSent` and redis.RedisError.
    """
    try:
        known = server.call("SCRIPT", "EXISTS", *(script.digest for script in OF_SERVICES))
        for script, there in zip(OF_SERVICES, known, strict=True):
            if not there:
                server.call("SCRIPT", "LOAD", script.text)
    except NoPermissionError:
        return False
    return True


def _await_scripts(server: Connections, deadline: float) -> None:
    """Load the scripts, or wait a little for who may: the supervisor does so as an admin."""
    deadline = min(deadline, time.monotonic() + SCRIPTS_WITHIN_S)
    while not load_missing_scripts(server):
        if time.monotonic() > deadline:
            raise LogServerRefused(
                ["the server lacks our scripts and this user may not load them: allow SCRIPT LOAD"]
            )
        time.sleep(_POLL_S)


def _rewrite_once(server: Connections, deadline: float) -> None:
    """Have the append-only file rewritten, unless this run of the server has done so already."""
    if _rewritten(_persistence(server)):
        return
    try:
        server.call("BGREWRITEAOF")
    except ResponseError as error:
        if "in progress" not in str(error):
            raise LogServerRefused(
                [
                    f"the append-only file cannot be rewritten ({error}): look at the server's "
                    "disk, and allow BGREWRITEAOF"
                ]
            ) from error
    _await(lambda: not is_rewriting(_persistence(server)), deadline, "rewrites its file")
    if not _rewritten(_persistence(server)):
        raise LogServerRefused(
            ["the append-only file could not be rewritten: look at the server's log and disk"]
        )


def _rewritten(info: dict[str, str]) -> bool:
    return (
        not is_rewriting(info)
        and info["aof_last_bgrewrite_status"] == "ok"
        and int(info["aof_last_rewrite_time_sec"]) >= 0
    )


def _await(condition: Callable[[], bool], deadline: float, what: str) -> None:
    while not condition():
        if time.monotonic() > deadline:
            raise LogUnavailable(f"the log server still {what}: try again later")
        time.sleep(_POLL_S)


def _persistence(server: Connections) -> dict[str, str]:
    return server_info(server, "persistence")
