"""Shortlists from the node's views: by vector where the episode's is there, else by words.

No model is loaded: an episode's vector is looked up in the cache, where the vector view's filler
puts it within moments of the commit. The views may lag behind the log, and nobody waits for them:
what is proposed here is looked at anew by the command, in the log.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np

from commands.command import Clock
from domain.distillation.known import Known
from domain.namespaces import is_ephemeral
from inference.calibration import TextPair, chinese_share
from inference.embedder import Embedder
from projections.state.view import StateView
from projections.vector.cache import read_vectors
from projections.vector.chunks import chunks
from projections.vector.reading import Near
from projections.vector.schema import embedded_text, text_sha
from projections.vector.search_filter import SearchFilter
from projections.vector.view import VectorView
from workers.distillation.namespace_words import NamespaceWords, Terms
from workers.distillation.reading_talk import Case
from workers.distillation.shortlist import Shortlist
from workers.settings import Settings

LENGTH: Final = 15
LIKELY: Final = 0.8
"""Calibrated similarity above which two statements may be one (spec: lifecycle.md)."""

_CHUNKS: Final = 4
_LIKE_BY_WORDS: Final = 3


class ViewShortlists:
    """Shortlists of one node. For one thread; close it."""

    def __init__(self, settings: Settings, embedder: Embedder, terms: Terms, clock: Clock) -> None:
        self._cache = settings.data / "cache"
        self._embedder = embedder
        self._terms = terms
        self._clock = clock
        self._state = StateView(settings.data / "views" / "state", settings.policy)
        self._vector = VectorView(settings.data / "views" / "vector")
        self._words = NamespaceWords(
            lambda namespace, limit: self._state.newest(namespace, now=clock(), limit=limit), terms
        )

    def close(self) -> None:
        """Close the views."""
        self._state.close()

    def of(self, cases: Sequence[Case]) -> list[Shortlist]:
        """Give each episode's, in the same order. Raises what the views raise."""
        if not self._state.checkpoint().position:
            return [Shortlist() for _ in cases]
        near = self._near(cases)
        listed = [self._listed(case, near.get(case.episode.id)) for case in cases]
        namespaces = {case.episode.namespace for case in cases}
        recent = {name: self._recent(name) for name in namespaces}
        wanted = {i for ids, _ in listed for i in ids}.union(*recent.values())
        known = self._state.known(wanted, now=self._clock())
        return [
            Shortlist(
                near=_only(known, ids),
                recent=_only(known, recent[case.episode.namespace]),
                likely=tuple(i for i in likely if i in known),
            )
            for case, (ids, likely) in zip(cases, listed, strict=True)
        ]

    def term_share(self, namespace: str, term: str) -> float:
        """Give in which share of the namespace's memories a term occurs, 1 if it has none."""
        return self._words.of(namespace).share(term)

    def _listed(self, case: Case, near: Sequence[Near] | None) -> tuple[list[str], list[str]]:
        """Give the most alike, and those of them that may say the same."""
        content = case.talk.content
        if near is None and is_ephemeral(case.episode.namespace):
            return [], []  # the words are those of every session, and this is one's own
        if near is None:
            ids = self._words.of(case.episode.namespace).like(self._terms(content), LENGTH)
            return ids, ids[:_LIKE_BY_WORDS]
        chinese = chinese_share(content)
        likely = [one.source_id for one in near if self._similarity(one, chinese) > LIKELY]
        return [one.source_id for one in near], likely

    def _similarity(self, near: Near, chinese: float) -> float:
        shared = min(chinese, chinese_share(near.content)) if chinese else 0.0
        pair = TextPair("document", shared)
        return self._embedder.calibrate(near.cosine, pair)

    def _near(self, cases: Sequence[Case]) -> dict[str, list[Near]]:
        """Give what is near the episodes whose vectors are known, the nearest first."""
        embedder = self._embedder
        if self._vector.model() != f"{embedder.name}/{embedder.dimension}":
            return {}  # its next generation is being built
        shas = {case.episode.id: _shas(case) for case in cases}
        every = (sha for of_one in shas.values() for sha in of_one)
        vectors = read_vectors(self._cache, embedder.name, embedder.dimension, every)
        found: dict[str, list[Near]] = {}
        for place in {_place(case) for case in cases}:
            asked = [
                (case.episode.id, vectors[sha])
                for case in cases
                if _place(case) == place
                for sha in shas[case.episode.id]
                if sha in vectors
            ]
            if not asked:
                continue
            namespace, session_id = place
            search = SearchFilter(
                namespaces=frozenset({namespace}),
                layers=frozenset({"memory"}),
                session_id=session_id,
            )
            stacked = np.stack([vector for _, vector in asked])
            answers = self._vector.dense_of_many(stacked, search, LENGTH)
            for (episode_id, _), answer in zip(asked, answers, strict=True):
                found[episode_id] = _best([*found.get(episode_id, ()), *answer])
        return found

    def _recent(self, namespace: str) -> list[str]:
        if is_ephemeral(namespace):
            return []
        newest = self._state.newest(namespace, now=self._clock(), limit=LENGTH)
        return [memory_id for memory_id, _ in newest]


def _place(case: Case) -> tuple[str, str | None]:
    """Give where an episode's memories are: in its namespace, or its session where that ends."""
    episode = case.episode
    return episode.namespace, episode.session_id if is_ephemeral(episode.namespace) else None


def _shas(case: Case) -> list[str]:
    parts = chunks(case.talk.content)[:_CHUNKS]
    return [text_sha(embedded_text(case.talk.speaker, part)) for part in parts]


def _best(near: Iterable[Near]) -> list[Near]:
    """Give each memory once, the nearest first."""
    best: dict[str, Near] = {}
    for one in sorted(near, key=lambda one: (-one.cosine, one.source_id)):
        best.setdefault(one.source_id, one)
    return list(best.values())[:LENGTH]


def _only(known: dict[str, Known], ids: Iterable[str]) -> tuple[Known, ...]:
    return tuple(known[memory_id] for memory_id in ids if memory_id in known)
