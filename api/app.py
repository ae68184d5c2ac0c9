"""The HTTP service: `create_app` puts routes, keys, limits and problem documents around a node."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from litestar import Litestar
from litestar.config.cors import CORSConfig
from litestar.di import Provide
from litestar.openapi import OpenAPIConfig

from api.access_log import access_log
from api.metrics import RequestDurations
from api.node import Node
from api.problems import problem_response
from api.routes import system
from api.threads import Threads

VERSION = "0.1.0"


def create_app(node: Node) -> Litestar:
    """Make the ASGI application that serves ``node``. It opens nothing and closes only its own."""
    threads = Threads(node.options.threads, node.options.search_slots)
    durations = RequestDurations()

    @asynccontextmanager
    async def lifespan(_: Litestar) -> AsyncIterator[None]:
        try:
            yield
        finally:
            threads.close()

    app = Litestar(
        route_handlers=[system.health],
        dependencies={
            "node": Provide(lambda: node, sync_to_thread=False),
            "threads": Provide(lambda: threads, sync_to_thread=False),
        },
        exception_handlers={Exception: problem_response},
        lifespan=[lifespan],
        cors_config=CORSConfig(allow_origins=list(node.options.cors_origins))
        if node.options.cors_origins
        else None,
        openapi_config=OpenAPIConfig(title="MemoryWeave", version=VERSION),
        logging_config=None,
        debug=False,
    )
    app.asgi_handler = access_log(node, durations)(app.asgi_handler)
    return app
