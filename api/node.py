"""What the API needs of the node it runs in: declared here, satisfied by ``workers/node.py``.

Everything is a parameter of `api.app.create_app`; the API holds no globals and builds nothing
from settings itself.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Literal, Protocol

import redis
from msgspec import Struct

from api.served_texts import ServedTexts
from commands.application import MemoryApplication
from commands.command import Clock, Command
from commands.recalls import RecallBatch
from inference.embedder import Embedder
from inference.llm import LanguageModel
from inference.reranker import Reranker
from memoryweave import contract
from memoryweave.contract import (
    BackupMade,
    BuildItem,
    Health,
    NodeList,
    RebuildRequested,
    SettingItem,
)
from projections.analytics.processes import SpareProcess
from projections.analytics.view import AnalyticsView
from projections.state.view import StateView
from projections.vector.view import VectorView


class NodeKeys(Struct, frozen=True, kw_only=True):
    """The node's own credentials. Only digests of the two keys are held.

    ``admin`` and ``owner`` are SHA-256 digests (32 bytes) of the keys, made by `key_digest`.
    ``agent_secret`` (32 bytes) derives an agent's key from its command id, so that a repeated
    registration gives the same key and the log needs to keep only a hash.
    """

    admin: bytes
    owner: bytes
    agent_secret: bytes


def key_digest(key: str) -> bytes:
    """Give the SHA-256 digest under which `NodeKeys` holds a key."""
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).digest()


class ApiOptions(Struct, frozen=True, kw_only=True):
    """The API's settings (spec: operations.md, "Settings").

    ``open_schema`` and ``open_metrics``: answer without the admin key (the default on loopback).
    ``threads`` bounds the pool in which blocking work runs, ``search_slots`` how many searches
    run at once. ``cross_namespace_reads``: an agent may read other namespaces than its own where it
    was granted them, or any that it names. ``recall_log``: which recalls are told to the log.
    """

    open_schema: bool = True
    open_metrics: bool = True
    threads: int = 16
    search_slots: int = 4
    cors_origins: Sequence[str] = ()
    cross_namespace_reads: Literal["granted", "any"] = "granted"
    recall_log: Literal["all", "sampled", "off"] = "all"


class Primaries(Protocol):
    """Where a replica passes commands on to."""

    @property
    def node_id(self) -> str:
        """The name of this node."""

    def urls(self) -> Sequence[str]:
        """Give the URLs of nodes that take commands, the first to be tried first; may block."""


class Node(Protocol):
    """A node: the log's write side, the views, the inference clients, and the node's settings.

    Every method may block; the API calls them from its thread pool.
    """

    @property
    def application(self) -> MemoryApplication:
        """The write side."""

    @property
    def state(self) -> StateView:
        """What everything is now."""

    @property
    def vector(self) -> VectorView:
        """What can be searched."""

    @property
    def analytics(self) -> AnalyticsView:
        """What happened: every event of the log, opened."""

    @property
    def audit_processes(self) -> SpareProcess:
        """Where people's SQL over it is answered."""

    @property
    def volatile(self) -> redis.Redis | None:
        """The volatile store (rate buckets, last use of keys), None when the node has none."""

    @property
    def embedder(self) -> Embedder:
        """Makes vectors of queries."""

    @property
    def served(self) -> ServedTexts:
        """What was served to whom lately."""

    @property
    def reranker(self) -> Reranker | None:
        """Judges what recall found; None: the order stands without it."""

    @property
    def language_model(self) -> LanguageModel | None:
        """Writes questions; None where none is configured."""

    @property
    def keys(self) -> NodeKeys:
        """The node's credentials."""

    @property
    def options(self) -> ApiOptions:
        """The API's settings."""

    @property
    def primaries(self) -> Primaries | None:
        """Who carries commands out; None: this node itself."""

    @property
    def clock(self) -> Clock:
        """The present, as aware UTC."""

    @property
    def randomness(self) -> Callable[[int], bytes]:
        """Gives that many random bytes."""

    def refusal(self) -> str:
        """Say why nothing may be read from the views or stored; "" where all is well. Quick."""

    def health(self) -> Health:
        """Look at every part now; never raises."""

    def settings(self) -> Sequence[SettingItem]:
        """Every setting in force, with its origin; secrets masked."""

    def rebuild(self, view: str, *, allow_parked: bool, compare: bool) -> RebuildRequested:
        """Ask whoever runs that view's projector to build its next generation."""

    def build_of(self, view: str) -> BuildItem | None:
        """Give how the last building of a view's generation goes, None if there was none."""

    def nodes(self) -> NodeList:
        """Give the nodes that live on this log, this one marked. Raises `LogUnavailable`."""

    def backup(self, *, vectors: bool) -> BackupMade:
        """Back the node up into its own folder. Raises `BackupFailed` and what the log raises."""

    def erase(self, command: Command[contract.Erase]) -> contract.ErasureReceipt:
        """Erase a thing, and have every file cleared of it."""

    def record_recalls(self, batch: RecallBatch) -> None:
        """Have recalls written into the log, once. Raises `LogUnavailable` and what else may be."""

    def retry_parked(self, view: str) -> None:
        """Ask whoever runs that view's projector to try its parked events again."""
