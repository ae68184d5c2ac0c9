"""`memoryweave remember`: one finished statement."""

from __future__ import annotations

import argparse

from workers.cli.commit import receipt_lines
from workers.cli.output import show
from workers.cli.service import service


def run(arguments: argparse.Namespace) -> None:
    """Store it and print the receipt."""
    with service(arguments) as client:
        receipt = client.remember(
            arguments.statement,
            namespace=arguments.namespace,
            speaker=arguments.speaker,
            source=arguments.source or "agent_inference",
            category=arguments.category,
            tags=arguments.tag,
            idempotency_key=arguments.idempotency_key,
            wait="true" if arguments.wait else None,
        )
    show(arguments, receipt, receipt_lines)
