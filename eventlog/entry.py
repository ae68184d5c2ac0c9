"""One entry of the log as it is stored: the envelope in plain text, the body sealed.

The fields of an entry are always all there, in this order, under one-letter names, so that the
server stores the names once per block of entries.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from msgspec import Struct

from eventlog.outcomes import LogGap

FIELDS: Final = (b"e", b"k", b"a", b"n", b"t", b"s", b"o", b"c", b"f", b"u", b"r", b"p", b"d")
_WIDTH: Final = 2 * len(FIELDS)


class RawEntry(Struct, frozen=True):
    """One stream entry, its body still closed (spec: events.md, "Envelope").

    ``position`` is 0 until the log has assigned one. ``occurred_at_us`` counts microseconds since
    1970 in UTC. ``body`` is a JSON object; its sealed fields are base64 strings. ``command_id``
    and ``fingerprint`` are those of the append; what stands here before is not used.
    ``malformed`` is empty, or says why the entry is not one of ours; then only ``position`` and
    what could be read is filled, ``stored`` holds its names and values in turn as they lie in the
    log, and the event is undecodable.
    """

    position: int
    event_id: str
    aggregate_type: str
    aggregate_id: str
    version: int
    type: str
    schema: int
    occurred_at_us: int
    command_id: str
    fingerprint: str
    actor: str
    correlation_id: str
    causation_position: int | None
    body: bytes
    malformed: str = ""
    stored: tuple[bytes, ...] = ()


def fields_of(entry: RawEntry) -> Sequence[bytes]:
    """Give the names and values of a stored entry, one after the other, exactly as they lie there.

    The inverse of `entry_from`.
    """
    if entry.malformed:
        return entry.stored
    cause = entry.causation_position
    return (
        b"e",
        entry.event_id.encode(),
        b"k",
        entry.aggregate_type.encode(),
        b"a",
        entry.aggregate_id.encode(),
        b"n",
        b"%d" % entry.version,
        b"t",
        entry.type.encode(),
        b"s",
        b"%d" % entry.schema,
        b"o",
        b"%d" % entry.occurred_at_us,
        b"c",
        entry.command_id.encode(),
        b"f",
        entry.fingerprint.encode(),
        b"u",
        entry.actor.encode(),
        b"r",
        entry.correlation_id.encode(),
        b"p",
        b"" if cause is None else b"%d" % cause,
        b"d",
        entry.body,
    )


def arguments_of(entry: RawEntry) -> tuple[str | int | bytes, ...]:
    """Give the values in the order in which the append script takes them: e k a n t s o u r p d."""
    cause = entry.causation_position
    return (
        entry.event_id,
        entry.aggregate_type,
        entry.aggregate_id,
        entry.version,
        entry.type,
        entry.schema,
        entry.occurred_at_us,
        entry.actor,
        entry.correlation_id,
        "" if cause is None else cause,
        entry.body,
    )


def entry_from(position: int, fields: Sequence[bytes]) -> RawEntry:
    """Read an entry from its names and values, one after the other.

    Never raises: an entry that somebody else added comes back with ``malformed`` set, so that a
    reader can put it aside and go on.
    """
    if len(fields) != _WIDTH or tuple(fields[::2]) != FIELDS:
        return _malformed(position, fields, "its fields are not those of an event")
    values = fields[1::2]
    try:
        return RawEntry(
            position=position,
            event_id=values[0].decode(),
            aggregate_type=values[1].decode(),
            aggregate_id=values[2].decode(),
            version=_integer(values[3]),
            type=values[4].decode(),
            schema=_integer(values[5]),
            occurred_at_us=_integer(values[6]),
            command_id=values[7].decode(),
            fingerprint=values[8].decode(),
            actor=values[9].decode(),
            correlation_id=values[10].decode(),
            causation_position=_integer(values[11]) if values[11] else None,
            body=values[12],
        )
    except ValueError as error:
        return _malformed(position, fields, f"a field cannot be read: {error}")


def contiguous(raw: Iterable[Any], first: int) -> list[RawEntry]:
    """Read stream entries, of which the first must stand at ``first`` and each at the next.

    Raises `LogGap`.
    """
    entries = []
    for expected, (entry_id, fields) in enumerate(raw, first):
        position = position_of(entry_id)
        if position != expected:
            raise LogGap(expected, position)
        entries.append(entry_from(position, fields))
    return entries


def position_of(entry_id: bytes) -> int:
    """Give the position in an entry's id, which is ``<position>-0``.

    Raises `LogGap` for any other id: such an entry stands between positions.
    """
    position, _, rest = entry_id.partition(b"-")
    if rest != b"0":
        raise LogGap(int(position) + 1, int(position))
    return int(position)


def _integer(value: bytes) -> int:
    """Read a number that is written as we write numbers: what was read can be written again."""
    number = int(value)
    if b"%d" % number != value or not -(2**63) <= number < 2**63:
        raise ValueError(f"{value!r} is not how a number is written here")
    return number


def _malformed(position: int, fields: Sequence[bytes], reason: str) -> RawEntry:
    known = dict(zip(fields[::2], fields[1::2], strict=False))

    def text(name: bytes) -> str:
        return known.get(name, b"").decode(errors="replace")

    return RawEntry(
        position=position,
        event_id=text(b"e"),
        aggregate_type=text(b"k"),
        aggregate_id=text(b"a"),
        version=0,
        type=text(b"t"),
        schema=0,
        occurred_at_us=0,
        command_id=text(b"c"),
        fingerprint=text(b"f"),
        actor=text(b"u"),
        correlation_id=text(b"r"),
        causation_position=None,
        body=known.get(b"d", b""),
        malformed=reason,
        stored=tuple(fields),
    )
