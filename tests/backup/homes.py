"""A node's data directory on a real log server, with commands in it whose receipts are kept."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from commands.application import MemoryApplication
from domain.identity import uuid7
from eventlog.archive.archiver import Archiver
from eventlog.embedded import EmbeddedServers
from eventlog.lease import Lease
from eventlog.redis_log import RedisLog
from tests.commands.speaking import Speaker, fresh_key
from workers.archive import archive_location, archive_rules, open_archive
from workers.backup.restoring import Restored, RestoreRequest, restore_backup
from workers.keys import embedded_users, ensure_keys
from workers.log_server import load_scripts, log_url
from workers.settings import Settings, resolve

SMALL = {
    "MEMORYWEAVE_ARCHIVE_SEGMENT_EVENTS": "20",
    "MEMORYWEAVE_ARCHIVE_HOT_WINDOW": "15",
}
"""Segments of 20 events; 15 stay hot."""


class Home:
    """A data directory and the log at ``url``."""

    def __init__(self, data: Path, url: str | None, log: str = "main", **environment: str) -> None:
        """``url`` None: an embedded server, which runs within `servers`."""
        self.environment = {"MEMORYWEAVE_LOG": log} | SMALL | environment
        if url is not None:
            self.environment["REDIS_URL"] = url
        self.flags = {"data": str(data)}
        self.data = data
        self.sent: list[tuple[Callable[..., Any], tuple[Any, ...], str, Any]] = []

    @property
    def settings(self) -> Settings:
        return ensure_keys(resolve(self.flags, self.environment)).resolved.settings

    @property
    def untouched(self) -> Settings:
        """The settings, and nothing made in the directory."""
        return resolve(self.flags, self.environment).settings

    @contextmanager
    def servers(self) -> Iterator[None]:
        """Run the embedded log server until the block ends."""
        users = embedded_users(self.untouched)
        with EmbeddedServers(self.data, names=("log",), users=users):
            load_scripts(self.untouched)
            yield

    @contextmanager
    def application(self) -> Iterator[MemoryApplication]:
        settings = self.untouched
        with MemoryApplication(
            log_url(settings, "admin"), settings.log, archive=archive_location(settings)
        ) as application:
            yield application

    @contextmanager
    def log(self) -> Iterator[RedisLog]:
        settings = self.untouched
        url = log_url(settings, "admin")
        with RedisLog(url, settings.log, archive=open_archive(settings)) as log:
            yield log

    def archive_and_trim(self) -> int:
        """Archive and trim what is due; give the first position that stays."""
        settings = self.untouched
        with self.log() as log, self.application() as application:
            assert log.archive is not None
            archiver = Archiver(
                log,
                log.archive.place,
                Lease(log, "archive", "these tests", 60),
                keep_snapshots=application.keep_snapshots,
                clock=lambda: datetime.now(UTC),
                rules=archive_rules(settings),
            )
            archiver.archive_due()
            return archiver.trim().floor

    def live_on(self, steps: int, seed: int) -> None:
        """Send random commands and keep them with their receipts."""
        chance = random.Random(seed)
        with self.application() as application:
            speaker = speaker_of(application)
            memories = [r.memory_id for _, _, _, r in self.sent if getattr(r, "memory_id", None)]
            for step in range(steps):
                move, arguments = _move(chance, speaker, memories, f"{seed}-{step}")
                key = fresh_key()
                if chance.random() < 0.5:
                    key = uuid7(time.time_ns() // 1_000_000, os.urandom(10))
                receipt = move(speaker, *arguments, key=key)
                self.sent.append((move, arguments, key, receipt))
                if move is Speaker.remember:
                    memories.append(receipt.memory_id)


def restored_from(backup: Path, home: Home, **more: object) -> Restored:
    request = RestoreRequest(backup=backup, flags=home.flags, environment=home.environment, **more)
    return restore_backup(request, now=datetime.now(UTC), randomness=os.urandom)


def speaker_of(application: MemoryApplication) -> Speaker:
    """Somebody who may say everything, at the present time."""
    speaker = Speaker.agent(application, "hermes-a06", main="hermes-main", may_claim=True)
    speaker.clock.now = datetime.now(UTC)
    return speaker


def _move(
    chance: random.Random, speaker: Speaker, memories: list[str], word: str
) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    if not memories or chance.random() < 0.4:
        return chance.choice([Speaker.remember, Speaker.remember, Speaker.commit]), (
            f"{word} {chance.choice(['runs on port 8188', '我喜欢喝乌龙茶', 'is in /etc/nginx'])}",
        )
    memory = chance.choice(memories[:3] + memories[-3:])
    return chance.choice(
        [
            (Speaker.correct, (memory, f"{word} corrected")),
            (Speaker.useful, (memory,)),
            (Speaker.not_useful, (memory,)),
            (Speaker.tag, (memory, word)),
        ]
    )
