"""Fitting the calibration of a model that the project does not know (docs/decisions/0026).

The bundled model's ships with the project and bge-m3's cosines need none. Any other model is
fitted on the shipped pairs by the process that fills vectors, in a thread of its own, once a text
was embedded: a node that got all its vectors from elsewhere asks its model nothing.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import structlog

from inference.calibration_fit import Unfit
from inference.embedder import Embedder, EmbedderUnavailable, EmbeddingError
from inference.kept_calibration import fit_and_keep
from projections.priority import give_way
from projections.vector.cache import model_file_name
from workers.settings import Settings

IDENTICAL: Final = "bge-m3"
"""For models of this name the cosine is the similarity (spec: lifecycle.md)."""

_LOOK_S: Final = 30.0
_NICENESS: Final = 10

_log = structlog.get_logger(__name__)


def calibration_file(settings: Settings) -> Path | None:
    """Give where the model's calibration is kept; None where it needs no fitting."""
    if settings.embed_endpoint is None or IDENTICAL in settings.embed_model.casefold():
        return None
    name = model_file_name(f"openai:{settings.embed_model}")
    return settings.data / "cache" / f"calibration-{name}.json"


@contextmanager
def calibrating(settings: Settings, embedder: Embedder, look_s: float = _LOOK_S) -> Iterator[None]:
    """Fit the model meanwhile, if it needs that and it was not done.

    Every ``look_s`` seconds it is looked whether the model answers by now.
    """
    path = calibration_file(settings)
    if path is None:
        yield
        return
    stopped = threading.Event()
    thread = threading.Thread(
        target=_fit, args=(embedder, path, stopped, look_s), name="calibration", daemon=True
    )
    thread.start()
    try:
        yield
    finally:
        stopped.set()
        thread.join(timeout=5.0)


def _fit(embedder: Embedder, path: Path, stopped: threading.Event, look_s: float) -> None:
    give_way(_NICENESS)
    while not stopped.wait(look_s):
        if embedder.state != "ready":
            continue
        try:
            fit_and_keep(embedder, path)
        except EmbedderUnavailable:
            continue
        except (EmbeddingError, Unfit, OSError) as error:
            # Its cosines then stand for themselves until the next start.
            _log.warning("calibration_not_fitted", reason=f"{type(error).__name__}: {error}")
        return
