"""What a view does while it catches up with a log that is long already."""

from __future__ import annotations

import threading
from pathlib import Path

from domain import events as facts
from eventlog.redis_log import RedisLog
from projections.status import read_status
from projections.vector.view import VectorView
from tests.faults.mixed_commands import vector_rows
from tests.histories import Historian
from tests.inference.embedding_server import embedding_server
from tests.servers import eventually
from workers.projection_worker import build_views
from workers.settings import Settings


def test_no_vector_is_made_for_what_is_gone_by_the_end_of_the_log(
    log: RedisLog, tmp_path: Path
) -> None:
    historian = Historian(log, seed=5)
    memories = [historian.remember(f"statement {number}") for number in range(200)]
    for version in range(2, 7):
        # Longer than a batch after the text before: in between that is there, and has no vector.
        for number, memory in enumerate(memories):
            text = f"statement {number} in version {version}"
            corrected = facts.MemoryCorrected(
                content=text, agent_id="hermes-1", source="owner_message"
            )
            historian.change(memory, corrected)
    with embedding_server() as embeddings:
        settings = Settings(
            data=tmp_path,
            redis_url=log.url,
            log=log.name,
            embed_endpoint=embeddings.endpoint,
            embed_model="seeded",
            embed_dimension=8,
        )
        stop = threading.Event()
        worker = threading.Thread(target=build_views, args=(settings, stop))
        worker.start()
        vector = tmp_path / "views" / "vector"

        def at_rest() -> bool:
            status = read_status(vector)
            reached = status is not None and status.position == historian.position
            return reached and not VectorView(vector).missing_vectors(None)

        try:
            eventually(at_rest, within_s=60, every_s=0.1)
        finally:
            stop.set()
            worker.join()
        embedded = {text for request in embeddings.requests for text in request["input"]}
    left = {row.content for row in vector_rows(tmp_path) if row.to_position is None}
    assert embedded <= left
    assert len(embedded) == 200, "of each memory the newest text, of no episode the one it said"
