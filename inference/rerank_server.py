"""Any server that speaks ``POST /v1/rerank``: vLLM, TEI behind a gateway, Infinity, llama.cpp.

Results come as ``{"index", "relevance_score"}`` in any order, with the text back (a string, or
``{"text": …}``) or without; the index alone says which text is meant. Some servers give
probabilities, others the model's raw numbers: if any lies outside [0, 1], all are taken for raw
and go through the logistic function, which is what makes probabilities of them.

A question is asked once, with a short time-out, because somebody waits; a circuit breaker makes
calls to a dead server fail at once. Neither the API key nor a text ever reaches a log or an error.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Final

import httpx
import msgspec
import numpy as np
from msgspec import Struct

from inference.circuit_breaker import CircuitBreaker, Monotonic
from inference.embedder import well_formed
from inference.posting import NoAnswer, Refused, post
from inference.reranker import Relevance, RerankerMisbehaved, RerankerUnavailable

MAX_CHARACTERS: Final = 4_000
"""A longer text is cut to its beginning; the vector view's chunks are shorter."""
QUERY_CHARACTERS: Final = 2_000
"""A longer query is cut to its end, where the question stands."""


class RerankOptions(Struct, frozen=True, kw_only=True):
    """Where the model is. ``endpoint`` is the base (``http://host:8080``), with or without
    ``/v1``."""

    endpoint: str
    model: str = "bge-reranker-v2-m3"
    timeout_s: float = 1.0


class _Result(Struct):
    index: int
    relevance_score: float


class _Answer(Struct):
    results: list[_Result]


class RerankServer:
    """A reranker behind HTTP. Thread-safe; `close` it at the end."""

    def __init__(
        self,
        options: RerankOptions,
        api_key: str | None = None,
        *,
        breaker: CircuitBreaker | None = None,
        monotonic: Monotonic = time.monotonic,
    ) -> None:
        base = options.endpoint.rstrip("/").removesuffix("/rerank").removesuffix("/v1")
        self._url = f"{base}/v1/rerank"
        self._options = options
        self._breaker = breaker or CircuitBreaker(monotonic)
        self._monotonic = monotonic
        headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
        self._client = httpx.Client(headers=headers, follow_redirects=False)

    @property
    def name(self) -> str:
        """``rerank:<model>``."""
        return f"rerank:{self._options.model}"

    def rerank(self, query: str, texts: Sequence[str]) -> Relevance:
        """Judge the texts in one call.

        Raises `RerankerUnavailable` when the server does not answer in time or the circuit is open,
        `RerankerMisbehaved` when an answer makes no sense or the request is refused.
        """
        if not texts:
            return np.empty(0)
        if not self._breaker.allow():
            raise RerankerUnavailable(f"{self.name} failed repeatedly and is not asked for a while")
        try:
            relevance = self._relevance(self._ask(query, texts), len(texts))
        except NoAnswer as error:
            self._breaker.failed()
            raise RerankerUnavailable(f"{self.name} did not answer: {error}") from error
        except RerankerMisbehaved:
            self._breaker.succeeded()  # it is there, and says no at once: nobody waits for it
            raise
        self._breaker.succeeded()
        return relevance

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _ask(self, query: str, texts: Sequence[str]) -> bytes:
        body = {
            "model": self._options.model,
            "query": well_formed(query[-QUERY_CHARACTERS:]),
            "documents": [well_formed(text[:MAX_CHARACTERS]) for text in texts],
            "top_n": len(texts),
            "return_documents": False,
        }
        try:
            return post(
                self._client,
                self._url,
                body,
                timeout_s=self._options.timeout_s,
                monotonic=self._monotonic,
            )
        except Refused as error:
            raise RerankerMisbehaved(f"{self.name} {error}") from error

    def _relevance(self, body: bytes, expected: int) -> Relevance:
        try:
            results = msgspec.json.decode(body, type=_Answer).results
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise RerankerMisbehaved(
                f"{self.name} answered with something else than a list of scores"
            ) from error
        scores = {result.index: result.relevance_score for result in results}
        if len(results) != expected or scores.keys() != set(range(expected)):
            raise RerankerMisbehaved(
                f"{self.name} answered {len(results)} scores for {expected} texts, "
                f"{len(scores.keys() & set(range(expected)))} of them for one that was sent"
            )
        found = np.array([scores[index] for index in range(expected)], dtype=np.float64)
        if not np.isfinite(found).all():
            raise RerankerMisbehaved(f"{self.name} answered a score that is no finite number")
        return found if ((found >= 0) & (found <= 1)).all() else _logistic(found)


def _logistic(values: Relevance) -> Relevance:
    # By way of tanh: exp would overflow for large negative numbers.
    probabilities: Relevance = 0.5 * (1.0 + np.tanh(values / 2))
    return probabilities
