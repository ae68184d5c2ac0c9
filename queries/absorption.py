"""A memory stands for the episodes it came from (spec: recall.md, "Pipeline").

An episode and the memory that was made of it say the same, and must not both take places. The
episode goes and the memory takes the better of the two scores. Of several memories of one episode
only the best takes it: the others answer for themselves. An episode whose memory says something
else by now is no candidate at all (`results`), and what a memory merely heard again
(``observed_in``) stays: its text may say more.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import TypeVar

from msgspec import Struct

T = TypeVar("T")


class Part(Struct, frozen=True, gc=False):
    """What absorption looks at. ``sources`` are the episodes a memory came from, none of others."""

    id: str
    score: float
    sources: Collection[str] = ()


def absorbed(
    ranked: Sequence[T],
    part_of: Callable[[T], Part],
    with_score: Callable[[T, float], T],
) -> list[T]:
    """Give what is left, in the order of the new scores; equals stay as they were."""
    parts = [part_of(one) for one in ranked]
    place_of = {part.id: place for place, part in enumerate(parts)}
    scores = [part.score for part in parts]
    gone: set[int] = set()
    # Best first, so that the best memory of an episode comes first, by its own score.
    for place in sorted(range(len(parts)), key=lambda place: -parts[place].score):
        for source in parts[place].sources:
            episode = place_of.get(source)
            if episode is None or episode in gone:
                continue
            gone.add(episode)
            scores[place] = max(scores[place], parts[episode].score)
    left = [place for place in range(len(parts)) if place not in gone]
    left.sort(key=lambda place: -scores[place])
    return [
        ranked[place]
        if scores[place] == parts[place].score
        else with_score(ranked[place], scores[place])
        for place in left
    ]
