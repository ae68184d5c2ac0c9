"""`memoryweave status`: how the running service is."""

from __future__ import annotations

import argparse
from collections.abc import Iterable

from memoryweave.contract import Health
from workers.cli.output import columns, show
from workers.cli.service import service


def run(arguments: argparse.Namespace) -> int:
    """Print the service's health; 1 unless it is ``ok``."""
    with service(arguments) as client:
        health = client.health()
    show(arguments, health, _lines)
    return 0 if health.status == "ok" else 1


def view_table(health: Health) -> list[str]:
    """Lay out the views."""
    rows: list[tuple[object, ...]] = [("view", "position", "lag", "parked", "without vector", "")]
    rows += [
        (name, view.position, view.lag, view.parked, view.missing_vectors, view.paused or "")
        for name, view in sorted(health.views.items())
    ]
    return columns(rows)


def _lines(health: Health) -> Iterable[str]:
    yield f"MemoryWeave {health.version}: {health.status}"
    written = "writable" if health.log.writable else "not writable"
    yield f"log at position {health.log.position}, {written}" + (
        "" if health.log.durable else ", not durable"
    )
    yield f"embedder {health.embedder.name}, {health.embedder.state}"
    yield from view_table(health)
    for part in health.degraded:
        yield f"degraded: {part.part}: {part.reason}"
