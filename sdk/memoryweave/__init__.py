"""MemoryWeave's client: `Client`, `AsyncClient`, and the wire messages in `contract`.

The clients are imported when they are first asked for, so that the service, which shares
`contract`, does not pay for them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memoryweave.async_client import AsyncClient
    from memoryweave.client import Client
    from memoryweave.outbox import Queued

__all__ = ["AsyncClient", "Client", "Queued", "contract", "errors"]

_PLACES = {"AsyncClient": "async_client", "Client": "client", "Queued": "outbox"}


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name in _PLACES:
        return getattr(import_module(f"memoryweave.{_PLACES[name]}"), name)
    if name in __all__:
        return import_module(f"memoryweave.{name}")
    raise AttributeError(f"module 'memoryweave' has no attribute {name!r}")
