"""One API process: Granian in this process, one event loop, until it is told to stop."""

from __future__ import annotations

import argparse
import asyncio
import gc
import os
import signal

import structlog

from workers.catching_up import await_views
from workers.cli.arguments import settings_flags
from workers.cli.failure import start_failures
from workers.key_forgetting import keys_forgotten
from workers.keys import ensure_keys
from workers.lifetime import die_with_parent
from workers.logging import set_up_logging
from workers.ports import claimable_port
from workers.settings import Settings, resolve


def run(arguments: argparse.Namespace) -> None:
    """Serve until SIGINT, SIGTERM or SIGHUP; answers under way are finished."""
    die_with_parent(arguments.parent)
    ring = ensure_keys(resolve(settings_flags(arguments), os.environ))
    settings = ring.resolved.settings
    set_up_logging("api", settings.log_level)
    port = claimable_port(settings.host, settings.port)

    from api.app import create_app
    from workers.node import open_node

    with (
        start_failures(),
        open_node(ring) as node,
        keys_forgotten(node.application.event_log, node.application.codec),
    ):
        if settings.role == "replica":
            await_views(settings.data, node.report.head.position)
        asyncio.run(_serve(create_app(node), settings, port))


async def _serve(app: object, settings: Settings, port: int) -> None:
    # The embeddable server, because its forking one doubles the process and outlives its parent.
    from granian.constants import Interfaces
    from granian.http import HTTP1Settings
    from granian.server.embed import Server

    server = Server(
        app,
        address=settings.host,
        port=port,
        interface=Interfaces.ASGI,
        http1_settings=HTTP1Settings(),
        log_enabled=False,
        ssl_cert=settings.tls_certificate,
        ssl_key=settings.tls_key,
    )
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, server.stop)
    # What is loaded by now stays: the collector of cycles need not walk through it every time.
    gc.collect()
    gc.freeze()
    structlog.get_logger("api").info("serving", host=settings.host, port=port)
    await server.serve()
    structlog.get_logger("api").info("stopped")
