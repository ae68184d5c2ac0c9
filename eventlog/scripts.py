"""The Lua scripts that run inside the log server, named by their digest.

A script is sent as its digest (EVALSHA). When the server does not know it, after a restart or a
SCRIPT FLUSH, it answers NOSCRIPT without having done anything; the script is loaded and called
again. Scripts that were loaded are not evicted as those sent with EVAL are. One that only reads is
sent so (EVALSHA_RO) that a user who may not write can run it.
"""

from __future__ import annotations

import hashlib
from importlib.resources import files
from typing import Final

from msgspec import Struct


class Script(Struct, frozen=True):
    """A script's text and the digest by which the server knows it; whether it only reads."""

    text: bytes
    digest: str
    reads: bool


def load(package: str, file_name: str) -> Script:
    """Read a script that lies in a package."""
    text = (files(package) / file_name).read_bytes()
    digest = hashlib.sha1(text, usedforsecurity=False).hexdigest()
    return Script(text=text, digest=digest, reads=text.startswith(b"#!lua flags=no-writes\n"))


def _load(file_name: str) -> Script:
    return load("eventlog", file_name)


APPEND: Final = _load("append.lua")
READ_AGGREGATE: Final = _load("read_aggregate.lua")
HEAD: Final = _load("head.lua")
PUT_SNAPSHOT: Final = _load("put_snapshot.lua")
READ_SNAPSHOTS: Final = _load("read_snapshots.lua")
TAKE_LEASE: Final = _load("take_lease.lua")
RESERVE_CALL: Final = _load("reserve_call.lua")
TRIM: Final = _load("trim.lua")
THIN_INDEX: Final = _load("thin_index.lua")
BEGIN_EPOCH: Final = _load("begin_epoch.lua")
LOAD: Final = _load("load.lua")

OF_SERVICES: Final = (
    APPEND,
    READ_AGGREGATE,
    HEAD,
    PUT_SNAPSHOT,
    READ_SNAPSHOTS,
    TAKE_LEASE,
    RESERVE_CALL,
    TRIM,
    THIN_INDEX,
)
"""What running services call. The others are for an admin, who loads what the server lacks."""
