"""A generation of a view that is open to be written, whichever view it is."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

from msgspec import Struct

from eventlog.codec import Codec
from projections.applying import Source
from projections.projector import Projector
from projections.purging import Progress
from projections.retry import Opener


class OpenedView(Struct, frozen=True, kw_only=True):
    """A generation that is open to be written.

    ``gather`` makes larger batches while it is live; ``opener`` opens the entries for it.
    ``while_live`` and ``while_building`` do bounded work between batches and tell whether more
    waits; ``finish`` does at once what a generation needs before it goes live, and leaves off when
    the event is set; ``sync`` brings what was committed to the disk. ``anchors`` gives files that
    are there from now on as long as the generation. ``inherit`` takes over what would cost much to
    make again, also from the folder of the live generation if there is one. ``erased`` gives the
    newest erasure that the rows show, and ``purge`` does a bounded step of taking what was erased
    out of the files.
    """

    projector: Projector
    gather: Callable[[Source], Source] = lambda source: source
    opener: Callable[[Codec], Opener] = lambda codec: codec
    while_live: Callable[[], bool] = lambda: False
    while_building: Callable[[], bool] = lambda: False
    finish: Callable[[threading.Event], None] = lambda _: None
    sync: Callable[[], None]
    erased: Callable[[], int]
    purge: Callable[[], Progress]
    anchors: Callable[[], tuple[Path, ...]] = tuple
    inherit: Callable[[Path | None], object] = lambda _: None
