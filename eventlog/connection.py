"""Connections to the log server that never repeat anything by themselves.

A client library that repeats a command after a lost answer stores events twice, or reports a
conflict with the caller's own write. Only the code that knows the command id may repeat.

Answers are raw RESP2 values: bytes, integers, lists, None. After redis-py's ConnectionError and
TimeoutError nobody knows whether the server has carried the command out; after `NotSent` it has
not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Final, Self

import hiredis
import redis
from redis.backoff import NoBackoff
from redis.exceptions import NoPermissionError, NoScriptError, ResponseError
from redis.retry import Retry

from eventlog.scripts import Script

CONNECT_TIMEOUT_S: Final = 2.0

Argument = str | int | bytes


class NotSent(Exception):
    """No connection could be made; the server has not seen the command."""


class Connections:
    """A thread-safe pool of connections to one server; each command is sent once.

    ``pool`` is of the client library and makes the connections.
    """

    def __init__(self, pool: Any) -> None:
        self._pool = pool
        # The pool's own lending costs more than the command itself: it only makes connections.
        self._free: list[Any] = []
        self._made: list[Any] = []

    @classmethod
    def to(cls, url: str, *, timeout_s: float) -> Self:
        """Make a pool for a server. ``url`` is ``redis://``, ``rediss://`` or ``unix://``;
        ``timeout_s`` bounds the wait for one answer.
        """
        return cls(_pool(url, timeout_s))

    def call(self, *command: Argument) -> Any:
        """Send one command and give its answer."""
        return self.call_many([command])[0]

    def call_many(self, commands: Sequence[Sequence[Argument]]) -> list[Any]:
        """Send commands in one write and give their answers; raises the first that is an error."""
        connection = self._lend()
        try:
            return _exchange(connection, commands)
        finally:
            self._free.append(connection)

    def call_script(
        self, script: Script, keys: Sequence[str], arguments: Sequence[Argument]
    ) -> Any:
        """Run a script by its digest; load it first where the server does not know it."""
        return _run_script(self.call, script, keys, arguments)

    def call_scripts(
        self, script: Script, calls: Sequence[tuple[Sequence[str], Sequence[Argument]]]
    ) -> list[Any]:
        """Run one script several times in one write, each with its keys and arguments."""
        if not script.reads:
            raise ValueError(f"{script.digest} writes: of a part of its calls nobody would know")
        try:
            return self.call_many(
                [("EVALSHA_RO", script.digest, len(keys), *keys, *rest) for keys, rest in calls]
            )
        except NoScriptError:
            return [self.call_script(script, keys, rest) for keys, rest in calls]

    def call_script_each(
        self, script: Script, calls: Sequence[tuple[Sequence[str], Sequence[Argument]]]
    ) -> list[Any]:
        """Run one script several times in one write, and give what became of each, in order.

        That is its answer, or in its place the error that `call_script` raises: where the
        connection breaks, nobody knows of any that has no answer by then.
        """
        verb = "EVALSHA_RO" if script.reads else "EVALSHA"
        try:
            connection = self._lend()
        except NotSent as error:
            return [error] * len(calls)
        answers: list[Any] = []
        try:
            _exchange_each(
                connection,
                [(verb, script.digest, len(keys), *keys, *rest) for keys, rest in calls],
                answers,
            )
        except (redis.RedisError, OSError) as error:
            answers += [error] * (len(calls) - len(answers))
        finally:
            self._free.append(connection)
        return answers

    def close(self) -> None:
        """Close every connection that was made."""
        for connection in self._made:
            connection.disconnect()

    def _lend(self) -> Any:
        """Give a connection over which nothing is on its way. Raises `NotSent`."""
        try:
            connection = self._free.pop()
        except IndexError:
            connection = self._pool.make_connection()
            self._made.append(connection)
        try:
            _make_ready(connection)
        except (redis.RedisError, OSError) as error:
            self._free.append(connection)
            raise NotSent(str(error)) from error
        return connection


class DedicatedConnection:
    """One connection for one thread, which tells when it is not the one from before.

    It is made by the first call, and again by the first call after a failure.
    """

    def __init__(self, url: str, *, timeout_s: float) -> None:
        self._connection = _pool(url, timeout_s).make_connection()

    @property
    def connected(self) -> bool:
        """False before the first call and after a failure: the next call meets a new server."""
        return bool(self._connection.is_connected)

    def call(self, *command: Argument) -> Any:
        """Send one command and give its answer."""
        try:
            self._connection.connect()
        except (redis.RedisError, OSError) as error:
            raise NotSent(str(error)) from error
        return _exchange(self._connection, [command])[0]

    def call_script(
        self, script: Script, keys: Sequence[str], arguments: Sequence[Argument]
    ) -> Any:
        """Run a script by its digest; load it first where the server does not know it."""
        return _run_script(self.call, script, keys, arguments)

    def close(self) -> None:
        """Close it; the next call would open it anew."""
        self._connection.disconnect()


def _pool(url: str, timeout_s: float) -> Any:
    return redis.ConnectionPool.from_url(
        url,
        socket_timeout=timeout_s,
        socket_connect_timeout=min(CONNECT_TIMEOUT_S, timeout_s),
        retry=Retry(NoBackoff(), 0),
        retry_on_error=[],
        # No CLIENT SETINFO: users of servers before 7.2 cannot be allowed it.
        driver_info=None,
        protocol=2,
        decode_responses=False,
    )


def _make_ready(connection: Any) -> None:
    """Connect, anew where the server has closed the connection or left something in it."""
    if connection.is_connected:
        with suppress(redis.RedisError, OSError):
            if not connection.can_read():
                return
        connection.disconnect()
    connection.connect()


def _exchange(connection: Any, commands: Sequence[Sequence[Argument]]) -> list[Any]:
    answers: list[Any] = []
    _exchange_each(connection, commands, answers)
    for answer in answers:
        if isinstance(answer, ResponseError):
            raise answer
    return answers


def _exchange_each(
    connection: Any, commands: Sequence[Sequence[Argument]], answers: list[Any]
) -> None:
    """Send commands in one write and add what each is answered, be it an error, to ``answers``."""
    try:
        connection.send_packed_command([b"".join(map(_packed, commands))])
        for _ in commands:
            try:
                answers.append(connection.read_response())
            except ResponseError as error:
                answers.append(error)
    except BaseException:
        # An answer may still be on its way: the next caller must not get it.
        connection.disconnect()
        raise


def _packed(command: Sequence[Argument]) -> bytes:
    packed: bytes = hiredis.pack_command(tuple(command))  # type: ignore[arg-type]  # of any length
    return packed


def _run_script(
    call: Callable[..., Any], script: Script, keys: Sequence[str], arguments: Sequence[Argument]
) -> Any:
    rest = (len(keys), *keys, *arguments)
    read_only = "_RO" if script.reads else ""
    by_digest = (f"EVALSHA{read_only}", script.digest, *rest)
    try:
        return call(*by_digest)
    except NoScriptError as unknown:
        # Answered before anything was done, so asking again is safe.
        try:
            call("SCRIPT", "LOAD", script.text)
            with suppress(NoScriptError):
                return call(*by_digest)
            # Somebody flushed it before we came: this time the text itself goes along.
            return call(f"EVAL{read_only}", script.text, *rest)
        except NoPermissionError as refused:
            if "'eval" not in str(refused) and "'script" not in str(refused):
                raise
            # This user may run only what is there; whoever keeps the server loads it.
            raise unknown from None
