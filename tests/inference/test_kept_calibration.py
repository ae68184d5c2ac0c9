"""The calibration of a model that was not fitted yet: fitted once, kept, read by whoever asks."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from inference.calibration_fit import Unfit
from inference.embedder import Embedder, EmbedderUnavailable
from inference.kept_calibration import LOOKED_FOR_EVERY_S, KeptCalibration, fit_and_keep, read
from tests.inference.embedding_server import vector_of
from tests.inference.words import Words


class Noise(Words):
    """Vectors that mean nothing."""

    dimension = 8

    def embed_query(self, text: str) -> np.ndarray:
        vector = np.array(vector_of(text), dtype=np.float32)
        return vector / np.linalg.norm(vector)


class Gone(Words):
    def embed_documents(self, texts: list[str]) -> np.ndarray:
        raise EmbedderUnavailable("words did not answer: status 503")


def test_a_cosine_stands_for_itself_until_the_fitted_curves_are_there(tmp_path: Path) -> None:
    now = 0.0
    path = tmp_path / "cache" / "calibration-words.json"
    kept = KeptCalibration(path, lambda: now)
    assert kept(0.4) == 0.4
    words = Words()
    fit_and_keep(words, path)
    assert kept(0.4) == 0.4  # the file is not looked for at every question
    now += LOOKED_FOR_EVERY_S
    fitted = read(path)
    assert fitted is not None
    assert kept(0.4) == fitted(0.4) != 0.4
    assert KeptCalibration(path, lambda: now)(0.4) == fitted(0.4)
    calls = words.calls
    fit_and_keep(words, path)
    assert words.calls == calls


def test_what_cannot_be_read_is_fitted_again(tmp_path: Path) -> None:
    path = tmp_path / "calibration.json"
    path.write_bytes(b'{"any": [')
    assert KeptCalibration(path)(0.4) == 0.4
    fit_and_keep(Words(), path)
    assert read(path) is not None


@pytest.mark.parametrize(
    ("embedder", "error"), [(Noise(), Unfit), (Gone(), EmbedderUnavailable)], ids=["noise", "gone"]
)
def test_a_model_that_cannot_be_fitted_leaves_no_file(
    tmp_path: Path, embedder: Embedder, error: type[Exception]
) -> None:
    path = tmp_path / "calibration.json"
    with pytest.raises(error):
        fit_and_keep(embedder, path)
    assert list(tmp_path.iterdir()) == []
