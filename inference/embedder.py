"""What recall and the vector filler ask of a text embedding model (spec: recall.md, "Embedders").

A vector is float32 with Euclidean length 1, so that a dot product is the cosine similarity.
"""

from __future__ import annotations

from typing import Literal, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from inference.calibration import TextPair

Vector: TypeAlias = NDArray[np.float32]
"""float32[dimension], or float32[n, dimension] for n texts; every row has length 1."""

EmbedderState = Literal["idle", "ready", "failing"]
"""Not used yet; the last call worked; the last call failed."""


class EmbeddingError(Exception):
    """Root of what an embedder raises. Messages name the model and the cause, never a text."""


class EmbedderUnavailable(EmbeddingError):
    """The model did not answer in time, or is known not to; worth trying again later."""


class EmbedderMisbehaved(EmbeddingError):
    """The model answered, but not with what was asked; trying again needs a change of settings."""


class Embedder(Protocol):
    """A text embedding model. Safe to use from several threads at once."""

    @property
    def name(self) -> str:
        """The model's stable name: the first half of the key under which a vector is cached."""

    @property
    def dimension(self) -> int:
        """Length of every vector."""

    @property
    def state(self) -> EmbedderState:
        """How the last call went, for /health."""

    def embed_documents(self, texts: list[str]) -> Vector:
        """Embed texts to be found: float32[len(texts), dimension], rows in the order given.

        Raises `EmbeddingError`.
        """

    def embed_query(self, text: str) -> Vector:
        """Embed a question: float32[dimension]. Answers soon or raises `EmbeddingError`."""

    def calibrate(self, cosine: float, pair: TextPair | None = None) -> float:
        """Map this model's cosine to [0, 1], so that one threshold suits every model.

        ``pair`` says what kind of texts they are, where that is known. For one kind it is monotone:
        it never changes an order. Below 0.5 texts have nothing in common, from 0.8 on they are
        alike (docs/decisions/0026).
        """


def well_formed(text: str) -> str:
    """Give ``text`` without what breaks encoders: NUL becomes a space, a lone surrogate ``?``."""
    return text.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")
