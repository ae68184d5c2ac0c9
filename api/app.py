"""The HTTP service: `create_app` puts routes, keys, limits and problem documents around a node."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from importlib.metadata import version
from typing import Any, Final

from litestar import Litestar, Request, Router
from litestar.config.cors import CORSConfig
from litestar.di import Provide
from litestar.types import ControllerRouterHandler

from api.access_log import access_log
from api.authentication import admin_key_required, key_holder_required
from api.calls import Call, Service
from api.forwarding import Forwarding, commands_passed_on
from api.last_used import LastUsed
from api.metrics import RequestDurations
from api.node import Node
from api.problems import problem_response
from api.rate_limits import RateLimits
from api.recall_log import RecallLog
from api.refused_bodies import refused_bodies_read
from api.requests import ApiRequest
from api.routes import (
    administration,
    agents,
    audit,
    context,
    distillation,
    evaluation,
    feedback,
    listing,
    memories,
    recall,
    sessions,
    system,
    writing,
)
from api.routes.schema import openapi_config
from api.threads import Threads
from domain.errors import ViewDegraded
from queries.recall_cache import RecallCache

PREFIX: Final = "/api/v1"

SERVED_WHILE_REFUSED: Final = (
    "/settings",
    "/admin/projections",
    "/admin/rebuild",
    "/admin/replicas",
    "/admin/digest",
)
"""What an admin needs while log and views have different histories; all else is refused then."""

ROUTES: Final[Sequence[ControllerRouterHandler]] = (
    writing.post_commit,
    writing.post_batch_commit,
    writing.delete_distilled,
    writing.delete_one_episode,
    feedback.post_useful,
    feedback.post_not_useful,
    feedback.post_deprecate,
    feedback.post_correct,
    recall.post_recall,
    context.post_context,
    memories.get_memory,
    memories.get_versions,
    memories.get_provenance,
    memories.get_episode,
    memories.post_restore,
    memories.post_restore_episode,
    memories.post_pin,
    memories.post_unpin,
    memories.post_tags,
    distillation.get_candidates,
    distillation.post_settle,
    distillation.post_dismiss,
    distillation.post_redistil,
    sessions.post_close,
    listing.get_memories,
    listing.get_tombstones,
    listing.get_tags,
    listing.get_namespaces,
    listing.get_stats,
    listing.get_bootstrap,
    listing.get_brief,
    agents.post_register,
    agents.post_rotate_key,
    agents.delete_agent,
    agents.get_agents,
    agents.post_grant,
    agents.delete_grant,
    agents.post_enrolment_token,
    administration.get_settings,
    administration.get_projections,
    administration.post_retry,
    administration.post_rebuild,
    administration.get_digest,
    administration.post_backup,
    administration.post_erase,
    administration.get_replicas,
    audit.get_audit,
    audit.post_query,
    evaluation.post_run,
    evaluation.post_generate,
    evaluation.get_history,
)


def create_app(node: Node) -> Litestar:
    """Make the ASGI application that serves ``node``. It opens nothing and closes only its own."""
    service = Service(
        node=node,
        threads=Threads(node.options.threads, node.options.search_slots),
        limits=RateLimits(node.volatile, node.clock),
        last_used=LastUsed(node.volatile),
        lexical=ThreadPoolExecutor(node.options.search_slots, thread_name_prefix="lexical"),
        durations=RequestDurations(),
        recall_cache=RecallCache(node.volatile),
        recall_log=RecallLog(
            node.record_recalls, node.clock, node.randomness, node.options.recall_log
        ),
        recalls_under_way={},
    )
    admin_only = admin_key_required(node)
    forwarding = None if node.primaries is None else Forwarding(service, node.primaries)
    app = Litestar(
        route_handlers=[
            Router(
                PREFIX,
                route_handlers=ROUTES,
                guards=[key_holder_required(node, service.threads, service.last_used)],
                middleware=[commands_passed_on(forwarding)] if forwarding else [],
                dependencies={"call": Provide(_call_of(service), sync_to_thread=False)},
            ),
            system.health,
            Router(
                "/",
                route_handlers=[system.metrics],
                guards=[] if node.options.open_metrics else [admin_only],
            ),
        ],
        dependencies={"service": Provide(lambda: service, sync_to_thread=False)},
        request_class=ApiRequest,
        exception_handlers={Exception: problem_response},
        lifespan=[_lifespan(service, forwarding)],
        cors_config=_cross_origin(node),
        openapi_config=openapi_config(
            version("memoryweave"), [] if node.options.open_schema else [admin_only]
        ),
        logging_config=None,
        debug=False,
    )
    named = access_log(node, service.durations)(app.asgi_handler)
    app.asgi_handler = refused_bodies_read(named)
    return app


def _call_of(service: Service) -> Callable[[Request[Any, Any, Any]], Call]:
    def provide(request: Request[Any, Any, Any]) -> Call:
        path = request.scope["path"].removeprefix(PREFIX)
        refusal = service.node.refusal()
        if refusal and not path.startswith(SERVED_WHILE_REFUSED):
            raise ViewDegraded(refusal)
        return Call(service, request)

    return provide


def _lifespan(
    service: Service, forwarding: Forwarding | None
) -> Callable[[Litestar], AbstractAsyncContextManager[None]]:
    @asynccontextmanager
    async def closing(_: Litestar) -> AsyncIterator[None]:
        # After a restart that takes a second or two, and no commit is to wait for it.
        learning = asyncio.ensure_future(service.threads.run(service.node.served.catch_up))
        try:
            yield
        finally:
            try:
                await learning
            finally:
                await _close(service, forwarding)

    return closing


async def _close(service: Service, forwarding: Forwarding | None) -> None:
    if forwarding is not None:
        await forwarding.close()
    service.last_used.flush()
    service.threads.close()
    service.limits.close()
    service.recall_cache.close()
    service.recall_log.close()
    service.lexical.shutdown(wait=True)


def _cross_origin(node: Node) -> CORSConfig | None:
    origins = node.options.cors_origins
    return CORSConfig(allow_origins=list(origins)) if origins else None
