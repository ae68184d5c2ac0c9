"""`memoryweave commit`: a piece of conversation, verbatim."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable

from memoryweave.contract import CommitReceipt
from workers.cli.output import show
from workers.cli.service import service


def run(arguments: argparse.Namespace) -> None:
    """Store it and print the receipt."""
    content = sys.stdin.read() if arguments.content == "-" else arguments.content
    with service(arguments) as client:
        receipt = client.commit(
            content,
            namespace=arguments.namespace,
            speaker=arguments.speaker,
            source=arguments.source or "agent_inference",
            category=arguments.category,
            session_id=arguments.session,
            tags=arguments.tag,
            idempotency_key=arguments.idempotency_key,
            wait="true" if arguments.wait else None,
        )
    show(arguments, receipt, receipt_lines)


def receipt_lines(receipt: CommitReceipt) -> Iterable[str]:
    """Say what a commit became."""
    if receipt.memory_id is not None:
        yield f"memory   {receipt.memory_id}" + " (known before, reinforced)" * receipt.reinforced
    yield f"episode  {receipt.episode_id}"
    yield f"position {receipt.position}" + " (done before)" * receipt.duplicate
    if receipt.pending_views:
        yield f"not yet shown by: {', '.join(receipt.pending_views)}"
