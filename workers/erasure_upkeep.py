"""Finishes erasures that nobody finished: their process died, or a view took long to clear."""

from __future__ import annotations

import os
import sqlite3
from datetime import UTC, datetime
from typing import Final

import structlog

from domain.errors import LogUnavailable, MemoryWeaveError
from projections.state.unfinished import unfinished_erasures
from workers.settings import Settings

ACTOR: Final = "system:lifecycle"
_WAIT_S: Final = 5.0

_log = structlog.get_logger("erasure")


class ErasureUpkeep:
    """For the lifecycle worker's one thread. ``look`` is called now and then."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._seen: set[tuple[str, str]] = set()

    def look(self) -> str:
        """Go on with what was unfinished at the look before, too: until then somebody is about it.

        Gives what keeps an erasure from being finished, "" if nothing does. Raises
        `LogUnavailable`.
        """
        try:
            unfinished = unfinished_erasures(self._settings.data / "views" / "state")
        except sqlite3.Error as error:
            return f"it is not known which erasures are unfinished: {error}"
        due = [erasure for erasure in unfinished if erasure in self._seen]
        self._seen = set(unfinished)
        said = [self._finish(target, target_id) for target, target_id in due]
        return "; ".join(filter(None, said))

    def _finish(self, target: str, target_id: str) -> str:
        # A worker with nothing to do stays small.
        from commands.application import MemoryApplication
        from commands.command import Command, CommandContext
        from domain.caller import Caller
        from domain.identity import uuid7
        from memoryweave import contract
        from workers.archive import archive_location
        from workers.erasure import erase_everywhere
        from workers.log_server import log_url

        now = datetime.now(UTC)
        command_id = uuid7(int(now.timestamp() * 1000), os.urandom(10))
        command = Command(
            caller=Caller(actor=ACTOR, kind="admin"),
            context=CommandContext(
                command_id=command_id, fingerprint="", correlation_id=command_id
            ),
            request=contract.Erase(**{f"{target}_id": target_id}),
        )
        settings = self._settings
        try:
            with MemoryApplication(
                log_url(settings, "admin"), settings.log, archive=archive_location(settings)
            ) as application:
                receipt = erase_everywhere(
                    settings, application, command, lambda: datetime.now(UTC), _WAIT_S
                )
        except LogUnavailable:
            raise
        except (MemoryWeaveError, OSError, sqlite3.Error) as error:
            _log.error("erasure_not_finished", target=target_id, reason=str(error))
            return f"the erasure of {target} {target_id} cannot be finished: {error}"
        if receipt.pending_views:
            return f"the erasure of {target} {target_id} waits for {receipt.pending_views}"
        _log.info("erasure_finished", target=target_id)
        return ""
