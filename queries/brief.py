"""What a session is told of the user at once, and the index of what it can read about projects."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from domain.caller import Caller
from domain.policies.context_block import escaped, line
from domain.settings import DEFAULT_POLICY, PolicySettings
from memoryweave.contract import Brief, BriefTag, TagItem
from projections.state.view import StateView
from queries.memories import details
from queries.scope import searched
from queries.stats import tag_item

PER_TAG: Final = 50
MOST_TAGS: Final = 100
"""Tags of either level that are shown, the most frequent ones."""


def brief(
    caller: Caller, state: StateView, now: datetime, policy: PolicySettings = DEFAULT_POLICY
) -> Brief:
    """Give the tags of the caller's own namespaces and ``shared``.

    Those at user level come with their memories, up to 50 each, the most reliable first; those at
    project level with their counts alone, to be read when they are needed.
    """
    scope = searched(caller, None, ())
    known = [tag_item(row) for row in state.tags(scope, now=now)]
    user = []
    for tag in [item.tag for item in known if item.level == "user"][:MOST_TAGS]:
        rows, _ = state.list_memories(scope, now=now, tag=tag, sort="confidence", limit=PER_TAG)
        user.append(BriefTag(tag=tag, items=details(rows, caller, state, now, policy)))
    project = [item for item in known if item.level == "project"][:MOST_TAGS]
    return Brief(user=user, project=project, text=_text(user, project))


def _text(user: list[BriefTag], project: list[TagItem]) -> str:
    """Give lines for a prompt; an item's line is that of a block of context."""
    lines = []
    for tagged in user:
        lines.append(f"## {escaped(tagged.tag)}")
        lines += [
            line(
                item.content,
                item.confidence,
                item.observed_at or item.recorded_at,
                tuple(item.warnings),
            )
            for item in tagged.items
        ]
    if project:
        lines.append("## Read on demand, by tag")
        lines += [f"- {escaped(item.tag)} ({item.count})" for item in project]
    return "\n".join(lines)
