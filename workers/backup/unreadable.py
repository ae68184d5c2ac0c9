"""Which texts of a backup nobody can open: without a keys part all, else what was erased since."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

from domain.events import SessionClosed, SubjectErased
from eventlog.codec import Codec
from eventlog.entry import RawEntry
from eventlog.keys import key_field
from eventlog.sealing import KeyRing, destroyed_subjects, is_final

_DESTROYING: Final = frozenset({SubjectErased.__name__, SessionClosed.__name__})


class Unreadable:
    """Follows the keys, then the events, of one backup as they go into the log.

    Holds as much as was struck, and a number for each session, however long the log is.
    """

    def __init__(self) -> None:
        self._codec = Codec(KeyRing(lambda _: {}))
        self._struck: set[bytes] = set()
        self._texts: Counter[str] = Counter()
        self._of_subject: dict[str, Counter[str]] = {}
        self.keys = 0

    def counted(self, keys: Iterable[tuple[bytes, bytes]]) -> Iterator[tuple[bytes, bytes]]:
        """Give the keys on; an empty one is that of a subject that was erased."""
        for field, key in keys:
            if key:
                self.keys += 1
            else:
                self._struck.add(field)
            yield field, key

    def see(self, entry: RawEntry) -> None:
        """Take account of an event."""
        if subject := self._codec.sealed_subject(entry):
            self._texts[entry.aggregate_type] += 1
            # The key of a session leaves no trace: whether it is there is asked at the end.
            if not is_final(subject) or key_field(subject) in self._struck:
                self._of_subject.setdefault(subject, Counter())[entry.aggregate_type] += 1
        if entry.type in _DESTROYING:
            # The log says it itself: views know, and nobody has to be told.
            for destroyed in destroyed_subjects(self._codec.open(entry)):
                self._of_subject.pop(destroyed, None)

    def without_keys(self) -> dict[str, int]:
        """Count the events that hold a text, by the kind of thing they speak of."""
        return dict(self._texts)

    def erased_since(
        self, present_keys: Callable[[Iterable[str]], Mapping[str, bytes]]
    ) -> dict[str, int]:
        """Count those whose text was erased although the backup's log does not say so.

        ``present_keys`` is `RedisLog.subject_keys` of the log with all keys in it.
        """
        present = present_keys(self._of_subject)
        found: Counter[str] = Counter()
        for subject, texts in self._of_subject.items():
            if subject not in present:
                found.update(texts)
        return dict(found)
