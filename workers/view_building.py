"""Builds a view's next generation beside the live one, and switches when it has caught up.

One build at a time in a process: two would each take longer, and both hold up the live views.
"""

from __future__ import annotations

import shutil
import threading
import time
from collections import deque
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Final

import structlog
from msgspec.structs import replace

from domain.errors import LogUnavailable
from eventlog.codec import UnknownEventType
from eventlog.outcomes import LogFork, LogGap
from projections.build import BuildFailed, GenerationBuild
from projections.build_request import (
    BuildRequest,
    BuildState,
    BuildStatus,
    finish_request,
    read_request,
    request_build,
    write_build_status,
)
from projections.digest import Frozen
from projections.generation import built_by, removable, sign
from projections.presence import Presence
from projections.priority import give_way
from projections.projector import ViewFenced
from projections.purging import note_purged
from projections.runner import describe
from projections.scratch import remove_left_scratch
from projections.status import read_status
from workers.opened_view import OpenedView
from workers.purging import purge_build
from workers.settings import Settings
from workers.view_writing import LogParts, View, live_builder

OLD_STAYS_S: Final = 600.0
"""How long an old generation stays for who still reads it."""

_LOOK_EVERY_S: Final = 0.5
_PURGE_EVERY_S: Final = 0.05
_TELL_EVERY_S: Final = 0.25
_RATE_OVER_S: Final = 5.0
_LIVE_CATCHES_UP_WITHIN_S: Final = 10.0
_PAUSES_S: Final = (0.25, 0.5, 1.0, 2.0, 4.0)
_NICENESS: Final = 10

_log = structlog.get_logger("projections")


def adopt_live_generation(view: View, settings: Settings) -> None:
    """Sign a generation that was just begun; ask for another where something else built it.

    The live one serves until that is there.
    """
    directory = view.directory
    wanted = view.kind.builder(settings)
    if not any(directory.live.iterdir()):
        sign(directory.live, wanted)
    found = live_builder(directory)
    if found != wanted:
        changed = ", ".join(
            f"{name} {getattr(found, name)!r} → {getattr(wanted, name)!r}"
            for name in wanted.__struct_fields__
            if getattr(found, name) != getattr(wanted, name)
        )
        request, _ = request_build(directory.path, changed)
        _log.info(
            "generation_asked_for",
            view=view.kind.name,
            generation=request.generation,
            because=changed,
        )


def keep_building(view: View, parts: LogParts, turn: threading.Lock, stop: threading.Event) -> None:
    """Build what is asked for until ``stop``; who holds ``turn`` builds. Removes old ones."""
    give_way(_NICENESS)
    while not stop.is_set():
        try:
            request = read_request(view.directory.path)
            _remove_old(view, request)
            if request is None:
                stop.wait(_LOOK_EVERY_S)
            elif turn.acquire(timeout=_LOOK_EVERY_S):
                try:
                    _Attempts(view, parts, request).run(stop)
                finally:
                    turn.release()
        except Exception as error:  # noqa: BLE001  # a full disk, say: the next look may do better
            _log.error("building_broke_off", view=view.kind.name, reason=describe(error))
            stop.wait(_PAUSES_S[-1])


def _remove_old(view: View, request: BuildRequest | None) -> None:
    remove_left_scratch(view.directory.path)
    kept = request.generation if request else None
    for folder in removable(view.directory.path, kept, time.time(), OLD_STAYS_S):
        _log.info("generation_removed", view=view.kind.name, generation=int(folder.name))
        shutil.rmtree(folder, ignore_errors=True)  # what is left goes at the next look


