"""The views of a node: what builds each of them, and how a generation of it is opened to write."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, Protocol

from msgspec import Struct

from projections.digest import Frozen, RowSeen, ViewDigest
from projections.generation import BuiltBy, sync_tree
from workers.gathering import Gathering
from workers.node import make_embedder
from workers.opened_view import OpenedView
from workers.settings import Settings


class OpenView(Protocol):
    """Opens the generation in a folder that ``builder`` builds."""

    def __call__(
        self, settings: Settings, folder: Path, builder: BuiltBy, /
    ) -> AbstractContextManager[OpenedView]:
        """Give it until the block ends."""


class ViewKind(Struct, frozen=True, kw_only=True):
    """One view: what builds it under these settings, how to open it, how to digest a folder.

    ``open`` is for a generation that can be read after every batch, ``build`` for one that nobody
    reads before ``finish``. ``freeze`` gives, until the block ends, what digests the generation in
    a folder as it is now.
    """

    name: str
    builder: Callable[[Settings], BuiltBy]
    open: OpenView
    build: OpenView
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
            anchors=lambda: (folder / FILE_NAME,),
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
    from workers.vector_view import open_vector

    with open_vector(settings, folder, builder) as opened:
        yield opened


@contextmanager
def _build_vector(settings: Settings, folder: Path, builder: BuiltBy) -> Iterator[OpenedView]:
    from workers.vector_view import build_vector

    with build_vector(settings, folder, builder) as opened:
        yield opened


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


VIEW_KINDS: Final[Mapping[str, ViewKind]] = {
    kind.name: kind
    for kind in (
        ViewKind(
            name="state",
            builder=_state_builder,
            open=_open_state,
            build=_open_state,
            freeze=_freeze_state,
        ),
        ViewKind(
            name="vector",
            builder=_vector_builder,
            open=_open_vector,
            build=_build_vector,
            freeze=_freeze_vector,
        ),
        ViewKind(
            name="analytics",
            builder=_analytics_builder,
            open=_open_analytics,
            build=_open_analytics,
            freeze=_freeze_analytics,
        ),
    )
}
