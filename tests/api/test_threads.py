"""Blocking work beside the event loop: never more at once than allowed, never fewer than needed."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable

import pytest

from api.threads import Threads

SIZE = 3


def with_threads(use: Callable[[Threads], Awaitable[None]]) -> None:
    async def main() -> None:
        threads = Threads(SIZE, search_slots=1)
        try:
            await asyncio.wait_for(use(threads), timeout=30)
        finally:
            threads.close()

    asyncio.run(main())


def test_what_work_gives_and_what_it_raises_is_the_callers():
    def fail() -> None:
        raise ValueError("as it was raised")

    async def use(threads: Threads) -> None:
        assert await threads.run(divmod, 7, 2) == (3, 1)
        assert await threads.ask_log(int, "11", base=2) == 3
        with pytest.raises(ValueError, match="as it was raised"):
            await threads.run(fail)
        assert await threads.run(threading.get_ident) != threading.get_ident()

    with_threads(use)


def test_who_waits_for_work_that_ends_an_iterator_is_told():
    async def use(threads: Threads) -> None:
        with pytest.raises(RuntimeError, match="the work ended with StopIteration"):
            await threads.run(next, iter(()))

    with_threads(use)


def test_as_many_run_at_once_as_there_may_be_and_the_others_after_them():
    together = threading.Barrier(SIZE, timeout=20)

    async def use(threads: Threads) -> None:
        # Each waits for two others: with one thread fewer, none would ever end.
        for _ in range(3):
            await asyncio.gather(*(threads.run(together.wait) for _ in range(2 * SIZE)))
        names = {await threads.run(lambda: threading.current_thread().name) for _ in range(50)}
        assert names <= {f"request_{number}" for number in range(SIZE)}

    with_threads(use)


def test_a_full_pool_keeps_nobody_from_the_other_ones():
    go_on = threading.Event()

    async def use(threads: Threads) -> None:
        hanging = [asyncio.ensure_future(threads.ask_log(go_on.wait, 20)) for _ in range(SIZE + 1)]
        assert await threads.run(int, "5") == 5
        assert await threads.look(int, "6") == 6
        assert not any(one.done() for one in hanging)
        go_on.set()
        assert await asyncio.gather(*hanging) == [True] * (SIZE + 1)

    with_threads(use)


def test_what_nobody_waits_for_any_more_is_not_begun_and_takes_no_place():
    go_on = threading.Event()
    begun: list[int] = []

    async def use(threads: Threads) -> None:
        hanging = [asyncio.ensure_future(threads.run(go_on.wait, 20)) for _ in range(SIZE)]
        given_up = [asyncio.ensure_future(threads.run(begun.append, n)) for n in range(20)]
        await asyncio.sleep(0)  # each has asked for its thread
        for one in [*given_up, hanging[0]]:
            one.cancel()
        go_on.set()
        assert await threads.run(int, "7") == 7
        assert begun == []
        together = threading.Barrier(SIZE, timeout=20)
        await asyncio.gather(*(threads.run(together.wait) for _ in range(SIZE)))

    with_threads(use)


def test_closing_waits_for_what_runs_and_takes_nothing_more():
    ended: list[str] = []
    go_on = threading.Event()

    def work() -> None:
        go_on.wait(20)
        ended.append("work")

    async def main() -> None:
        threads = Threads(SIZE, search_slots=1)
        asked = asyncio.ensure_future(threads.run(work))
        await asyncio.sleep(0)
        go_on.set()
        threads.close()
        assert ended == ["work"]
        await asked
        with pytest.raises(RuntimeError, match="no request threads any more"):
            await threads.run(int, "1")

    asyncio.run(main())
