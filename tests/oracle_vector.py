"""What the vector view must hold, said of a finished history and not event by event.

A stretch of life is described by looking along everything that ever happened to one thing: where
its stretches begin, and what comes next. It imports nothing of projections or domain. Facts are
those of `tests.oracle.read_log`: dicts with position, id, type, at (µs) and body (JSON builtins).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

Fact = dict[str, Any]
Stretches = dict[tuple[str, int], dict[str, Any]]

ENDS = (
    "MemorySuperseded", "MemoryDeprecated", "MemoryDeleted", "EpisodeDeleted", "MemoryErased",
    "EpisodeErased", "CandidateDismissed",
)  # fmt: skip
BIRTHS = ("MemoryCreated", "MemoryProposed")
RESTORES = ("MemoryRestored", "EpisodeRestored")


def stretches_of(facts: Iterable[Fact]) -> Stretches:
    """Give every stretch of life by (source id, from position)."""
    lives: dict[str, list[Fact]] = defaultdict(list)
    closes: list[Fact] = []
    facts = list(facts)
    erased = erased_in(facts)
    for fact in facts:
        lives[fact["id"]].append(fact)
        if fact["type"] == "SessionClosed" and fact["body"]["namespace"].endswith("-ephemeral"):
            closes.append(fact)
    stretches: Stretches = {}
    for life in lives.values():
        if life[0]["id"] in erased:
            continue
        if life[0]["type"] in ("EpisodeCommitted", *BIRTHS):
            stretches |= _stretches_of_one(life, _session_end(life[0], closes))
    numbers = _numbers(facts)
    for (source, _), told in stretches.items():
        told["session_seq"] = numbers.get(source)
    _mark_episodes(stretches, lives, closes)
    return stretches


def erased_in(facts: Iterable[Fact]) -> set[str]:
    """Give the ids of everything that these facts erase."""
    return {
        thing
        for fact in facts
        if fact["type"] == "SubjectErased"
        for thing in fact["body"]["memory_ids"] + fact["body"]["episode_ids"]
    }


def _numbers(facts: list[Fact]) -> dict[str, int]:
    """Number the episodes of each session; the next after the largest that is still there."""
    found: dict[str, int] = {}
    there: dict[tuple[str, str], dict[str, int]] = defaultdict(dict)
    for fact in facts:
        body = fact["body"]
        if fact["type"] == "SubjectErased":
            for numbered in there.values():
                for episode_id in body["episode_ids"]:
                    numbered.pop(episode_id, None)
        elif fact["type"] == "EpisodeCommitted" and body["distill"] and body["session_id"]:
            numbered = there[body["namespace"], body["session_id"]]
            found[fact["id"]] = numbered[fact["id"]] = max(numbered.values(), default=-1) + 1
    return found


def _session_end(birth: Fact, closes: list[Fact]) -> int | None:
    """Give the position at which the thing's session was first closed after its birth."""
    body = birth["body"]
    return next(
        (
            close["position"]
            for close in closes
            if close["position"] > birth["position"]
            and close["body"]["namespace"] == body["namespace"]
            and close["body"]["session_id"] == body["session_id"]
        ),
        None,
    )


def _stretches_of_one(life: list[Fact], session_end: int | None) -> Stretches:
    birth = life[0]
    body = birth["body"]
    if birth["type"] == "EpisodeCommitted" and not body["distill"]:
        return {}
    told = [fact for fact in life if session_end is None or fact["position"] < session_end]
    found: Stretches = {}
    for number, fact in enumerate(told):
        dead = not _alive(told[:number])
        if not _begins(told, number):
            continue
        text = [f for f in told[: number + 1] if _reworded(f)]
        later = [f["position"] for f in told[number + 1 :] if f["type"] in ENDS or _reworded(f)]
        if (_reworded(fact) and dead) or fact["type"] == "MemoryProposed":
            ends: int | None = fact["position"]
        else:
            ends = later[0] if later else session_end
        tagged = [
            f["body"]["tags"]
            for f in told
            if f["type"] == "MemoryTagged" and (_stretch_at(told, f) == fact["position"])
        ]
        inherited = [f["body"]["tags"] for f in told[: number + 1] if f["type"] == "MemoryTagged"]
        said = text[-1] if text else birth
        found[birth["id"], fact["position"]] = {
            "layer": "episode" if birth["type"] == "EpisodeCommitted" else "memory",
            "version": 1 + len(text),
            "content": "" if session_end else said["body"]["content"],
            "source": [f["body"]["source"] for f in (birth, *text) if f["body"]["source"]][-1],
            "namespace": body["namespace"],
            "session_id": body["session_id"],
            "agent_id": body["agent_id"],
            "tags": [] if session_end else (tagged or inherited or [body["tags"]])[-1],
            "recorded_at": said["at"],
            "position": said["position"],
            "to": ends,
            "superseded": False,
        }
    return found


def _reworded(fact: Fact) -> bool:
    """Tell whether the memory says something else from here on."""
    settled = fact["type"] == "CandidateSettled" and fact["body"].get("content") is not None
    return settled or fact["type"] == "MemoryCorrected"


def _awaits_settling(told: list[Fact]) -> bool:
    types = [fact["type"] for fact in told]
    return types[0] == "MemoryProposed" and "CandidateSettled" not in types


def _begins(told: list[Fact], number: int) -> bool:
    """Tell whether a stretch begins with this event."""
    before, fact = told[:number], told[number]
    if not before or _reworded(fact):
        return True
    waits = _awaits_settling(before)
    if fact["type"] == "CandidateSettled":
        return waits
    return fact["type"] in RESTORES and not waits and not _alive(before)


def _alive(told: list[Fact]) -> bool:
    turns = [fact["type"] for fact in told if fact["type"] in (*ENDS, *RESTORES)]
    return not turns or turns[-1] in RESTORES


def _stretch_at(told: list[Fact], tag: Fact) -> int:
    """Give where the newest stretch began when the tag was set."""
    begun = told[0]["position"]
    for number, fact in enumerate(told):
        if fact["position"] > tag["position"]:
            break
        if _begins(told, number):
            begun = fact["position"]
    return int(begun)


def _mark_episodes(stretches: Stretches, lives: dict[str, list[Fact]], closes: list[Fact]) -> None:
    """An episode is superseded while a memory that rests on it was changed after, or is gone."""
    for memory_id, life in lives.items():
        if life[0]["type"] not in BIRTHS:
            continue
        end = _session_end(life[0], closes)
        told = [fact for fact in life if end is None or fact["position"] < end]
        since = dict.fromkeys(life[0]["body"]["derived_from"], life[0]["position"])
        for episode in lives.values():
            for fact in episode:
                if fact["type"] == "EpisodeDistilled" and fact["body"]["distiller"] != "caller":
                    named = fact["body"]["memory_ids"] + fact["body"]["reinforced_ids"]
                    if memory_id in named:
                        since.setdefault(fact["id"], fact["position"])
        for episode_id, position in since.items():
            corrected = any(_reworded(f) and f["position"] > position for f in told)
            newest = max((key for key in stretches if key[0] == episode_id), default=None)
            if newest and stretches[newest]["content"] and (corrected or _withdrawn(told)):
                stretches[newest]["superseded"] = True


def _withdrawn(told: list[Fact]) -> bool:
    """Tell whether it was ended since it last lived, by somebody else than the distiller."""
    ends: list[Fact] = []
    for fact in told:
        if fact["type"] in ENDS:
            ends.append(fact)
        elif fact["type"] in RESTORES:
            ends = []
    return any(fact["actor"] != "system:distiller" for fact in ends)
