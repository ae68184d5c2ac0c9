"""What recall is worth on questions with known answers (spec: recall.md, "Evaluation").

A question names the ids it expects: of memories, of episodes, or the ids under which lines were
imported. A result covers what it is; a memory also covers the episodes it was derived from, so
that consolidation, which puts memories in the place of episodes, is not counted as loss.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Final

from msgspec import Struct

from domain.policies.retrieval import Measures, found_within, mean_of, measures, recall_at
from memoryweave.contract import (
    ConsolidationAwareHits,
    EvaluationQuestion,
    QueryDetail,
    Recall,
    RecallAnswer,
    RecallItem,
)
from projections.state.rows import EpisodeRow, MemoryRow
from projections.state.view import StateView

DEPTH: Final = 10
"""How many results a question is asked for: no measure looks further."""

Ask = Callable[[Recall], RecallAnswer]
"""Answers one question without leaving a trace of it: evaluation is no use of a memory."""


class Asked(Struct, frozen=True, kw_only=True):
    """One question with what was answered."""

    question: EvaluationQuestion
    answer: RecallAnswer

    @property
    def expected(self) -> frozenset[str]:
        """The ids that should be found."""
        return frozenset(self.question.evidence_ids)

    @property
    def ranking(self) -> list[frozenset[str]]:
        """What each result covers, best first."""
        return [covered_by(item) for item in self.answer.results]

    @property
    def measures(self) -> Measures:
        """How good the answer is."""
        return measures(self.ranking, self.expected)


class Evaluated(Struct, frozen=True, kw_only=True):
    """A set's figures: means over its questions, and recall@5 by group.

    ``by_tag``, ``by_agent`` and ``by_layer`` group questions by what they expect, ``by_category``
    by what they are. ``levels`` counts how they were answered.
    """

    means: Measures
    details: list[QueryDetail]
    consolidation: ConsolidationAwareHits
    by_tag: dict[str, float]
    by_agent: dict[str, float]
    by_layer: dict[str, float]
    by_category: dict[str, float]
    levels: dict[str, int]


def request_of(question: EvaluationQuestion, namespaces: Sequence[str] | None = None) -> Recall:
    """Give a question as a client asks it, with default settings.

    ``namespaces``: for a question that names none itself.
    """
    named = question.namespaces or (None if namespaces is None else list(namespaces))
    return Recall(query=question.query, namespaces=named, top_k=DEPTH)


def covered_by(item: RecallItem) -> frozenset[str]:
    """Give every id that a result answers for: its own, those of the copies that it stands for, its
    episodes', and imported lines'.
    """
    external = item.metadata.get("external_id")
    lines = external if isinstance(external, list) else [] if external is None else [external]
    return frozenset([item.id, *item.copy_ids, *item.derived_from, *map(str, lines)])


def evaluated(asked: Sequence[Asked], state: StateView, now: datetime) -> Evaluated:
    """Compute a set's figures. ``state`` says whose and of which layer the expected things are."""
    wanted = {expected for one in asked for expected in one.question.evidence_ids}
    groups = _groups(wanted, state, now)
    recalls = [(one, recall_at(5, one.ranking, one.expected)) for one in asked]

    def grouped(name: str) -> dict[str, float]:
        return _means(
            (group, recall)
            for one, recall in recalls
            for group in {g for i in one.expected for g in groups[name].get(i, ())}
        )

    return Evaluated(
        means=mean_of([one.measures for one in asked]),
        details=[_detail(one) for one in asked],
        consolidation=consolidation_aware_hits(asked),
        by_tag=grouped("tag"),
        by_agent=grouped("agent"),
        by_layer=grouped("layer"),
        by_category=_means(
            (one.question.category, recall) for one, recall in recalls if one.question.category
        ),
        levels=dict(Counter(one.answer.level for one in asked)),
    )


def consolidation_aware_hits(asked: Iterable[Asked]) -> ConsolidationAwareHits:
    """Count what is found only because a memory stands for the episodes it was derived from.

    ``total_distilled_used`` counts results among the first five that are memories derived from
    episodes, ``hits_after_consolidation`` the expected ids that nothing but such a memory covers
    there, ``consolidation_benefit`` what these add to the mean recall@5.
    """
    used = gained = 0
    benefits: list[float] = []
    for one in asked:
        first = one.answer.results[:5]
        used += sum(item.layer == "memory" and bool(item.derived_from) for item in first)
        aware = found_within(5, one.ranking, one.expected)
        plain = found_within(5, [_itself(item) for item in first], one.expected)
        gained += len(aware - plain)
        benefits.append(len(aware - plain) / len(one.expected))
    return ConsolidationAwareHits(
        total_distilled_used=used,
        hits_after_consolidation=gained,
        consolidation_benefit=sum(benefits) / len(benefits) if benefits else 0.0,
    )


def _itself(item: RecallItem) -> frozenset[str]:
    """Give what a result covers without regard to consolidation."""
    if item.layer == "memory":
        return frozenset({item.id, *item.copy_ids})
    return covered_by(item)


def _detail(one: Asked) -> QueryDetail:
    found = found_within(5, one.ranking, one.expected)
    got = one.measures
    return QueryDetail(
        query=one.question.query,
        expected_ids=list(one.question.evidence_ids),
        hits=[i for i in one.question.evidence_ids if i in found],
        misses=[i for i in one.question.evidence_ids if i not in found],
        recall_at_5=got.recall_at_5,
        precision_at_5=got.precision_at_5,
    )


def _groups(
    wanted: Iterable[str], state: StateView, now: datetime
) -> Mapping[str, Mapping[str, Sequence[str]]]:
    """Give, for tag, agent and layer, the groups that each expected id belongs to, if any."""
    ids = list(wanted)
    memories, episodes = state.memories(ids, now=now), state.episodes(ids, now=now)
    tags: dict[str, Sequence[str]] = {}
    agents: dict[str, Sequence[str]] = {}
    rows: list[MemoryRow | EpisodeRow] = [*memories.values(), *episodes.values()]
    for row in rows:
        tags[row.id], agents[row.id] = row.tags, (row.agent_id,)
    layers = {**dict.fromkeys(episodes, ("episode",)), **dict.fromkeys(memories, ("memory",))}
    return {"tag": tags, "agent": agents, "layer": layers}


def _means(values: Iterable[tuple[str, float]]) -> dict[str, float]:
    collected: defaultdict[str, list[float]] = defaultdict(list)
    for group, value in values:
        collected[group].append(value)
    return {group: sum(some) / len(some) for group, some in sorted(collected.items())}
