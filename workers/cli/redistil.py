"""`memoryweave redistil`: episodes are distilled anew."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from functools import partial

from memoryweave.client import Client
from memoryweave.contract import RedistilReceipt
from workers.cli.failure import Misused
from workers.cli.output import show
from workers.cli.service import service

AT_ONCE = 500
"""How many the service takes in one request."""


def run(arguments: argparse.Namespace) -> None:
    """Ask for the named episodes, or for a namespace batch by batch. Raises `Failure`."""
    if bool(arguments.episode_ids) == (arguments.namespace is not None):
        raise Misused("name either episodes or --namespace")
    with service(arguments) as client:
        receipt = _asked(client, arguments)
    show(arguments, receipt, _lines)


def _asked(client: Client, arguments: argparse.Namespace) -> RedistilReceipt:
    """Give one receipt for all batches."""
    ids: list[str] = []
    ask = partial(client.redistil, reason=arguments.reason)
    if arguments.namespace is None:
        named = arguments.episode_ids
        for start in range(0, len(named), AT_ONCE):
            receipt = ask(episode_ids=named[start : start + AT_ONCE])
            ids += receipt.episode_ids
    else:
        receipt = ask(namespace=arguments.namespace)
        ids += receipt.episode_ids
        while receipt.remaining:
            print(f"{len(ids)} wait, {receipt.remaining} to go", file=sys.stderr)
            receipt = ask(namespace=arguments.namespace, up_to=receipt.up_to)
            ids += receipt.episode_ids
    return RedistilReceipt(episode_ids=ids, position=receipt.position, duplicate=receipt.duplicate)


def _lines(receipt: RedistilReceipt) -> Iterable[str]:
    yield f"waiting to be distilled anew: {len(receipt.episode_ids)} episodes"
