"""`memoryweave up`: servers, API and workers as one thing that starts and stops.

Order of start: servers, then API and workers. Order of stop: API (no new commands), workers,
servers. Whatever ends this process, the children end with it (lifetime.py); servers that are left
are adopted by the next start (eventlog/embedded.py).
"""

from __future__ import annotations

import math
import os
import sys
import time
from collections.abc import Callable, Sequence
from typing import Final

import structlog
from msgspec import Struct

from domain.errors import LogUnavailable
from eventlog.embedded import EmbeddedServerError, EmbeddedServers
from eventlog.guard import LogServerRefused
from eventlog.outcomes import LogFork
from eventlog.server_config import ServerName
from workers.children import Children, ChildSpec, GaveUp, run_to_its_end
from workers.keys import KeyRing, embedded_users
from workers.lifetime import stop_on_signals
from workers.log_server import guard_log, load_scripts
from workers.ports import answers, claimable_port, url_of
from workers.restarts import LONGEST_PAUSE_S, CrashHistory, after_crash
from workers.running import Running, UpLock
from workers.settings import Settings
from workers.standing import WHAT_TO_DO

_LOOK_EVERY_S: Final = 0.2
_SCRIPTS_EVERY_S: Final = 1.0

_log = structlog.get_logger("supervisor")


class Plan(Struct, frozen=True, kw_only=True):
    """What a node runs: its children in the order in which they are stopped.

    ``first`` is a process that has to come to a good end before they are started.
    ``ready_within_s`` is how long the API may take to answer, None: as long as it needs.
    """

    children: tuple[str, ...] = ("api", "worker lifecycle", "worker projections")
    first: str | None = None
    ready_within_s: float | None = 60.0


WHOLE_NODE: Final = Plan()


def run_node(
    ring: KeyRing,
    flags: Sequence[str],
    when_ready: Callable[[KeyRing, str], None],
    plan: Plan = WHOLE_NODE,
) -> None:
    """Run the node until SIGINT, SIGTERM or SIGHUP.

    ``flags`` are the ones with which the children shall resolve the same settings;
    ``when_ready`` is called with the node's keys and URL as soon as the API answers. Raises
    `AlreadyUp`, `SettingError`, `GaveUp`, what `EmbeddedServers.start` and `guard_log` raise;
    nothing is left running then.
    """
    stop = stop_on_signals()
    settings = ring.resolved.settings
    lock = UpLock(settings.data)
    try:
        port = claimable_port(settings.host, settings.port)
        servers = _Servers(settings)
        try:
            _guard(settings)
            if plan.first is not None:
                run_to_its_end(_spec(plan.first, flags, port), stop)
            children = Children([_spec(name, flags, port) for name in plan.children])
            try:
                children.start()
                url = url_of(settings.host, port, tls=settings.tls_certificate is not None)
                lock.announce(Running(os.getpid(), url))
                ready_by = time.monotonic() + (plan.ready_within_s or math.inf)
                ready = False
                while not stop.wait(_LOOK_EVERY_S):
                    servers.look()
                    children.look()
                    if not ready and answers(settings.host, port):
                        ready = True
                        when_ready(ring, url)
                    if not ready and time.monotonic() > ready_by:
                        raise GaveUp(f"the API did not answer within {plan.ready_within_s:.0f} s")
            finally:
                children.stop()
        finally:
            servers.stop()
    finally:
        lock.close()


def _guard(settings: Settings) -> None:
    """Check the log; one with another history is told, and served from by nobody."""
    try:
        guard_log(settings, "admin")
    except LogFork as error:
        _log.error("log_forked", reason=str(error), do=WHAT_TO_DO)


def _spec(name: str, flags: Sequence[str], port: int) -> ChildSpec:
    own = (sys.executable, "-m", "workers.cli.main", *name.split())
    # Each is told the port that was found: the worker tells other nodes where the API is.
    given = ("--parent", str(os.getpid()), *flags, "--port", str(port))
    return ChildSpec(name.rsplit(maxsplit=1)[-1], (*own, *given))


class _Servers:
    """The embedded servers that the settings ask for, started again when they die."""

    def __init__(self, settings: Settings) -> None:
        names: list[ServerName] = []
        if settings.redis_url is None:
            names.append("log")
        if settings.volatile_url is None:
            names.append("volatile")
        self._servers = (
            EmbeddedServers(settings.data, names=tuple(names), users=embedded_users(settings))
            if names
            else None
        )
        self._settings = settings
        self._history = CrashHistory()
        self._started = time.monotonic()
        self._next = 0.0
        self._unguarded = False
        self._scripts_at = 0.0
        if self._servers is not None:
            self._servers.start()

    def look(self) -> None:
        """Start again what has died, later and later, and never give up: reads go on meanwhile.

        What keeps a server from starting (a full disk) may pass. A log that has lost something is
        told, and refused by whoever asks it. Raises `LogGap`.
        """
        now = time.monotonic()
        if self._servers is None or now < self._next:
            return
        dead = self._servers.dead()
        if not dead:
            if self._settings.redis_url is None and now >= self._scripts_at:
                self._scripts_at = now + _SCRIPTS_EVERY_S
                load_scripts(self._settings)
            return
        self._unguarded = self._unguarded or "log" in dead
        self._history, pause = after_crash(self._history, now - self._started)
        pause = pause or LONGEST_PAUSE_S
        try:
            self._servers.revive()
            self._guard()
        except (EmbeddedServerError, LogServerRefused, LogUnavailable) as error:
            _log.error("server not revived", reason=str(error), again_in_s=pause)
            if self._unguarded:
                # Nothing may be written to it before it is known to keep that.
                self._servers["log"].stop()
        else:
            _log.warning("server revived", servers=dead)
        self._started, self._next = time.monotonic(), time.monotonic() + pause

    def _guard(self) -> None:
        if self._unguarded:
            # What it lost, if anything, must be known before more is written after it.
            _guard(self._settings)
            self._unguarded = False

    def stop(self) -> None:
        """Stop the servers."""
        if self._servers is not None:
            self._servers.stop()
