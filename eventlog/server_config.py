"""Configuration files of the two embedded servers (spec: operations.md).

The log server keeps what it acknowledges; the volatile one keeps nothing and forgets the least
recently used first.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final, Literal

ServerName = Literal["log", "volatile"]

_GIB: Final = 1024**3
_VOLATILE_MAXMEMORY: Final = 64 * 1024**2

_LOG_SETTINGS: Final = {
    "appendonly": "yes",
    "appendfsync": "always",
    "no-appendfsync-on-rewrite": "no",
    "aof-use-rdb-preamble": "yes",
    "maxmemory-policy": "noeviction",
    # Up to this many events, an aggregate's index costs 13 bytes an event instead of 78.
    "zset-max-listpack-entries": "512",
}
_VOLATILE_SETTINGS: Final = {"appendonly": "no", "maxmemory-policy": "allkeys-lru"}


def server_settings(name: ServerName, ram_bytes: int) -> dict[str, str]:
    """Give the settings by which a server of ours is known, as ``CONFIG GET`` answers them.

    The log may use a quarter of ``ram_bytes``, at most 2 GiB.
    """
    if name == "log":
        own, maxmemory = _LOG_SETTINGS, min(ram_bytes // 4, 2 * _GIB)
    else:
        own, maxmemory = _VOLATILE_SETTINGS, _VOLATILE_MAXMEMORY
    return {**own, "save": "", "maxmemory": str(maxmemory)}


def config_text(settings: dict[str, str], directory: Path, socket: Path) -> str:
    """Write the configuration file: these settings, files in ``directory``, and only a socket."""
    everything = {
        "port": "0",
        "unixsocket": str(socket),
        "unixsocketperm": "700",
        "dir": str(directory),
        "logfile": str(directory / "server.log"),
        "daemonize": "no",
        "databases": "1",
        "always-show-logo": "no",
        **settings,
    }
    return "".join(f"{name} {_quoted(value)}\n" for name, value in everything.items())


def physical_memory() -> int:
    """Give the machine's memory in bytes."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def _quoted(value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
