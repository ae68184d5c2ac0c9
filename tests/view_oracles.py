"""Each view of a data directory held against the log, by code that the views do not share."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import lancedb
import numpy as np

from eventlog.redis_log import RedisLog
from projections.generation import current_generation
from projections.vector.cache import VectorCache
from projections.vector.schema import TABLE, Row, embedded_text, from_arrow, text_sha
from tests.oracle import read_log
from tests.oracle_vector import stretches_of
from tests.projections.analytics.building import in_the_log, shown
from tests.projections.vector.places import differences
from tests.state_tables import assert_state_equals_log
from workers.settings import Settings
from workers.views import VIEW_KINDS


def assert_view_equals_log(view: Path, url: str, log_name: str) -> None:
    """Fail with what differs unless the live generation, at the log's head, is what the log says.

    ``view`` is ``views/state``, ``views/vector`` or ``views/analytics``.
    """
    match view.name:
        case "state":
            assert_state_equals_log(view, url, log_name)
        case "vector":
            assert differences(vector_rows(view), stretches_of(read_log(url, log_name))) == []
        case "analytics":
            assert shown(view) == in_the_log(url, log_name)
        case other:
            raise AssertionError(f"no oracle for {other}")


def vector_rows(view: Path) -> list[Row]:
    """Give every row of the live generation of a vector view but its sentinel."""
    table = lancedb.connect(view / str(current_generation(view))).open_table(TABLE)
    rows = from_arrow(table.search().where("layer != '__sys__'").to_arrow())
    assert len({row.id for row in rows}) == len(rows)
    return rows


def seed_cache(settings: Settings, log: RedisLog) -> None:
    """Put a vector of each text of the log into the node's cache: no model is asked for them."""
    builder = VIEW_KINDS["vector"].builder(settings)
    cache = VectorCache(settings.data / "cache", builder.embedder, builder.dimension)
    chance = np.random.default_rng(1)
    vectors = {}
    for fact in read_log(log.url, log.name):
        content = (fact["body"] or {}).get("content")
        if content is not None:
            vector = chance.normal(size=cache.dimension).astype(np.float32)
            text = embedded_text(fact["body"].get("speaker"), content)
            vectors[text_sha(text)] = vector / np.float32(np.linalg.norm(vector))
    with closing(cache):
        cache.put(vectors)
