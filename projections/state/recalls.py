"""Events that tell what was recalled."""

from __future__ import annotations

from collections import Counter

from domain.events import Event, RecallServed
from projections.state.step import Step, microseconds


def recall_served(step: Step, event: Event, body: RecallServed) -> None:
    """Count the recalls, their misses, and how often each memory was among the results.

    No answer changes by it, so no namespace's ``changed_at`` does.
    """
    at = microseconds(event.occurred_at)
    row = {
        "position": event.position,
        "agent_id": event.actor,
        "served_at": at,
        "recalls": len(body.recalls),
        "misses": sum(recall.miss for recall in body.recalls),
    }
    if not step.add("served", row):
        return
    counted = Counter(
        memory_id
        for recall in body.recalls
        for memory_id in {result.memory_id for result in recall.results}
    )
    step.executemany(
        "INSERT INTO recall_counts (memory_id, recalls, last_recalled_at) SELECT ?, ?, ? "
        "WHERE NOT EXISTS (SELECT 1 FROM removed WHERE id = ?) "
        "ON CONFLICT (memory_id) DO UPDATE SET recalls = recalls + excluded.recalls, "
        "last_recalled_at = max(last_recalled_at, excluded.last_recalled_at)",
        [(memory_id, times, at, memory_id) for memory_id, times in counted.items()],
    )
