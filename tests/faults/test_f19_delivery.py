"""F19: what the server delivers twice changes nothing; what it delivers out of order is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from eventlog.outcomes import LogGap
from eventlog.redis_log import RedisLog
from eventlog.subscription import Checkpoint, Subscription
from tests.eventlog.entries import an_entry, new_command

Raw = list[Any]


class Shimmed(Subscription):
    """A subscription whose deliveries are changed on their way."""

    change: Callable[[Raw], Raw] = staticmethod(lambda raw: raw)

    def _read_stream(self, limit: int, wait_s: float) -> Raw | None:
        raw = super()._read_stream(limit, wait_s)
        return None if raw is None else self.change(raw)


class Repeating(Shimmed):
    """Delivers every batch twice: once more together with the next one."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._before: Raw = []

    def _read_stream(self, limit: int, wait_s: float) -> Raw | None:
        raw = super()._read_stream(limit, wait_s)
        before, self._before = self._before, raw or []
        return before + (raw or []) or None


@pytest.fixture
def filled(log: RedisLog) -> RedisLog:
    log.append([an_entry("a", version) for version in range(1, 10)], **new_command())
    return log


def test_what_is_delivered_twice_is_handed_out_once(filled: RedisLog) -> None:
    with Repeating(filled.url, filled.name, Checkpoint()) as subscription:
        seen: list[int] = []
        while len(seen) < 9:
            seen += [e.position for e in subscription.read(limit=2)]
        assert seen == list(range(1, 10))
        assert subscription.read(wait_s=0) == []


def swap_two(raw: Raw) -> Raw:
    return [raw[0], raw[2], raw[1], *raw[3:]]


def turn_around(raw: Raw) -> Raw:
    return raw[::-1]


def double_one(raw: Raw) -> Raw:
    return [raw[0], raw[1], raw[1], *raw[2:]]


def skip_the_first(raw: Raw) -> Raw:
    return raw[1:]


@pytest.mark.parametrize("change", [swap_two, turn_around, double_one, skip_the_first])
def test_a_batch_out_of_order_is_refused_before_anything_of_it_is_handed_out(
    filled: RedisLog, change: Callable[[Raw], Raw]
) -> None:
    with Shimmed(filled.url, filled.name, Checkpoint()) as subscription:
        subscription.change = change
        with pytest.raises(LogGap):
            subscription.read()
        assert subscription.checkpoint.position == 0

        # The same reader goes on once the order is right again.
        subscription.change = lambda raw: raw
        assert [e.position for e in subscription.read()] == list(range(1, 10))


def test_an_entry_between_two_positions_stops_the_reader(filled: RedisLog) -> None:
    with Shimmed(filled.url, filled.name, Checkpoint()) as subscription:
        subscription.change = lambda raw: [raw[0], [b"1-1", raw[0][1]], *raw[1:]]
        with pytest.raises(LogGap):
            subscription.read()
        assert subscription.checkpoint.position == 0
