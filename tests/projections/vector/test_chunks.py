"""A long text becomes chunks within the limit that cover it, with a sentence in common."""

from __future__ import annotations

import itertools
import re
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from projections.vector.chunks import MAX_CHUNK_TOKENS, chunks, estimated_tokens

ENDS = st.lists(st.sampled_from([" ", " ", " ", ". ", "。 ", "?! ", "\n\n", "... "]), max_size=200)


@given(ENDS, st.integers(8, 60))
def test_chunks_are_parts_of_the_text_within_the_limit_and_cover_it(
    ends: list[str], limit: int
) -> None:
    words = [f"w{number}" for number in range(len(ends))]
    text = "".join(word + end for word, end in zip(words, ends, strict=True))
    parts = chunks(text, limit)
    assert all(part in text for part in parts)
    assert all(estimated_tokens(part) <= limit for part in parts)
    told = [re.findall(r"w\d+", part) for part in parts]
    assert list(dict.fromkeys(itertools.chain(*told))) == words, "left out, or out of order"
    for before, after in itertools.pairwise(told):
        assert set(after) - set(before), "a chunk that says nothing new"


@given(st.text(max_size=400), st.integers(4, 60))
def test_any_text_is_cut_within_the_limit_without_losing_a_character(text: str, limit: int) -> None:
    parts = chunks(text, limit)
    assert all(part in text for part in parts)
    assert len(parts) == 1 or all(estimated_tokens(part) <= limit for part in parts)
    assert not Counter("".join(text.split())) - Counter("".join("".join(parts).split()))


def test_a_text_within_the_limit_stays_as_it_is() -> None:
    assert chunks("  as it is. Really.\n") == ["  as it is. Really.\n"]
    assert chunks("") == [""]


def test_neighbours_have_one_sentence_in_common() -> None:
    text = " ".join(f"Sentence number {n} says something short." for n in range(120))
    parts = chunks(text)
    assert len(parts) > 2
    for before, after in itertools.pairwise(parts):
        last = before[before.rindex("Sentence") :]
        assert after.startswith(last)
        assert after.count("Sentence") > 1


def test_chinese_without_spaces_is_cut_at_its_sentences() -> None:
    text = "".join(f"第{n}句话说了一些事情。" for n in range(100))
    parts = chunks(text)
    assert all(part.endswith("。") for part in parts)
    assert all(estimated_tokens(part) <= MAX_CHUNK_TOKENS for part in parts)


def test_the_estimate_counts_cjk_characters_and_thirds_of_others() -> None:
    assert estimated_tokens("") == 0
    assert estimated_tokens("abcd") == 2
    assert estimated_tokens("龙茶ab") == 3
