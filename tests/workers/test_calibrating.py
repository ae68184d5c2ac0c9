"""A model that the project does not know is fitted while vectors are filled, and kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from inference.kept_calibration import read
from tests.inference.embedding_server import Exchange, embedding_server
from tests.inference.words import Words
from tests.servers import eventually
from workers.calibrating import calibrating, calibration_file
from workers.node import make_embedder
from workers.settings import Settings, resolve


def told(tmp_path: Path, **given: str) -> Settings:
    return resolve({"data": str(tmp_path)}, given).settings


def test_what_ships_a_calibration_and_bge_m3_need_none(tmp_path: Path) -> None:
    assert calibration_file(told(tmp_path)) is None
    url = {"EMBED_ENDPOINT": "http://127.0.0.1:9"}
    for name in ("bge-m3", "BAAI/bge-m3"):
        assert calibration_file(told(tmp_path, **url, EMBED_MODEL=name)) is None
    other = calibration_file(told(tmp_path, **url, EMBED_MODEL="org/other"))
    assert other is not None
    assert other.parent == tmp_path / "cache"


@pytest.mark.slow
def test_another_model_is_fitted_and_kept_once_a_text_was_embedded(tmp_path: Path) -> None:
    with embedding_server() as server:
        settings = told(
            tmp_path,
            EMBED_ENDPOINT=server.endpoint,
            EMBED_MODEL="words",
            EMBED_DIMENSION=str(Words.dimension),
        )
        path = calibration_file(settings)
        assert path is not None
        server.usual = by_words
        embedder = make_embedder(settings)
        with calibrating(settings, embedder, look_s=0.01):
            assert server.requests == [], "a node that embeds nothing asks nothing"
            embedder.embed_documents(["a memory"])
            eventually(path.exists, within_s=60)
        asked = len(server.requests)
        with calibrating(settings, embedder, look_s=0.01):
            embedder.embed_documents(["another"])
        assert len(server.requests) == asked + 1
    fitted = read(path)
    assert fitted is not None
    assert make_embedder(settings).calibrate(0.3) == fitted(0.3)


def by_words(exchange: Exchange) -> None:
    vectors = [Words().embed_query(text).tolist() for text in exchange.texts]
    exchange.answer_rows([{"index": n, "embedding": one} for n, one in enumerate(vectors)])
