"""Any server that speaks OpenAI's ``POST /v1/embeddings``: vLLM, TEI, Ollama, Infinity, OpenAI.

Documents are sent in batches and each batch is tried again with growing pauses; a query is tried
once, because somebody waits for it. A circuit breaker makes calls to a dead server fail at once.
Neither the API key nor a text ever reaches a log or an error: servers like to repeat both in
their error bodies, so of an answer that is not 200 only the status is kept.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import Annotated, Final

import httpx
import msgspec
import numpy as np
from msgspec import Meta, Struct

from inference.calibration import TextPair, identity
from inference.circuit_breaker import CircuitBreaker, Monotonic
from inference.embedder import (
    EmbedderMisbehaved,
    EmbedderState,
    EmbedderUnavailable,
    Vector,
    well_formed,
)
from inference.posting import NoAnswer, Refused, post

BATCH: Final = 32
MAX_CHARACTERS: Final = 16_000
"""A longer text is cut to its beginning: servers refuse, or cut without saying, beyond their
window (8,192 tokens for bge-m3). The vector view's chunks are far shorter."""
QUERY_CHARACTERS: Final = 4_000
_FIRST_PAUSE_S: Final = 0.5
_LONGEST_PAUSE_S: Final = 20.0


class ServerOptions(Struct, frozen=True, kw_only=True):
    """Where the model is and how patient to be. Times in seconds.

    ``endpoint`` is the base (``http://host:8080``), with or without ``/v1``. ``attempts`` counts
    tries of one batch of documents. ``name`` of the embedder is the model's, so two endpoints
    that serve the same model share cached vectors.
    """

    endpoint: str
    model: str = "bge-m3"
    dimension: Annotated[int, Meta(ge=1)] = 1024
    query_timeout_s: float = 2.0
    document_timeout_s: float = 30.0
    attempts: Annotated[int, Meta(ge=1)] = 4


class _Row(Struct):
    index: int
    embedding: list[float]


class _Answer(Struct):
    data: list[_Row]


class OpenAICompatible:
    """An embedder behind HTTP. Thread-safe; `close` it at the end."""

    def __init__(
        self,
        options: ServerOptions,
        api_key: str | None = None,
        *,
        calibrate: Callable[[float, TextPair | None], float] = identity,
        breaker: CircuitBreaker | None = None,
        monotonic: Monotonic = time.monotonic,
        pause: Callable[[float], None] = time.sleep,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        base = options.endpoint.rstrip("/").removesuffix("/embeddings").removesuffix("/v1")
        self._url = f"{base}/v1/embeddings"
        self._options = options
        self._calibrate = calibrate
        self._breaker = breaker or CircuitBreaker(monotonic)
        self._monotonic = monotonic
        self._pause = pause
        self._jitter = jitter
        headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
        self._client = httpx.Client(headers=headers, follow_redirects=False)
        self._state: EmbedderState = "idle"

    @property
    def name(self) -> str:
        """``openai:<model>``."""
        return f"openai:{self._options.model}"

    @property
    def dimension(self) -> int:
        """The declared dimension; an answer of another one is refused."""
        return self._options.dimension

    @property
    def state(self) -> EmbedderState:
        """How the last call went; ``failing`` while the circuit is open."""
        return "failing" if self._breaker.state == "open" else self._state

    def embed_documents(self, texts: list[str]) -> Vector:
        """Embed texts to be found, 32 a request.

        Raises `EmbedderUnavailable` when a batch fails at every attempt or the circuit is open,
        `EmbedderMisbehaved` when an answer makes no sense or the request is refused.
        """
        cleaned = [well_formed(text[:MAX_CHARACTERS]) for text in texts]
        parts = [
            self._batch_with_retries(cleaned[start : start + BATCH])
            for start in range(0, len(cleaned), BATCH)
        ]
        if not parts:
            return np.empty((0, self.dimension), dtype=np.float32)
        return np.concatenate(parts)

    def embed_query(self, text: str) -> Vector:
        """Embed the end of a question, in one attempt with the short timeout."""
        try:
            rows = self._request(
                [well_formed(text[-QUERY_CHARACTERS:])], self._options.query_timeout_s
            )
        except NoAnswer as error:
            raise self._unavailable(error) from error
        vector: Vector = rows[0]
        return vector

    def calibrate(self, cosine: float, pair: TextPair | None = None) -> float:
        """Map a cosine to [0, 1] with the map given (identity suits bge-m3)."""
        return self._calibrate(cosine, pair)

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _batch_with_retries(self, texts: list[str]) -> Vector:
        pause_s = _FIRST_PAUSE_S
        for attempt in range(1, self._options.attempts + 1):
            try:
                return self._request(texts, self._options.document_timeout_s)
            except NoAnswer as error:
                if attempt == self._options.attempts:
                    raise self._unavailable(error) from error
                wait_s = (
                    pause_s * (0.5 + self._jitter()) if error.pause_s is None else error.pause_s
                )
                self._pause(min(wait_s, _LONGEST_PAUSE_S))
                pause_s *= 2
        raise AssertionError("attempts is at least 1")

    def _request(self, texts: list[str], timeout_s: float) -> Vector:
        if not self._breaker.allow():
            raise EmbedderUnavailable(f"{self.name} failed repeatedly and is not asked for a while")
        try:
            vectors = self._vectors(self._post(texts, timeout_s), len(texts))
        except NoAnswer:
            self._breaker.failed()
            self._state = "failing"
            raise
        except EmbedderMisbehaved:
            self._breaker.succeeded()  # it is there, and says no at once: nobody waits for it
            self._state = "failing"
            raise
        self._breaker.succeeded()
        self._state = "ready"
        return vectors

    def _post(self, texts: list[str], timeout_s: float) -> bytes:
        body = {"model": self._options.model, "input": texts, "encoding_format": "float"}
        try:
            return post(
                self._client, self._url, body, timeout_s=timeout_s, monotonic=self._monotonic
            )
        except Refused as error:
            raise EmbedderMisbehaved(f"{self.name} {error}") from error

    def _vectors(self, body: bytes, expected: int) -> Vector:
        try:
            answer = msgspec.json.decode(body, type=_Answer)
        except msgspec.DecodeError as error:
            raise EmbedderMisbehaved(
                f"{self.name} answered with something else than an embedding list"
            ) from error
        rows = {row.index: row.embedding for row in answer.data}
        if len(answer.data) != expected or rows.keys() != set(range(expected)):
            raise EmbedderMisbehaved(
                f"{self.name} answered {len(answer.data)} vectors for {expected} texts"
            )
        lengths = {len(row) for row in rows.values()}
        if lengths != {self.dimension}:
            raise EmbedderMisbehaved(
                f"{self.name} answered dimension {sorted(lengths)}, {self.dimension} is declared"
            )
        vectors = np.array([rows[index] for index in range(expected)], dtype=np.float64)
        with np.errstate(over="ignore"):  # an overflow gives inf, which is refused below
            norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        if not np.isfinite(norms).all() or (norms == 0).any():
            raise EmbedderMisbehaved(f"{self.name} answered a vector of no finite length")
        normalised: Vector = (vectors / norms).astype(np.float32)
        return normalised

    def _unavailable(self, error: NoAnswer) -> EmbedderUnavailable:
        return EmbedderUnavailable(f"{self.name} did not answer: {error}")
