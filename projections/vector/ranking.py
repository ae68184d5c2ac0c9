"""Lexical scores of candidates: BM25 over the candidates' own statistics, and phrases.

The index ranks by statistics of the whole table, in which a small namespace is drowned by the
others. It is asked only for candidates; their order is computed here from how often each term
occurs among them. While fewer rows match than candidates are asked for, that is exactly the
statistics of the scope.

BM25 in Lucene's form (Robertson and Zaragoza 2009): the sum over query terms of
``idf · tf / (tf + k1 · (1 - b + b · length / mean length))`` with
``idf = ln(1 + (N - df + 0.5) / (df + 0.5))``. A phrase of a query counts like one more term.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Final, NamedTuple

from msgspec import Struct

from projections.vector.lexical import LexicalQuery

K1: Final = 1.2
B: Final = 0.5
"""Lengths count for less than in Lucene's 0.75: a short line of talk is not a better answer for
being short. Over seven public sets, conversations gain (recall@10 +.01 and +.03), two are equal,
three of summaries and records lose up to .012 (docs/decisions/0011)."""


class Statistics(Struct, frozen=True):
    """What a query's keys weigh among candidates.

    ``keys`` are the query's terms, then its phrases, tokens joined by spaces; ``idf`` has a weight
    for each; ``mean_length`` is in tokens. Of no candidates every weight is 0.
    """

    keys: tuple[str, ...]
    idf: tuple[float, ...]
    mean_length: float


class Counted(NamedTuple):
    """How often each key of a query stands in a document, those it lacks left out, and its length
    in tokens."""

    frequencies: dict[str, int]
    length: int


def rank(query: LexicalQuery, counted: Sequence[Counted]) -> tuple[list[float], Statistics]:
    """Score each document by what `count` found in it, and give by what.

    Every score is ≥ 0.
    """
    statistics = statistics_of(query, counted)
    idf = dict(zip(statistics.keys, statistics.idf, strict=True))
    scores = []
    for held, length in counted:
        norm = K1 * (1 - B + B * length / statistics.mean_length)
        scores.append(sum([idf[key] * tf / (tf + norm) for key, tf in held.items()]))
    return scores, statistics


def count(query: LexicalQuery, text: str) -> Counted:
    """Count the query's keys in a document, given as its tokens joined by spaces.

    A phrase counts once, however often it stands there.
    """
    # Most documents hold few of the terms, or none: only those that may be there are counted.
    among = [term for term in query.terms if term in text]
    tokens = text.split(" ") if among else []
    held = {term: often for term in among if (often := tokens.count(term))}
    if query.phrases:
        padded = f" {text} "
        for phrase in _phrases(query):
            if f" {phrase} " in padded:
                held[phrase] = 1
    return Counted(held, text.count(" ") + 1)


def statistics_of(query: LexicalQuery, counted: Sequence[Counted]) -> Statistics:
    """Weigh the query's keys by how many of the documents hold them."""
    keys = (*query.terms, *_phrases(query))
    if not counted:
        return Statistics(keys, (0.0,) * len(keys), 1.0)
    frequency = Counter(key for held, _ in counted for key in held)
    total = len(counted)
    idf = tuple(
        math.log(1 + (total - frequency[key] + 0.5) / (frequency[key] + 0.5)) for key in keys
    )
    return Statistics(keys, idf, sum(length for _, length in counted) / total)


def _phrases(query: LexicalQuery) -> tuple[str, ...]:
    return tuple(" ".join(phrase) for phrase in query.phrases)
