"""Identifiers, ports, versions and paths, asked for by themselves among near twins."""

from __future__ import annotations

from collections import Counter

from bench.identifiers import FLOOR, OF_EACH_KIND, SEED, entries, make, not_found
from bench.real_stack import RealStack


def test_as_many_of_each_kind_are_made_and_always_the_same() -> None:
    made = make(SEED)
    assert Counter(kind for kind, _ in made) == dict.fromkeys(
        ("identifier", "port", "version", "path"), OF_EACH_KIND
    )
    assert made == make(SEED)
    assert len({spelling for _, spelling in made}) == len(made)


def test_they_are_found_by_their_letters_before_they_have_vectors(stack: RealStack) -> None:
    made = make(SEED)
    stack.commit(entries(made, SEED))
    stack.project()
    missed = not_found(stack.recall, made)
    assert 1 - len(missed) / len(made) >= FLOOR, missed
