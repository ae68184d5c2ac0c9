"""Events to log entries and back: JSON by msgspec, sealed by subject, upcast on reading.

Only the body is closed. A body whose subject does not follow from the event itself carries its
name in a member ``_subject``. A text whose key is gone was erased: it opens to `ERASED`, a list
or dict of texts to an empty one.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import msgspec
from msgspec import Raw, Struct

from domain.errors import MemoryWeaveError
from domain.events import EVENT_TYPES, Event, EventBody
from eventlog.body_shape import BodyShape, shape_of
from eventlog.entry import RawEntry
from eventlog.sealing import (
    KeyRing,
    Randomness,
    SealBroken,
    SealingKey,
    default_subject,
    derived_subject,
    destroyed_subjects,
    field_context,
    key_id_of,
    seal_json,
    subject_of,
    unseal_json,
)
from eventlog.upcasters import UPCASTERS, TypeSchema, Upcaster, target_of, upcast

SUBJECT_MEMBER: Final = "_subject"

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)
# What a body can make of reading it: nonsense, bad UTF-8, a time out of range, endless nesting.
_BROKEN: Final = (SealBroken, msgspec.DecodeError, UnicodeError, OverflowError, RecursionError)
_decode_members: Final = msgspec.json.Decoder(dict[str, Raw]).decode
_encode: Final = msgspec.json.Encoder().encode


class SealedEntry(Struct, frozen=True):
    """An event ready to be appended.

    ``subject`` is empty when nothing in the body needed a key. ``new_key`` is the subject's key if
    the append must store it, ``held_key`` if the log held it already and must hold it still. The
    keys of the subjects in ``destroys`` end with the append.
    """

    entry: RawEntry
    subject: str = ""
    new_key: bytes | None = None
    held_key: bytes | None = None
    destroys: tuple[str, ...] = ()


class Undecodable(Exception):
    """An entry whose body is not what its type and schema say; a view parks it."""

    def __init__(self, entry: RawEntry, reason: str) -> None:
        super().__init__(
            f"{entry.type} schema {entry.schema} at position {entry.position}: {reason}"
        )
        self.entry = entry
        self.position = entry.position
        self.reason = reason


class UnknownEventType(MemoryWeaveError):
    """An entry of a type or schema newer than this program.

    A view that needs it stops, and so does a command on its aggregate.
    """

    name = "unknown-event-type"
    title = "A newer version of MemoryWeave wrote this: upgrade"

    def __init__(self, entry: RawEntry) -> None:
        super().__init__(
            f"no event type {entry.type} with schema {entry.schema} is known "
            f"(position {entry.position}): a newer version of MemoryWeave wrote it"
        )
        self.entry = entry
        self.position = entry.position


class Codec:
    """Seals and opens events. Thread-safe; ``keys`` is shared by all that use one log."""

    def __init__(
        self,
        keys: KeyRing,
        *,
        types: Mapping[TypeSchema, type[EventBody]] = EVENT_TYPES,
        upcasters: Mapping[TypeSchema, Upcaster] = UPCASTERS,
        randomness: Randomness = os.urandom,
    ) -> None:
        self.keys = keys
        self._types = types
        self._upcasters = upcasters
        self._randomness = randomness

    def seal(self, event: Event) -> SealedEntry:
        """Close an event, under its subject's key if it holds any text."""
        shape = shape_of(type(event.body))
        members = {name: getattr(event.body, name) for name in shape.members}
        texts = {name: value for name in shape.sealed if _is_text(value := members[name])}
        if not texts:
            entry = _entry(event, _encode(members))
            return SealedEntry(entry, destroys=destroyed_subjects(event))
        subject = subject_of(event)
        key, is_new = self.keys.for_sealing(subject, brand_new=_begins_subject(event, subject))
        for name, value in texts.items():
            context = field_context(event.event_id, name)
            members[name] = seal_json(key, _encode(value), context, self._randomness)
        if subject != derived_subject(event):
            members[SUBJECT_MEMBER] = subject
        return _sealed(_entry(event, _encode(members)), subject, key, is_new)

    def reseal(self, sealed: SealedEntry, stored: bytes | None) -> SealedEntry:
        """Close an event anew under the key that the log has for its subject, or under a new one
        where ``stored`` is None.

        For the loser of a race: somebody else made the subject's key first, or destroyed it.
        """
        before = sealed.new_key or sealed.held_key
        if before is None:
            raise ValueError(f"nothing was sealed at {sealed.entry.type}, it needs no other key")
        self.keys.discard(sealed.subject, before)
        if stored is not None:
            self.keys.adopt({sealed.subject: stored})
        old = SealingKey(before)
        key, is_new = self.keys.for_sealing(sealed.subject, brand_new=False)
        entry = sealed.entry
        members = _decode_members(entry.body)
        for name in shape_of(self._types[entry.type, entry.schema]).sealed:
            quoted = bytes(members[name])
            if quoted.startswith(b'"'):
                context = field_context(entry.event_id, name)
                plain = unseal_json(old, quoted, context)
                members[name] = Raw(_encode(seal_json(key, plain, context, self._randomness)))
        resealed = msgspec.structs.replace(entry, body=_encode(members))
        return _sealed(resealed, sealed.subject, key, is_new)

    def open(self, entry: RawEntry) -> Event:
        """Open one entry. Raises `Undecodable` or `UnknownEventType`."""
        opened = self.open_batch((entry,))[0]
        if isinstance(opened, Exception):
            raise opened
        return opened

    def open_batch(
        self, entries: Sequence[RawEntry]
    ) -> list[Event | Undecodable | UnknownEventType]:
        """Open entries in order, fetching all missing keys in one round trip.

        What cannot be opened takes its place in the list as the error itself.
        """
        closed = [self._look_into(entry) for entry in entries]
        wanted = {(c.subject, c.key_id) for c in closed if isinstance(c, _Closed) and c.subject}
        keys = self.keys.for_opening(wanted) if wanted else {}
        return [self._open(c, keys.get(c.subject)) if isinstance(c, _Closed) else c for c in closed]

    def sealed_subject(self, entry: RawEntry) -> str:
        """Say whose key opens the text that an entry holds; "" for one without text."""
        closed = self._look_into(entry)
        return closed.subject if isinstance(closed, _Closed) else ""

    def _look_into(self, entry: RawEntry) -> _Closed | Undecodable | UnknownEventType:
        if entry.malformed:
            return Undecodable(entry, entry.malformed)
        written = self._types.get((entry.type, entry.schema))
        if written is None:
            return UnknownEventType(entry)
        shape = shape_of(written)
        if not shape.sealed:
            return _Closed(entry, shape)
        try:
            members = _decode_members(entry.body)
        except _BROKEN as error:
            return Undecodable(entry, str(error))
        sealed = [
            (name, quoted)
            for name in shape.sealed
            if (raw := members.get(name)) is not None and (quoted := bytes(raw))[:1] == b'"'
        ]
        if not sealed:
            return _Closed(entry, shape)
        try:
            named = _text(members, SUBJECT_MEMBER) or ""
            subject = named or _derived_subject(entry, members)
            key_id = key_id_of(sealed[0][1])
        except _BROKEN as error:
            return Undecodable(entry, f"its key cannot be told: {error}")
        return _Closed(entry, shape, members, sealed, subject, named, key_id)

    def _open(self, closed: _Closed, key: SealingKey | None) -> Event | Undecodable:
        entry = closed.entry
        try:
            plain = _opened_body(closed, key)
            body = self._decode(plain, (entry.type, entry.schema), closed.shape)
            event = _event(entry, body, closed.named_subject)
        except _BROKEN as error:
            return Undecodable(entry, str(error))
        if destroyed := destroyed_subjects(event):
            # A reader must not go on opening what was destroyed because it saw the key before.
            self.keys.forget(destroyed)
        return event

    def _decode(self, plain: bytes, written: TypeSchema, shape: BodyShape) -> EventBody:
        if written not in self._upcasters:
            return shape.decode(plain)
        today = self._types[target_of(written, self._upcasters)]
        try:
            body = upcast(msgspec.json.decode(plain), written, self._upcasters)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            # Its message may quote the text, and reasons are logged.
            name = type(error).__name__
            raise msgspec.DecodeError(f"an upcaster refused it with {name}") from error
        return msgspec.convert(body, today)


