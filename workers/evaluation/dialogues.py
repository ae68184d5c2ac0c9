"""Dialogues with known answers, written by a language model, as an evaluation set.

What is asked is not whether the dialogue was stored but whether its answers are still found after
it went the way of every conversation: committed, distilled where the node has a distiller,
recalled. Measured like any other set (`workers.evaluation.measuring`), whose ``layers`` say by
which way the answers came: ``memory`` after distillation, ``episode`` without.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final, Literal

import msgspec
from msgspec import Struct

from inference.llm import LanguageModel, LanguageModelMisbehaved, Message
from workers.evaluation.sets import CORPUS, QUERIES

Language = Literal["en", "zh"]

_FEWEST_TURNS: Final = 2
_TASK: Final = (
    "You write test dialogues for a memory system: a user and an assistant talk about the user's "
    "work and life. The user states facts, decisions and preferences with names, numbers, places "
    "or dates that you make up; small talk lies between them. Then write questions that somebody "
    "asks weeks later, each with the numbers (from 0) of the turns that hold its answer. A "
    "question must not quote the turn."
)
_SUBJECTS: Final = (
    "a home server",
    "a move to another city",
    "a hiking trip",
    "a small web shop",
    "learning an instrument",
    "a conference talk",
    "a garden",
    "an allergy and meal plans",
)
_SCHEMA: Final = {
    "type": "object",
    "additionalProperties": False,
    "required": ["turns", "questions"],
    "properties": {
        "turns": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["speaker", "text"],
                "properties": {"speaker": {"type": "string"}, "text": {"type": "string"}},
            },
        },
        "questions": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["query", "answer_turns"],
                "properties": {
                    "query": {"type": "string"},
                    "answer_turns": {"type": "array", "items": {"type": "integer"}},
                },
            },
        },
    },
}


class Turn(Struct, frozen=True):
    """What one of the two said."""

    speaker: str
    text: str


class Asked(Struct, frozen=True):
    """A question; ``answer_turns`` are the numbers of the turns that answer it."""

    query: str
    answer_turns: list[int]


class Dialogue(Struct, frozen=True):
    """A dialogue and what can be asked about it."""

    turns: list[Turn]
    questions: list[Asked]


class Written(Struct, frozen=True, kw_only=True):
    """What was put into a folder. ``tokens`` is what the model used for it."""

    folder: str
    dialogues: int
    lines: int
    questions: int
    tokens: int


def write_dialogues(
    model: LanguageModel, folder: Path, *, count: int, seed: int, language: Language
) -> Written:
    """Have a model write ``count`` dialogues and keep them in ``folder`` as a set.

    ``seed`` chooses what they are about. Raises `LanguageModelError`, and `OSError` where the
    folder cannot be written; nothing is written before every dialogue is there.
    """
    dialogues: list[Dialogue] = []
    tokens = 0
    for number in range(count):
        subject = _SUBJECTS[(seed + number) % len(_SUBJECTS)]
        dialogue, used = _write(model, subject, seed + number, language)
        dialogues.append(dialogue)
        tokens += used
    corpus = [line for n, one in enumerate(dialogues) for line in _lines(n, one)]
    queries = [line for n, one in enumerate(dialogues) for line in _queries(n, one)]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / CORPUS).write_bytes(b"".join(corpus))
    (folder / QUERIES).write_bytes(b"".join(queries))
    return Written(
        folder=str(folder),
        dialogues=len(dialogues),
        lines=len(corpus),
        questions=len(queries),
        tokens=tokens,
    )


def _write(
    model: LanguageModel, subject: str, number: int, language: Language
) -> tuple[Dialogue, int]:
    wanted = {
        "subject": subject,
        "variant": number,
        "language": {"en": "English", "zh": "Chinese"}[language],
        "turns": 12,
        "questions": 4,
    }
    messages = [Message("system", _TASK), Message("user", msgspec.json.encode(wanted).decode())]
    completion = model.complete(messages, schema_name="dialogue", schema=_SCHEMA)
    try:
        dialogue = msgspec.json.decode(completion.text, type=Dialogue)
    except msgspec.DecodeError as error:
        raise LanguageModelMisbehaved(
            f"{model.name} answered with something else than a dialogue"
        ) from error
    _check(model.name, dialogue)
    return dialogue, completion.prompt_tokens + completion.completion_tokens


def _check(name: str, dialogue: Dialogue) -> None:
    """Refuse a dialogue whose answers are not in it: it would measure the model that wrote it."""
    turns = len(dialogue.turns)
    if turns < _FEWEST_TURNS or not all(turn.text.strip() for turn in dialogue.turns):
        raise LanguageModelMisbehaved(f"{name} wrote a dialogue of {turns} turns, or an empty one")
    if not dialogue.questions:
        raise LanguageModelMisbehaved(f"{name} wrote a dialogue without a question")
    for asked in dialogue.questions:
        known = all(0 <= turn < turns for turn in asked.answer_turns)
        if not asked.query.strip() or not asked.answer_turns or not known:
            raise LanguageModelMisbehaved(f"{name} wrote a question whose answer is not there")


def _lines(number: int, dialogue: Dialogue) -> Sequence[bytes]:
    return [
        _json_line(
            {
                "id": _turn_id(number, turn),
                "conversation": f"dialogue-{number}",
                "session": f"dialogue-{number}",
                "speaker": said.speaker,
                "text": said.text,
                "seq": turn,
            }
        )
        for turn, said in enumerate(dialogue.turns)
    ]


def _queries(number: int, dialogue: Dialogue) -> Sequence[bytes]:
    return [
        _json_line(
            {
                "id": f"dialogue-{number}-q{place}",
                "conversation": f"dialogue-{number}",
                "query": asked.query,
                "evidence_ids": [_turn_id(number, turn) for turn in asked.answer_turns],
            }
        )
        for place, asked in enumerate(dialogue.questions)
    ]


def _turn_id(number: int, turn: int) -> str:
    return f"dialogue-{number}-{turn}"


def _json_line(value: object) -> bytes:
    return msgspec.json.encode(value) + b"\n"
