"""A text that was handed out, and its sentences as they are known again."""

from __future__ import annotations

import re
from typing import Final

from msgspec import Struct

from domain.policies.context_block import CUT, escaped, unescaped
from domain.policies.kept_readings import kept_where_short
from domain.policies.text import normalise

_CUT: Final = re.escape(CUT)
SENTENCE: Final = re.compile(
    rf"{_CUT}|.+?(?:(?:[。！？!?…]+[”’\"')】」*]*|[.]+[\"')*]*(?=\s|$)|$)(?:\s*{_CUT})?|\s*{_CUT})",
    re.DOTALL,
)
"""A sentence with the mark behind it that a longer text was cut there."""

_SENTENCES: Final = re.compile(r"(?<=[.。!！?？])(?=\s|[^\x00-\x7f])\s*|\n+")
_SPEAKER: Final = re.compile(r"^[\w .'-]{1,40}[:：]\s+(?=\S)")


class Served(Struct, frozen=True):
    """A text that was handed out; of which memory, None for an episode's."""

    text: str
    memory_id: str | None = None


@kept_where_short(4096)
def sentences_of(text: str) -> frozenset[str]:
    """Give the text whole and each of its sentences, with and without its speaker, made `bare`.

    Sentences are told apart as they stood, and as they stand in a block, on one line.
    """
    parts = {text, *_SENTENCES.split(text)}
    parts.update(found.group() for found in SENTENCE.finditer(unescaped(escaped(text))))
    parts.update([without_speaker(part) for part in parts])
    for part in (without_speaker(text), unescaped(escaped(without_speaker(text)))):
        parts.update(found.group() for found in SENTENCE.finditer(part))
    return frozenset(filter(None, map(bare, parts)))


def without_speaker(text: str) -> str:
    """Take out who says it, where a text begins with that."""
    return _SPEAKER.sub("", text)


@kept_where_short(8192)
def bare(text: str) -> str:
    """Give a text without quoting marks, case and punctuation at its ends, as two are compared."""
    plain = normalise(unescaped(text)).casefold().strip(" \t\n.。!！,，;；:：\"'“”‘’*_`>-•")
    return " ".join(plain.split())
