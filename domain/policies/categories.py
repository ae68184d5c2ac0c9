"""What a statement counts as when its author does not say (spec: lifecycle.md, "Commit")."""

from __future__ import annotations

from typing import Final

from domain.events import Category, DecayClass

DEFAULT_CATEGORY: Final[Category] = "fact"

_DECAY_CLASS: Final[dict[Category, DecayClass]] = {
    "fact": "system_fact",
    "decision": "proj_context",
    "preference": "user_pref",
    "constraint": "user_pref",
    "pattern": "proj_context",
    "template": "code_snippet",
    "skill": "tool_usage",
}


def default_decay_class(category: Category) -> DecayClass:
    """Give how fast a category fades when nothing else is said."""
    return _DECAY_CLASS[category]
