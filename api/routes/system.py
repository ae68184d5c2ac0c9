"""What anyone may ask of the service itself."""

from __future__ import annotations

from litestar import Response, get

from api.dependencies import GivenNode, GivenThreads
from memoryweave.contract import Health


@get("/health", tags=["system"], summary="How the log, the views and the embedder are")
async def health(node: GivenNode, threads: GivenThreads) -> Response[Health]:
    """Open to all. 503 when the node is not ready to serve."""
    seen = await threads.look(node.health)
    return Response(seen, status_code=200 if seen.ready else 503)
