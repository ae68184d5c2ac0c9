"""The wire: every request and response body, shared by the service and its clients.

Field names are the contract: more may be added, none renamed. Times are ISO 8601 UTC with ``Z``,
ids are UUIDs as strings, scores lie in [0, 1].
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, field

Category = Literal["fact", "decision", "preference", "constraint", "pattern", "template", "skill"]
DecayClass = Literal["system_fact", "user_pref", "proj_context", "tool_usage", "code_snippet"]
Source = Literal["owner_edit", "owner_verbal", "owner_message", "config_parse", "agent_inference"]
Layer = Literal["memory", "episode"]
Level = Literal["hybrid", "dense", "lexical", "scan", "empty"]
MemoryState = Literal["candidate", "live", "tombstone"]
EpisodeStatus = Literal["pending", "distilled", "skipped", "failed", "deleted"]
TagLevel = Literal["user", "project"]

Name = Annotated[str, Meta(min_length=1, max_length=128, pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")]
Id = Annotated[
    str,
    Meta(pattern=r"^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$"),
]
Text = Annotated[str, Meta(min_length=1, max_length=65536)]
Note = Annotated[str, Meta(max_length=2000)]
Label = Annotated[str, Meta(min_length=1, max_length=200)]
Tags = Annotated[list[Label], Meta(max_length=50)]
MemoryIds = Annotated[list[Id], Meta(min_length=1, max_length=100)]


Time = Annotated[datetime, Meta(tz=True)]


class Request(Struct, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """A request body. An unknown field is an error, so that a typing slip is seen."""


class Response(Struct, kw_only=True, frozen=True):
    """A response body. Clients ignore fields that they do not know."""


# --- agents ------------------------------------------------------------------------------------


class Quota(Struct, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """An agent's rates: tokens a second, and how many may be saved up."""

    recall_per_s: Annotated[float, Meta(gt=0, le=100000)]
    recall_burst: Annotated[int, Meta(ge=1, le=100000)]
    commit_per_s: Annotated[float, Meta(gt=0, le=100000)]
    commit_burst: Annotated[int, Meta(ge=1, le=100000)]


class RegisterAgent(Request, frozen=True, kw_only=True):
    """POST /agents/register."""

    agent_id: Name
    kind: Name
    namespace: Name | None = None
    quota: Quota | None = None
    may_claim: list[Source] | None = None
    key_expires_at: Time | None = None


class AgentRegistered(Response, frozen=True, kw_only=True):
    """The one time the key is shown. ``websocket`` is where pushes will be; nothing answers yet."""

    agent_id: str
    api_key: str
    namespaces: list[str]
    quota: Quota
    websocket: str
    position: int
    duplicate: bool = False
    pending_views: list[str] = []


class AgentItem(Response, frozen=True, kw_only=True):
    """One agent in GET /agents. Never a key."""

    agent_id: str
    kind: str
    namespaces: list[str]
    granted: list[str]
    quota: Quota
    may_claim: list[str]
    active: bool
    registered_at: Time
    key_expires_at: Time | None
    last_used_at: Time | None


class AgentList(Response, frozen=True, kw_only=True):
    """GET /agents."""

    items: list[AgentItem]


class AgentReceipt(Response, frozen=True, kw_only=True):
    """Answer to rotating a key (then with the new key) or deactivating an agent."""

    agent_id: str
    position: int
    duplicate: bool
    api_key: str | None = None
    pending_views: list[str] = []


class Grant(Request, frozen=True, kw_only=True):
    """POST or DELETE /grants: ``agent_id`` may read ``namespace``."""

    agent_id: Name
    namespace: Name


class IssueEnrolmentToken(Request, frozen=True, kw_only=True):
    """POST /enrolment-tokens."""

    expires_in_s: Annotated[int, Meta(ge=60, le=2592000)] = 86400
    kind: Name | None = None


class EnrolmentToken(Response, frozen=True, kw_only=True):
    """The one time the token is shown."""

    token: str
    expires_at: Time
    position: int
    duplicate: bool = False


# --- writing -----------------------------------------------------------------------------------


class Commit(Request, frozen=True, kw_only=True):
    """POST /commit, and one entry of /batch-commit.

    ``urgent`` and ``task_status`` are kept for distillation, and nothing reads them yet.
    """

    content: Text
    namespace: Name | None = None
    agent_id: Name | None = None
    source: Source = "agent_inference"
    category: Category | None = None
    decay_class: DecayClass | None = None
    trigger: Note | None = None
    task_status: Label | None = None
    session_id: Label | None = None
    speaker: Label | None = None
    observed_at: Time | None = None
    urgent: bool = False
    distill: bool = True
    tags: Tags = []
    metadata: dict[str, Any] = {}
    expires_at: Time | None = None


