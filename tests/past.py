"""What the past looked like, told by folding the log up to a position with `tests.oracle`.

What a closed ephemeral session took with it is gone from every position, so the whole log is
looked at for that.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tests.oracle import Fact, Tables, fold_state
from tests.oracle_vector import erased_in

DAY_US = 86_400_000_000


def tables_at(facts: Sequence[Fact], position: int) -> Tables:
    """Fold the first ``position`` events, without what is gone by now."""
    tables = fold_state(facts[:position])
    gone = erased_in(facts) | {
        fact["id"]
        for fact in facts
        if fact["type"] in ("EpisodeCommitted", "MemoryCreated", "MemoryProposed")
        and any(_takes(close, fact) for close in facts[fact["position"] :])
    }
    for name in ("memories", "episodes"):
        tables[name] = {key: row for key, row in tables[name].items() if key not in gone}
    return tables


def clock_at(facts: Sequence[Fact], position: int) -> int:
    """Give the latest time (µs) among the first ``position`` events."""
    return max((fact["at"] for fact in facts[:position]), default=0)


def position_at(facts: Sequence[Fact], time: int) -> int:
    """Give the largest position whose running maximum of times is ≤ ``time`` (µs)."""
    return max(
        (number for number in range(len(facts) + 1) if clock_at(facts, number) <= time), default=0
    )


def live_memories(tables: Tables, now: int) -> dict[str, dict[str, Any]]:
    """Give the memories that are live at ``now`` (µs)."""
    return {
        key: row
        for key, row in tables["memories"].items()
        if row["state"] == "live" and not _expired(row, now)
    }


def live_episodes(tables: Tables, now: int) -> dict[str, dict[str, Any]]:
    """Give the episodes that are results: none of their memories says something else by then."""
    return {
        key: row
        for key, row in tables["episodes"].items()
        if row["status"] != "deleted"
        and row["distill"]
        and not _expired(row, now)
        and not _superseded(row, tables, now)
    }


def told(row: dict[str, Any], now: int) -> dict[str, Any]:
    """Give what a memory's row means for who asks: fields of the wire, times in µs."""
    seen = row["last_reinforced_at"] or row["created_at"]
    votes = row["useful"] + row["not_useful"]
    ended = row["state"] == "tombstone" or _expired(row, now)
    return {
        "id": row["id"],
        "version": row["version"],
        "content": row["content"],
        "namespace": row["namespace"],
        "agent_id": row["agent_id"],
        "session_id": row["session_id"],
        "category": row["category"],
        "source": row["source"],
        "tier": row["tier"],
        "observed_at": row["observed_at"],
        "recorded_at": row["recorded_at"],
        "derived_from": row["derived_from"],
        "position": row["version_position"],
        "useful_count": row["useful"],
        "not_useful_count": row["not_useful"],
        "quality": row["useful"] / votes if votes else None,
        "volatile": row["corrections"] >= 3,
        "tags": row["tags"],
        "entities": row["entities"],
        "depends_on": row["depends_on"],
        "state": "tombstone" if ended else row["state"],
        "observations": row["observations"],
        "confidence": round(max(0.0, row["confidence"] - 0.05 * ((now - seen) // DAY_US // 30)), 9),
    }


def _takes(close: Fact, birth: Fact) -> bool:
    if close["type"] != "SessionClosed" or not close["body"]["namespace"].endswith("-ephemeral"):
        return False
    place, body = close["body"], birth["body"]
    return (place["namespace"], place.get("session_id")) == (
        body["namespace"],
        body.get("session_id"),
    )


def _expired(row: dict[str, Any], now: int) -> bool:
    return row["expires_at"] is not None and row["expires_at"] <= now


def _superseded(episode: dict[str, Any], tables: Tables, now: int) -> bool:
    memories = tables["memories"]
    said_again = {
        seen["memory_id"]: seen["position"]
        for seen in tables["observations"].values()
        if seen["episode_id"] == episode["id"]
    }
    for memory_id in episode["memory_ids"] + episode["reinforced_ids"]:
        memory = memories.get(memory_id)
        if memory is not None and memory["ended_by"] == "redistilled":
            continue
        if memory is None or memory["state"] == "tombstone" or _expired(memory, now):
            return True
        if memory_id in episode["memory_ids"] and memory["version"] > 1:
            return True
        if memory_id in episode["reinforced_ids"] and (
            memory["version_position"] > said_again.get(memory_id, episode["position"])
        ):
            return True
    return False
