"""`memoryweave erase`: a memory, an episode or all of an agent, for ever.

Asks before it does, and goes on asking the service until every file is cleared.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterable
from typing import Final

from domain.identity import uuid7
from memoryweave.client import Client
from memoryweave.contract import ErasureReceipt
from workers.cli.failure import Failure
from workers.cli.output import show
from workers.cli.service import service

_PATIENCE_S: Final = 60.0
_GIVE_UP_AFTER_S: Final = 900.0
_PAUSE_S: Final = 1.0


def run(arguments: argparse.Namespace) -> int:
    """Erase and print the receipt. Exit code 1 while something still holds it, or if nobody said
    yes. Raises `Failure`.
    """
    target = {"memory_id": arguments.memory, "episode_id": arguments.episode}
    target["agent_id"] = arguments.agent
    named = {name: value for name, value in target.items() if value is not None}
    if not arguments.yes and not _confirmed(named):
        print("nothing was erased", file=sys.stderr)
        return 1
    with service(arguments, _PATIENCE_S) as client:
        receipt = _erased(client, named)
    show(arguments, receipt, _lines)
    return 1 if receipt.pending_views else 0


def _confirmed(named: dict[str, str]) -> bool:
    [(name, value)] = named.items()
    what = {
        "memory_id": "the memory with the episodes that say the same",
        "episode_id": "the episode with every memory that came of it alone",
        "agent_id": "all that the agent stored, and its access,",
    }[name]
    if not sys.stdin.isatty():
        raise Failure("erasing cannot be undone: say --yes where nobody can be asked")
    print(f"This erases {what} for ever: {value}", file=sys.stderr)
    print("Type the id again to go on: ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip() == value


def _erased(client: Client, named: dict[str, str]) -> ErasureReceipt:
    key = uuid7(int(time.time() * 1000), os.urandom(10))
    give_up = time.monotonic() + _GIVE_UP_AFTER_S
    while True:
        receipt = client.erase(**named, idempotency_key=key)
        if not receipt.pending_views or time.monotonic() > give_up:
            return receipt
        print(f"waiting for {', '.join(receipt.pending_views)}", file=sys.stderr)
        time.sleep(_PAUSE_S)


def _lines(receipt: ErasureReceipt) -> Iterable[str]:
    yield (
        f"erased at position {receipt.position}: {len(receipt.memories)} memories, "
        f"{len(receipt.episodes)} episodes, {len(receipt.subjects)} keys"
    )
    for kind in ("views", "vectors", "caches", "segments", "backups"):
        names = getattr(receipt.purged, kind)
        if names:
            yield f"  cleared {kind}: {', '.join(names)}"
    for name in receipt.still_holding:
        yield f"  STILL HOLDING: {name}"
