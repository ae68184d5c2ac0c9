"""Which talk is not to wait for the next batch (spec: lifecycle.md, "Distillation").

Whoever says so in the episode's fields (``urgent``, ``trigger: distill``) or in plain words at the
beginning of a sentence: "remember this", "remember that …", "记住". A question that has these words
("do you remember this song?", "你记住了吗") asks for nothing to be kept. To be wrong here costs a
batch of its own, and one call to the model: it never changes what is remembered.
"""

from __future__ import annotations

import re
from typing import Final

from domain.events import EpisodeCommitted

DISTILL: Final = "distill"
"""The trigger that asks for it."""

_ENGLISH: Final = re.compile(
    r"(?:^|[.!?\n。！？]\s*|[,;:]\s+)"
    r"(?:(?:please|ok|okay|hey|and|now|also|always|you (?:must|should)|"
    r"(?:can|could|would) you(?: please)?),?\s+)*"
    r"remember (?:this|that)\b",
    re.IGNORECASE,
)
_CHINESE: Final = re.compile(
    r"(?:^|[.!?\n。！？，,；;：:\s])"
    r"(?:另外|还有|对了|那|以后|请|麻烦|帮我|给我|替我|你|您|要|一定|务必|必须|先|都|也|好好)*"
    r"记住(?!了[吗嗎没沒]|没有|沒有)"
)


def is_urgent(episode: EpisodeCommitted) -> bool:
    """Tell whether an episode is to be distilled at once."""
    return episode.urgent or episode.trigger == DISTILL or asks_to_remember(episode.content)


def asks_to_remember(text: str) -> bool:
    """Tell whether a text asks in plain words to keep what it says."""
    return bool(_ENGLISH.search(text) or _CHINESE.search(text))
