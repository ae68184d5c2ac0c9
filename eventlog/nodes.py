"""Which nodes live on a log: what each says of itself every 10 s, gone 30 s after it said it last.

Kept in the log's own server, because it is the one place that all nodes share.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Final, Literal

import msgspec
from msgspec import Struct

from eventlog.redis_log import RedisLog

BEAT_EVERY_S: Final = 10.0
GONE_AFTER_S: Final = 30
_NAMED_FOR_S: Final = 86_400.0

Role = Literal["primary", "replica"]


class NodeView(Struct, frozen=True, kw_only=True):
    """One view of a node: how far it has come, and by which rules.

    ``lag`` is in events behind the head that the node saw. ``state`` is ``absent`` for a view that
    was never begun, else what its writer said; ``problem`` names why it is not running.
    ``projector`` and ``schema`` are the versions of what built it, ``model`` that of its vectors.
    ``purged`` is the position up to which nothing erased is left in its files.
    """

    position: int
    lag: int
    parked: int
    generation: int
    state: str
    problem: str = ""
    projector: int = 0
    schema: int = 0
    model: str = ""
    purged: int = 0


class NodeBeat(Struct, frozen=True, kw_only=True):
    """What a node says of itself. ``position`` is the log's head when it said so.

    ``url`` is where other nodes reach its API. ``said_at`` is aware UTC.
    """

    node_id: str
    role: Role
    url: str
    version: str
    said_at: datetime
    epoch: str
    position: int
    views: Mapping[str, NodeView]


class Nodes:
    """The nodes of one log. Raises `LogUnavailable`, `LogFull`."""

    def __init__(self, log: RedisLog) -> None:
        self._log = log

    def beat(self, beat: NodeBeat) -> None:
        """Say how a node is; that holds for 30 s."""
        said_at = beat.said_at.astimezone(UTC).timestamp()
        keys = self._log.keys
        self._log.call_many(
            [
                ("SET", keys.node(beat.node_id), msgspec.json.encode(beat), "EX", GONE_AFTER_S),
                # The names beside, because finding keys by a pattern reads every key there is.
                ("ZADD", keys.nodes, repr(said_at), beat.node_id),
                ("ZREMRANGEBYSCORE", keys.nodes, "-inf", repr(said_at - _NAMED_FOR_S)),
            ]
        )

    def leave(self, node_id: str) -> None:
        """Take a node that stops off the list at once."""
        self._log.call("DEL", self._log.keys.node(node_id))

    def living(self) -> list[NodeBeat]:
        """Give what the living nodes said last, by name. What cannot be read is left out."""
        keys = self._log.keys
        names = [name.decode() for name in self._log.call("ZRANGE", keys.nodes, 0, -1)]
        said = self._log.call("MGET", *map(keys.node, names)) if names else []
        found = []
        for raw in said:
            try:
                found.append(msgspec.json.decode(raw or b"", type=NodeBeat))
            except msgspec.MsgspecError:
                continue  # gone, or said by a program that speaks of nodes in another way
        return sorted(found, key=lambda beat: beat.node_id)
