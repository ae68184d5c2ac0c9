"""Brings a log that an older program wrote into the form that this one reads.

Format 1 kept sealing keys under the subjects' names in 256 hashes: 102 bytes a subject, where
format 2 takes 53 (docs/decisions/0014). Nothing else differs.
"""

from __future__ import annotations

from typing import Final

from eventlog.keys import key_field
from eventlog.outcomes import LogFork
from eventlog.redis_log import RedisLog

FORMAT: Final = b"2"
_BUCKETS_OF_FORMAT_1: Final = 256


def require_present_format(log: RedisLog) -> None:
    """Raise `LogFork` unless the log has the form that this program reads; changes nothing."""
    found = log.call("HGET", log.keys.meta, "format")
    if found == b"1":
        raise LogFork(
            f"the log has format 1, this program reads format {FORMAT.decode()}: start a primary "
            "of this program's version first, it moves what is kept in the older form"
        )
    if found not in (None, FORMAT):
        raise _unknown(found)


def bring_up_to_date(log: RedisLog) -> None:
    """Move what is kept in an older form; may be broken off and done again at any point.

    Raises `LogFork` for a format that this program does not know, `LogUnavailable`, `LogFull`.
    """
    found = log.call("HGET", log.keys.meta, "format")
    if found in (None, FORMAT):
        return
    if found != b"1":
        raise _unknown(found)
    for number in range(_BUCKETS_OF_FORMAT_1):
        old = log.keys.sealing_keys_of_format_1(number)
        stored = log.call("HGETALL", old)
        pairs = zip(stored[::2], stored[1::2], strict=True)
        log.put_subject_keys((key_field(subject.decode()), key) for subject, key in pairs)
        log.call("DEL", old)
    log.call("HSET", log.keys.meta, "format", FORMAT)


def _unknown(found: bytes) -> LogFork:
    return LogFork(
        f"the log has format {found.decode(errors='replace')}, this program knows format "
        f"{FORMAT.decode()}: use a newer one"
    )
