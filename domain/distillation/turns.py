"""Who says what in an episode: one speaker's turn, or a transcript of several.

A transcript is known by labels at the beginnings of lines: the roles that agents use, and names
that return or that the caller gave.
"""

from __future__ import annotations

import re
from typing import Final

from msgspec import Struct

from domain.distillation.finding import Talk
from domain.events import Source
from domain.policies.kept_readings import kept_where_short

_LABEL: Final = re.compile(
    r"^[ \t]*(?:\*\*|\[)?(?P<name>[A-Za-z\u3400-\u9fff][\w .'-]{0,30}?)(?:\*\*|\])?[ \t]?"
    r"[:：](?:\*\*)?[ \t]*(?=\S|$)",
    re.MULTILINE,
)
_OWNER: Final = re.compile(
    r"(?i)(?:user|owner|human|me|client|customer)[ _-]?\d*|用户|主人|机主|我"
)
_ASSISTANT: Final = re.compile(
    r"(?i)(?:ai|assistant|bot|agent|chatbot|model|gpt|claude|system|tool|function)[ _-]?\d*"
    r"|ai助手|助手|助理|机器人|智能助手|系统|ai伴侣"
)
_FORWARDED: Final = re.compile(
    r"\s*(?:\[(?P<mark>[^\[\]\n]{1,40})\]|【[^【】\n]{1,40}】)\s*"
    r"(?:(?P<name>[A-Za-z\u3400-\u9fff][\w .'（）()-]{0,20}?)[:：]\s*(?=\S))?"
)
"""A mark of how a message came, and maybe who wrote it: whose speaker is not who says "I"."""

_OWN_WORDS: Final = frozenset({"owner_edit", "owner_verbal", "owner_message"})
_KEPT: Final = 256
"""Episodes of late: the gate, the rules and the validation of one each ask for its turns."""


class Turn(Struct, frozen=True):
    """What one speaker says: ``content[start:end]`` of the episode.

    ``role`` is owner, assistant, person, or quoted for whom nobody knows; ``name`` is "" where
    nobody is named.
    """

    start: int
    end: int
    role: str
    name: str

    @property
    def is_person(self) -> bool:
        """Tell whether the speaker has a name of his own."""
        return self.role == "person"


def turns(talk: Talk) -> tuple[Turn, ...]:
    """Split an episode by speaker."""
    return _turns(talk.content, talk.speaker, talk.source)


@kept_where_short(_KEPT)
def _turns(text: str, speaker: str | None, source: Source) -> tuple[Turn, ...]:
    role, name = _speaker(speaker, source)
    labels = _labels(text, speaker)
    if not labels:
        return (_forwarded(text) or Turn(0, len(text), role, name),)
    found = []
    if text[: labels[0].start()].strip():
        found.append(Turn(0, labels[0].start(), role, name))
    ends = [label.start() for label in labels[1:]] + [len(text)]
    for label, end in zip(labels, ends, strict=True):
        who = label.group("name").strip()
        found.append(Turn(label.end(), end, role_of(who), who))
    return tuple(found)


def role_of(name: str | None) -> str:
    """Tell ``owner``, ``assistant`` and a ``person`` with a name apart."""
    if name is None or not name.strip() or _OWNER.fullmatch(name.strip()):
        return "owner"
    return "assistant" if _ASSISTANT.fullmatch(name.strip()) else "person"


def last_said(speaker: str | None, content: str) -> tuple[str | None, str]:
    """Give who speaks last in a turn that may hold a transcript, and what."""
    labels = _labels(content, speaker)
    if not labels:
        return speaker, content
    return labels[-1].group("name").strip(), content[labels[-1].end() :]


def _forwarded(text: str) -> Turn | None:
    """Give the turn of a message that was passed on, None for any other."""
    head = _FORWARDED.match(text)
    if head is None or not text[head.end() :].strip():
        return None
    if head.group("name"):
        return Turn(head.end(), len(text), "person", head.group("name").strip())
    return Turn(0, len(text), "quoted", "")


def _speaker(speaker: str | None, source: Source) -> tuple[str, str]:
    name = (speaker or "").strip()
    if not name:
        return ("owner" if source in _OWN_WORDS else "assistant"), ""
    return role_of(name), name


def _labels(text: str, speaker: str | None) -> list[re.Match[str]]:
    """Give the labels, if they make the text a transcript."""
    every = list(_LABEL.finditer(text))
    if not every:
        return []
    counts: dict[str, int] = {}
    for label in every:
        counts[label.group("name")] = counts.get(label.group("name"), 0) + 1

    def is_role(name: str) -> bool:
        return bool(
            (_OWNER.fullmatch(name) and name != "我") or _ASSISTANT.fullmatch(name)
        ) or name == (speaker or None)

    roles = {name for name in counts if is_role(name)}
    named = {
        name
        for name, count in counts.items()
        if name not in roles
        and (count > 1 or roles)
        and (name[0].isupper() or name >= "\u3400")
        and len(name.split()) <= 2
    }
    speaking = roles | (named if len(named) + len(roles) > 1 else set())
    if not roles and sum(counts[name] for name in speaking) < 3:
        return []
    return [label for label in every if label.group("name") in speaking]
