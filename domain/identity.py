"""How ids are made: from what they name, never from chance (spec: events.md, "Identity")."""

from __future__ import annotations

import hashlib
from uuid import NAMESPACE_URL, UUID, uuid5

_ROOT = uuid5(NAMESPACE_URL, "https://memoryweave.dev/ids")


def id_from_command(command_id: str, index: int) -> str:
    """Give the ``index``-th new id of a command, so that a retry mints the same ones."""
    return str(uuid5(_ROOT, f"command\x1f{command_id}\x1f{index}"))


def event_id(command_id: str, index: int) -> str:
    """Give the id of the ``index``-th event of a command."""
    return str(uuid5(_ROOT, f"event\x1f{command_id}\x1f{index}"))


def id_from_key(log: str, kind: str, key: str) -> str:
    """Give the id of a thing with a natural key (an agent's id, a claimed text, a namespace)."""
    return str(uuid5(_ROOT, f"key\x1f{log}\x1f{kind}\x1f{key}"))


def command_id(actor: str, route: str, idempotency_key: str) -> str:
    """Give the command id of a caller's idempotency key.

    A UUIDv7 key keeps its 48-bit time stamp (milliseconds) in a version-8 UUID, so that the log
    knows the key's age; any other text gives a version-5 UUID, which has none.
    """
    named = f"{actor}\x1f{route}\x1f{idempotency_key}"
    try:
        key = UUID(idempotency_key)
    except ValueError:
        return str(uuid5(_ROOT, named))
    if key.version != 7:
        return str(uuid5(_ROOT, named))
    digest = hashlib.sha256(named.encode()).digest()
    raw = bytearray(key.bytes[:6] + digest[:10])
    raw[6] = (raw[6] & 0x0F) | 0x80
    raw[8] = (raw[8] & 0x3F) | 0x80
    return str(UUID(bytes=bytes(raw)))


def command_time_ms(command: str) -> int | None:
    """Give the milliseconds since 1970 that a command id carries, or None if it carries none."""
    value = UUID(command)
    return value.int >> 80 if value.version in (7, 8) else None


def uuid7(now_ms: int, randomness: bytes) -> str:
    """Make a UUIDv7 from a time in milliseconds and 10 random bytes."""
    raw = bytearray(now_ms.to_bytes(6, "big") + randomness[:10])
    raw[6] = (raw[6] & 0x0F) | 0x70
    raw[8] = (raw[8] & 0x3F) | 0x80
    return str(UUID(bytes=bytes(raw)))
