"""The views of a node: what builds each of them, and how a generation of it is opened to write."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

import structlog
from msgspec import Struct

from eventlog.codec import Codec
from projections.applying import Source
from projections.digest import Frozen, RowSeen, ViewDigest
from projections.generation import BuiltBy, sync_tree
from projections.projector import Projector
from projections.purging import Progress
from projections.retry import Opener
from workers.archive import open_archive
from workers.gathering import Gathering
from workers.node import make_embedder
from workers.settings import Settings

if TYPE_CHECKING:
    from projections.vector.cache import VectorCache

_log = structlog.get_logger("projections")


class OpenedView(Struct, frozen=True, kw_only=True):
    """A generation that is open to be written.

    ``gather`` makes larger batches while it is live; ``opener`` opens the entries for it.
    ``while_live`` and ``while_building`` do bounded work between batches and tell whether more
    waits; ``finish`` does at once what a generation needs before it goes live, and ``sync`` brings
    what was committed to the disk. ``anchors`` are files that are there as long as the generation.
    ``inherit`` takes over what would cost much to make again, also from the folder of the live
    generation if there is one.
    what was committed to the disk. ``erased`` gives the newest erasure that the rows show, and
    ``purge`` does a bounded step of taking what was erased out of the files.
    """

    projector: Projector
    gather: Callable[[Source], Source] = lambda source: source
    opener: Callable[[Codec], Opener] = lambda codec: codec
    while_live: Callable[[], bool] = lambda: False
    while_building: Callable[[], bool] = lambda: False
    finish: Callable[[], None] = lambda: None
    sync: Callable[[], None]
    erased: Callable[[], int]
    purge: Callable[[], Progress]
    anchors: tuple[Path, ...] = ()
    inherit: Callable[[Path | None], object] = lambda _: None


class OpenView(Protocol):
    """Opens the generation in a folder that ``builder`` builds."""

    def __call__(
        self, settings: Settings, folder: Path, builder: BuiltBy, /
    ) -> AbstractContextManager[OpenedView]:
        """Give it until the block ends."""


class ViewKind(Struct, frozen=True, kw_only=True):
    """One view: what builds it under these settings, how to open it, how to digest a folder.

    ``freeze`` gives, until the block ends, what digests the generation in a folder as it is now.
    """

    name: str
    builder: Callable[[Settings], BuiltBy]
    open: OpenView
    freeze: Callable[[Path], AbstractContextManager[Frozen]]

    def digest(self, folder: Path, seen: RowSeen | None = None) -> ViewDigest:
        """Digest the generation in a folder; ``seen`` is told of every row."""
        with self.freeze(folder) as frozen:
            return frozen(seen)


def _state_builder(_settings: Settings) -> BuiltBy:
    from projections.state.schema import PROJECTOR_VERSION, SCHEMA_VERSION

    return BuiltBy(projector=PROJECTOR_VERSION, schema=SCHEMA_VERSION)


@contextmanager
def _open_state(_settings: Settings, folder: Path, _builder: BuiltBy) -> Iterator[OpenedView]:
    from projections.state.projector import StateProjector
    from projections.state.schema import FILE_NAME

    with closing(StateProjector(folder)) as projector:
        yield OpenedView(
            projector=projector,
            sync=projector.sync,
            anchors=(folder / FILE_NAME,),
            erased=projector.erased,
            purge=projector.purge,
        )


@contextmanager
def _freeze_state(folder: Path) -> Iterator[Frozen]:
    from projections.state.digest import frozen_state

    with frozen_state(folder) as frozen:
        yield frozen


def _vector_builder(settings: Settings) -> BuiltBy:
    from projections.vector.schema import PROJECTOR_VERSION, SCHEMA_VERSION

    embedder = make_embedder(settings)
    return BuiltBy(
        projector=PROJECTOR_VERSION,
        schema=SCHEMA_VERSION,
        embedder=embedder.name,
        dimension=embedder.dimension,
    )


@contextmanager
def _open_vector(settings: Settings, folder: Path, builder: BuiltBy) -> Iterator[OpenedView]:
    from projections.vector.cache import VectorCache
    from projections.vector.filler import VectorFiller
    from projections.vector.inheritance import inherit_vectors
    from projections.vector.maintenance import Maintenance, optimize
    from projections.vector.projector import VectorProjector
    from projections.vector.purge import VectorPurge
    from projections.vector.schema import TABLE

    embedder = make_embedder(settings)
    cache = VectorCache(settings.data / "cache", builder.embedder, builder.dimension)
    with closing(cache):
        _take_over_vectors(settings, cache)
        projector = VectorProjector(folder, cache)
        anchors = (folder / f"{TABLE}.lance",)
        upkeep = Maintenance(projector, report=_report_upkeep)
        purge = VectorPurge(projector, upkeep, monotonic=time.monotonic)

        def finish() -> None:
            upkeep.close()
            optimize(projector.table)
            projector.table.checkout_latest()

        with closing(upkeep):
            if (embedder.name, embedder.dimension) != (builder.embedder, builder.dimension):
                # Its embedder is gone: what is new goes without vectors until the next generation.
                yield OpenedView(
                    projector=projector,
                    while_live=upkeep.step,
                    sync=lambda: sync_tree(folder),
                    anchors=anchors,
                    erased=projector.erased,
                    purge=purge.step,
                )
                return
            filler = VectorFiller(projector, embedder, report=_report_embedder)

            def fill_and_keep_up() -> bool:
                written = filler.write() > 0
                return upkeep.step() or written

            def inherit(live: Path | None) -> None:
                if live and (inherited := inherit_vectors(live, cache)):
                    _log.info("vectors_inherited", count=inherited)

            with closing(filler):
                yield OpenedView(
                    projector=projector,
                    while_live=fill_and_keep_up,
                    while_building=upkeep.step,
                    finish=finish,
                    sync=lambda: sync_tree(folder),
                    anchors=anchors,
                    inherit=inherit,
                    erased=projector.erased,
                    purge=purge.step,
                )


def _take_over_vectors(settings: Settings, cache: VectorCache) -> None:
    """Take what the archive has of a cache that was lost, or never was here.

    Where that cannot be, the texts are embedded again.
    """
    from projections.vector.segments import VectorSegmentsRefused, import_vectors

    try:
        taken = import_vectors(open_archive(settings).place, cache)
    except (VectorSegmentsRefused, OSError, ValueError) as error:
        _log.warning("vectors_not_taken_over", reason=f"{type(error).__name__}: {error}")
    else:
        if taken:
            _log.info("vectors_taken_over", count=taken)


@contextmanager
def _freeze_vector(folder: Path) -> Iterator[Frozen]:
    from projections.vector.digest import frozen_vector

    yield frozen_vector(folder)


def _analytics_builder(_settings: Settings) -> BuiltBy:
    from projections.analytics.schema import PROJECTOR_VERSION, SCHEMA_VERSION

    return BuiltBy(projector=PROJECTOR_VERSION, schema=SCHEMA_VERSION)


@contextmanager
def _open_analytics(_settings: Settings, folder: Path, _builder: BuiltBy) -> Iterator[OpenedView]:
    from projections.analytics.opening import OpenOrShowRaw
    from projections.analytics.projector import AnalyticsProjector

    with closing(AnalyticsProjector(folder, lambda: datetime.now(UTC))) as projector:
        yield OpenedView(
            projector=projector,
            gather=Gathering,
            opener=OpenOrShowRaw,
            while_live=projector.compact,
            while_building=projector.compact,
            sync=lambda: sync_tree(folder),
            erased=projector.erased,
            purge=lambda: "done",  # its files were written anew in the commit that erased
        )


@contextmanager
def _freeze_analytics(folder: Path) -> Iterator[Frozen]:
    from projections.analytics.view import frozen_analytics

    yield frozen_analytics(folder)


def _report_upkeep(error: Exception) -> None:
    _log.warning("vector_upkeep_failed", reason=f"{type(error).__name__}: {error}")


def _report_embedder(error: Exception) -> None:
    _log.warning("vectors_not_made", reason=f"{type(error).__name__}: {error}")


VIEW_KINDS: Final[Mapping[str, ViewKind]] = {
    kind.name: kind
    for kind in (
        ViewKind(name="state", builder=_state_builder, open=_open_state, freeze=_freeze_state),
        ViewKind(name="vector", builder=_vector_builder, open=_open_vector, freeze=_freeze_vector),
        ViewKind(
            name="analytics",
            builder=_analytics_builder,
            open=_open_analytics,
            freeze=_freeze_analytics,
        ),
    )
}