class CommitReceipt(Response, frozen=True, kw_only=True):
    """What a commit became. ``memory_id`` is set when ``distill`` was false.

    ``skipped`` is ``own_output`` where the content only said what this service had served to its
    sender: none of it was stored, and ``memory_id`` is the memory that says it, if one does.
    """

    episode_id: str
    memory_id: str | None
    reinforced: bool
    position: int
    duplicate: bool
    skipped: str | None = None
    pending_views: list[str] = []


class BatchCommit(Request, frozen=True, kw_only=True):
    """POST /batch-commit: all entries are stored, or none."""

    entries: Annotated[list[Commit], Meta(min_length=1, max_length=500)]


class BatchEntryReceipt(Response, frozen=True, kw_only=True):
    """One entry's ids."""

    episode_id: str
    memory_id: str | None
    reinforced: bool = False
    skipped: str | None = None


class BatchReceipt(Response, frozen=True, kw_only=True):
    """Answer to /batch-commit, in the order of the entries."""

    results: list[BatchEntryReceipt]
    position: int
    duplicate: bool
    pending_views: list[str] = []


class Feedback(Request, frozen=True, kw_only=True):
    """POST /feedback/useful, /not-useful, /deprecate."""

    memory_id: Id
    recall_id: Id | None = None
    reason: Note | None = None


class Correct(Request, frozen=True, kw_only=True):
    """POST /feedback/correct."""

    memory_id: Id
    content: Text
    reason: Note | None = None
    source: Source = "agent_inference"
    trigger: Note | None = None
    expected_version: Annotated[int, Meta(ge=1)] | None = None


class MemoryReceipt(Response, frozen=True, kw_only=True):
    """What a command on one memory did. ``version`` counts texts, from 1."""

    memory_id: str
    version: int
    position: int
    duplicate: bool
    pending_views: list[str] = []


class EpisodeReceipt(Response, frozen=True, kw_only=True):
    """What deleting an episode did, with the memories that rested on it alone."""

    episode_id: str
    memory_ids: list[str]
    position: int
    duplicate: bool
    pending_views: list[str] = []


class SetTags(Request, frozen=True, kw_only=True):
    """POST /memory/{id}/tags: the whole set from now on.

    ``level`` is that of each of them; left out, a tag that stays keeps the level it was given.
    """

    tags: Tags
    level: TagLevel | None = None


class SettleCandidates(Request, frozen=True, kw_only=True):
    """POST /candidates/settle: all of them, or none. A ``content`` is for one memory alone."""

    memory_ids: MemoryIds
    content: Text | None = None


class DismissCandidates(Request, frozen=True, kw_only=True):
    """POST /candidates/dismiss: all of them, or none."""

    memory_ids: MemoryIds
    reason: Note | None = None


class CandidatesReceipt(Response, frozen=True, kw_only=True):
    """What settling or dismissing did: ``memory_ids`` as they were given."""

    memory_ids: list[str]
    position: int
    duplicate: bool
    pending_views: list[str] = []


class Redistil(Request, frozen=True, kw_only=True):
    """POST /admin/redistil: these episodes, or up to 500 of a namespace, the oldest outcome first.

    ``up_to`` leaves out those whose outcome is newer than a position: give the one of the first
    receipt with every further request, until ``remaining`` is 0.
    """

    episode_ids: Annotated[list[Id], Meta(min_length=1, max_length=500)] | None = None
    namespace: Name | None = None
    reason: Note | None = None
    up_to: Annotated[int, Meta(ge=0)] | None = None


class RedistilReceipt(Response, frozen=True, kw_only=True):
    """Which episodes wait anew; ``remaining``: how many of the namespace the bound left out."""

    episode_ids: list[str]
    position: int
    duplicate: bool
    remaining: int = 0
    up_to: int | None = None
    pending_views: list[str] = []


class CloseSession(Request, frozen=True, kw_only=True):
    """POST /sessions/{id}/close. The path's ``-`` names rows without a session.

    ``session_id``, beside the path's ``-``, names a session that a path cannot: one with a slash.
    """

    namespace: Name | None = None
    session_id: Label | None = None


