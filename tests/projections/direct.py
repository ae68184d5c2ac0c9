"""A state view fed with events directly, for tests of what it answers."""

from __future__ import annotations

from collections import Counter
from datetime import datetime, timedelta
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from domain import events as facts
from domain.events import Event, EventBody
from eventlog.subscription import Checkpoint
from projections.generation import ViewDirectory
from projections.state.projector import StateProjector
from projections.state.view import StateView
from tests.histories import START

NOW = START + timedelta(days=1)


class Direct:
    """A view with its writer. Every `tell` is one batch; events get the next positions."""

    def __init__(self, path: Path) -> None:
        self._directory = ViewDirectory(path)
        self._projector = StateProjector(self._directory.live)
        self._versions: Counter[str] = Counter()
        self.view = StateView(path)
        self.position = 0

    def tell(self, *written: tuple[str, str, EventBody], at: datetime = START) -> int:
        events = [self._event(at, *fact) for fact in written]
        self._projector.apply(events, Checkpoint(self.position, "epoch", f"e{self.position}"))
        return self.position

    def memory(
        self, memory_id: str, content: str = "a text", *, at: datetime = START, **more: Any
    ) -> str:
        self.tell(("Memory", memory_id, a_memory(content, **more)), at=at)
        return memory_id

    def episode(
        self, episode_id: str, content: str = "a text", *, at: datetime = START, **more: Any
    ) -> str:
        self.tell(("Episode", episode_id, an_episode(content, **more)), at=at)
        return episode_id

    def change(self, memory_id: str, *bodies: EventBody, at: datetime = START) -> int:
        return self.tell(*(("Memory", memory_id, body) for body in bodies), at=at)

    def _event(self, at: datetime, kind: str, aggregate_id: str, body: EventBody) -> Event:
        self.position += 1
        self._versions[aggregate_id] += 1
        return Event(
            aggregate_type=kind,
            aggregate_id=aggregate_id,
            version=self._versions[aggregate_id],
            event_id=f"e{self.position}",
            occurred_at=at,
            actor="hermes-1",
            correlation_id="c",
            body=body,
            position=self.position,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.view.close()
        self._projector.close()
        self._directory.close()


def a_memory(content: str = "a text", **more: Any) -> facts.MemoryCreated:
    return facts.MemoryCreated(
        **{
            "content": content,
            "category": "fact",
            "decay_class": "system_fact",
            "namespace": "shared",
            "agent_id": "hermes-1",
            "source": "owner_message",
            "distilled_by": "caller",
            "confidence": 0.9,
            **more,
        }
    )


def an_episode(content: str = "a text", **more: Any) -> facts.EpisodeCommitted:
    return facts.EpisodeCommitted(
        **{
            "agent_id": "hermes-1",
            "namespace": "shared",
            "content": content,
            "source": "agent_inference",
            **more,
        }
    )
