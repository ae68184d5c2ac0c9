"""The labelled utterances as one list, and what each kind of them is to score.

The targets say, from 0 to 1: information significance, strategic utility, practical applicability,
validation durability (will it still hold when it is needed), recall usability.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

from msgspec import Struct

from domain.distillation.finding import Talk
from tests.domain.worth_chinese import CHINESE
from tests.domain.worth_english import ENGLISH
from tests.domain.worth_mixed import MIXED

KEPT: Final = {
    "fact": (0.85, 0.70, 0.70, 0.95, 0.90),
    "preference": (0.80, 0.80, 0.85, 0.90, 0.90),
    "decision": (0.90, 0.90, 0.80, 0.85, 0.85),
    "constraint": (0.85, 0.90, 0.95, 0.90, 0.85),
    "howto": (0.85, 0.80, 0.95, 0.85, 0.85),
    "project": (0.85, 0.85, 0.80, 0.85, 0.90),
    "event": (0.90, 0.65, 0.55, 0.85, 0.90),
    "plan": (0.85, 0.80, 0.65, 0.75, 0.90),
    "remember": (0.90, 0.85, 0.85, 0.90, 0.95),
    "answer": (0.80, 0.70, 0.70, 0.85, 0.90),
}
DROPPED: Final = {
    "small_talk": (0.02, 0.02, 0.02, 0.02, 0.02),
    "world_question": (0.15, 0.10, 0.15, 0.10, 0.15),
    "low_density": (0.02, 0.02, 0.02, 0.05, 0.02),
    "passing": (0.20, 0.10, 0.15, 0.05, 0.10),
    "hypothetical": (0.35, 0.35, 0.25, 0.15, 0.25),
    "question": (0.20, 0.15, 0.10, 0.10, 0.15),
    "reaction": (0.15, 0.10, 0.05, 0.15, 0.10),
    "mood": (0.30, 0.20, 0.10, 0.25, 0.25),
    "advice": (0.25, 0.20, 0.25, 0.25, 0.15),
    "chatter": (0.15, 0.10, 0.15, 0.05, 0.10),
    "noise": (0.15, 0.10, 0.15, 0.10, 0.10),
}
TARGETS: Final = KEPT | DROPPED


class Utterance(Struct, frozen=True):
    """What was said, what it is, and what was asked before it."""

    text: str
    kind: str
    language: str
    asked: str | None = None

    @property
    def is_kept(self) -> bool:
        """Whether a memory is to come of it."""
        return self.kind in KEPT

    def talk(self) -> Talk:
        """Give it as an episode of somebody who talks to somebody else."""
        return Talk(
            episode_id="e",
            content=self.text,
            source="owner_message",
            said_at=datetime(2026, 5, 1, 12, tzinfo=UTC),
            speaker="me",
            before=(("you", self.asked),) if self.asked else (),
        )


def utterances() -> list[Utterance]:
    """Give all of them, kind by kind, in the order in which they are written."""
    languages = {"en": ENGLISH, "zh": CHINESE, "mixed": MIXED}
    return [
        _utterance(line.strip(), kind, language)
        for language, kinds in languages.items()
        for kind, lines in kinds.items()
        for line in lines.strip().splitlines()
    ]


def halves() -> tuple[list[Utterance], list[Utterance]]:
    """Give those to fit on and those to judge with: of each kind, every third line judges."""
    fitted: list[Utterance] = []
    judging: list[Utterance] = []
    seen: dict[tuple[str, str], int] = {}
    for said in utterances():
        key = (said.language, said.kind)
        seen[key] = seen.get(key, 0) + 1
        (judging if seen[key] % 3 == 0 else fitted).append(said)
    return fitted, judging


def _utterance(line: str, kind: str, language: str) -> Utterance:
    asked, arrow, answer = line.partition(" => ")
    if arrow:
        return Utterance(answer, kind, language, asked)
    return Utterance(line, kind, language)