class SessionReceipt(Response, frozen=True, kw_only=True):
    """What closing a session did."""

    session_id: str | None
    position: int
    duplicate: bool
    pending_views: list[str] = []


class GrantReceipt(Response, frozen=True, kw_only=True):
    """What a grant or its end did."""

    agent_id: str
    namespace: str
    position: int
    duplicate: bool
    pending_views: list[str] = []


# --- recall ------------------------------------------------------------------------------------


class AsOf(Request, frozen=True, kw_only=True):
    """A moment: a position, or the largest position not after a time."""

    position: Annotated[int, Meta(ge=0)] | None = None
    time: Time | None = None


class Recall(Request, frozen=True, kw_only=True):
    """POST /recall.

    Filters left at null ask for nothing; an empty list matches nothing. ``tags`` and ``metadata``
    must all be there, the values of any other filter are alternatives; ``observed_after`` and
    ``observed_before`` include their moment and look at the time of recording where none of
    observation is known. ``token_budget`` counts a Chinese character as one token and three other
    characters as one. ``diversity``: how much a result that repeats one before it makes room, 0 for
    the order of relevance alone. ``as_of`` asks what was known at an earlier moment
    (docs/time-travel.md).
    """

    query: Annotated[str, Meta(min_length=1, max_length=8192)]
    top_k: Annotated[int, Meta(ge=1, le=100)] = 10
    namespaces: Annotated[list[Name], Meta(max_length=100)] | None = None
    include_namespaces: Annotated[list[Name], Meta(max_length=100)] = []
    categories: Annotated[list[Category], Meta(max_length=7)] | None = None
    layers: Annotated[list[Layer], Meta(min_length=1, max_length=2)] = field(
        default_factory=lambda: ["memory", "episode"]
    )
    diversity: Annotated[float, Meta(ge=0, le=1)] = 0.5
    min_position: Annotated[int, Meta(ge=0)] | None = None
    as_of: AsOf | None = None
    token_budget: Annotated[int, Meta(ge=1, le=1000000)] | None = None
    explain: bool = False
    tags: Tags | None = None
    agents: Annotated[list[Name], Meta(max_length=100)] | None = None
    sources: Annotated[list[Source], Meta(max_length=5)] | None = None
    session_id: Label | None = None
    observed_after: Time | None = None
    observed_before: Time | None = None
    metadata: dict[Label, str | int | float | bool] | None = None
    min_score: Annotated[float, Meta(ge=0, le=1)] | None = None


class Chunk(Response, frozen=True, kw_only=True):
    """Which part of a long episode matched."""

    index: int
    of: int


class RecallItem(Response, frozen=True, kw_only=True):
    """One result: a memory or an episode, with what is needed to judge it.

    ``score`` compares results of one answer. ``triggers`` is filled beside the warning
    ``volatile``: what its corrections named as their cause. ``position`` is that of the text
    shown. ``parts`` (with ``explain``) holds what made the score: ``dense`` and ``lexical`` scaled
    to [0, 1], ``lexical_weight``, ``speaker`` and ``time`` where the query names them, ``cosine``,
    and ``similarity``, the cosine on the scale that thresholds use. ``copies`` counts the
    near-identical results that this one stands for besides itself, ``copy_ids`` are their ids.
    """

    id: str
    layer: Layer
    version: int
    content: str
    score: float
    namespace: str
    agent_id: str
    category: str | None
    source: str
    trust: float
    confidence: float
    freshness: str
    warnings: list[str]
    tier: str
    observed_at: Time | None
    recorded_at: Time
    derived_from: list[str]
    metadata: dict[str, Any]
    position: int
    speaker: str | None = None
    session_id: str | None = None
    chunk: Chunk | None = None
    parts: dict[str, float] | None = None
    triggers: list[str] = []
    copies: int = 0
    copy_ids: list[str] = []


class Degraded(Response, frozen=True, kw_only=True):
    """A part of recall that did not work, and why."""

    part: str
    reason: str


class RecallAnswer(Response, frozen=True, kw_only=True):
    """Answer to /recall. ``position`` is the log position that every view used has reached.

    ``as_of_position`` is the position that a question about the past was answered for.
    """

    recall_id: str
    level: Level
    degraded: list[Degraded]
    position: int
    took_ms: float
    cached: bool
    prefetch: list[dict[str, Any]]
    results: list[RecallItem]
    as_of_position: int | None = None


# --- context ------------------------------------------------------------------------------------


