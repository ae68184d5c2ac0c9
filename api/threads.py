"""Where blocking work runs, so that the event loop never waits for a disk or a socket."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from queue import SimpleQueue
from threading import Thread
from typing import Any, Final, Generic, NamedTuple, ParamSpec, TypeVar, cast

P = ParamSpec("P")
T = TypeVar("T")

_AUDITS: Final = 2


class Threads:
    """Bounded pools: for what asks the log, for what asks the views, a small one for /health.

    When the log server hangs, every thread that asks it may be waiting for its deadline. Neither
    who reads from the views nor who asks what is wrong must wait behind them. Belongs to one event
    loop.
    """

    def __init__(self, size: int, search_slots: int) -> None:
        self._requests = _Pool(size, "request")
        self._log = _Pool(size, "log")
        self._health = _Pool(2, "health")
        self._searches = asyncio.Semaphore(search_slots)
        self._audits = asyncio.Semaphore(_AUDITS)

    async def run(self, work: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Run blocking work of a request that needs no answer of the log."""
        return await self._requests.run(partial(work, *args, **kwargs))

    async def ask_log(self, work: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Run work that waits for the log server: a command, or a look into the log."""
        return await self._log.run(partial(work, *args, **kwargs))

    async def search(self, work: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a search; at most ``search_slots`` run at once, others wait without a thread."""
        async with self._searches:
            return await self.run(work, *args, **kwargs)

    async def audit(self, work: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Run an auditor's question; they may take seconds and must not take recall's places."""
        async with self._audits:
            return await self.run(work, *args, **kwargs)

    async def look(self, work: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Run what must answer although every request thread is taken."""
        return await self._health.run(partial(work, *args, **kwargs))

    def close(self) -> None:
        """Let running work end and take no more."""
        for pool in (self._log, self._requests, self._health):
            pool.close()


class _Pool:
    """Threads that carry out work for one event loop; made as there is more to do than threads.

    The standard library's executor makes a future of its own beside the loop's, with a lock and a
    chain of callbacks: as much again as a command's other steps between threads.
    """

    def __init__(self, size: int, name: str) -> None:
        self._size = size
        self._name = name
        self._tasks: SimpleQueue[_Task[Any] | None] = SimpleQueue()
        self._threads: list[Thread] = []
        self._unfinished = 0  # of the event loop alone
        self._closed = False

    def run(self, work: Callable[[], T]) -> asyncio.Future[T]:
        """Have work done; what it gives or raises is the future's. Call it in the event loop."""
        if self._closed:
            raise RuntimeError(f"no {self._name} threads any more: the service ends")
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()
        self._tasks.put(_Task(loop, future, work))
        self._unfinished += 1
        if len(self._threads) < min(self._unfinished, self._size):
            self._begin_thread()
        return future

    def close(self) -> None:
        """Do what was asked for, end the threads, and take no more."""
        self._closed = True
        for _ in self._threads:
            self._tasks.put(None)
        for thread in self._threads:
            thread.join()

    def _begin_thread(self) -> None:
        name = f"{self._name}_{len(self._threads)}"
        # A daemon, so that a program that never closes its pool can end.
        thread = Thread(target=self._work, name=name, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _work(self) -> None:
        while (task := self._tasks.get()) is not None:
            outcome = _outcome_of(task)
            if not task.loop.is_closed():
                task.loop.call_soon_threadsafe(self._settle, task.future, outcome)
            del task, outcome  # what they hold shall not wait for the next one

    def _settle(self, future: asyncio.Future[T], outcome: _Outcome[T]) -> None:
        self._unfinished -= 1
        if future.done():
            return  # cancelled: nobody waits any more
        error = outcome.error
        if isinstance(error, StopIteration):
            # A future refuses that one, and whoever waits for it would wait for ever.
            error = RuntimeError(f"the work ended with {error!r}")
        if error is not None:
            future.set_exception(error)
        else:
            future.set_result(cast("T", outcome.given))


class _Task(NamedTuple, Generic[T]):
    loop: asyncio.AbstractEventLoop
    future: asyncio.Future[T]
    work: Callable[[], T]


class _Outcome(NamedTuple, Generic[T]):
    given: T | None = None
    error: BaseException | None = None


def _outcome_of(task: _Task[T]) -> _Outcome[T]:
    if task.future.cancelled():
        return _Outcome()
    try:
        return _Outcome(task.work())
    except BaseException as error:  # noqa: BLE001  # it is raised where the work was asked for
        return _Outcome(error=error)
