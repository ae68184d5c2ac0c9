"""A vector view of any size, written straight into its table: seeded texts, sessions and vectors.

Nothing is embedded and no log is read, so that a million rows take minutes. The rows have what
decides the speed of a search: lengths and word frequencies as in talk (ranks by Zipf and
Mandelbrot), a third of it in Chinese characters, sessions of twenty turns, vectors in clusters of
unequal size and of few directions each, one namespace of a thousandth of the rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import lance
import numpy as np
import pyarrow as pa
from msgspec import Struct
from numpy.typing import NDArray

from eventlog.subscription import Checkpoint
from projections.generation import ViewDirectory
from projections.vector.indices import create_indices
from projections.vector.lexical import document_tokens
from projections.vector.schema import TABLE, arrow_schema, to_arrow
from projections.vector.sentinel import Sentinel, sentinel_row
from projections.vector.table import rows_per_fragment
from projections.vector.told import COLUMN, Told, encode_told
from projections.vector.turns import turn_key

DIMENSION: Final = 384
MODEL: Final = f"seeded/{DIMENSION}"
SMALL: Final = "small"
"""The namespace that has one row in a thousand."""

NAMESPACES: Final = 20
_BATCH: Final = 20_000
_TURNS: Final = 20
_VOCABULARY: Final = 60_000
_CHARACTERS: Final = 2_500
_CENTRES: Final = 1_000
_DIRECTIONS: Final = 24
_START: Final = 1_760_000_000_000_000

Floats = NDArray[np.float32]


class Asked(Struct, frozen=True):
    """A question: its words, and a vector near one row's, float32[DIMENSION]."""

    text: str
    vector: Floats


class Seeded:
    """Draws texts and vectors; the same seed draws the same ones."""

    def __init__(self, seed: int) -> None:
        self._chance = np.random.default_rng(seed)
        shape = np.random.default_rng(1)  # words and clusters do not depend on the seed
        self._words = _letters(_VOCABULARY)
        self._word_shares = _zipf_mandelbrot(_VOCABULARY)
        self._character_shares = _zipf_mandelbrot(_CHARACTERS)
        self._centres = shape.normal(size=(_CENTRES, DIMENSION)).astype(np.float32)
        self._centres += 2.0 * shape.normal(size=DIMENSION).astype(np.float32)
        self._directions = shape.normal(size=(_CENTRES, _DIRECTIONS, DIMENSION)).astype(np.float32)
        self._directions /= np.sqrt(_DIRECTIONS)
        self._cluster_shares = _zipf_mandelbrot(_CENTRES, shift=50.0)

    def texts(self, count: int, words: float = 14.0) -> list[str]:
        """Give texts of about so many words, a third of them Chinese."""
        lengths = np.clip(self._chance.lognormal(np.log(words), 0.5, count), 2, 120).astype(int)
        chinese = self._chance.random(count) < 1 / 3
        ranks = self._chance.choice(_VOCABULARY, int(lengths.sum()), p=self._word_shares)
        signs = self._chance.choice(_CHARACTERS, 2 * int(lengths.sum()), p=self._character_shares)
        texts, at = [], 0
        for length, is_chinese in zip(lengths.tolist(), chinese.tolist(), strict=True):
            if is_chinese:
                texts.append("".join(chr(0x4E00 + s) for s in signs[2 * at : 2 * (at + length)]))
            else:
                texts.append(" ".join(self._words[r] for r in ranks[at : at + length]))
            at += length
        return texts

    def vectors(self, count: int) -> Floats:
        """Give float32[count, DIMENSION] of length 1."""
        of = self._chance.choice(_CENTRES, count, p=self._cluster_shares)
        places = self._chance.normal(size=(count, _DIRECTIONS)).astype(np.float32)
        vectors = self._chance.normal(scale=0.25, size=(count, DIMENSION)).astype(np.float32)
        vectors += self._centres[of]
        order = np.argsort(of, kind="stable")
        starts = np.searchsorted(of[order], np.arange(_CENTRES + 1))
        for centre in range(_CENTRES):
            rows = order[starts[centre] : starts[centre + 1]]
            if len(rows):
                vectors[rows] += places[rows] @ self._directions[centre]
        unit: Floats = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        return unit

    def questions(self, count: int, words: float = 7.0) -> list[Asked]:
        """Give questions whose vectors lie in the same clusters."""
        return [
            Asked(text, vector)
            for text, vector in zip(self.texts(count, words), self.vectors(count), strict=True)
        ]


