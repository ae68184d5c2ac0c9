"""`memoryweave candidates`: what was distilled and waits for the owner's word."""

from __future__ import annotations

import argparse
from collections.abc import Iterable

from memoryweave.contract import CandidateItem, CandidatePage, CandidatesReceipt
from workers.cli.output import show
from workers.cli.service import service


def run(arguments: argparse.Namespace) -> None:
    """List, settle or dismiss; the owner's key is taken for the last two. Raises `Failure`."""
    arguments.owner = arguments.owner or arguments.action != "list"
    with service(arguments) as client:
        match arguments.action:
            case "list":
                page = client.candidates(namespace=arguments.namespace, limit=arguments.limit)
                show(arguments, page, _list)
            case "settle":
                settled = client.settle(arguments.memory_ids, content=arguments.content)
                show(arguments, settled, lambda receipt: _receipt("settled", receipt))
            case "dismiss":
                dismissed = client.dismiss(arguments.memory_ids, reason=arguments.reason)
                show(arguments, dismissed, lambda receipt: _receipt("dismissed", receipt))


def _list(page: CandidatePage) -> Iterable[str]:
    if not page.items:
        yield "nothing waits"
    for item in page.items:
        yield from _item(item)
    if page.next is not None:
        yield "… and more: see --limit"


def _item(item: CandidateItem) -> Iterable[str]:
    yield f"{item.id}  {item.namespace}  {item.category}"
    yield f"  {item.content}"
    if item.evidence is not None and item.evidence != item.content:
        yield f"  said: {item.evidence}"
    yield (
        f"  clarity {item.clarity:.2f}, confidence {item.confidence:.2f}, "
        f"seen {item.observations} times"
    )


def _receipt(done: str, receipt: CandidatesReceipt) -> Iterable[str]:
    yield f"{done} {len(receipt.memory_ids)} at position {receipt.position}"
