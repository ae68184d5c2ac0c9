"""`memoryweave init --new-epoch`: the log is right as it is; a person decides that."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from domain.errors import MemoryWeaveError
from eventlog.embedded import EmbeddedServers, find_server
from workers.cli.arguments import settings_flags
from workers.cli.failure import Failure, start_failures
from workers.cli.output import show
from workers.keys import embedded_users
from workers.new_epoch import NewEpoch, begin_new_epoch
from workers.settings import Settings, resolve


def run(arguments: argparse.Namespace) -> None:
    """Begin a new epoch; the service may run or not. Raises `Failure`."""
    settings = resolve(settings_flags(arguments), os.environ).settings
    try:
        with start_failures(), _log_server(settings):
            begun = begin_new_epoch(settings, os.urandom)
    except (MemoryWeaveError, OSError) as error:
        raise Failure(str(error)) from error
    show(arguments, begun, _lines)


@contextmanager
def _log_server(settings: Settings) -> Iterator[None]:
    """Have the log's server run until the block ends."""
    if settings.redis_url is not None or find_server(settings.data, "log"):
        yield
        return
    with EmbeddedServers(settings.data, names=("log",), users=embedded_users(settings)):
        yield


def _lines(begun: NewEpoch) -> Iterable[str]:
    yield f"the log goes on after position {begun.position} in epoch {begun.epoch}"
    yield f"before that it was {begun.parent or 'an unknown one'}"
    yield f"the archive counts up to position {begun.archived}"
    if begun.set_aside:
        yield f"what the archive held of the other history is kept, see {begun.set_aside} in it"
    yield "every view of a node that followed the log before is built anew by itself"
