"""In which script a text is written, and whether a statement is in the language that was asked.

A script is told by its letters; nothing else is known of a language. Names, code, paths and quoted
words stand in Latin letters in texts of any language and weigh nothing beside a sentence.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import Final, Literal

Language = Literal["source", "zh", "en"]
"""What memories are written in: as they were said, or always in one language."""

Script = Literal["zh", "latin", "ja", "ko", "cyrillic", "other"]

_LEAST_SHARE: Final = 0.3
"""Share of the words that a script needs for a text to be in it too: people mix two."""

_CHARACTERS_A_WORD: Final = 1.6
"""Chinese characters that stand for one word of other scripts."""

_NOT_SAID: Final = re.compile(
    r"```.*?```|`[^`\n]*`|https?://\S+|\S*[/\\]\S*|\S*\w[._:@=-]\w\S*|\b\w*\d\w*\b",
    re.DOTALL,
)
_LETTERS: Final = re.compile(
    "(?P<ja>[\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9f]+)"
    "|(?P<ko>[\u1100-\u11ff\u3130-\u318f\uac00-\ud7af]+)"
    "|(?P<zh>[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+)"
    "|(?P<cyrillic>[\u0400-\u052f]+)"
    "|(?P<latin>[A-Za-z\u00c0-\u024f\u1e00-\u1eff](?:[A-Za-z\u00c0-\u024f\u1e00-\u1eff'’])*)"
    r"|(?P<other>[^\W\d_]+)"
)


def scripts(text: str) -> frozenset[Script]:
    """Give the scripts that a text is written in; none where it has no words, only names.

    More than one where people mixed them.
    """
    weights = _weights(_NOT_SAID.sub(" ", text))
    total = sum(weights.values())
    return frozenset(name for name, weight in weights.items() if weight >= _LEAST_SHARE * total)


def is_in(statement: str, language: Language, source: str) -> bool:
    """Tell whether a statement is in the language asked for.

    ``source`` is the text that it was taken from: with ``source`` it must be in one of its scripts.
    A statement without a word of its own is in any.
    """
    found = scripts(statement)
    if not found:
        return True
    if language != "source":
        wanted: Script = "zh" if language == "zh" else "latin"
        return wanted in found
    said = scripts(source)
    return not said or not found.isdisjoint(said)


def is_translated(statement: str, source: str) -> bool:
    """Tell whether a statement shares no script with its source: its words cannot be compared."""
    found, said = scripts(statement), scripts(source)
    return bool(found) and bool(said) and found.isdisjoint(said)


def _weights(text: str) -> dict[Script, float]:
    weights: dict[Script, float] = defaultdict(float)
    names = 0.0
    for found in _LETTERS.finditer(text):
        script: Script = found.lastgroup  # type: ignore[assignment]  # each group has a script's name
        word = found.group()
        if script in {"zh", "ja"}:
            weights[script] += len(word) / _CHARACTERS_A_WORD
        elif script == "latin" and len(word) == 1:
            continue
        elif script == "latin" and not word.islower() and weights["zh"]:
            names += 1
        else:
            weights[script] += 1
    if weights["ja"]:
        weights["ja"] += weights.pop("zh", 0)
    if not weights["zh"] and not weights["ja"]:
        weights["latin"] += names
    return {name: weight for name, weight in weights.items() if weight}
