"""The floor under every route: the same framework and server, answering without doing anything.

``python -m bench.noop_service PORT`` serves until its standard input is closed.
"""

from __future__ import annotations

import asyncio
import sys
from typing import Any

from granian.constants import Interfaces
from granian.server.embed import Server
from litestar import Litestar, Request, post


@post("/")
async def nothing(request: Request[Any, Any, Any]) -> dict[str, bool]:
    """Read the body and answer."""
    await request.body()
    return {"done": True}


async def serve(port: int) -> None:
    server = Server(
        Litestar([nothing], openapi_config=None),
        address="127.0.0.1",
        port=port,
        interface=Interfaces.ASGI,
        log_enabled=False,
    )
    loop = asyncio.get_running_loop()
    loop.run_in_executor(None, lambda: (sys.stdin.read(), loop.call_soon_threadsafe(server.stop)))
    await server.serve()


if __name__ == "__main__":
    asyncio.run(serve(int(sys.argv[1])))
