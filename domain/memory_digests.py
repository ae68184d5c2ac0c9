"""Digests that stand in a memory's state for what people and models wrote."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import Final

from domain.events import TagLevel
from domain.policies.same_statement import statement_key
from domain.policies.text import text_hash

LONGEST_STATEMENT: Final = 500
"""In characters."""


def statement_hash(content: str) -> str:
    """Give a hash (hex) that is the same for every wording of one statement.

    A long text is no statement, and one without words says nothing that could be said otherwise:
    theirs is the hash of the text.
    """
    key = statement_key(content) if len(content) <= LONGEST_STATEMENT else ""
    return exact_hash(key) if key.strip("= ") else text_hash(content)


def exact_hash(content: str) -> str:
    """Give the SHA-256 (hex) of the text as it is."""
    return hashlib.sha256(content.encode()).hexdigest()


def tags_hash(tags: Iterable[str]) -> str:
    """Give the SHA-256 (hex) of a set of tags."""
    return hashlib.sha256("\x1f".join(sorted(set(tags))).encode()).hexdigest()


def level_digests(levels: Mapping[str, TagLevel]) -> tuple[tuple[str, TagLevel], ...]:
    """Give levels by the digests of their tags: a state holds no text."""
    return tuple(sorted((exact_hash(tag), level) for tag, level in levels.items()))
