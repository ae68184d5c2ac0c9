"""Strings are found where `bytes.startswith` says that they stand, and nowhere else."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from projections.vector.substrings import places_of

texts = st.text("ab 茶\n", max_size=40).map(str.encode)
strings = st.lists(st.text("ab 茶", min_size=1, max_size=9).map(str.encode), max_size=4)


@given(looked_for=strings, text=texts)
def test_every_place_is_found_in_order(looked_for: list[bytes], text: bytes) -> None:
    found = [places.tolist() for places in places_of(looked_for, text)]
    assert found == [
        [place for place in range(len(text)) if text.startswith(string, place)]
        for string in looked_for
    ]


@given(text=texts, start=st.integers(0, 40), size=st.integers(1, 40))
def test_a_part_of_the_text_is_found_where_it_was_cut_out(
    text: bytes, start: int, size: int
) -> None:
    part = text[start : start + size]
    if part:
        assert start in places_of([part], text)[0]


def test_places_may_overlap_and_the_end_of_the_text_is_looked_at() -> None:
    found = places_of([b"tea tea", b"a", b"tea", b"pot"], b"tea tea tea")
    assert [places.tolist() for places in found] == [[0, 4], [2, 6, 10], [0, 4, 8], []]
    assert places_of([], b"tea") == []
