"""A vector view in a folder, opened as its writer does, and what its table holds."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from domain.events import Event
from eventlog.subscription import Checkpoint
from projections.generation import ViewDirectory
from projections.vector.cache import VectorCache
from projections.vector.projector import VectorProjector
from projections.vector.schema import Row, from_arrow
from projections.vector.view import VectorView

DIMENSION = 8
MODEL = "letters"


class LetterEmbedder:
    """An embedder whose vectors depend on the text alone and cost nothing.

    It stands in where a test is about which row gets which vector, not about their meaning.
    """

    name = MODEL
    dimension = DIMENSION
    state = "ready"

    def embed_documents(self, texts: list[str]) -> NDArray[np.float32]:
        return np.stack([letters(text) for text in texts])

    def embed_query(self, text: str) -> NDArray[np.float32]:
        return letters(text)

    def calibrate(self, cosine: float, pair: object = None) -> float:
        return max(0.0, cosine)


def letters(text: str) -> NDArray[np.float32]:
    """Give float32[8] of length 1, another for every text."""
    digest = hashlib.sha256(text.encode()).digest()
    vector = np.frombuffer(digest, dtype=np.uint32).astype(np.float32) - 2.0**31
    return (vector / np.linalg.norm(vector)).astype(np.float32)


class Place:
    """A data folder with a vector view. Opening it again is what a crashed writer does next."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.open()

    def open(self) -> None:
        self.directory = ViewDirectory(self.folder / "views" / "vector")
        self.cache = VectorCache(self.folder / "cache", MODEL, DIMENSION)
        self.projector = VectorProjector(self.directory.live, self.cache)

    def close(self) -> None:
        self.cache.close()
        self.directory.close()

    def reopen(self) -> None:
        self.close()
        self.open()

    def view(self) -> VectorView:
        view = VectorView(self.folder / "views" / "vector")
        view.checkpoint()
        return view

    def project(self, events: Iterable[Event], batch: int = 500) -> None:
        events = list(events)
        for start in range(0, len(events), batch):
            part = events[start : start + batch]
            self.projector.apply(part, checkpoint_after(part[-1]))

    def fill(self, wanted: Callable[[Row], bool] = lambda row: True) -> int:
        """Compute the vectors of waiting rows and write them, as the filler does."""
        rows = [row for row in self.projector.stored(self.projector.waiting) if wanted(row)]
        self.remember_vectors(rows)
        return self.projector.fill(rows)

    def remember_vectors(self, rows: Iterable[Row]) -> None:
        from projections.vector.schema import embedded_text

        self.cache.put(
            {row.text_sha: letters(embedded_text(row.speaker, row.content)) for row in rows}
        )

    def rows(self) -> list[Row]:
        """Give every row but the sentinel."""
        stored = self.projector.table.search().where("layer != '__sys__'").to_arrow()
        return from_arrow(stored)


def checkpoint_after(event: Event) -> Checkpoint:
    return Checkpoint(position=event.position, epoch="epoch", event_id=event.event_id)


def stretches(rows: Iterable[Row]) -> dict[tuple[str, int], dict[str, Any]]:
    """Put rows as the oracle does; an episode's chunks must agree and be complete."""
    chunks: dict[tuple[str, int], list[Row]] = {}
    for row in rows:
        chunks.setdefault((row.source_id, row.from_position), []).append(row)
    found = {}
    for key, parts in chunks.items():
        parts.sort(key=lambda row: row.chunk_index)
        assert [row.chunk_index for row in parts] == list(range(parts[0].chunk_of)), key
        told = [_told(row) for row in parts]
        assert all({**one, "content": ""} == {**told[0], "content": ""} for one in told), key
        found[key] = {**told[0], "content": " ".join(row.content for row in parts)}
    newest = dict(sorted(found))
    for (source, begun), told_of in found.items():
        # Of a stretch that nothing can bring back, nobody asks whether it was superseded.
        told_of["superseded"] &= newest[source] == begun and told_of["content"] != ""
    return found


def differences(
    rows: Iterable[Row], expected: dict[tuple[str, int], dict[str, Any]]
) -> list[tuple[tuple[str, int], str, Any, Any]]:
    """Say where rows are not what the oracle expects: key, field, row's value, oracle's value."""
    found = stretches(rows)
    if found.keys() != expected.keys():
        return [
            (key, "row", key in found, key in expected) for key in found.keys() ^ expected.keys()
        ]
    return [
        (key, field, value, expected[key][field])
        for key, told in found.items()
        for field, value in told.items()
        if value != expected[key][field]
    ]


def _told(row: Row) -> dict[str, Any]:
    return {
        "layer": row.layer,
        "version": row.version,
        "content": row.content,
        "source": row.source,
        "namespace": row.namespace,
        "session_id": row.session_id,
        "session_seq": row.session_seq,
        "agent_id": row.agent_id,
        "tags": list(row.tags),
        "recorded_at": row.recorded_at,
        "position": row.position,
        "to": row.to_position,
        "superseded": row.superseded,
    }
