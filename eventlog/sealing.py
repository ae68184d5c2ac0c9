"""Keys and seals: which key closes a text, and how (spec: events.md, "Sealing").

A sealed value is ``base64(key id ‖ nonce ‖ AES-256-GCM(JSON of the value))`` with a random 96-bit
nonce (NIST SP 800-38D, 8.2.2). The additional data bind it to its event and field, so a sealed
text cannot be moved to another place. The key id, four bytes of the key's SHA-256, tells a text
whose key was destroyed, and whose subject has another one by now, from a damaged text. Null, ``[]``
and ``{}`` hold no text and stay as they are.
"""

from __future__ import annotations

import binascii
import hashlib
import os
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Mapping
from datetime import datetime
from threading import Lock
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from domain.events import Event, SessionClosed, SubjectErased

KEY_BYTES: Final = 32
KEY_ID_BYTES: Final = 4
NONCE_BYTES: Final = 12
_HEADER_BYTES: Final = KEY_ID_BYTES + NONCE_BYTES
EPHEMERAL_SUFFIX: Final = "-ephemeral"
CACHED_KEYS: Final = 16_384

Randomness = Callable[[int], bytes]
"""Gives that many random bytes, fit for keys."""

FetchKeys = Callable[[Iterable[str]], Mapping[str, bytes]]
"""Gives the stored keys of subjects, in one round trip; a subject without one is left out."""


class SealBroken(Exception):
    """A sealed value does not open under its subject's key: changed, moved, or another key."""


def subject_of(event: Event) -> str:
    """Say whose key seals the event's text."""
    return event.subject or derived_subject(event)


def derived_subject(event: Event) -> str:
    """Say whose key seals the event's text if it names no subject itself."""
    return default_subject(
        event.aggregate_type,
        event.aggregate_id,
        event.occurred_at,
        getattr(event.body, "namespace", None),
        getattr(event.body, "session_id", None),
    )


def default_subject(
    aggregate_type: str,
    aggregate_id: str,
    occurred_at: datetime,
    namespace: str | None,
    session_id: str | None,
) -> str:
    """Say whose key seals an event that names no subject.

    What is committed to an ephemeral namespace belongs to its session; an agent's texts belong to
    a day (UTC); everything else to its own aggregate: ``memory:<id>``, ``episode:<id>``, ….
    """
    if namespace is not None and namespace.endswith(EPHEMERAL_SUFFIX):
        return session_subject(namespace, session_id)
    kind = aggregate_type.lower()
    if kind == "agent":
        return f"agent:{aggregate_id}:{occurred_at:%Y-%m-%d}"
    return f"{kind}:{aggregate_id}"


def session_subject(namespace: str, session_id: str | None) -> str:
    """Name the subject of a session in an ephemeral namespace; ``-`` where none was named."""
    return f"session:{namespace}:{session_id or '-'}"


def destroyed_subjects(event: Event) -> tuple[str, ...]:
    """Say whose keys end with this event: those of a closed session, and of what was erased."""
    if isinstance(event.body, SubjectErased):
        return tuple(event.body.subjects)
    if isinstance(event.body, SessionClosed) and event.body.namespace.endswith(EPHEMERAL_SUFFIX):
        return (session_subject(event.body.namespace, event.body.session_id),)
    return ()


def is_final(subject: str) -> bool:
    """Tell whether a subject whose key was erased may never have one again.

    A session of the same name may begin anew; everything else has an id of its own.
    """
    return not subject.startswith("session:")


def field_context(event_id: str, field: str) -> bytes:
    """Give the additional data that bind a sealed value to its event and field."""
    return f"{event_id}\x1f{field}".encode()


class SealingKey:
    """A subject's key, ready for use."""

    __slots__ = ("cipher", "id", "raw")

    def __init__(self, raw: bytes) -> None:
        self.raw = raw
        self.id = hashlib.sha256(raw).digest()[:KEY_ID_BYTES]
        self.cipher = AESGCM(raw)


def seal_json(key: SealingKey, plain: bytes, context: bytes, randomness: Randomness) -> str:
    """Seal a field's JSON into the base64 text that stands in the body."""
    nonce = randomness(NONCE_BYTES)
    sealed = key.id + nonce + key.cipher.encrypt(nonce, plain, context)
    return binascii.b2a_base64(sealed, newline=False).decode()


def unseal_json(key: SealingKey, quoted: bytes, context: bytes) -> bytes:
    """Open a field's quoted base64 text into its JSON. Raises `SealBroken`."""
    sealed = _bytes_of(quoted)
    if sealed[:KEY_ID_BYTES] != key.id:
        raise SealBroken("the fields of one event were sealed under different keys")
    try:
        return key.cipher.decrypt(
            sealed[KEY_ID_BYTES:_HEADER_BYTES], sealed[_HEADER_BYTES:], context
        )
    except (InvalidTag, ValueError) as error:
        raise SealBroken("the sealed value does not open under its subject's key") from error


def key_id_of(quoted: bytes) -> bytes:
    """Say under which key a field's quoted base64 text was sealed. Raises `SealBroken`."""
    # Eight characters hold six bytes.
    return _bytes_of(quoted[:9] + b'"')[:KEY_ID_BYTES]


