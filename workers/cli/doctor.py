"""`memoryweave doctor`: every setting with its origin, and what is wrong with this node."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable

from msgspec import Struct

from memoryweave import contract
from workers.cli.arguments import settings_flags
from workers.cli.output import columns, show
from workers.keys import with_kept_keys
from workers.running import find_running
from workers.settings import describe, resolve


class Diagnosis(Struct, frozen=True, kw_only=True):
    """``service`` is the URL that `memoryweave up` announced, None when it does not run."""

    items: list[contract.SettingItem]
    service: str | None
    problems: list[str]


def run(arguments: argparse.Namespace) -> int:
    """Print the diagnosis; 1 when there is a problem."""
    resolved = with_kept_keys(resolve(settings_flags(arguments), os.environ))
    running = find_running(resolved.settings.data)
    diagnosis = Diagnosis(
        items=describe(resolved),
        service=running.url if running else None,
        problems=_problems(running.url) if running else [],
    )
    show(arguments, diagnosis, _lines)
    return int(bool(diagnosis.problems))


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
    yield f"service: {diagnosis.service or 'does not run on this data directory'}"
    yield from (f"problem: {problem}" for problem in diagnosis.problems)
