"""Words are stemmed alike whoever else stems at that moment."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
import snowballstemmer

from domain.policies.english_stem import english_stem

ENDINGS = ("ing", "ed", "s", "ations", "fulness", "ly", "ment", "ies", "able", "er")


@pytest.fixture
def many_switches() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("many_switches")
def test_threads_that_stem_at_once_do_not_mix_their_words() -> None:
    chance = random.Random(11)
    words = [
        "".join(chance.choices("abcdeilmnorst", k=chance.randint(3, 9))) + chance.choice(ENDINGS)
        for _ in range(4000)
    ]
    alone = snowballstemmer.stemmer("english")
    expected = [alone.stemWord(word) for word in words]
    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(english_stem, words)) == expected
