"""Where blocking work runs, so that the event loop never waits for a disk or a socket."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Final, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

_AUDITS: Final = 2


class Threads:
    """Bounded pools: for what asks the log, for what asks the views, a small one for /health.

    When the log server hangs, every thread that asks it may be waiting for its deadline. Neither
    who reads from the views nor who asks what is wrong must wait behind them.
    """

    def __init__(self, size: int, search_slots: int) -> None:
        self._requests = ThreadPoolExecutor(size, thread_name_prefix="request")
        self._log = ThreadPoolExecutor(size, thread_name_prefix="log")
        self._health = ThreadPoolExecutor(2, thread_name_prefix="health")
        self._searches = asyncio.Semaphore(search_slots)
        self._audits = asyncio.Semaphore(_AUDITS)

    async def run(self, work: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Run blocking work of a request that needs no answer of the log."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._requests, partial(work, *args, **kwargs))

    async def ask_log(self, work: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Run work that waits for the log server: a command, or a look into the log."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._log, partial(work, *args, **kwargs))

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
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._health, partial(work, *args, **kwargs))

    def close(self) -> None:
        """Let running work end and take no more."""
        self._log.shutdown(wait=True)
        self._requests.shutdown(wait=True)
        self._health.shutdown(wait=True)
