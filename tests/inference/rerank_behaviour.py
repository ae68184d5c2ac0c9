"""How a server of /v1/rerank answers: a text's score is the share of the query's words it holds."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from tests.inference.embedding_server import EmbeddingServer, Exchange, embedding_server

Document = Callable[[str], dict[str, Any]]


def rerank_server() -> AbstractContextManager[EmbeddingServer]:
    return embedding_server("/v1/rerank", judging())


def judging(
    document: Document = lambda text: {}, scale: Callable[[float], float] = float
) -> Callable[[Exchange], None]:
    """Answer the best first, as servers do; ``document`` gives back the text in some shape."""

    def answer(exchange: Exchange) -> None:
        words = set(exchange.request["query"].split())
        results = [
            {
                "index": number,
                "relevance_score": scale(len(words & set(text.split())) / len(words)),
                **document(text),
            }
            for number, text in enumerate(exchange.request["documents"])
        ]
        results.sort(key=lambda result: -result["relevance_score"])
        exchange.answer(200, json.dumps({"id": "x", "results": results}).encode())

    return answer


def scores(*pairs: tuple[int, Any]) -> Callable[[Exchange], None]:
    """Answer these indices and scores, whatever was asked."""
    results = [{"index": index, "relevance_score": score} for index, score in pairs]
    return lambda exchange: exchange.answer(200, json.dumps({"results": results}).encode())
