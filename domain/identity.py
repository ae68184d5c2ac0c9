"""How ids are made: from what they name, never from chance (spec: events.md, "Identity")."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from uuid import NAMESPACE_URL, UUID, uuid5

_ROOT = uuid5(NAMESPACE_URL, "https://memoryweave.dev/ids").bytes
_FREE_BITS = ~(0xF << 76 | 0b11 << 62)
"""All bits of a UUID but those of its version and its variant."""


def id_from_command(command_id: str, index: int) -> str:
    """Give the ``index``-th new id of a command, so that a retry mints the same ones."""
    return _named(f"command\x1f{command_id}\x1f{index}")


def event_id(command_id: str, index: int) -> str:
    """Give the id of the ``index``-th event of a command."""
    return _named(f"event\x1f{command_id}\x1f{index}")


def id_from_key(log: str, kind: str, key: str) -> str:
    """Give the id of a thing with a natural key (an agent's id, a claimed text, a namespace)."""
    return _named(f"key\x1f{log}\x1f{kind}\x1f{key}")


def command_id(actor: str, route: str, idempotency_key: str) -> str:
    """Give the command id of a caller's idempotency key.

    A UUIDv7 key keeps its 48-bit time stamp (milliseconds) in a version-8 UUID, so that the log
    knows the key's age; any other text gives a version-5 UUID, which has none.
    """
    named = f"{actor}\x1f{route}\x1f{idempotency_key}"
    try:
        key = UUID(idempotency_key)
    except ValueError:
        return _named(named)
    if key.version != 7:
        return _named(named)
    return _uuid(8, key.bytes[:6] + hashlib.sha256(named.encode()).digest()[:10])


@lru_cache(maxsize=1024)  # one command asks several times
def command_time_ms(command: str) -> int | None:
    """Give the milliseconds since 1970 that a command id carries, or None if it carries none."""
    value = UUID(command)
    return value.int >> 80 if value.version in (7, 8) else None


def uuid7(now_ms: int, randomness: bytes) -> str:
    """Make a UUIDv7 from a time in milliseconds and 10 random bytes."""
    return _uuid(7, now_ms.to_bytes(6, "big") + randomness[:10])


def _named(name: str) -> str:
    """Give the version-5 UUID of a name; written out, because a command makes several."""
    digest = hashlib.sha1(_ROOT + name.encode(), usedforsecurity=False).digest()
    return _uuid(5, digest[:16])


def _uuid(version: int, raw: bytes) -> str:
    """Write 16 bytes as a UUID of that version (RFC 9562, variant 10)."""
    fixed = version << 76 | 0b10 << 62
    digits = f"{int.from_bytes(raw) & _FREE_BITS | fixed:032x}"
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"