class _Attempts:
    """One request, tried until it is live, has failed, or the process stops."""

    def __init__(self, view: View, parts: LogParts, request: BuildRequest) -> None:
        self._view = view
        self._parts = parts
        self._request = request
        self._path = view.directory.path
        self._progress = _Progress()
        self._status = BuildStatus(
            generation=request.generation, state="building", asked_because=request.reason
        )

    def run(self, stop: threading.Event) -> None:
        """Build and switch. What fails for a while is tried again from the own checkpoint."""
        failures = 0
        while not stop.is_set():
            if self._request.generation == self._view.directory.generation:
                self._finish("live")  # its worker died after the switch
                return
            try:
                live = self._build(stop)
            except (BuildFailed, LogGap, LogFork, UnknownEventType, ViewFenced) as error:
                self._finish("failed", str(error))
                return
            except Exception as error:  # noqa: BLE001  # the live view must go on, whatever it is
                failures += not isinstance(error, LogUnavailable)
                if failures > len(_PAUSES_S):
                    self._finish("failed", describe(error))
                    return
                self._tell(replace(self._status, state="waiting", reason=describe(error)))
                stop.wait(_PAUSES_S[max(0, failures - 1)])
            else:
                if live:
                    self._finish("live")
                return

    def _build(self, stop: threading.Event) -> bool:
        """Build and switch; False when ``stop`` was set before."""
        kind, directory = self._view.kind, self._view.directory
        wanted = kind.builder(self._parts.settings)
        folder = self._begun(wanted)
        with ExitStack() as both, ExitStack() as stack:
            opened = stack.enter_context(kind.build(self._parts.settings, folder, wanted))

            there = stack.enter_context(closing(Presence([folder])))
            self._inherit(opened)

            def between_batches(build: GenerationBuild) -> None:
                there.check()
                opened.while_building()
                self._tell_progress(build)

            with closing(self._parts.subscribe(opened.projector.checkpoint())) as source:
                build = GenerationBuild(
                    opened.projector,
                    source,
                    opened.opener(self._parts.codec),
                    allow_parked=self._request.allow_parked,
                    between_batches=between_batches,
                )
                build.catch_up(stop)
                opened.finish(stop)
                whole = stack.enter_context(closing(Presence(opened.anchors())))
                while not purge_build(folder, opened) and not stop.wait(_PURGE_EVERY_S):
                    pass
                opened.sync()
                build.catch_up(stop)
                self._await_live(build.position, stop)
                with self._view.handover.switching(stop):
                    # What the live view shows now, the next one has to show as well.
                    build.catch_up(stop, last=max(build.position, self._live_position()))
                    if stop.is_set():
                        return False
                    opened.sync()
                    there.check()
                    whole.check()
                    frozen = self._freeze(both, folder)
                    directory.switch_to(self._request.generation)
                    self._view.handover.ready = (stack.pop_all(), opened)
                    self._status = replace(
                        self._status, position=build.position, parked=build.parked
                    )
            self._compare(frozen, stop)
        return True

    def _begun(self, wanted: object) -> Path:
        """Give the generation's folder, empty unless this program has begun it."""
        directory = self._view.directory
        folder = directory.begin(self._request.generation)
        if built_by(folder) != wanted:
            shutil.rmtree(folder)
            folder = directory.begin(self._request.generation)
            sign(folder, self._view.kind.builder(self._parts.settings))
            # What was erased up to here this process cannot open any more.
            note_purged(folder, self._live_position())
        return folder

    def _inherit(self, opened: OpenedView) -> None:
        directory = self._view.directory
        try:
            opened.inherit(directory.live if directory.generation else None)
        except Exception as error:  # noqa: BLE001  # damage may be why another is built; it costs time
            _log.warning("nothing_inherited", view=self._view.kind.name, reason=describe(error))

    def _live_position(self) -> int:
        status = read_status(self._path)
        return 0 if status is None else status.position

    def _await_live(self, position: int, stop: threading.Event) -> None:
        """Wait until the live view has come as far, if it is being written at all."""
        deadline = time.monotonic() + _LIVE_CATCHES_UP_WITHIN_S
        while not stop.is_set() and time.monotonic() < deadline:
            status = read_status(self._path)
            if status is None or status.state != "running" or status.position >= position:
                return
            stop.wait(0.01)

    def _freeze(self, both: ExitStack, folder: Path) -> tuple[Frozen, Frozen] | None:
        """Hold the old and the new generation as they are at the switch, if they shall be compared.

        Reading every row takes a while, and neither writing nor who waits for it stops for that.
        """
        if not (self._request.compare and self._view.directory.generation):
            return None
        freeze, live = self._view.kind.freeze, self._view.directory.live
        return both.enter_context(freeze(live)), both.enter_context(freeze(folder))

    def _compare(self, frozen: tuple[Frozen, Frozen] | None, stop: threading.Event) -> None:
        if frozen is None:
            return

        def look(_table: str, _row_hash: int) -> None:
            if stop.is_set():
                raise InterruptedError("the worker was stopped meanwhile")

        try:
            old, new = (digest(look) for digest in frozen)
        except Exception as error:  # noqa: BLE001  # it is live, whether or not it can be compared
            reason = f"the generations could not be compared: {describe(error)}"
            self._status = replace(self._status, reason=reason)
        else:
            self._status = replace(self._status, old_digest=old, new_digest=new)

    def _tell_progress(self, build: GenerationBuild) -> None:
        now = time.monotonic()
        if self._progress.is_due(now):
            target = self._parts.log.head().position
            rate = self._progress.rate(now, build.position)
            left = max(0, target - build.position)
            self._tell(
                replace(
                    self._status,
                    position=build.position,
                    target=target,
                    parked=build.parked,
                    events_per_s=rate,
                    eta_s=left / rate if rate else None,
                )
            )

    def _tell(self, status: BuildStatus) -> None:
        try:
            write_build_status(self._path, status)
        except OSError as error:  # a full disk, perhaps; the build itself will say so
            _log.warning("build_status_not_written", reason=describe(error))

    def _finish(self, state: BuildState, reason: str = "") -> None:
        status = replace(self._status, state=state, reason=reason or self._status.reason)
        if state == "failed":
            # It holds opened texts, and the disk may be what it failed for.
            shutil.rmtree(self._path / str(self._request.generation), ignore_errors=True)
        finish_request(self._path, status)
        _log.log(
            40 if state == "failed" else 20,
            f"generation_{state}",
            view=self._view.kind.name,
            generation=self._request.generation,
            reason=reason,
        )


class _Progress:
    """When to tell of a build, and how quick it was in the last seconds."""

    def __init__(self) -> None:
        self._seen: deque[tuple[float, int]] = deque()
        self._next = 0.0

    def is_due(self, now: float) -> bool:
        """Tell whether it is time to say something again."""
        if now < self._next:
            return False
        self._next = now + _TELL_EVERY_S
        return True

    def rate(self, now: float, position: int) -> float | None:
        """Give the events per second of the last 5 s, None at the first look."""
        self._seen.append((now, position))
        while self._seen[0][0] < now - _RATE_OVER_S:
            self._seen.popleft()
        began, first = self._seen[0]
        return (position - first) / (now - began) if now > began else None
