"""`memoryweave projections`: how the views are, and another try for what they could not show."""

from __future__ import annotations

import argparse
from collections.abc import Iterable

from memoryweave.contract import ProjectionList
from workers.cli.output import columns, print_json, show
from workers.cli.service import service


def run(arguments: argparse.Namespace) -> None:
    """Show the views with their parked events, or have those tried again."""
    with service(arguments) as client:
        listed = client.projections()
        if arguments.action == "status":
            show(arguments, listed, _lines)
            return
        asked = [arguments.view] if arguments.view else [item.view for item in listed.items]
        for view in asked:
            client.retry_projection(view)
    if arguments.json:
        print_json({"asked": asked})
    else:
        print(f"asked the projection worker to replay the parked events of: {', '.join(asked)}")


def _lines(listed: ProjectionList) -> Iterable[str]:
    rows: list[tuple[object, ...]] = [("view", "position", "lag", "parked", "without vector", "")]
    rows += [
        (
            item.view,
            item.health.position,
            item.health.lag,
            item.health.parked,
            item.health.missing_vectors,
            item.health.paused or "",
        )
        for item in listed.items
    ]
    yield from columns(rows)
    for item in listed.items:
        for event in item.parked:
            yield f"{item.view}: {event.type} at {event.position} is parked, {event.cause}: " + (
                event.reason
            )
