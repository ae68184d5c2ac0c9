"""`memoryweave digest`: what each view says, as one number: equal on every node that is right.

A view shows what it shows now. What it showed at an earlier position has to be folded (--rebuild),
which needs the data directory or REDIS_URL.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Iterable
from typing import Final

from msgspec import Struct, convert, to_builtins

from memoryweave.client import Client
from memoryweave.contract import DigestItem, DigestList, NodeItem
from memoryweave.errors import MemoryWeaveError
from memoryweave.exchange import Retries
from workers.cli.arguments import settings_flags
from workers.cli.failure import Failure, Misused, start_failures
from workers.cli.output import columns, show
from workers.cli.service import address_and_key, service
from workers.settings import resolve

_PATIENCE_S: Final = 5.0
_EVERY_ROW_IS_READ_WITHIN_S: Final = 600.0
_COME_TO_REST_WITHIN_S: Final = 30.0
_LOOK_EVERY_S: Final = 1.0
_COLUMNS: Final = ("view", "position", "rows", "parked", "erased", "sha256")


class NodeDigests(Struct, frozen=True, kw_only=True):
    """What one node's views say; ``trouble`` says why it does not tell."""

    node: NodeItem
    items: list[DigestItem] = []
    trouble: str = ""


def run(arguments: argparse.Namespace) -> int:
    """Print the digests; with --all give 1 unless all nodes say the same.

    Raises `Misused`, and `Failure` where a digest cannot be had.
    """
    if arguments.rebuild and (arguments.at is None or arguments.at < 0 or arguments.all):
        raise Misused("--rebuild folds this node's views up to --at: give that, without --all")
    if arguments.all and arguments.at is not None:
        raise Misused("--all compares nodes where they are; it takes no --at")
    if arguments.rebuild:
        show(arguments, _folded(arguments), _lines)
        return 0
    with service(arguments, _PATIENCE_S, _EVERY_ROW_IS_READ_WITHIN_S) as client:
        if arguments.all:
            compared = _of_all(client, address_and_key(arguments)[1])
            show(arguments, compared, _node_lines)
            return 0 if is_one(compared) else 1
        digests = client.digest(at=arguments.at)
    show(arguments, digests, _lines)
    return 0


def is_one(compared: list[NodeDigests]) -> bool:
    """Tell whether every node has told, and all have told the same."""
    return not any(one.trouble or one.items != compared[0].items for one in compared)


def _folded(arguments: argparse.Namespace) -> DigestList:
    # A view's libraries are heavy: who asks a service does not wait for them.
    from eventlog.codec import Codec
    from eventlog.redis_log import RedisLog
    from eventlog.sealing import KeyRing
    from projections.scratch import ScratchInUse
    from workers.archive import open_archive
    from workers.log_server import log_url
    from workers.replaying import digest_at
    from workers.view_writing import LogParts
    from workers.views import VIEW_KINDS

    settings = resolve(settings_flags(arguments), os.environ).settings
    with (
        start_failures(),
        RedisLog(log_url(settings, "reader"), settings.log, archive=open_archive(settings)) as log,
    ):
        head = log.head().position
        if arguments.at > head:
            raise Misused(f"there is no position {arguments.at}: the log ends at {head}")
        parts = LogParts(log, Codec(KeyRing(log.subject_keys)), settings)
        try:
            digests = [digest_at(kind, parts, arguments.at) for kind in VIEW_KINDS.values()]
        except ScratchInUse as error:
            raise Failure(str(error)) from error
    return DigestList(items=convert(to_builtins(digests), list[DigestItem]))


def _of_all(client: Client, key: str | None) -> list[NodeDigests]:
    """Ask every node until all have told of the same positions, or have had time enough."""
    deadline = time.monotonic() + _COME_TO_REST_WITHIN_S
    while True:
        nodes = client.replicas().items
        if not nodes:
            raise Failure("no node says that it lives: is a projection worker running?")
        compared = [_of(node, key) for node in nodes]
        positions = {tuple(item.position for item in one.items) for one in compared}
        if len(positions) == 1 or time.monotonic() > deadline:
            return compared
        time.sleep(_LOOK_EVERY_S)


def _of(node: NodeItem, key: str | None) -> NodeDigests:
    try:
        retries = Retries(within_s=2.0)
        with Client(
            node.url, key, outbox=None, retries=retries, timeout_s=_EVERY_ROW_IS_READ_WITHIN_S
        ) as there:
            return NodeDigests(node=node, items=list(there.digest().items))
    except MemoryWeaveError as error:
        return NodeDigests(node=node, trouble=str(error))


def _lines(digests: DigestList) -> Iterable[str]:
    yield from columns([_COLUMNS, *map(_row, digests.items)])


def _row(item: DigestItem) -> tuple[object, ...]:
    return (item.view, item.position, item.rows, len(item.parked), item.erased, item.sha256)


def _node_lines(compared: list[NodeDigests]) -> Iterable[str]:
    rows: list[tuple[object, ...]] = [("node", "role", *_COLUMNS)]
    for one in compared:
        rows += [(one.node.node_id, one.node.role, *_row(item)) for item in one.items]
    yield from columns(rows)
    for one in compared:
        if one.trouble:
            yield f"{one.node.node_id} at {one.node.url} does not tell: {one.trouble}"
    if is_one(compared):
        yield f"{len(compared)} nodes say the same"
    elif len({tuple(item.position for item in one.items) for one in compared}) > 1:
        yield "not compared at one position: stop what writes, and ask again"
    else:
        yield "the nodes do not say the same: rebuild the views of the one that is wrong"
