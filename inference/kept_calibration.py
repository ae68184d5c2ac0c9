"""The calibration of a model that nobody has fitted yet: fitted here once, then kept in a file.

Whoever fills vectors has the model at hand all the time and fits it (`fit_and_keep`) at its first
start; whoever only asks reads the file. Until it is there a cosine stands for itself.
"""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path
from typing import Final

import msgspec

from inference.calibration import Calibration, TextPair, identity
from inference.calibration_fit import fit
from inference.circuit_breaker import Monotonic
from inference.embedder import Embedder

LOOKED_FOR_EVERY_S: Final = 10.0


class KeptCalibration:
    """A map from cosine to similarity that becomes the fitted one once that is there."""

    def __init__(self, path: Path, monotonic: Monotonic = time.monotonic) -> None:
        self._path = path
        self._monotonic = monotonic
        self._fitted: Calibration | None = None
        self._next_look = monotonic()

    def __call__(self, cosine: float, pair: TextPair | None = None) -> float:
        """Give the similarity; a missing file is looked for again after 10 s."""
        if self._fitted is None and self._monotonic() >= self._next_look:
            self._next_look = self._monotonic() + LOOKED_FOR_EVERY_S
            self._fitted = read(self._path)
        return (self._fitted or identity)(cosine, pair)


def fit_and_keep(embedder: Embedder, path: Path) -> None:
    """Fit the model unless that is done. Raises `EmbeddingError`, `Unfit` and `OSError`."""
    if read(path) is not None:
        return
    calibration = fit(embedder)
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_suffix(".new")
    with new.open("wb") as file:
        file.write(msgspec.json.encode(calibration))
        file.flush()
        os.fsync(file.fileno())
    new.replace(path)


def read(path: Path) -> Calibration | None:
    """Give what a file keeps; None where there is none, or none that can be read."""
    with contextlib.suppress(FileNotFoundError, msgspec.DecodeError):
        return msgspec.json.decode(path.read_bytes(), type=Calibration)
    return None
