"""Small pools of rows with chosen words, cosines and neighbours, and strategies for them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np
from hypothesis import strategies as st

from projections.vector.hits import Hit
from projections.vector.lexical import document_tokens, query_of
from projections.vector.ranking import Counted, counts_of, statistics_of
from queries.pool import Pool, pool_of, with_neighbours

QUERY = "where did the harbour pilot moor"
WORDS = ("harbour", "pilot", "moor", "tea", "lantern", "the", "where")
MOMENT = datetime(2026, 3, 1, tzinfo=UTC)


def hit(number: int, content: str = "", **more: Any) -> Hit:
    fields: dict[str, Any] = {
        "row_id": f"e{number}:{number}:0",
        "source_id": f"e{number}",
        "layer": "episode",
        "version": 1,
        "content": content,
        "tokens": " ".join(document_tokens(content)),
        "score": 0.0,
        "namespace": "shared",
        "agent_id": "h-1",
        "source": "owner_message",
        "recorded_at": MOMENT,
        "session_id": "talk",
        "session_seq": number,
    }
    return Hit(**fields | more)


def pool(
    texts: Sequence[str],
    cosines: Sequence[float | None],
    *,
    query: str = QUERY,
    context: frozenset[int] = frozenset(),
    order: Sequence[int] | None = None,
) -> Pool:
    """Give a pool of one session's turns; ``context`` are those that may not be results."""
    hits = [hit(number, text) for number, text in enumerate(texts)]
    asked = query_of(query)
    counts = counts_of(asked, [one.tokens for one in hits])
    chosen = frozenset(one.row_id for number, one in enumerate(hits) if number not in context)
    found = pool_of(
        [hits[number] for number in order or range(len(hits))],
        {
            one.row_id: cosine
            for one, cosine in zip(hits, cosines, strict=True)
            if cosine is not None
        },
        asked,
        statistics_of(asked, counts),
        Counted({one.row_id: number for number, one in enumerate(hits)}, counts),
        searched=chosen,
        candidates=chosen,
    )
    return with_neighbours(found)


def zeros(of: Pool) -> np.ndarray[Any, np.dtype[np.float64]]:
    return np.zeros(len(of.hits))


turns = st.lists(
    st.tuples(
        st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join),
        st.one_of(st.none(), st.floats(-1, 1, allow_nan=False)),
    ),
    min_size=1,
    max_size=8,
)
