"""Lets an API process forget sealing keys that ended: it follows the log, but opens no event for a
view, so it would go on opening what it has opened before.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import structlog

from domain.errors import LogUnavailable
from domain.events import SessionClosed, SubjectErased, type_of
from eventlog.codec import Codec
from eventlog.outcomes import LogFork, LogGap
from eventlog.redis_log import RedisLog
from eventlog.subscription import Checkpoint, Subscription

_ENDING: Final = frozenset({type_of(SubjectErased), type_of(SessionClosed)})
_WAIT_S: Final = 1.0
_BETWEEN_READS_S: Final = 0.05
"""Under constant writing; else each commit of this process would wake the thread in its midst."""

_AGAIN_AFTER_S: Final = 1.0

_log = structlog.get_logger("api")


@contextmanager
def keys_forgotten(log: RedisLog, codec: Codec) -> Iterator[None]:
    """Forget the keys that events end, within a moment of the event, until the block ends."""
    stop = threading.Event()
    thread = threading.Thread(target=_follow, args=(log, codec, stop), name="key-forgetting")
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def _follow(log: RedisLog, codec: Codec, stop: threading.Event) -> None:
    while not stop.is_set():
        try:
            _follow_from_head(log, codec, stop)
        except (LogUnavailable, LogFork, LogGap) as error:
            _log.info("keys_forgotten_all", reason=str(error))
            stop.wait(_AGAIN_AFTER_S)


def _follow_from_head(log: RedisLog, codec: Codec, stop: threading.Event) -> None:
    head = log.head()
    # Nobody has watched since the keys were learnt.
    codec.keys.forget_all()
    begin = Checkpoint(head.position, head.epoch, head.event_id)
    subscription = Subscription(log.url, log.name, begin, log.archive)
    try:
        while not stop.is_set():
            entries = subscription.read(1000, _WAIT_S)
            codec.open_batch([entry for entry in entries if entry.type in _ENDING])
            if entries:
                stop.wait(_BETWEEN_READS_S)
    finally:
        subscription.close()
