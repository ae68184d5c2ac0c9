"""Which texts find which: the token analysis of documents and queries."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from projections.vector.lexical import MAX_QUERY_TERMS, document_tokens, query_of

HAN = st.text(alphabet=[chr(c) for c in range(0x4E00, 0x4F00)], min_size=2, max_size=40)


def finds(query: str, document: str) -> bool:
    """Tell whether the document holds every term and every phrase of the query."""
    asked = query_of(query)
    tokens = document_tokens(document)
    held = f" {' '.join(tokens)} "
    return (
        bool(asked.terms)
        and set(asked.terms) <= set(tokens)
        and all(f" {' '.join(phrase)} " in held for phrase in asked.phrases)
    )


@pytest.mark.parametrize(
    ("query", "document"),
    [
        ("乌龙", "我喜欢喝冻顶乌龙茶"),
        ("冻顶乌龙茶", "我喜欢喝冻顶乌龙茶"),
        ("茶", "我喜欢喝冻顶乌龙茶"),
        ("長城", "我们去了长城"),
        ("长城", "我們去了長城"),
        ("テスト", "このテストは長い"),
        ("ﾃｽﾄ", "このテストは長い"),
        ("connections", "it keeps a connection open"),
        ("max_connections", "set max_connections=100 in the file"),
        ("maximum connections 100", "the maximum of connections is 100"),
        ("connections", "set max_connections=100 in the file"),
        ("user name", "call getUserName first"),
        ("nginx.conf", "it stands in /etc/nginx/nginx.conf."),
        ("nginx", "it stands in /etc/nginx/nginx.conf."),
        ("8080", "http://localhost:8080/health answers"),
        ("localhost:8080", "http://localhost:8080/health answers"),
        ("port 8080", "it listens on port:8080"),
        ("3.11", "we run Python 3.11.7 there"),
        ("v3.11.7", "tagged v3.11.7 yesterday"),
        ("3.11.7", "tagged v3.11.7 yesterday"),
        ("192.168.0.1", "ssh admin@192.168.0.1:22"),
        ("10000", "at 10,000 memories"),
        ("10,000", "at 10000 memories"),
        ("C++", "written in C++, not in C"),
        ("C#", "ported to C# later"),
        ("cafe", "the Café by the river"),
        ("Anna's plan", "Anna had a plan"),
        ("anna@example.com", "mail Anna@Example.com today"),
        ("example.com", "mail anna@example.com today"),
        ("GPT 4", "asked GPT-4 about it"),
        ("ＦＵＬＬ", "a full width word"),
        ("привет", "Привет, мир"),
        ("IDs", "the ID of each"),
        ("ab\u3000cd", "ab cd"),
    ],
)
def test_a_query_finds_a_document_that_says_it_in_another_form(query: str, document: str) -> None:
    assert finds(query, document)


@pytest.mark.parametrize(
    ("query", "document"),
    [
        ("乌龟", "我喜欢喝冻顶乌龙茶"),
        ("龙乌", "我喜欢喝冻顶乌龙茶"),
        ("8081", "http://localhost:8080/health answers"),
        ("3.12", "we run Python 3.11.7 there"),
        ("C++", "written in C"),
        ("not", "it is done"),
    ],
)
def test_a_query_does_not_find_a_document_that_says_something_else(
    query: str, document: str
) -> None:
    assert not finds(query, document)


@pytest.mark.parametrize(
    ("query", "document"),
    [
        ("getUserName", "call getusername first"),
        ("/etc/nginx", "it stands in /etc/nginx/nginx.conf."),
        ("max_connections", "the maximum of connections"),
        ("今年的乌龙茶", "我喜欢喝冻顶乌龙茶"),
    ],
)
def test_a_query_shares_terms_with_a_document_that_says_part_of_it(
    query: str, document: str
) -> None:
    assert set(query_of(query).terms) & set(document_tokens(document))


def test_function_words_ask_for_nothing_but_negations_do() -> None:
    assert query_of("who is it that they have been with").terms == ()
    assert query_of("don't you").terms == ()
    assert query_of("never").terms == ("never",)


@given(HAN, st.data())
def test_any_substring_of_two_characters_or_more_is_found_as_a_phrase(
    document: str, data: st.DataObject
) -> None:
    start = data.draw(st.integers(0, len(document) - 2))
    end = data.draw(st.integers(start + 2, len(document)))
    assert finds(document[start:end], f"before, {document} after")


@given(st.text(max_size=300))
def test_a_text_finds_itself_and_no_token_holds_white_space(text: str) -> None:
    tokens = document_tokens(text)
    query = query_of(text)
    assert all(token and token == "".join(token.split()) for token in tokens)
    assert set(query.terms) <= set(tokens)
    assert len(query.terms) <= MAX_QUERY_TERMS
    assert len(set(query.terms)) == len(query.terms)


@given(st.text(max_size=100), st.text(max_size=100))
def test_the_analysis_of_a_line_does_not_depend_on_its_neighbours(one: str, two: str) -> None:
    together = document_tokens(f"{one}\n{two}")
    assert set(together) == set(document_tokens(one)) | set(document_tokens(two))