class Context(Request, frozen=True, kw_only=True):
    """POST /context: what to put before an agent's prompt for this message.

    Turns of ``session_id`` are left out: the agent has them. ``first_turn`` adds core facts.
    ``token_budget`` counts as in `Recall`.
    """

    message: Annotated[str, Meta(min_length=1, max_length=65536)]
    session_id: Label | None = None
    first_turn: bool = False
    token_budget: Annotated[int, Meta(ge=1, le=1000000)] = 1200


class ContextBlock(Response, frozen=True, kw_only=True):
    """Answer to /context. ``tokens`` is the estimated size of ``block``, ``items`` the ids in it.

    ``skipped`` is ``social`` where the message only greets, thanks or takes leave: nothing was
    searched, and ``recall_id`` is null.
    """

    block: str
    tokens: int
    recall_id: str | None
    items: list[str]
    skipped: Literal["social"] | None


# --- reading -----------------------------------------------------------------------------------


class MemoryDetail(RecallItem, frozen=True, kw_only=True):
    """GET /memory/{id}: the recall item and what is known of the memory's life.

    ``recall_count`` counts the answers it was in, ``last_recalled_at`` is the last one's time; as
    of now also where the past is asked for, and seconds behind, because recalls are written down
    in batches. ``as_of_position`` is set where the past was asked for, and not on items of a list.
    ``evidence`` is the part of its episode that says it, null where the key may not read all of its
    episodes. ``verifications`` counts what was said later and bears it out; ``settled_at`` is when
    the owner first stood by it.
    """

    importance: float
    quality: float | None
    recall_count: int
    useful_count: int
    not_useful_count: int
    volatile: bool
    tags: list[str]
    entities: list[dict[str, str]]
    depends_on: list[str]
    state: MemoryState
    observations: int = 1
    last_recalled_at: Time | None = None
    as_of_position: int | None = None
    clarity: float = 1.0
    evidence: str | None = None
    distilled_by: str = "caller"
    verifications: int = 0
    settled_at: Time | None = None


class MemoryPage(Response, frozen=True, kw_only=True):
    """GET /memories and /tombstones. ``as_of_position``: where the past was asked for."""

    items: list[MemoryDetail]
    next: str | None
    as_of_position: int | None = None


class CandidateItem(RecallItem, frozen=True, kw_only=True):
    """A distilled memory that waits for the owner, and what it was taken from.

    ``clarity`` is how plainly it was said, ``evidence`` the words that say it (null where the key
    may not read all of its episodes), ``observations`` how often it was seen.
    """

    clarity: float
    evidence: str | None
    observations: int


class CandidatePage(Response, frozen=True, kw_only=True):
    """GET /candidates, the newest first."""

    items: list[CandidateItem]
    next: str | None


class MemoryVersion(Response, frozen=True, kw_only=True):
    """One text that a memory had, and why it changed."""

    version: int
    content: str
    updated_by: str
    source: str
    trigger: str | None
    reason: str | None
    recorded_at: Time
    position: int


class MemoryVersions(Response, frozen=True, kw_only=True):
    """GET /memory/{id}/versions, oldest first."""

    items: list[MemoryVersion]


class ProvenanceSource(Response, frozen=True, kw_only=True):
    """One episode on which a memory rests, verbatim.

    ``role``: the memory was ``created`` from it or ``reinforced`` by it. ``position`` is that
    of the commit.
    """

    episode_id: str
    role: Literal["created", "reinforced"]
    agent_id: str
    speaker: str | None
    content: str
    namespace: str
    session_id: str | None
    observed_at: Time | None
    recorded_at: Time
    position: int
    status: EpisodeStatus


class ProvenanceReinforcement(Response, frozen=True, kw_only=True):
    """The statement was seen again: in the same words (``exact``) or in others (``similar``).

    ``delta`` is what its confidence gained.
    """

    episode_id: str
    match: Literal["exact", "similar"]
    delta: float
    at: Time
    position: int


class ProvenanceVerification(Response, frozen=True, kw_only=True):
    """What an episode says bears the memory out, by rule P1, P2 or P3 (docs/distillation.md).

    ``delta`` is what its confidence gained. ``faint``: the sign only counts, and every third gains.
    """

    episode_id: str
    session_id: str | None
    rule: str
    delta: float
    faint: bool
    at: Time
    position: int


class ProvenanceSettling(Response, frozen=True, kw_only=True):
    """When the owner first stood by the memory."""

    by: str
    at: Time
    position: int


