"""Where a replica passes commands on to: the URL it was told, or what primaries say in the log."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import Final

import structlog

from domain.errors import MemoryWeaveError
from eventlog.nodes import Nodes
from eventlog.redis_log import RedisLog
from workers.heartbeat import public_url
from workers.log_server import log_url, node_id
from workers.settings import SettingError, Settings

_LOOK_AGAIN_AFTER_S: Final = 5.0
_ANSWER_WITHIN_S: Final = 1.0

_log = structlog.get_logger("replica")


class Primaries:
    """The nodes that take commands. Thread-safe.

    What was known last stays known while the log server does not answer, or while a primary's
    projection worker is down: its API may answer all the same.
    """

    def __init__(self, settings: Settings, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._settings = settings
        self._monotonic = monotonic
        self._lock = threading.Lock()
        self._looked_at = float("-inf")
        self._known: tuple[str, ...] = ()

    @property
    def node_id(self) -> str:
        """The name of this node: what it passes on carries it."""
        return node_id(self._settings.data)

    def urls(self) -> Sequence[str]:
        """Give the primaries' URLs, those to be tried first in front; [] while none is known."""
        if self._settings.primary is not None:
            return [self._settings.primary.rstrip("/")]
        with self._lock:
            if self._monotonic() - self._looked_at >= _LOOK_AGAIN_AFTER_S:
                self._known = self._living() or self._known
                self._looked_at = self._monotonic()
            return self._known

    def _living(self) -> tuple[str, ...]:
        settings, own = self._settings, public_url(self._settings)
        try:
            url = log_url(settings, "reader")
            with RedisLog(url, settings.log, deadline_s=_ANSWER_WITHIN_S) as log:
                living = Nodes(log).living()
        except (MemoryWeaveError, SettingError) as error:
            _log.warning("primaries_not_known", reason=str(error))
            return ()
        return tuple(beat.url for beat in living if beat.role == "primary" and beat.url != own)
