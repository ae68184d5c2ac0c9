"""Another embedder asks for another generation; a lost vector cache costs no embedding."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
from msgspec.structs import replace

from eventlog.redis_log import RedisLog
from projections.build_request import read_build_status, request_build
from projections.generation import built_by, current_generation, sign
from projections.vector.schema import embedded_text
from projections.vector.view import VectorView
from tests.histories import Historian
from tests.inference.embedding_server import Exchange, embedding_server, vector_of
from tests.servers import LogServer, eventually
from tests.view_oracles import assert_view_equals_log, seed_cache, vector_rows
from tests.view_workers import building, digests, reach, shows
from tests.workers.rebuilding_process import settings_of
from workers.archive import open_archive
from workers.node import view_path
from workers.settings import Settings, resolve
from workers.vector_shipping import ship_vectors_now
from workers.views import VIEW_KINDS

SEARCHED = ("state", "vector")
DIMENSIONS = {"alpha": 8, "beta": 16}


def by_model(exchange: Exchange) -> None:
    """Answer as the model that is asked for, each with vectors of its own length."""
    dimension = DIMENSIONS[exchange.request["model"]]
    exchange.answer_rows(
        [
            {"index": n, "embedding": vector_of(text, dimension)}
            for n, text in enumerate(exchange.texts)
        ]
    )


def with_model(settings: Settings, endpoint: str, model: str) -> Settings:
    """Give the settings of the same node with an embedding server of its own."""
    environment = {
        "REDIS_URL": str(settings.redis_url),
        "EMBED_ENDPOINT": endpoint,
        "EMBED_MODEL": model,
        "EMBED_DIMENSION": str(DIMENSIONS[model]),
    }
    given = {"data": str(settings.data), "log": settings.log}
    return resolve(given, environment).settings


def is_live(view: Path, generation: int) -> bool:
    status = read_build_status(view)
    return status is not None and status.state == "live" and status.generation == generation


def assert_filled(view: Path, dimension: int) -> None:
    """Fail unless every open row has the vector that the server makes of its text."""
    for row in vector_rows(view):
        if row.is_open:
            made = np.array(vector_of(embedded_text(row.speaker, row.content), dimension))
            assert row.vector is not None, row.id
            np.testing.assert_allclose(row.vector, made / np.linalg.norm(made), atol=1e-3)


def test_another_embedder_is_built_beside_the_old_and_a_lost_cache_embeds_nothing_again(
    log_server: LogServer, log: RedisLog, tmp_path: Path
) -> None:
    historian = Historian(log, seed=11)
    historian.live_on(25)
    for _ in range(20):
        historian.remember()
    node = settings_of(tmp_path / "data", log_server.url, log.name)
    with embedding_server() as server:
        server.usual = by_model
        alpha = with_model(node, server.endpoint, "alpha")
        beta = with_model(node, server.endpoint, "beta")
        vector = view_path(alpha, "vector")
        reader = VectorView(vector)

        def is_filled() -> bool:
            reader.checkpoint()  # to see the newest version of the table
            return reader.vectors() > 0 and reader.missing_vectors(None) == 0

        with building(alpha):
            reach(alpha, historian.position, SEARCHED)
            eventually(is_filled, within_s=60)
            assert reader.vectors() > 20
            before, asked = reader.digest(), len(server.requests)
            assert_filled(vector, 8)

            shutil.rmtree(alpha.data / "cache")
            request_build(vector, "asked")
            eventually(lambda: is_live(vector, 2), within_s=60)
            assert reader.missing_vectors(None) == 0
            assert_filled(vector, 8)
            assert len(server.requests) == asked, "nothing was embedded again"
            assert reader.digest() == before

            # Without the view too, there is the archive.
            place = open_archive(alpha).place
            assert ship_vectors_now(alpha, log, place) > 20
            shutil.rmtree(alpha.data / "cache")
            shutil.rmtree(vector)
            shows(alpha, "vector", lambda said: said.problem == "view-removed")
            reach(alpha, historian.position, ["vector"])
            eventually(is_filled, within_s=60)
            assert_filled(vector, 8)
            assert len(server.requests) == asked, "nothing was embedded again"
            assert reader.digest() == before
        generation = current_generation(vector)
        assert generation is not None
        seen = set()

        def beta_is_live() -> bool:
            seen.add((current_generation(vector), reader.digest().rows))
            return is_live(vector, generation + 1)

        with building(beta):
            eventually(beta_is_live, within_s=60)
            eventually(is_filled, within_s=60)
            assert {rows for _, rows in seen} == {before.rows}, "one of them served, whole"
            assert_filled(vector, 16)
            historian.live_on(5)
            reach(beta, historian.position, SEARCHED)
            eventually(is_filled, within_s=60)
        status = read_build_status(vector)
        assert status is not None
        assert "embedder 'openai:alpha' → 'openai:beta', dimension 8 → 16" in status.asked_because
        assert_filled(vector, 16)
        assert_view_equals_log(vector, log.url, log.name)


def test_another_schema_or_other_rules_of_each_view_are_built_while_the_old_ones_serve(
    log_server: LogServer, log: RedisLog, tmp_path: Path
) -> None:
    historian = Historian(log, seed=12)
    historian.live_on(25)
    settings = settings_of(tmp_path / "data", log_server.url, log.name)
    seed_cache(settings, log)
    with building(settings):
        reach(settings, historian.position)
    before = digests(settings)
    for view, kind in VIEW_KINDS.items():
        wanted = kind.builder(settings)
        changed = {"analytics": "projector"}.get(view, "schema")
        old = replace(wanted, **{changed: getattr(wanted, changed) - 1})
        sign(view_path(settings, view) / "1", old)
    served = {view: [before[view]] for view in VIEW_KINDS}
    with building(settings):

        def all_are_live() -> bool:
            for view, found in digests(settings).items():
                served[view].append(found)
            return all(is_live(view_path(settings, view), 2) for view in VIEW_KINDS)

        eventually(all_are_live, within_s=60)
        reach(settings, historian.position)
    for view, found in served.items():
        assert all(digest == before[view] for digest in found)
    for view, kind in VIEW_KINDS.items():
        path = view_path(settings, view)
        assert current_generation(path) == 2
        assert built_by(path / "2") == kind.builder(settings)
        assert_view_equals_log(path, log.url, log.name)