class ProvenanceEnd(Response, frozen=True, kw_only=True):
    """What made a memory a tombstone. ``position`` is that of its last event.

    ``redistilled``: its episode was distilled anew, and it came out otherwise or not again.
    """

    by: Literal["deprecated", "deleted", "superseded", "expired", "dismissed", "redistilled"]
    at: Time
    reason: str | None
    superseded_by: str | None
    position: int


class Provenance(Response, frozen=True, kw_only=True):
    """GET /memory/{id}/provenance: from its sentence to the episodes it rests on.

    ``versions`` are its texts, oldest first: all but the first are corrections. ``agents`` are all
    who committed one of the sources shown or gave it a text. ``hidden_sources`` counts sources that
    the key may not read, or that went with their session; ``reinforcements`` and ``verifications``
    by such episodes are not shown.
    """

    memory_id: str
    namespace: str
    version: int
    content: str
    state: MemoryState
    position: int
    sources: list[ProvenanceSource]
    versions: list[MemoryVersion]
    agents: list[str]
    hidden_sources: int
    ended: ProvenanceEnd | None
    evidence: str | None = None
    reinforcements: list[ProvenanceReinforcement] = []
    verifications: list[ProvenanceVerification] = []
    settled: ProvenanceSettling | None = None


class EpisodeDetail(Response, frozen=True, kw_only=True):
    """GET /episodes/{id}."""

    id: str
    content: str
    speaker: str | None
    namespace: str
    agent_id: str
    session_id: str | None
    observed_at: Time | None
    recorded_at: Time
    position: int
    status: EpisodeStatus
    reason: str | None
    memory_ids: list[str]
    metadata: dict[str, Any]


class TagItem(Response, frozen=True, kw_only=True):
    """One tag with how many live memories carry it, among those the caller may read."""

    tag: str
    count: int
    level: TagLevel


class TagList(Response, frozen=True, kw_only=True):
    """GET /tags."""

    items: list[TagItem]


class NamespaceItem(Response, frozen=True, kw_only=True):
    """One namespace the caller may read."""

    namespace: str
    memories: int
    episodes: int
    tombstones: int
    writable: bool


class NamespaceList(Response, frozen=True, kw_only=True):
    """GET /namespaces."""

    items: list[NamespaceItem]


class DistillerQueue(Response, frozen=True, kw_only=True):
    """Episodes that wait for the distiller: ``waiting`` in all, ``failed`` of them tried in vain.

    ``oldest_at`` is when the one that waits longest was stored.
    """

    waiting: int
    failed: int
    oldest_at: Time | None


class Stats(Response, frozen=True, kw_only=True):
    """GET /stats, over what the caller may read. ``distillation`` counts episodes by status."""

    position: int
    memories: int
    episodes: int
    tombstones: int
    by_category: dict[str, int]
    by_namespace: dict[str, int]
    distillation: dict[str, int]
    candidates: int = 0
    queue: DistillerQueue | None = None


class Bootstrap(Response, frozen=True, kw_only=True):
    """GET /bootstrap: the core facts to start a session with."""

    items: list[MemoryDetail]


class BriefTag(Response, frozen=True, kw_only=True):
    """A tag at user level with what carries it, the most reliable first, up to 50."""

    tag: str
    items: list[MemoryDetail]


class Brief(Response, frozen=True, kw_only=True):
    """GET /brief: what a session should know of the user, and what there is to read of projects.

    ``project`` is an index: GET /memories?tag= reads what carries a tag. ``text`` says both in
    lines for a prompt.
    """

    user: list[BriefTag]
    project: list[TagItem]
    text: str


class AuditItem(Response, frozen=True, kw_only=True):
    """One event of the log: its envelope and its body, opened.

    Where the body could not be opened it is null, ``problem`` says why, and ``raw`` are its bytes
    as stored, in base64.
    """

    position: int
    event_id: str
    aggregate_type: str
    aggregate_id: str
    version: int | None
    type: str
    schema: int | None
    occurred_at: Time
    command_id: str
    fingerprint: str
    actor: str
    correlation_id: str
    causation_position: int | None
    body: dict[str, Any] | None
    raw: str | None = None
    problem: str | None = None


class AuditPage(Response, frozen=True, kw_only=True):
    """GET /admin/audit, by position. ``position``: how far the view has come that was asked."""

    items: list[AuditItem]
    next: str | None
    position: int


