"""A long history, seeded: what happens in it is random, and each text has a vector in the cache."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Final

import numpy as np

from domain import events as facts
from eventlog.redis_log import RedisLog
from projections.vector.cache import VectorCache
from projections.vector.chunks import chunks
from projections.vector.schema import embedded_text, text_sha
from tests.histories import WORDS, Fact, Historian

_VECTORS_AT_ONCE: Final = 4_000
_STEPS_AT_ONCE: Final = 500
_LOOKS: Final = 50


class Talkative(Historian):
    """Writes texts of 12 to 30 words; a year of a million events. ``embedded`` is what they say."""

    def __init__(self, log: RedisLog, seed: int) -> None:
        super().__init__(log, seed)
        self.longest_step_s = 180
        self.embedded: list[str] = []

    def text(self) -> str:
        return " ".join(self.random.choices(WORDS, k=self.random.randint(12, 30)))

    def write(self, *written: Fact) -> int:
        for _, _, body in written:
            self.embedded += _embedded(body)
        return super().write(*written)

    def choose(self, fits: Callable[[str], bool]) -> str | None:
        # Not all of a million memories are looked through for each event.
        for _ in range(_LOOKS if self.memories else 0):
            memory = self.random.choice(self.memories)
            if fits(memory):
                return memory
        return None


def write_history(log: RedisLog, events: int, cache: VectorCache | None = None) -> int:
    """Write at least that many events, their vectors into ``cache``; give the last position."""
    historian = Talkative(log, seed=11)
    chance = np.random.default_rng(11)
    while historian.position < events:
        historian.live_on(min(_STEPS_AT_ONCE, events - historian.position))
        if cache is not None:
            _keep_vectors(cache, historian.embedded, chance)
        historian.embedded.clear()
    return historian.position


def _embedded(body: object) -> Iterator[str]:
    match body:
        case facts.EpisodeCommitted(distill=True):
            yield from (embedded_text(body.speaker, part) for part in chunks(body.content))
        case facts.MemoryCreated() | facts.MemoryCorrected():
            yield embedded_text(None, body.content)


def _keep_vectors(cache: VectorCache, texts: Sequence[str], chance: np.random.Generator) -> None:
    left = iter(texts)
    while part := list(islice(left, _VECTORS_AT_ONCE)):
        vectors = chance.normal(size=(len(part), cache.dimension)).astype(np.float32)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        cache.put(dict(zip(map(text_sha, part), vectors, strict=True)))
