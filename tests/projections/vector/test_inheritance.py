"""What a lost vector cache gets back from a generation that still has the vectors."""

from __future__ import annotations

import shutil
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from projections.vector import inheritance
from projections.vector.cache import VectorCache
from projections.vector.inheritance import inherit_vectors
from projections.vector.schema import text_sha
from projections.vector.shipping import Due, ShippingRecord
from tests.projections.vector.histories import History
from tests.projections.vector.places import DIMENSION, MODEL, Place, letters


def test_a_lost_cache_gets_back_what_a_generation_of_its_model_has(tmp_path: Path) -> None:
    place, history = Place(tmp_path), History()
    texts = [f"statement {number}" for number in range(30)]
    memories = [history.create(text) for text in texts]
    place.project(history.events)
    place.fill()
    history.correct(memories[0], "statement 0, corrected")
    place.project(history.events[-1:])
    place.close()
    shutil.rmtree(tmp_path / "cache")
    live = tmp_path / "views" / "vector" / "1"
    with closing(VectorCache(tmp_path / "cache", MODEL, DIMENSION)) as cache:
        cache.forget([text_sha(texts[1])])
        assert inherit_vectors(live, cache) == 29, "all but the forgotten one"
        assert cache.known(map(text_sha, texts)) == set(map(text_sha, texts)) - {text_sha(texts[1])}
        for text in (texts[0], texts[-1]):
            np.testing.assert_array_equal(
                cache.get([text_sha(text)])[text_sha(text)], letters(text)
            )
        with closing(ShippingRecord(cache.path)) as record:
            assert record.due() == Due(unshipped=29, forgotten=1)
        assert inherit_vectors(live, cache) == 0, "nothing twice"


def test_nothing_is_taken_from_a_generation_of_another_model(tmp_path: Path) -> None:
    place, history = Place(tmp_path), History()
    history.create("a text")
    place.project(history.events)
    place.fill()
    place.close()
    live = tmp_path / "views" / "vector" / "1"
    for model, dimension in (("words", DIMENSION), (MODEL, 2 * DIMENSION)):
        with closing(VectorCache(tmp_path / "other", model, dimension)) as cache:
            assert inherit_vectors(live, cache) == 0
            assert cache.count() == 0


def test_a_text_that_is_erased_while_a_generation_is_inherited_is_not_put_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place, history = Place(tmp_path), History()
    texts = [f"statement {number}" for number in range(5)]
    memories = [history.create(text) for text in texts]
    place.project(history.events)
    place.fill()
    shutil.rmtree(tmp_path / "cache")
    gone = text_sha(texts[2])
    lacking = inheritance._lacking

    def erased_meanwhile(dataset, cache):
        for row_ids in lacking(dataset, cache):
            history.erase(memories[2])
            place.project(history.events[-2:])
            # The lifecycle worker strikes it out of the archive; nothing says any more that it was.
            with closing(ShippingRecord(cache.path)) as record:
                assert bytes.fromhex(gone) in record.forgotten()
                record.struck(record.forgotten())
            yield row_ids

    monkeypatch.setattr(inheritance, "_lacking", erased_meanwhile)
    with closing(VectorCache(tmp_path / "cache", MODEL, DIMENSION)) as cache:
        live = tmp_path / "views" / "vector" / "1"
        assert inherit_vectors(live, cache) == 4
        assert cache.known(map(text_sha, texts)) == set(map(text_sha, texts)) - {gone}
        with closing(ShippingRecord(cache.path)) as record:
            # Should it have been shipped in between, it is struck out once more.
            assert record.forgotten() == [bytes.fromhex(gone)]
    place.close()