class AuditQuery(Request, frozen=True, kw_only=True):
    """POST /admin/audit/query: one SELECT over the audit's views."""

    sql: Annotated[str, Meta(min_length=1, max_length=20000)]
    limit: Annotated[int, Meta(ge=1, le=10000)] = 1000


class AuditAnswer(Response, frozen=True, kw_only=True):
    """Rows in the order of ``columns``. ``truncated``: there were more than ``limit``."""

    columns: list[str]
    rows: list[list[Any]]
    truncated: bool


class SettingItem(Response, frozen=True, kw_only=True):
    """One setting, its value in force and where it came from. Secrets are masked."""

    name: str
    value: Any
    origin: Literal["flag", "environment", "file", "default", "generated"]


class SettingList(Response, frozen=True, kw_only=True):
    """GET /settings."""

    items: list[SettingItem]


class LogHealth(Response, frozen=True, kw_only=True):
    """The log, as /health shows it. ``memory_ratio``: its server is full at 1, None: not known."""

    position: int
    epoch: str
    writable: bool
    durable: bool
    memory_ratio: float | None = None


class ViewHealth(Response, frozen=True, kw_only=True):
    """One view: how far it has come and what it could not show.

    ``vectors`` counts rows that have theirs, past texts included, ``missing_vectors`` those that
    wait for it.
    """

    position: int
    lag: int
    parked: int
    generation: int
    vectors: int = 0
    missing_vectors: int = 0
    paused: str | None = None


class EmbedderHealth(Response, frozen=True, kw_only=True):
    """The embedder in use."""

    name: str
    state: str


class BackupHealth(Response, frozen=True, kw_only=True):
    """The newest backup that this node keeps. ``keys``: its keys part lies beside it."""

    file: str
    made_at: Time
    age_s: float
    size: int
    keys: bool
    kept: int


class DistillerHealth(Response, frozen=True, kw_only=True):
    """Who makes memories of talk on this node.

    ``state``: off; standby (another process does it for this log); reading (it comes up to the end
    of the log); working; waiting (for a batch to be due); paused (``trouble`` says why).
    ``waiting`` counts the episodes that are to be distilled, ``lag`` the events not read yet.
    ``distilled``, ``skipped`` and ``failed`` count since its process started. ``model`` was asked
    last, "" for rules; ``model_trouble`` is why they stood in for it, ``calls_left`` what the day's
    budget has left.
    """

    state: Literal["off", "standby", "reading", "working", "waiting", "paused"]
    waiting: int
    lag: int
    distilled: int
    skipped: int
    failed: int
    model: str = ""
    model_trouble: str = ""
    calls_left: int | None = None
    trouble: str = ""


class Health(Response, frozen=True, kw_only=True):
    """GET /health. ``role``: a replica passes commands on to a primary."""

    status: Literal["ok", "degraded", "unavailable"]
    live: bool
    ready: bool
    version: str
    log: LogHealth
    views: dict[str, ViewHealth]
    embedder: EmbedderHealth
    role: Literal["primary", "replica"] = "primary"
    backup: BackupHealth | None = None
    distiller: DistillerHealth | None = None
    degraded: list[Degraded] = []


class ParkedItem(Response, frozen=True, kw_only=True):
    """One event that a view set aside; ``queued`` ones wait behind an earlier one."""

    position: int
    type: str
    cause: Literal["undecodable", "poison", "queued"]
    reason: str


class DigestItem(Response, frozen=True, kw_only=True):
    """What a view says at a position, as one number; equal on every node that is right.

    ``sha256`` is over rows without vectors and float noise, ``parked`` the positions set aside,
    ``erased`` the number of subjects that were erased before (the state view counts them).
    """

    view: str
    position: int
    rows: int
    sha256: str
    parked: list[int]
    erased: int | None = None


class DigestList(Response, frozen=True, kw_only=True):
    """GET /admin/digest."""

    items: list[DigestItem]


class NodeViewItem(Response, frozen=True, kw_only=True):
    """One view of a node, as that node said: ``lag`` in events behind the log's end it saw.

    ``state`` is running, paused, stopped or absent, ``problem`` why it is not running;
    ``projector`` and ``schema`` are the versions of what built it, ``model`` that of its vectors.
    ``purged`` is the position up to which nothing that was erased is left in its files.
    """

    position: int
    lag: int
    parked: int
    generation: int
    state: str
    problem: str = ""
    projector: int = 0
    schema: int = 0
    model: str = ""
    purged: int = 0


