"""`memoryweave status`: how the running service is."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from datetime import UTC, datetime

from msgspec import to_builtins

from memoryweave.client import Client
from memoryweave.contract import DistillerHealth, Health, NodeItem
from memoryweave.errors import Refused
from workers.cli.output import columns, print_json
from workers.cli.service import service


def run(arguments: argparse.Namespace) -> int:
    """Print the service's health and the nodes on its log; 1 unless the health is ``ok``."""
    with service(arguments) as client:
        health = client.health()
        nodes, refusal = _nodes(client)
    if arguments.json:
        print_json({**to_builtins(health), "nodes": None if refusal else to_builtins(nodes)})
    else:
        for line in (*_lines(health), *_node_lines(nodes, refusal)):
            print(line)
    return 0 if health.status == "ok" else 1


def _nodes(client: Client) -> tuple[list[NodeItem], str]:
    """Give the nodes, or why they cannot be told."""
    try:
        return list(client.replicas().items), ""
    except Refused as refused:
        return [], str(refused)


def _node_lines(nodes: list[NodeItem], refusal: str) -> Iterable[str]:
    if refusal:
        yield f"nodes: not told ({refusal})"
        return
    now = datetime.now(UTC)
    rows: list[tuple[object, ...]] = [("node", "role", "url", "said", "views (lag)")]
    rows += [
        (
            node.node_id + (" *" if node.this else ""),
            node.role,
            node.url,
            f"{max(0, round((now - node.said_at).total_seconds()))} s ago",
            ", ".join(
                f"{name} {view.position} ({view.lag if view.state == 'running' else view.state})"
                for name, view in sorted(node.views.items())
            ),
        )
        for node in nodes
    ]
    yield from columns(rows)


def view_table(health: Health) -> list[str]:
    """Lay out the views."""
    rows: list[tuple[object, ...]] = [("view", "position", "lag", "parked", "without vector", "")]
    rows += [
        (name, view.position, view.lag, view.parked, view.missing_vectors, view.paused or "")
        for name, view in sorted(health.views.items())
    ]
    return columns(rows)


def _lines(health: Health) -> Iterable[str]:
    yield f"MemoryWeave {health.version}, {health.role}: {health.status}"
    written = "writable" if health.log.writable else "not writable"
    yield f"log at position {health.log.position}, {written}" + (
        "" if health.log.durable else ", not durable"
    )
    yield f"embedder {health.embedder.name}, {health.embedder.state}"
    yield from view_table(health)
    if health.distiller is not None:
        yield _distiller_line(health.distiller)
    if health.backup is None:
        yield "no backup yet"
    else:
        hours = health.backup.age_s / 3600
        yield f"last backup {hours:.1f} h ago: {health.backup.file} ({health.backup.kept} kept)"
    for part in health.degraded:
        yield f"degraded: {part.part}: {part.reason}"


def _distiller_line(distiller: DistillerHealth) -> str:
    did = f"{distiller.distilled} distilled, {distiller.skipped} skipped, {distiller.failed} failed"
    by = distiller.model or "rules"
    budget = "" if distiller.calls_left is None else f", {distiller.calls_left} calls left today"
    instead = f" ({distiller.model_trouble})" if distiller.model_trouble else ""
    return f"distiller {distiller.state}, {distiller.waiting} wait; {did}, by {by}{instead}{budget}"
