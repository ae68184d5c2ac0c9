"""How a command reaches a running service: its address, a key, and words for what went wrong."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from contextlib import contextmanager

from memoryweave.client import Client
from memoryweave.errors import MemoryWeaveError, Unreachable
from memoryweave.exchange import Retries
from workers.cli.arguments import settings_flags
from workers.cli.failure import Failure
from workers.keys import kept_keys
from workers.ports import url_of
from workers.running import find_running
from workers.settings import Settings, resolve


@contextmanager
def service(
    arguments: argparse.Namespace, patience_s: float = 2.0, timeout_s: float = 30.0
) -> Iterator[Client]:
    """Give a client of the running service; what it raises ends the command with a sentence.

    ``patience_s`` is for repeats where it cannot answer now, ``timeout_s`` for one answer.
    """
    url, key = address_and_key(arguments)
    try:
        # A command that could not be done says so; it leaves nothing behind to be done later.
        retries = Retries(within_s=patience_s)
        with Client(url, key, outbox=None, retries=retries, timeout_s=timeout_s) as client:
            yield client
    except Unreachable as error:
        raise Failure(
            f"no service answers at {url} ({error}): start one with `memoryweave up`, "
            "or say where it is with --url"
        ) from error
    except MemoryWeaveError as error:
        raise Failure(str(error)) from error


def address_and_key(arguments: argparse.Namespace) -> tuple[str, str | None]:
    """Say where the service is and with which key it is spoken to.

    The address: --url, MEMORYWEAVE_URL, the one that `memoryweave up` announced in the data
    directory, the one of the settings. The key: MEMORYWEAVE_KEY, or the data directory's: the
    admin's, or with --owner the owner's; never for an address that was given by hand.
    """
    settings = resolve(settings_flags(arguments), os.environ).settings
    given = arguments.url or os.environ.get("MEMORYWEAVE_URL")
    running = find_running(settings.data)
    url = given or (running.url if running else _configured_url(settings))
    key = os.environ.get("MEMORYWEAVE_KEY") or _own_key(settings, given, owner=arguments.owner)
    return url, key


def _configured_url(settings: Settings) -> str:
    return url_of(settings.host, settings.port, tls=settings.tls_certificate is not None)


def _own_key(settings: Settings, given: str | None, *, owner: bool) -> str | None:
    if given is not None:
        return None
    kept = kept_keys(settings.data)
    if owner:
        return settings.owner_key or kept.get("OWNER_KEY")
    return settings.api_key or kept.get("API_KEY")
