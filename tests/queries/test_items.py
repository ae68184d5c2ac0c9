"""What time and policy make of a row."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from msgspec import structs

from projections.state.rows import EpisodeRow, MemoryRow
from queries.items import changed_since, episode_item, external_ids_of, memory_item

NOW = datetime(2026, 5, 1, tzinfo=UTC)

EPISODE = EpisodeRow(
    id="e",
    namespace="n",
    agent_id="a",
    session_id=None,
    content="said",
    speaker="owner",
    source="agent_inference",
    trigger=None,
    category=None,
    decay_class=None,
    task_status=None,
    urgent=False,
    distill=True,
    tags=[],
    metadata={},
    observed_at=None,
    recorded_at=NOW,
    expires_at=None,
    status="distilled",
    reason=None,
    distiller="rules",
    memory_ids=["made"],
    reinforced_ids=["seen"],
    reinforcements={"seen": 4},
    deleted_at=None,
    created_position=1,
    position=4,
)

MEMORY = MemoryRow(
    id="made",
    namespace="n",
    agent_id="a",
    told_by="a",
    session_id=None,
    content="fact",
    version=1,
    category="fact",
    decay_class="system_fact",
    tier="normal",
    source="owner_message",
    distilled_by="rules",
    trigger=None,
    clarity=1.0,
    confidence=1.0,
    derived_from=["e"],
    depends_on=[],
    references=[],
    entities=[],
    relations=[],
    evidence=None,
    tags=[],
    metadata={},
    observed_at=None,
    recorded_at=NOW,
    created_at=NOW,
    last_reinforced_at=None,
    expires_at=None,
    observations=1,
    observed_in=[],
    useful=0,
    not_useful=0,
    corrections=0,
    settled_at=None,
    verifications=0,
    state="live",
    ended_by=None,
    ended_at=None,
    ended_reason=None,
    superseded_by=None,
    quality_dropped_at=None,
    recall_count=3,
    last_recalled_at=None,
    created_position=3,
    version_position=3,
    position=3,
)
SEEN = structs.replace(MEMORY, id="seen", version=2, version_position=2)


@pytest.mark.parametrize(
    ("made", "seen", "why"),
    [
        ({}, {}, []),
        ({"version": 2, "version_position": 9}, {}, ["superseded"]),
        ({"state": "tombstone", "ended_by": "superseded"}, {}, ["superseded"]),
        ({"state": "tombstone", "ended_by": "deleted"}, {}, ["memory_deleted"]),
        ({"state": "tombstone", "ended_by": "deprecated"}, {}, ["memory_deleted"]),
        ({"state": "tombstone", "ended_by": "expired"}, {}, ["memory_deleted"]),
        ({}, {"version": 3, "version_position": 9}, ["superseded"]),
        ({"state": "candidate"}, {"state": "candidate"}, []),
        ({"state": "tombstone", "ended_by": "dismissed"}, {}, ["memory_deleted"]),
        ({"state": "tombstone", "ended_by": "redistilled", "superseded_by": "seen"}, {}, []),
        ({}, {"state": "tombstone", "ended_by": "deleted"}, ["memory_deleted"]),
        (
            {"version": 2, "version_position": 9},
            {"state": "tombstone", "ended_by": "deleted"},
            ["memory_deleted", "superseded"],
        ),
    ],
)
def test_an_episode_stands_only_while_all_its_memories_say_what_they_said(
    made: dict[str, Any], seen: dict[str, Any], why: list[str]
) -> None:
    memories = {
        "made": structs.replace(MEMORY, **made),
        "seen": structs.replace(SEEN, **seen),
    }
    assert changed_since(EPISODE, memories) == why


def test_what_was_said_again_is_held_against_the_text_of_then_whatever_the_episode_did_since() -> (
    None
):
    later = structs.replace(EPISODE, position=20)
    corrected = structs.replace(SEEN, version=3, version_position=9)
    assert changed_since(later, {"made": MEMORY, "seen": corrected}) == ["superseded"]
    assert changed_since(later, {"made": MEMORY, "seen": SEEN}) == []


def test_a_memory_that_is_not_there_counts_as_deleted() -> None:
    assert changed_since(EPISODE, {"made": MEMORY}) == ["memory_deleted"]


def test_an_undistilled_episode_has_nothing_to_be_held_against() -> None:
    waiting = structs.replace(EPISODE, status="pending", memory_ids=[], reinforced_ids=[])
    assert changed_since(waiting, {}) == []


@pytest.mark.parametrize(
    ("changes", "trust"),
    [
        ({}, 0.5),  # capped for what rules distilled
        ({"distilled_by": "gpt"}, 0.4),
        ({"distilled_by": "caller"}, 0.95),
        ({"distilled_by": "caller", "source": "owner_verbal"}, 0.95),  # an agent's claim
        ({"distilled_by": "caller", "source": "owner_verbal", "told_by": "owner"}, 1.0),
        ({"version": 2, "source": "owner_edit", "told_by": "owner"}, 1.0),
        ({"version": 2, "source": "owner_verbal", "told_by": "owner"}, 1.0),
        ({"version": 2, "source": "owner_verbal"}, 0.95),
        ({"version": 2, "source": "config_parse"}, 0.7),
        ({"settled_at": NOW}, 0.95),
        ({"settled_at": NOW, "distilled_by": "gpt", "source": "config_parse"}, 0.7),
        ({"verifications": 1}, 0.5),
        ({"verifications": 2}, 0.95),
        ({"verifications": 2, "distilled_by": "gpt", "source": "agent_inference"}, 0.5),
    ],
)
def test_trust_follows_source_speaker_and_distiller(changes: dict[str, Any], trust: float) -> None:
    assert memory_item(structs.replace(MEMORY, **changes), NOW).trust == trust


def test_confidence_is_the_effective_one() -> None:
    later = NOW + timedelta(days=65)
    assert memory_item(MEMORY, later).confidence == pytest.approx(0.9)


def test_an_episode_has_the_least_confidence_and_its_sources_trust() -> None:
    item = episode_item(EPISODE)
    assert (item.confidence, item.trust, item.warnings) == (0.5, 0.5, [])
    assert item.speaker == "owner"


def test_external_ids_come_in_the_order_of_the_episodes() -> None:
    row = structs.replace(MEMORY, derived_from=["e2", "e1", "gone", "e3"])
    episodes = {
        name: structs.replace(EPISODE, id=name, metadata=metadata)
        for name, metadata in (
            ("e1", {"external_id": "x1"}),
            ("e2", {"external_id": "x2"}),
            ("e3", {"external_id": 3}),
        )
    }
    assert external_ids_of(row, episodes) == ["x2", "x1"]
