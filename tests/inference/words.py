"""An embedder that knows how texts are written, and nothing of what they mean."""

from __future__ import annotations

import numpy as np


class Words:
    """A text's vector counts its pairs of characters."""

    name = "words"
    dimension = 4096
    state = "ready"
    calls = 0

    def embed_documents(self, texts: list[str]) -> np.ndarray:
        self.calls += 1
        return np.stack([self.embed_query(text) for text in texts])

    def embed_query(self, text: str) -> np.ndarray:
        vector = np.zeros(self.dimension, dtype=np.float32)
        for one, other in zip(text.casefold(), text.casefold()[1:] + " ", strict=True):
            vector[(ord(one) * 31 + ord(other)) % self.dimension] += 1.0
        return vector / np.linalg.norm(vector)

    def calibrate(self, cosine: float, pair: object = None) -> float:
        raise AssertionError