class NodeItem(Response, frozen=True, kw_only=True):
    """One living node. ``this``: the one that was asked. ``position``: the log's end it saw."""

    node_id: str
    role: Literal["primary", "replica"]
    url: str
    version: str
    said_at: Time
    epoch: str
    position: int
    views: dict[str, NodeViewItem]
    this: bool


class NodeList(Response, frozen=True, kw_only=True):
    """GET /admin/replicas: who lives on this log. Who is silent for 30 s is not in it."""

    items: list[NodeItem]


class BuildItem(Response, frozen=True, kw_only=True):
    """How the last building of a view's next generation goes, or went.

    ``target`` is the log's head when it was last looked at. ``reason`` says why it waits or has
    failed. The digests are there if they were asked for: both are of the position of the switch.
    """

    generation: int
    state: Literal["requested", "building", "waiting", "live", "failed"]
    asked_because: str
    position: int
    target: int
    parked: int
    events_per_s: float | None = None
    eta_s: float | None = None
    reason: str = ""
    old_digest: DigestItem | None = None
    new_digest: DigestItem | None = None


class ProjectionItem(Response, frozen=True, kw_only=True):
    """One view, how far it has come, what it set aside, and its next generation's building."""

    view: str
    health: ViewHealth
    parked: list[ParkedItem]
    build: BuildItem | None = None


class ProjectionList(Response, frozen=True, kw_only=True):
    """GET /admin/projections."""

    items: list[ProjectionItem]


class BackupMade(Response, frozen=True, kw_only=True):
    """POST /admin/backup: a backup of the log up to ``position``, written and read back.

    ``keys_file`` lies beside ``file``; without it no text of the backup can be opened. ``size`` is
    in bytes. ``removed`` are older backups that made way for it.
    """

    file: str
    keys_file: str
    made_at: Time
    position: int
    chain: str
    size: int
    keys: int
    removed: list[str] = []


class RetryRequested(Response, frozen=True, kw_only=True):
    """POST /admin/projections/{view}/retry: the view's projector will try before its next batch."""

    view: str


class RebuildRequested(Response, frozen=True, kw_only=True):
    """POST /admin/rebuild/{view}: the generation that is built; one that was under way stays."""

    view: str
    generation: int
    under_way: bool


class Erase(Request, frozen=True, kw_only=True):
    """POST /admin/erase: exactly one of the three."""

    memory_id: Id | None = None
    episode_id: Id | None = None
    agent_id: Name | None = None


class Purged(Response, frozen=True, kw_only=True):
    """What was cleared of what was erased, by name: nothing of it can be read there any more.

    ``segments`` are archive segments and the log itself, whose sealed texts lost their keys.
    """

    views: list[str] = []
    vectors: list[str] = []
    caches: list[str] = []
    segments: list[str] = []
    backups: list[str] = []


class ErasureReceipt(Response, frozen=True, kw_only=True):
    """What an erasure did; a repeat gives the same.

    ``subjects`` are those whose keys are gone, ``memories`` and ``episodes`` what went with them.
    ``still_holding`` names what may still hold some of the words: things that do not rest on what
    was erased alone, backups that could not be changed, files that were not cleared yet (then
    ``pending_views`` is not empty either; ask again).
    """

    subjects: list[str]
    memories: list[str]
    episodes: list[str]
    position: int
    purged: Purged
    still_holding: list[str]
    duplicate: bool
    pending_views: list[str] = []


class FieldError(Response, frozen=True, kw_only=True):
    """One field at fault."""

    field: str
    message: str


class Problem(Response, frozen=True, kw_only=True):
    """application/problem+json (RFC 9457)."""

    type: str
    title: str
    status: int
    detail: str
    instance: str
    errors: list[FieldError] = []
    request_id: str = ""


# --- evaluation --------------------------------------------------------------------------------


class EvaluationQuestion(Request, frozen=True, kw_only=True):
    """One question with the ids it should find: of memories, episodes, or imported lines.

    ``namespaces``: where it is asked; otherwise where the run says.
    """

    query: Annotated[str, Meta(min_length=1, max_length=10000)]
    evidence_ids: Annotated[list[Label], Meta(min_length=1, max_length=200)]
    id: Label | None = None
    category: Label | None = None
    namespaces: Annotated[list[Name], Meta(max_length=100)] | None = None


