"""Which stages make a recall's order: all of them, unless one is switched off to measure it."""

from __future__ import annotations

from msgspec import Struct


class Stages(Struct, frozen=True, kw_only=True):
    """What is switched on.

    ``word_window`` and ``meaning_window``: the turns beside a row count as its context, for its
    words and for its meaning. ``second_neighbours``: two turns away too, not only one.
    ``neighbours_as_candidates``: the turns beside what was found may be results. ``length_gate``:
    the longer a row, the less its neighbours count. ``speaker``: whoever the query names is
    preferred. ``time``: what was observed at a time that the query names is searched for and
    preferred. ``newest_first``: of versions of one statement the newest comes first.
    ``evidence``: the share of words depends on how much of the query one row holds; otherwise it
    is `evidence.FIXED_WEIGHT`. ``absorption``: a memory stands for its episodes. ``reranker``: one
    that is configured is asked. ``signals``: what is known of a memory's worth moves its score.
    ``once``: near-identical texts are one result. ``diversity``: repetitions make room.
    """

    word_window: bool = True
    meaning_window: bool = True
    second_neighbours: bool = True
    neighbours_as_candidates: bool = True
    length_gate: bool = True
    speaker: bool = True
    time: bool = True
    newest_first: bool = True
    evidence: bool = True
    absorption: bool = True
    reranker: bool = True
    signals: bool = True
    once: bool = True
    diversity: bool = True

    @property
    def neighbours(self) -> bool:
        """Whether any stage looks at the turns beside."""
        return self.word_window or self.meaning_window or self.neighbours_as_candidates


EVERY_STAGE = Stages()
NO_STAGE = Stages(
    word_window=False,
    meaning_window=False,
    second_neighbours=False,
    neighbours_as_candidates=False,
    length_gate=False,
    speaker=False,
    time=False,
    newest_first=False,
    evidence=False,
    absorption=False,
    reranker=False,
    signals=False,
    once=False,
    diversity=False,
)
