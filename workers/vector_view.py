"""How a generation of the vector view is opened to write: the live one, or one that is built."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

import structlog

from inference.embedder import Embedder
from projections.generation import BuiltBy, sync_tree
from projections.purging import Progress
from projections.vector.building import VectorBuild
from projections.vector.cache import VectorCache
from projections.vector.filler import VectorFiller
from projections.vector.inheritance import inherit_vectors
from projections.vector.maintenance import Maintenance, optimize
from projections.vector.projector import VectorProjector
from projections.vector.purge import VectorPurge
from projections.vector.schema import TABLE
from projections.vector.segments import VectorSegmentsRefused, import_vectors
from workers.archive import open_archive
from workers.calibrating import calibrating
from workers.node import make_embedder
from workers.opened_view import OpenedView
from workers.settings import Settings

_log: Final = structlog.get_logger("projections")


@contextmanager
def open_vector(settings: Settings, folder: Path, builder: BuiltBy) -> Iterator[OpenedView]:
    """Open a generation whose table takes every batch (a `workers.views.OpenView`)."""
    embedder = make_embedder(settings)
    # If its embedder is gone, what is new goes without vectors until the next generation.
    same = (embedder.name, embedder.dimension) == (builder.embedder, builder.dimension)
    with _cache_of(settings, builder) as cache:
        projector = VectorProjector(folder, cache)
        with (
            closing(_Tended(projector, embedder if same else None)) as tended,
            calibrating(settings, embedder),
        ):
            yield OpenedView(
                projector=projector,
                while_live=tended.while_live,
                while_building=tended.while_building,
                finish=lambda _: tended.finish(),
                sync=lambda: sync_tree(folder),
                anchors=lambda: (_table_of(folder),),
                erased=projector.erased,
                purge=tended.purge,
            )


@contextmanager
def build_vector(settings: Settings, folder: Path, builder: BuiltBy) -> Iterator[OpenedView]:
    """Open a generation that has its table when it is finished (a `workers.views.OpenView`)."""
    embedder = make_embedder(settings)
    with (
        _cache_of(settings, builder) as cache,
        closing(VectorBuild(folder, cache)) as build,
        closing(_Growing(folder, build, embedder)) as growing,
        calibrating(settings, embedder),
    ):

        def inherit(live: Path | None) -> None:
            if live and (inherited := inherit_vectors(live, cache)):
                _log.info("vectors_inherited", count=inherited)

        yield OpenedView(
            projector=build,
            while_live=growing.while_live,
            while_building=growing.while_building,
            finish=growing.finish,
            sync=growing.sync,
            anchors=growing.anchors,
            inherit=inherit,
            erased=build.erased,
            purge=growing.purge,
        )


class _Tended:
    """What is done for a table between batches. Without an embedder, no vectors are made."""

    def __init__(self, projector: VectorProjector, embedder: Embedder | None) -> None:
        self._projector = projector
        self._upkeep = Maintenance(projector, report=_report_upkeep, monotonic=time.monotonic)
        self._purge = VectorPurge(projector, self._upkeep, monotonic=time.monotonic)
        self._filler = (
            None if embedder is None else VectorFiller(projector, embedder, report=_report_embedder)
        )

    def while_live(self) -> bool:
        written = self._filler is not None and self._filler.write() > 0
        return self._upkeep.step() or written

    def while_building(self) -> bool:
        return self._upkeep.step()

    def finish(self) -> None:
        self._upkeep.close()
        optimize(self._projector.folder)
        self._projector.table.checkout_latest()

    def purge(self) -> Progress:
        return self._purge.step()

    def close(self) -> None:
        if self._filler is not None:
            self._filler.close()
        self._upkeep.close()


class _Growing:
    """What is done for a generation that is being built: nothing, until it has a table."""

    def __init__(self, folder: Path, build: VectorBuild, embedder: Embedder) -> None:
        self._folder = folder
        self._build = build
        self._embedder = embedder
        self._tended: _Tended | None = None
        if build.projector is not None:
            self._tended = _Tended(build.projector, embedder)

    def while_live(self) -> bool:
        return self._tended is not None and self._tended.while_live()

    def while_building(self) -> bool:
        return self._tended is not None and self._tended.while_building()

    def finish(self, stop: threading.Event) -> None:
        if self._tended is not None:
            self._tended.finish()  # another process wrote the table, and has been killed since
        elif self._build.write(stop.is_set):
            assert self._build.projector is not None
            self._tended = _Tended(self._build.projector, self._embedder)

    def sync(self) -> None:
        # Not the staged rows: SQLite has its own way to the disk.
        if self._tended is not None:
            sync_tree(self._folder)

    def anchors(self) -> tuple[Path, ...]:
        return () if self._tended is None else (_table_of(self._folder),)

    def purge(self) -> Progress:
        if self._tended is None:
            return "later"
        if self._build.erased() <= self._build.clean_up_to:
            return "done"
        return self._tended.purge()

    def close(self) -> None:
        if self._tended is not None:
            self._tended.close()


@contextmanager
def _cache_of(settings: Settings, builder: BuiltBy) -> Iterator[VectorCache]:
    cache = VectorCache(settings.data / "cache", builder.embedder, builder.dimension)
    with closing(cache):
        _take_over_vectors(settings, cache)
        yield cache


def _take_over_vectors(settings: Settings, cache: VectorCache) -> None:
    """Take what the archive has of a cache that was lost, or never was here.

    Where that cannot be, the texts are embedded again.
    """
    try:
        taken = import_vectors(open_archive(settings).place, cache)
    except (VectorSegmentsRefused, OSError, ValueError) as error:
        _log.warning("vectors_not_taken_over", reason=f"{type(error).__name__}: {error}")
    else:
        if taken:
            _log.info("vectors_taken_over", count=taken)


def _table_of(folder: Path) -> Path:
    return folder / f"{TABLE}.lance"


def _report_upkeep(error: Exception) -> None:
    _log.warning("vector_upkeep_failed", reason=f"{type(error).__name__}: {error}")


def _report_embedder(error: Exception) -> None:
    _log.warning("vectors_not_made", reason=f"{type(error).__name__}: {error}")
