"""Whether the time of a refusal tells that a thing exists: what is another's against what is not.

For every route that takes an id, a stranger asks in turn for a thing of somebody else's and for an
id that nothing has. Held to the bound is the difference of the medians, as a share of the spread
(interquartile range) of the answers to unknown ids: within it one answer tells nothing.
"""

from __future__ import annotations

import statistics
import tempfile
from pathlib import Path
from typing import Any, Final

from bench.commit_latency import Connection
from bench.ratio import Ratio
from bench.recall_latency import milliseconds
from memoryweave import contract
from memoryweave.outbox import Queued
from tests.nodes import NodeProcess

ROUNDS: Final = 300
UNKNOWN: Final = "5f2d7b1e-0000-5000-8000-00000000000{}"
QUOTA: Final = contract.Quota(
    recall_per_s=1e5, recall_burst=100_000, commit_per_s=1e5, commit_burst=100_000
)
WALK: Final[tuple[tuple[str, str, dict[str, Any] | None], ...]] = (
    ("GET", "/memory/{memory}", None),
    ("GET", "/memory/{memory}/versions", None),
    ("GET", "/episodes/{episode}", None),
    ("DELETE", "/distilled/{memory}", None),
    ("DELETE", "/episodes/{episode}", None),
    ("POST", "/memory/{memory}/restore", None),
    ("POST", "/memory/{memory}/tags", {"tags": ["x"]}),
    ("POST", "/feedback/useful", {"memory_id": "{memory}"}),
    ("POST", "/feedback/correct", {"memory_id": "{memory}", "content": "x"}),
)


def main() -> list[Ratio]:
    """Walk with a stranger's key, timing."""
    with (
        tempfile.TemporaryDirectory(prefix="mw-bench-") as place,
        NodeProcess(Path(place) / "data") as node,
        node.client() as admin,
    ):
        victim = admin.register_agent("hermes-victim", "hermes", quota=QUOTA).api_key
        stranger = admin.register_agent("hermes-stranger", "hermes", quota=QUOTA).api_key
        with node.client(victim) as client:
            receipt = client.remember("The walnut safe opens with 4711", wait="vectors")
            assert not isinstance(receipt, Queued), "this client has no outbox"
        things = {"memory": str(receipt.memory_id), "episode": receipt.episode_id}
        nothing = {"memory": UNKNOWN.format(1), "episode": UNKNOWN.format(2)}
        asking = Connection(node.port, {"X-API-Key": stranger})
        return [_compared(asking, *step, things, nothing) for step in WALK]


def _compared(
    asking: Connection,
    method: str,
    path: str,
    body: dict[str, Any] | None,
    things: dict[str, str],
    nothing: dict[str, str],
) -> Ratio:
    def ask(names: dict[str, str]) -> float:
        filled = body and {
            key: value.format(**names) if isinstance(value, str) else value
            for key, value in body.items()
        }
        answers: list[int] = []
        took = milliseconds(
            lambda: answers.append(asking.ask(method, f"/api/v1{path.format(**names)}", filled)[0])
        )
        if answers != [404]:
            raise RuntimeError(f"{method} {path} answered {answers[0]} to a stranger")
        return took

    pairs = [(ask(things), ask(nothing)) for _ in range(ROUNDS)][ROUNDS // 10 :]
    foreign, unknown = (statistics.median(times) for times in zip(*pairs, strict=True))
    low, _, high = statistics.quantiles([time for _, time in pairs], n=4)
    return Ratio(
        f"{method} {path}: |another's - nobody's| / spread",
        abs(foreign - unknown) / (high - low),
        ceiling=1.0,
        detail=f"{foreign:.2f} ms against {unknown:.2f} ms, spread {high - low:.2f} ms",
    )


if __name__ == "__main__":
    for measured in main():
        print(measured.line())
