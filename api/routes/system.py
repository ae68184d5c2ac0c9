"""What may be asked of the service itself."""

from __future__ import annotations

from litestar import Response, get
from litestar.openapi.datastructures import ResponseSpec

from api.dependencies import GivenService
from api.metrics import CONTENT_TYPE_LATEST, RecallFigures, exposition
from memoryweave.contract import Health


@get(
    "/health",
    tags=["system"],
    security=[{}],
    responses={503: ResponseSpec(Health, generate_examples=False, description="Not ready")},
)
async def health(service: GivenService) -> Response[Health]:
    """Open to all: how the log, the views and the embedder are. 503 when not ready to serve."""
    seen = await service.threads.look(service.node.health)
    return Response(seen, status_code=200 if seen.ready else 503)


@get("/metrics", tags=["system"], media_type="text/plain", include_in_schema=False)
async def metrics(service: GivenService) -> Response[bytes]:
    """Give the Prometheus figures of this process and its node."""
    content = await service.threads.look(_figures, service)
    return Response(content, media_type=CONTENT_TYPE_LATEST)


def _figures(service: GivenService) -> bytes:
    recalls = RecallFigures(
        outcomes=service.recall_cache.outcomes(),
        unwritten=service.recall_log.waiting(),
        let_go=service.recall_log.dropped(),
    )
    return exposition(service.durations, service.node.health(), recalls)
