"""Episodes of a running service, distilled by the command itself and not by a distiller."""

from __future__ import annotations

from typing import Any

import httpx

from domain.policies.validation import Validation
from tests.api.service import Service
from tests.commands.distilling import Distiller, finding
from tests.servers import eventually


class Distilling:
    """Says what a distiller found in an episode, and waits until the views show it."""

    def __init__(self, service: Service) -> None:
        self._node = service.node
        self._distiller = Distiller(service.node.application, service.node.clock)
        self.position = 0

    def distil(
        self, episode_id: str, *statements: str, evidence: str | None = None, **fields: Any
    ) -> list[str]:
        """Let an episode become these memories; give the ids of what it made, or saw again."""
        found = [finding(text, clarity=0.75, evidence=evidence or text) for text in statements]
        done = self._distiller.distil(episode_id, *found, **fields)
        self.shown(done.position)
        return [*done.memory_ids, *done.reinforced_ids]

    def verify(self, episode_id: str, memory_id: str) -> None:
        """Let an episode that comes to nothing else bear a memory out."""
        proof = Validation(memory_id=memory_id, rule="P1", delta=0.15)
        self.distil(episode_id, verified=(proof,))

    def fail(self, episode_id: str, error: str) -> None:
        self.shown(self._distiller.fail(episode_id, error))

    def shown(self, position: int) -> None:
        self.position = position
        eventually(lambda: self._node.state.checkpoint().position >= position)
        eventually(lambda: self._node.vector.checkpoint().position >= position)


def items(client: httpx.Client, path: str, **params: Any) -> list[dict[str, Any]]:
    """Give the items of a list."""
    answer = client.get(f"/api/v1{path}", params=params)
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["items"]
    return found
