"""What was distilled takes no places of what else was said."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from projections.vector.best_sources import of_so_many

names = st.sampled_from("abcdefgh")


@given(st.lists(names), st.integers(1, 9))
def test_the_best_come_until_so_many_things_said_are_there(origins: list[str], limit: int) -> None:
    chosen = of_so_many(origins, limit)
    assert chosen == list(range(len(chosen)))
    kept = [origins[place] for place in chosen]
    assert len(set(kept)) <= limit
    assert len(kept) <= 2 * limit
    if len(kept) < min(len(origins), 2 * limit):
        assert len(set(kept)) == limit
        assert origins[len(kept)] not in kept


@given(st.lists(names, unique=True), st.integers(1, 9), st.data())
def test_one_memory_of_each_episode_beside_it_costs_no_episode_its_place(
    episodes: list[str], limit: int, data: st.DataObject
) -> None:
    distilled = data.draw(st.sets(st.sampled_from(episodes))) if episodes else set()
    ranked = [name for one in episodes for name in [one] * (2 if one in distilled else 1)]
    found = {ranked[place] for place in of_so_many(ranked, limit)}
    assert found == {episodes[place] for place in of_so_many(episodes, limit)}


def test_where_all_come_of_different_things_it_is_the_first_so_many() -> None:
    assert of_so_many(["a", "b", "c", "d"], 2) == [0, 1]
    assert of_so_many(["a", "b", "a", "b", "c"], 2) == [0, 1, 2, 3]
    assert of_so_many(["a", "a", "a", "a", "a"], 2) == [0, 1, 2, 3]
