"""Names of everything one log keeps in its server.

All share the hash tag ``{mw:<log>}``, so that a cluster holds a log in one slot and one script can
touch all of it.
"""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime, timedelta
from typing import Final

from domain.identity import command_time_ms

COMMAND_RECORDS_KEPT: Final = timedelta(days=32)
"""After the end of the day in a command id; two days more than repeats are promised."""

FIELD_BYTES: Final = 16
BUCKETS: Final = 16_384
"""Of sealing keys. A hash stays one compact block up to 512 fields (hash-max-listpack-entries):
up to 8 million subjects, each takes 53 bytes."""


def key_field(subject: str) -> bytes:
    """Name a subject where its sealing key lies: the first 16 bytes of its SHA-256.

    Shorter than the subject, and it does not say whose session or which agent it was.
    """
    return hashlib.sha256(subject.encode()).digest()[:FIELD_BYTES]


class Keys:
    """The key names of one log."""

    def __init__(self, log: str) -> None:
        if not log or not all(c.isalnum() or c in "-_" for c in log):
            raise ValueError(f"log name {log!r}: use letters, digits, '-' and '_'")
        prefix = f"{{mw:{log}}}:"
        self.stream = f"{prefix}log"
        self.meta = f"{prefix}meta"
        self.readers = f"{prefix}readers"
        self.nodes = f"{prefix}nodes"
        self.tracking = f"{prefix}tracking"
        self.prefix = prefix

    @property
    def every(self) -> str:
        """Pattern of all of them, as an access rule names keys."""
        return f"{self.prefix}*"

    @property
    def every_command(self) -> str:
        """Pattern of the hashes with command records."""
        return f"{self.prefix}cmd:*"

    @property
    def every_sealing_key(self) -> str:
        """Pattern of the hashes with sealing keys."""
        return f"{self.prefix}keys:*"

    @property
    def every_model_call(self) -> str:
        """Pattern of the sets with calls to language models."""
        return f"{self.prefix}llm:*"

    def aggregate(self, aggregate_id: str) -> str:
        """Sorted set, version → position."""
        return f"{self.prefix}agg:{aggregate_id}"

    def commands(self, command_id: str) -> str:
        """Hash that holds the record of this command, by the day in its id."""
        day = _day(command_id)
        return f"{self.prefix}cmd:{day:%Y%m%d}" if day else f"{self.prefix}cmd:text"

    def node(self, node_id: str) -> str:
        """String with what a node said last of itself; ends by itself when it says no more."""
        return f"{self.prefix}node:{node_id}"

    def lease(self, name: str) -> str:
        """Hash with the fencing token and the holder of a lease."""
        return f"{self.prefix}lease:{name}"

    def model_calls(self, day: str, pool: str) -> str:
        """Set of the calls to a language model that were taken from one of a day's pools."""
        return f"{self.prefix}llm:{day}:{pool}"

    def snapshots(self, aggregate_id: str) -> str:
        """Hash, version → snapshot of an aggregate."""
        return f"{self.prefix}snap:{aggregate_id}"

    def sealing_keys(self, field: bytes) -> str:
        """Hash, `key_field` of a subject → its 32-byte sealing key."""
        return self.sealing_key_bucket(int.from_bytes(field[:2], "big") % BUCKETS)

    def sealing_key_bucket(self, number: int) -> str:
        """Give the hash with that number, below `BUCKETS`."""
        return f"{self.prefix}keys:{number:04x}"

    def sealing_keys_of_format_1(self, number: int) -> str:
        """Hash, subject → its sealing key, in logs of format 1; ``number`` is below 256."""
        return f"{self.prefix}keys:{number:02x}"


def commands_expire_at(command_id: str) -> int | None:
    """Give the second since 1970 at which the records of this command's day may go.

    None for a command id without a time: its age is unknown, so its record stays for ever and the
    command can never be executed a second time.
    """
    day = _day(command_id)
    if day is None:
        return None
    return int((day + timedelta(days=1) + COMMAND_RECORDS_KEPT).timestamp())


def _day(command_id: str) -> datetime | None:
    time_ms = command_time_ms(command_id)
    if time_ms is None:
        return None
    moment = datetime.fromtimestamp(time_ms / 1000, UTC)
    return moment.replace(hour=0, minute=0, second=0, microsecond=0)
