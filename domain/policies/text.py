"""When two texts are exactly the same statement (spec: lifecycle.md, "De-duplication", step 1)."""

from __future__ import annotations

import hashlib
import re
import unicodedata

_BLANKS = re.compile(r"[^\S\n]+")


def normalise(text: str) -> str:
    """Give the text as it is compared: what can differ without meaning anything is taken out.

    Unicode form C; blanks at line ends and around the whole text dropped; runs of blanks between
    words made one. Letter case, punctuation, line breaks and the indentation of later lines stay:
    a path, an abbreviation or a piece of code may mean something else without them, and a pair
    that is missed here costs a duplicate, while a pair wrongly joined would lose a statement.
    """
    lines = unicodedata.normalize("NFC", text).strip().splitlines()
    return "\n".join(_indentation(line) + _BLANKS.sub(" ", line.strip()) for line in lines)


def text_hash(text: str) -> str:
    """Give the SHA-256 (64 hex digits) of the normalised text, in UTF-8."""
    return hashlib.sha256(normalise(text).encode()).hexdigest()


def _indentation(line: str) -> str:
    return line[: len(line) - len(line.lstrip())] if line.strip() else ""
