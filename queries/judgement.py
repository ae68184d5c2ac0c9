"""What candidates are judged by, and what is left of them."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from msgspec import Struct

from domain.caller import Caller
from domain.settings import PolicySettings
from inference.embedder import Embedder
from memoryweave.contract import Recall
from projections.state.rows import EpisodeOutline, MemoryOutline
from projections.state.view import StateView
from projections.vector.search_filter import SearchFilter
from queries.candidates import Candidate
from queries.stages import Stages


class Judgement(Struct, frozen=True, kw_only=True):
    """By what candidates are judged: the request, who sent it, its filter, the present or a moment.

    For a moment of the past ``now`` is its time; its position is the filter's.
    """

    request: Recall
    caller: Caller
    wanted: SearchFilter
    state: StateView
    embedder: Embedder
    now: datetime
    policy: PolicySettings
    stages: Stages


class Admitted(NamedTuple):
    """A candidate that may be a result, its row, and the warnings that it carries.

    ``score`` is the candidate's until a stage of the ranking gives another. ``copies`` are the ids
    of near-identical others that it stands for.
    """

    candidate: Candidate
    row: MemoryOutline | EpisodeOutline
    warnings: list[str]
    score: float
    copies: tuple[str, ...] = ()


def text_of(one: Admitted) -> str:
    """Give the text shown: an episode never changes, so its chunk may come from the vector view."""
    if one.candidate.chunk_of > 1 and one.candidate.content is not None:
        return one.candidate.content
    return one.row.content