def write_table(path: Path, rows: int, seed: int, vectors: Floats | None = None) -> Path:
    """Write a view of ``rows`` rows under ``path``, with its indices but the vectors'.

    ``vectors``, float32[rows, DIMENSION], stand in the place of seeded ones. Gives the folder of
    its live generation. Holds a few batches in memory at a time.
    """
    directory = ViewDirectory(path)
    schema = arrow_schema(DIMENSION)
    first = sentinel_row(Sentinel(model=MODEL, checkpoint=Checkpoint(rows, "", "")))
    folder = directory.live
    dataset = str(folder / f"{TABLE}.lance")
    lance.write_dataset(to_arrow([first], DIMENSION), dataset, schema=schema)
    lance.write_dataset(
        pa.RecordBatchReader.from_batches(schema, _batches(Seeded(seed), rows, schema, vectors)),
        dataset,
        schema=schema,
        mode="append",
        max_rows_per_file=rows_per_fragment(rows),
    )
    create_indices(lance.dataset(dataset))
    directory.close()
    return folder


def _batches(seeded: Seeded, rows: int, schema: Any, vectors: Floats | None) -> Iterator[Any]:
    for start in range(0, rows, _BATCH):
        count = min(_BATCH, rows - start)
        given = seeded.vectors(count) if vectors is None else vectors[start : start + count]
        yield _batch(seeded, start, given, schema)


def _batch(seeded: Seeded, start: int, given: Floats, schema: Any) -> Any:
    """Every second block of turns is talk, the rest are memories."""
    count = len(given)
    numbers = range(start, start + count)
    texts = seeded.texts(count)
    talk = [number // (_TURNS * NAMESPACES) % 2 == 0 for number in numbers]
    namespaces = [SMALL if n % 1000 == 7 else f"team-{n % NAMESPACES}" for n in numbers]
    sessions = [f"talk {n // (_TURNS * NAMESPACES)}" for n in numbers]
    turns = [n // NAMESPACES % _TURNS for n in numbers]
    sources = [f"{n:032x}" for n in numbers]
    position = [n + 1 for n in numbers]
    columns: dict[str, list[Any]] = {
        "id": [f"{s}:{p}:0" for s, p in zip(sources, position, strict=True)],
        "layer": ["episode" if is_talk else "memory" for is_talk in talk],
        "source_id": sources,
        "content": texts,
        "namespace": namespaces,
        "agent_id": ["agent"] * count,
        "source": ["user"] * count,
        "recorded_at": [_START + 1_000_000 * n for n in numbers],
        "from_position": position,
        "position": position,
        "event_pos": position,
        "version": [1] * count,
        "chunk_index": [0] * count,
        "chunk_of": [1] * count,
        "session_id": [s if t else None for s, t in zip(sessions, talk, strict=True)],
        "session_seq": [s if t else None for s, t in zip(turns, talk, strict=True)],
        "turn": [
            turn_key(namespace, session, turn) if is_talk else None
            for namespace, session, turn, is_talk in zip(
                namespaces, sessions, turns, talk, strict=True
            )
        ],
        "ended_by": [""] * count,
        "tokens": [" ".join(document_tokens(text)) for text in texts],
        "text_sha": [f"{n:064x}" for n in numbers],
        "superseded": [False] * count,
    }
    vectors = pa.FixedSizeListArray.from_arrays(pa.array(given.reshape(-1)), DIMENSION)
    empty_lists = ("tags", "metadata_pairs", "derived_from", "changed_memories")
    arrays = [
        vectors
        if field.name == "vector"
        else pa.array([[]] * count, field.type)
        if field.name in empty_lists
        else pa.array(_told(columns, count), field.type)
        if field.name == COLUMN
        else pa.array(columns.get(field.name, [None] * count), field.type)
        for field in schema
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def _told(columns: dict[str, list[Any]], count: int) -> list[bytes]:
    known = {**columns, "row_id": columns["id"], "derived_from": [()] * count}
    named = [known.get(name, [None] * count) for name in Told.__struct_fields__]
    return [encode_told(Told(*values)) for values in zip(*named, strict=True)]


def _zipf_mandelbrot(count: int, shift: float = 12.0) -> NDArray[np.float64]:
    shares = 1.0 / (np.arange(count, dtype=np.float64) + shift)
    summing_to_one: NDArray[np.float64] = shares / shares.sum()
    return summing_to_one


def _letters(count: int) -> list[str]:
    consonants, words = "bcdfghjklmnpqrstvwxz", []
    for number in range(count):
        text, rest = "w", number
        while True:
            rest, digit = divmod(rest, 20)
            text += consonants[digit]
            if rest == 0:
                break
        words.append(text)
    return words