class RunEvaluation(Request, frozen=True, kw_only=True):
    """POST /eval/run. ``set``: a set that was generated; null: the deployment's own.

    ``questions`` are asked instead of a kept set's, and ``set`` is then the name under which the
    run stands in the history. ``namespaces``: where questions that name none are asked.
    """

    set: Name | None = None
    questions: Annotated[list[EvaluationQuestion], Meta(min_length=1, max_length=500)] | None = None
    namespaces: Annotated[list[Name], Meta(max_length=100)] | None = None


class QueryDetail(Response, frozen=True, kw_only=True):
    """One question of a run. ``hits`` and ``misses``: expected ids, within the first five."""

    query: str
    expected_ids: list[str]
    hits: list[str]
    misses: list[str]
    recall_at_5: float
    precision_at_5: float


class ConsolidationAwareHits(Response, frozen=True, kw_only=True):
    """What memories in the place of their episodes add, within the first five results.

    ``total_distilled_used`` counts results that are memories derived from episodes,
    ``hits_after_consolidation`` expected ids that only such a memory covers,
    ``consolidation_benefit`` what these add to recall@5.
    """

    total_distilled_used: int
    hits_after_consolidation: int
    consolidation_benefit: float


class Regression(Response, frozen=True, kw_only=True):
    """A run that fell below the median of the earlier ones by more than is allowed."""

    recall_at_10: float
    baseline: float
    allowed: float


class EvaluationReport(Response, frozen=True, kw_only=True):
    """Answer to /eval/run; groups give recall@5.

    A repeat with the same idempotency key runs nothing again: it gives the figures that the log
    keeps, which have no ``recall_at_5_by_tag`` and no ``query_details``.
    """

    set: str
    questions: int
    recall_at_5: float
    recall_at_10: float
    precision_at_5: float
    mean_reciprocal_rank: float
    ndcg_at_10: float
    recall_at_5_by_tag: dict[str, float]
    recall_by_agent: dict[str, float]
    query_details: list[QueryDetail]
    consolidation_aware_hits: ConsolidationAwareHits
    recall_by_layer: dict[str, float]
    recall_by_category: dict[str, float]
    levels: dict[str, int]
    regression: Regression | None
    position: int
    duplicate: bool
    pending_views: list[str] = []


class GenerateEvaluation(Request, frozen=True, kw_only=True):
    """POST /eval/generate: questions on the live memories, kept as ``set``.

    ``per_cell`` questions for each of four classes at each of three levels; ``seed`` chooses the
    memories. ``generator``: auto takes the language model where one is configured.
    """

    set: Name = "own"
    seed: Annotated[int, Meta(ge=0, le=2147483647)] = 7
    per_cell: Annotated[int, Meta(ge=1, le=20)] = 5
    namespaces: Annotated[list[Name], Meta(max_length=100)] | None = None
    generator: Literal["auto", "templates", "llm"] = "auto"


class GoldenSetReceipt(Response, frozen=True, kw_only=True):
    """Answer to /eval/generate. ``cells`` counts questions by ``<class>/<level>``."""

    set: str
    seed: int
    generator: Literal["templates", "llm"]
    model: str | None
    questions: int
    cells: dict[str, int]
    position: int
    duplicate: bool
    pending_views: list[str] = []


class EvaluationItem(Response, frozen=True, kw_only=True):
    """One run in the history. ``baseline``: what it was held against, null for a first run."""

    set: str
    at: Time
    position: int
    actor: str
    questions: int
    recall_at_5: float
    recall_at_10: float
    precision_at_5: float
    mean_reciprocal_rank: float
    ndcg_at_10: float
    recall_by_agent: dict[str, float]
    recall_by_layer: dict[str, float]
    recall_by_category: dict[str, float]
    consolidation_aware_hits: ConsolidationAwareHits
    levels: dict[str, int]
    embedder: str
    baseline: float | None
    regressed: bool


class EvaluationHistory(Response, frozen=True, kw_only=True):
    """GET /eval/history: the newest first."""

    items: list[EvaluationItem]


# --- JSON Lines for import and evaluation ------------------------------------------------------


class ImportLine(Struct, kw_only=True, frozen=True):
    """One line of an import file; ``id`` is kept in ``metadata.external_id``."""

    text: str
    id: str | None = None
    speaker: str | None = None
    time: str | None = None
    session: str | None = None
    namespace: str | None = None


class EvaluationLine(Struct, kw_only=True, frozen=True):
    """One question of an evaluation set."""

    id: str
    query: str
    evidence_ids: list[str]
    category: str | None = None
    conversation: str | None = None
