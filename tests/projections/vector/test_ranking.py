"""Counting words in many documents at once finds what counting in each by itself does."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from projections.vector.lexical import LexicalQuery
from projections.vector.ranking import K1, B, bm25, counts_of, statistics_of

TOKENS = ("tea", "te", "ea", "a", "茶", "冻顶", "顶乌", "a.b", "te-a")

documents = st.lists(st.lists(st.sampled_from(TOKENS), max_size=9), max_size=9)
queries = st.builds(
    LexicalQuery,
    st.lists(st.sampled_from(TOKENS), unique=True, max_size=6).map(tuple),
    st.lists(
        st.lists(st.sampled_from(TOKENS), min_size=2, max_size=3).map(tuple),
        unique=True,
        max_size=2,
    ).map(tuple),
)


def has_phrase(document: list[str], phrase: tuple[str, ...]) -> bool:
    size = len(phrase)
    return any(tuple(document[at : at + size]) == phrase for at in range(len(document)))


@given(query=queries, said=documents)
def test_every_key_is_counted_as_in_each_document_by_itself(
    query: LexicalQuery, said: list[list[str]]
) -> None:
    found = counts_of(query, [" ".join(tokens) for tokens in said])
    terms = [[tokens.count(term) for tokens in said] for term in query.terms]
    phrases = [[int(has_phrase(tokens, one)) for tokens in said] for one in query.phrases]
    assert found.frequencies.tolist() == terms + phrases
    assert found.lengths.tolist() == [max(1, len(tokens)) for tokens in said]


def test_repeats_that_share_a_space_all_count_and_a_phrase_counts_once() -> None:
    query = LexicalQuery(("tea", "pot"), (("tea", "tea"),))
    found = counts_of(query, ["tea tea tea", "teapot tea", "", "pot tea"])
    assert found.frequencies.tolist() == [[3, 1, 0, 1], [0, 0, 0, 1], [1, 0, 0, 0]]
    assert found.lengths.tolist() == [3, 2, 1, 2]


@given(query=queries, said=documents)
def test_scores_are_bm25_of_the_documents_own_statistics(
    query: LexicalQuery, said: list[list[str]]
) -> None:
    counts = counts_of(query, [" ".join(tokens) for tokens in said])
    statistics = statistics_of(query, counts)
    rows = counts.frequencies.tolist()
    lengths = counts.lengths.tolist()
    if said:
        assert statistics.mean_length == sum(lengths) / len(lengths)
    for key, weight in enumerate(statistics.idf):
        holding = sum(tf > 0 for tf in rows[key])
        share = (holding + 0.5) / (len(said) + 1)
        assert math.isclose(weight, -math.log(share) if said else 0.0, abs_tol=1e-12)
    scores = bm25(counts, np.array(statistics.idf), statistics.mean_length)
    for number, score in enumerate(scores.tolist()):
        norm = K1 * (1 - B + B * lengths[number] / statistics.mean_length)
        wanted = sum(
            idf * row[number] / (row[number] + norm)
            for idf, row in zip(statistics.idf, rows, strict=True)
        )
        assert math.isclose(score, wanted, abs_tol=1e-12)