class _Closed(Struct, frozen=True):
    """An entry looked into far enough to know whose key it needs."""

    entry: RawEntry
    shape: BodyShape
    members: dict[str, Raw] = {}
    sealed: list[tuple[str, bytes]] = []
    subject: str = ""
    named_subject: str = ""
    key_id: bytes = b""


def _opened_body(closed: _Closed, key: SealingKey | None) -> bytes:
    if not closed.sealed:
        return closed.entry.body
    members = closed.members
    for name, quoted in closed.sealed:
        if key is None or key.id != closed.key_id:
            members[name] = Raw(closed.shape.erased[name])
        else:
            context = field_context(closed.entry.event_id, name)
            members[name] = Raw(unseal_json(key, quoted, context))
    return _encode(members)


def _sealed(entry: RawEntry, subject: str, key: SealingKey, is_new: bool) -> SealedEntry:
    if is_new:
        return SealedEntry(entry, subject, new_key=key.raw)
    return SealedEntry(entry, subject, held_key=key.raw)


def _begins_subject(event: Event, subject: str) -> bool:
    """Tell whether no earlier event can have been sealed for that subject."""
    return event.version == 1 and subject == f"{event.aggregate_type.lower()}:{event.aggregate_id}"


def _event(entry: RawEntry, body: EventBody, subject: str) -> Event:
    return Event(
        aggregate_type=entry.aggregate_type,
        aggregate_id=entry.aggregate_id,
        version=entry.version,
        event_id=entry.event_id,
        occurred_at=_EPOCH + timedelta(microseconds=entry.occurred_at_us),
        actor=entry.actor,
        correlation_id=entry.correlation_id,
        body=body,
        causation_position=entry.causation_position,
        command_id=entry.command_id,
        fingerprint=entry.fingerprint,
        position=entry.position,
        subject=subject,
    )


def _entry(event: Event, body: bytes) -> RawEntry:
    return RawEntry(
        position=event.position,
        event_id=event.event_id,
        aggregate_type=event.aggregate_type,
        aggregate_id=event.aggregate_id,
        version=event.version,
        type=event.type,
        schema=event.schema,
        occurred_at_us=(event.occurred_at - _EPOCH) // _MICROSECOND,
        command_id=event.command_id,
        fingerprint=event.fingerprint,
        actor=event.actor,
        correlation_id=event.correlation_id,
        causation_position=event.causation_position,
        body=body,
    )


def _derived_subject(entry: RawEntry, members: Mapping[str, Raw]) -> str:
    return default_subject(
        entry.aggregate_type,
        entry.aggregate_id,
        _EPOCH + timedelta(microseconds=entry.occurred_at_us),
        _text(members, "namespace"),
        _text(members, "session_id"),
    )


def _text(members: Mapping[str, Raw], name: str) -> str | None:
    raw = members.get(name)
    return None if raw is None else msgspec.json.decode(raw, type=str | None)


def _is_text(value: Any) -> bool:
    return value is not None and value not in ([], {})
