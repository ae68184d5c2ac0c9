"""The distiller as the lifecycle worker runs it: in a thread of its own, by the node's settings."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from typing import Final

import structlog

from eventlog.redis_log import RedisLog
from workers.archive import open_archive
from workers.distillation.hands import Hands, ProcessHands
from workers.distillation.pending import Rules
from workers.distillation.reactor import BY_RULES, Distiller, Surroundings
from workers.distillation.status import DistillerStatus, write_status
from workers.log_server import decision, followed_epoch, log_url, node_id
from workers.settings import Settings

_TELL_EVERY_S: Final = 1.0
_QUIET_TELL_EVERY_S: Final = 10.0

_log = structlog.get_logger("distiller")


@contextmanager
def distilling(
    settings: Settings, make_hands: Callable[[Settings], Hands] = ProcessHands
) -> Iterator[None]:
    """Distil until the block ends; it ends within a second."""
    teller = _Teller(settings)
    if settings.distill_by == "off":
        teller.tell(DistillerStatus(at=datetime.now(UTC), state="off", pid=os.getpid()))
        yield
        return
    stop = threading.Event()
    thread = threading.Thread(
        target=_run, args=(settings, make_hands, teller, stop), name="distiller"
    )
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def rules_of(settings: Settings) -> Rules:
    """Give the numbers that the settings set."""
    return Rules(
        batch=settings.distill_batch, wait_s=settings.distill_wait_s, queue=settings.distill_queue
    )


def asks_a_model(settings: Settings) -> bool:
    """Tell whether a language model is to be asked."""
    return settings.distill_by == "auto" and settings.llm_endpoint is not None


def _run(
    settings: Settings,
    make_hands: Callable[[Settings], Hands],
    teller: _Teller,
    stop: threading.Event,
) -> None:
    holder = f"{node_id(settings.data)}/{os.getpid()}/{os.urandom(4).hex()}"
    with (
        RedisLog(
            log_url(settings, "archiver"),
            settings.log,
            archive=open_archive(settings),
            watched=not settings.allow_volatile,
        ) as log,
        closing(make_hands(settings)) as hands,
    ):
        distiller = Distiller(
            log,
            hands,
            rules_of(settings),
            Surroundings(
                tell=teller.tell, is_dead=lambda other: _is_dead(node_id(settings.data), other)
            ),
            holder=holder,
            batch=settings.distill_batch if asks_a_model(settings) else BY_RULES,
        )

        def follow() -> str:
            epoch = followed_epoch(settings.data)
            log.follow(epoch, decision(settings.data))
            return epoch

        distiller.run(stop, follow)
    _log.info("stopped")


def _is_dead(node: str, holder: str) -> bool:
    """Tell whether a holder was a process of this node, and is no more.

    Should another process have its number by now, it seems to live, and its lease ends by itself.
    """
    other, _, rest = holder.partition("/")
    number = rest.partition("/")[0]
    if other != node or not number.isdecimal() or int(number) == os.getpid():
        return False
    try:
        os.kill(int(number), 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return False


class _Teller:
    """Writes the status file, not oftener than anybody looks."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._said: DistillerStatus | None = None
        self._at = float("-inf")

    def tell(self, status: DistillerStatus) -> None:
        now = time.monotonic()
        said = self._said
        if said is not None and said.state == status.state and said.trouble == status.trouble:
            same = (said.waiting, said.position) == (status.waiting, status.position)
            if now - self._at < (_QUIET_TELL_EVERY_S if same else _TELL_EVERY_S):
                return
        try:
            write_status(self._settings.data, status)
        except OSError as error:
            # A full disk has no room for it: the log lines tell all the same.
            _log.warning("status_not_written", reason=str(error))
        self._said, self._at = status, now
