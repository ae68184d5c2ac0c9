"""When nothing more will be written to a log, and its views show all of it."""

from __future__ import annotations

from tests.nodes import NodeProcess

AT_ONCE = {"MEMORYWEAVE_DISTILL_BATCH": "1"}
"""A node's setting by which no episode waits for others: else the rest of a batch waits minutes."""


def is_at_rest(node: NodeProcess, head: int) -> bool:
    """Tell whether every view shows the log up to ``head``, and nothing is left to distil."""
    with node.client() as client:
        health = client.health()
    distiller = health.distiller
    return (
        distiller is not None
        and (distiller.state, distiller.waiting, distiller.lag) == ("waiting", 0, 0)
        and all(
            view.position >= head and not view.parked and not view.missing_vectors
            for view in health.views.values()
        )
    )
