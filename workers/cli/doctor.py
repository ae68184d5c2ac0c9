"""`memoryweave doctor`: every setting with its origin, and what is wrong with this node."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable

from msgspec import Struct

from domain.errors import LogUnavailable
from eventlog.rights import NEEDED
from memoryweave import contract
from workers.cli.arguments import settings_flags
from workers.cli.output import columns, show
from workers.keys import with_kept_keys
from workers.log_server import PROCESSES, rights_at
from workers.running import find_running
from workers.settings import SettingError, Settings, describe, resolve


class Diagnosis(Struct, frozen=True, kw_only=True):
    """``service`` is the URL that `memoryweave up` announced, None when it does not run.

    ``users`` names, per kind of process, the user as whom it speaks to the log's server; it is
    empty when that does not answer. A warning is no problem yet: the exit code does not tell it.
    """

    items: list[contract.SettingItem]
    service: str | None
    users: dict[str, str]
    warnings: list[str]
    problems: list[str]


def run(arguments: argparse.Namespace) -> int:
    """Print the diagnosis; 1 when there is a problem."""
    resolved = with_kept_keys(resolve(settings_flags(arguments), os.environ))
    running = find_running(resolved.settings.data)
    users, warnings = _speakers(resolved.settings)
    diagnosis = Diagnosis(
        items=describe(resolved),
        service=running.url if running else None,
        users=users,
        warnings=warnings,
        problems=_problems(running.url) if running else [],
    )
    show(arguments, diagnosis, _lines)
    return int(bool(diagnosis.problems))


def _speakers(settings: Settings) -> tuple[dict[str, str], list[str]]:
    """Name the users of the log's server, and the harm that they could do and need not."""
    users: dict[str, str] = {}
    may: dict[str, set[str]] = {}
    for process, wanted in PROCESSES.items():
        try:
            rights = rights_at(settings, wanted)
        except SettingError:
            return {}, []  # there is none: no node runs
        except LogUnavailable as error:
            return {}, [f"the log's server was not asked for its users: {error}"]
        users[process] = rights.user or "unknown"
        if rights.harmful is None:
            return users, [
                f"user {rights.user or '(unnamed)'} of the log's server may not ask what it may: "
                "allow ACL WHOAMI and ACL DRYRUN"
            ]
        # With one REDIS_URL for all of them, one of them needs what the others do not.
        may.setdefault(rights.user, set(rights.harmful)).difference_update(NEEDED.get(wanted, ()))
    return users, [
        f"user {user} of the log's server may {', '.join(sorted(harm))}, which no process needs: "
        "docs/log-server.md has narrower rules"
        for user, harm in may.items()
        if harm
    ]


def _problems(url: str) -> list[str]:
    from memoryweave.client import Client
    from memoryweave.errors import MemoryWeaveError

    try:
        with Client(url, outbox=None) as client:
            degraded = client.health().degraded
    except MemoryWeaveError as error:
        return [f"the service at {url} does not answer: {error}"]
    return [f"{part.part}: {part.reason}" for part in degraded]


def _lines(diagnosis: Diagnosis) -> Iterable[str]:
    yield from columns([(item.name, item.value, item.origin) for item in diagnosis.items])
    yield ""
    if diagnosis.users:
        spoken = ", ".join(f"{process} as {user}" for process, user in diagnosis.users.items())
        yield f"log server: {spoken}"
    yield from (f"warning: {warning}" for warning in diagnosis.warnings)
    yield f"service: {diagnosis.service or 'does not run on this data directory'}"
    yield from (f"problem: {problem}" for problem in diagnosis.problems)
