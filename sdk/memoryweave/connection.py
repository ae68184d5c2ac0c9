"""Which service, with which key, and where the outbox is: the same for both clients."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final, Literal
from urllib.parse import urlsplit

from memoryweave.outbox import Outbox, default_path

DEFAULT_URL: Final = "http://127.0.0.1:7821"
DELIVERY_PAUSES_S: Final = (0.5, 1, 2, 4, 8, 15, 30)
"""How long the outbox waits before each next try; the last one repeats."""


def resolve(url: str | None, key: str | None) -> tuple[str, str | None]:
    """Fill in what is not given from MEMORYWEAVE_URL and MEMORYWEAVE_KEY."""
    url = url or os.environ.get("MEMORYWEAVE_URL") or DEFAULT_URL
    return url.rstrip("/"), key or os.environ.get("MEMORYWEAVE_KEY")


def open_outbox(url: str, key: str | None, where: Path | Literal["auto"] | None) -> Outbox | None:
    """Open the outbox of a service and a speaker; None if there shall be none."""
    if where is None:
        return None
    return Outbox(default_path(url, key) if where == "auto" else where, url, key)


def trusts_environment(url: str) -> bool:
    """Tell whether proxies and certificates of the environment hold for this service.

    A proxy cannot reach this machine's own loopback, and must not see what is said there.
    """
    parts = urlsplit(url)
    return parts.scheme != "http" or parts.hostname not in {"127.0.0.1", "::1", "localhost"}


def key_header(key: str | None) -> dict[str, str]:
    """Give the header that carries the key."""
    return {} if key is None else {"X-API-Key": key}
