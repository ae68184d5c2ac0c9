"""Keys and seals: which key closes a text, and how (spec: events.md, "Sealing").

A sealed value is ``base64(nonce ‖ AES-256-GCM(JSON of the value))`` with a random 96-bit nonce
(NIST SP 800-38D, 8.2.2). The additional data bind it to its event and field, so a sealed text
cannot be moved to another place. Null, ``[]`` and ``{}`` hold no text and stay as they are.
"""

from __future__ import annotations

import binascii
import os
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from threading import Lock
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from domain.events import Event

KEY_BYTES: Final = 32
NONCE_BYTES: Final = 12
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


def field_context(event_id: str, field: str) -> bytes:
    """Give the additional data that bind a sealed value to its event and field."""
    return f"{event_id}\x1f{field}".encode()


def seal(cipher: AESGCM, plain: bytes, context: bytes, randomness: Randomness) -> bytes:
    """Seal ``plain``; the answer is nonce and ciphertext, 28 bytes longer."""
    nonce = randomness(NONCE_BYTES)
    return nonce + cipher.encrypt(nonce, plain, context)


def unseal(cipher: AESGCM, sealed: bytes, context: bytes) -> bytes:
    """Open what `seal` closed. Raises `SealBroken`."""
    try:
        return cipher.decrypt(sealed[:NONCE_BYTES], sealed[NONCE_BYTES:], context)
    except (InvalidTag, ValueError) as error:
        raise SealBroken("the sealed value does not open under its subject's key") from error


def seal_json(cipher: AESGCM, plain: bytes, context: bytes, randomness: Randomness) -> str:
    """Seal a field's JSON into the base64 text that stands in the body."""
    return binascii.b2a_base64(seal(cipher, plain, context, randomness), newline=False).decode()


def unseal_json(cipher: AESGCM, quoted: bytes, context: bytes) -> bytes:
    """Open a field's quoted base64 text into its JSON. Raises `SealBroken`."""
    try:
        sealed = binascii.a2b_base64(quoted[1:-1], strict_mode=True)
    except binascii.Error as error:
        raise SealBroken("the sealed value is not base64") from error
    return unseal(cipher, sealed, context)


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
        self._stored: OrderedDict[str, AESGCM] = OrderedDict()
        self._made: OrderedDict[str, bytes] = OrderedDict()
        self._lock = Lock()

    def for_opening(self, subjects: Iterable[str]) -> dict[str, AESGCM]:
        """Give the ciphers of subjects, asking the log once for those not yet seen.

        A subject without a key is left out: it was erased.
        """
        found: dict[str, AESGCM] = {}
        missing: set[str] = set()
        with self._lock:
            for subject in subjects:
                cipher = self._stored.get(subject)
                if cipher is None:
                    missing.add(subject)
                else:
                    self._stored.move_to_end(subject)
                    found[subject] = cipher
        if missing:
            fetched = self._fetch(sorted(missing))
            self.adopt(fetched)
            found.update((subject, AESGCM(key)) for subject, key in fetched.items())
        return found

    def for_sealing(self, subject: str, *, brand_new: bool) -> tuple[AESGCM, bytes | None]:
        """Give a subject's cipher, and the key itself if the append must store it.

        ``brand_new`` says that nothing of the subject can be in the log yet, which saves asking.
        """
        with self._lock:
            cipher = self._stored.get(subject)
            made = self._made.get(subject)
        if cipher is not None:
            return cipher, None
        if made is None and not brand_new:
            cipher = self.for_opening((subject,)).get(subject)
            if cipher is not None:
                return cipher, None
        if made is None:
            with self._lock:
                made = self._made.setdefault(subject, self._randomness(KEY_BYTES))
                while len(self._made) > self._size:
                    self._made.popitem(last=False)
        return AESGCM(made), made

    def adopt(self, keys: Mapping[str, bytes]) -> None:
        """Take over keys that the log is known to hold."""
        with self._lock:
            for subject, key in keys.items():
                self._made.pop(subject, None)
                self._stored[subject] = AESGCM(key)
                self._stored.move_to_end(subject)
            while len(self._stored) > self._size:
                self._stored.popitem(last=False)

    def forget(self, subjects: Iterable[str]) -> None:
        """Drop keys that were destroyed in the log."""
        with self._lock:
            for subject in subjects:
                self._made.pop(subject, None)
                self._stored.pop(subject, None)