def _bytes_of(quoted: bytes) -> bytes:
    try:
        return binascii.a2b_base64(quoted[1:-1], strict_mode=True)
    except binascii.Error as error:
        raise SealBroken("the sealed value is not base64") from error


class KeyRing:
    """The keys that a process has seen, and those it has made but not yet seen stored.

    Thread-safe. A key that was made here goes along with every append until the log is known to
    hold it: an append that fails must not leave later texts under a key that nobody keeps.
    """

    def __init__(
        self, fetch: FetchKeys, randomness: Randomness = os.urandom, size: int = CACHED_KEYS
    ) -> None:
        self._fetch = fetch
        self._randomness = randomness
        self._size = size
        self._stored: OrderedDict[str, SealingKey] = OrderedDict()
        self._made: OrderedDict[str, SealingKey] = OrderedDict()
        self._forgotten: OrderedDict[str, int] = OrderedDict()
        self._forgets = 0
        self._lock = Lock()

    def for_opening(self, wanted: Iterable[tuple[str, bytes]]) -> dict[str, SealingKey]:
        """Give the keys of (subject, key id) pairs, asking the log once for those not seen yet.

        A key that was destroyed is left out, whether its subject has another one by now or not.
        Of a subject that is wanted under two keys, the present one is given.
        """
        wanted = set(wanted)
        found: dict[str, SealingKey] = {}
        missing: set[str] = set()
        with self._lock:
            for subject, key_id in wanted:
                key = self._stored.get(subject)
                if key is None or key.id != key_id:
                    missing.add(subject)
                else:
                    self._stored.move_to_end(subject)
                    found[subject] = key
        if missing:
            found.update(self._fetched(sorted(missing)))
        return found

    def for_sealing(self, subject: str, *, brand_new: bool) -> tuple[SealingKey, bool]:
        """Give a subject's key, and whether the append must store it.

        ``brand_new`` says that nothing of the subject can be in the log yet, which saves asking.
        """
        with self._lock:
            key = self._stored.get(subject)
            made = self._made.get(subject)
        if key is None and made is None and not brand_new:
            key = self._fetched((subject,)).get(subject)
        if key is not None:
            return key, False
        with self._lock:
            made = self._made.get(subject) or SealingKey(self._randomness(KEY_BYTES))
            self._made[subject] = made
            while len(self._made) > self._size:
                self._made.popitem(last=False)
        return made, True

    @property
    def forgets(self) -> int:
        """How often keys were forgotten: what was learnt before one of these may not hold."""
        with self._lock:
            return self._forgets

    def _fetched(self, subjects: Iterable[str]) -> dict[str, SealingKey]:
        found: dict[str, SealingKey] = {}
        asked = list(subjects)
        while asked:
            before = self.forgets
            answer = self._fetch(asked)
            found |= self.adopt(answer, before)
            # Somebody has passed an end of these meanwhile, perhaps an old one of a session that
            # lives again under another key: only the log knows which of the two keys was given.
            asked = [subject for subject in answer if subject not in found]
        return found

    def adopt(self, keys: Mapping[str, bytes], forgets: int | None = None) -> dict[str, SealingKey]:
        """Take over keys that the log is known to hold, and give them ready for use.

        ``forgets`` is how often something was forgotten when the log was asked: what was forgotten
        since is not taken over, the answer may be from before.
        """
        with self._lock:
            made = {subject: self._made.get(subject) for subject in keys}
        ready = {
            subject: known if (known := made[subject]) and known.raw == raw else SealingKey(raw)
            for subject, raw in keys.items()
        }
        with self._lock:
            if forgets is not None and forgets != self._forgets:
                ready = {s: key for s, key in ready.items() if self._forgotten.get(s, 0) <= forgets}
            for subject, key in ready.items():
                self._made.pop(subject, None)
                self._stored[subject] = key
                self._stored.move_to_end(subject)
            while len(self._stored) > self._size:
                self._stored.popitem(last=False)
        return ready

    def forget(self, subjects: Collection[str]) -> None:
        """Drop keys that the log has destroyed. Those made here and not stored yet stay in use."""
        if not subjects:
            return
        with self._lock:
            self._forgets += 1
            for subject in subjects:
                self._stored.pop(subject, None)
                self._forgotten[subject] = self._forgets
                self._forgotten.move_to_end(subject)
            while len(self._forgotten) > self._size:
                self._forgotten.popitem(last=False)

    def holds(self, subject: str) -> bool:
        """Tell whether the subject's key is here, so that its texts can be opened unasked."""
        with self._lock:
            return subject in self._stored

    def forget_all(self) -> None:
        """Drop every key that the log was known to hold: some may have ended unseen."""
        with self._lock:
            known = list(self._stored)
        self.forget(known)

    def discard(self, subject: str, raw: bytes) -> None:
        """Drop one key, which the log no longer holds, unless another has taken its place."""
        with self._lock:
            key = self._stored.get(subject)
            if key is not None and key.raw == raw:
                del self._stored[subject]
