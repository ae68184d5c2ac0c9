"""Making events for folds, in one line."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from domain.events import EpisodeCommitted, Event, EventBody, MemoryCreated

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)


def event_of(kind: str, version: int, body: EventBody, **envelope: Any) -> Event:
    fields = {
        "aggregate_id": f"{kind}-1",
        "event_id": f"event-{kind}-{version}",
        "occurred_at": NOW,
        "actor": "hermes-a06",
        "correlation_id": "test",
    }
    return Event(aggregate_type=kind, version=version, body=body, **(fields | envelope))


def history(fold: Any, kind: str, *bodies: EventBody, **envelope: Any) -> Any:
    """Fold bodies as the first events of one aggregate."""
    state = None
    for version, body in enumerate(bodies, 1):
        state = fold(state, event_of(kind, version, body, **envelope))
    return state


def created(content: str = "ComfyUI listens on 8188", **fields: Any) -> MemoryCreated:
    defaults = {
        "category": "fact",
        "decay_class": "system_fact",
        "namespace": "hermes-main",
        "agent_id": "hermes-a06",
        "source": "agent_inference",
        "distilled_by": "caller",
        "confidence": 1.0,
        "derived_from": ["episode-1"],
    }
    return MemoryCreated(content=content, **(defaults | fields))


def committed(content: str = "hello", **fields: Any) -> EpisodeCommitted:
    defaults = {"agent_id": "hermes-a06", "namespace": "hermes-main", "source": "agent_inference"}
    return EpisodeCommitted(content=content, **(defaults | fields))
