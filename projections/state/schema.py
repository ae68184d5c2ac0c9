"""The state view's tables.

Times are microseconds since 1970 (UTC). ``position`` is that of the event which last changed the
row, ``created_position`` that of the first. Lists and objects are JSON text. Every row is owned
by one aggregate, whose events arrive in order; what another aggregate's event does to it is
written so that the order of the two does not matter (see ``sessions``).

``memory_history`` and ``episode_history`` hold what rows said before they changed, each in the
stretch of positions [from_position, to_position); ``versions`` holds the texts. ``moments`` has a
row for every position at which the running maximum of the events' times rose (see `history`).
``erasures`` says which were begun and how far each has come; what they took is in no table, and
``removed`` has its ids. ``served`` has a row for each event that tells of recalls, and
``recall_counts`` what they come to for each memory: beside ``memories``, because a recall is no
change of a memory and may be told before or after any. ``settling`` has a row for each memory that
was proposed, or that the owner has settled.
"""

from __future__ import annotations

from typing import Final

SCHEMA_VERSION: Final = 7
PROJECTOR_VERSION: Final = 1
"""Raise it when the same events shall give other rows: then the view is built anew."""

ERASED_SUBJECTS: Final = "erased_subjects"
"""Under this name ``meta`` counts the subjects that were erased."""

FILE_NAME: Final = "state.sqlite"

TABLES: Final = (
    "episodes", "memories", "versions", "votes", "observations", "memory_tags", "agents", "grants",
    "enrolment_tokens", "namespaces", "sessions", "removed", "memory_history", "episode_history",
    "moments", "erasures", "golden_sets", "golden_questions", "evaluations", "served",
    "recall_counts", "settling", "verifications", "tag_levels",
)  # fmt: skip
"""The tables that say what the log says; the others are the view's own book-keeping."""

OF_A_MEMORY: Final = (
    "versions", "votes", "observations", "memory_tags", "recall_counts", "settling",
    "verifications", "tag_levels",
)  # fmt: skip
"""Tables whose rows belong to a memory, by ``memory_id``, and go with it."""

SINCE_SCHEMA_6: Final = """
CREATE TABLE IF NOT EXISTS settling (
    memory_id TEXT PRIMARY KEY,
    proposed_position INTEGER, settled_at INTEGER, settled_by TEXT, settled_position INTEGER
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS verifications (
    position INTEGER PRIMARY KEY,
    memory_id TEXT NOT NULL, episode_id TEXT NOT NULL, session_id TEXT, rule TEXT NOT NULL,
    delta REAL NOT NULL, faint INTEGER NOT NULL, seen_at INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS tag_levels (
    memory_id TEXT NOT NULL, tag TEXT NOT NULL, level TEXT NOT NULL,
    PRIMARY KEY (memory_id, tag)
) WITHOUT ROWID;
"""
"""Tables that a generation of an older schema lacks; empty ones stand in for them."""

SCHEMA: Final = (
    SINCE_SCHEMA_6
    + """
CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS checkpoint (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    position INTEGER NOT NULL, epoch TEXT NOT NULL, event_id TEXT NOT NULL, chain TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS parked (
    position INTEGER PRIMARY KEY,
    key TEXT NOT NULL, type TEXT NOT NULL, cause TEXT NOT NULL, reason TEXT NOT NULL,
    command_id TEXT NOT NULL, through INTEGER NOT NULL, occurred_at_us INTEGER NOT NULL,
    namespace TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS episodes (
    id TEXT PRIMARY KEY,
    namespace TEXT NOT NULL, agent_id TEXT NOT NULL, session_id TEXT,
    content TEXT NOT NULL, speaker TEXT, source TEXT NOT NULL, "trigger" TEXT,
    category TEXT, decay_class TEXT, task_status TEXT,
    urgent INTEGER NOT NULL, distill INTEGER NOT NULL,
    tags TEXT NOT NULL, metadata TEXT NOT NULL,
    observed_at INTEGER, recorded_at INTEGER NOT NULL, expires_at INTEGER,
    status TEXT NOT NULL, reason TEXT, distiller TEXT,
    status_before TEXT, reason_before TEXT,
    memory_ids TEXT NOT NULL, reinforced_ids TEXT NOT NULL, distilled_position INTEGER,
    deleted_at INTEGER,
    created_position INTEGER NOT NULL, position INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS episodes_by_namespace ON episodes (namespace, status, expires_at);
CREATE TABLE IF NOT EXISTS memories (
    id TEXT PRIMARY KEY,
    namespace TEXT NOT NULL, agent_id TEXT NOT NULL, session_id TEXT,
    content TEXT NOT NULL, version INTEGER NOT NULL,
    category TEXT NOT NULL, decay_class TEXT NOT NULL, tier TEXT NOT NULL,
    source TEXT NOT NULL, distilled_by TEXT NOT NULL, "trigger" TEXT,
    clarity REAL NOT NULL, confidence REAL NOT NULL,
    derived_from TEXT NOT NULL, depends_on TEXT NOT NULL, refers_to TEXT NOT NULL,
    entities TEXT NOT NULL, relations TEXT NOT NULL, evidence TEXT,
    tags TEXT NOT NULL, metadata TEXT NOT NULL,
    observed_at INTEGER, recorded_at INTEGER NOT NULL, created_at INTEGER NOT NULL,
    last_reinforced_at INTEGER, expires_at INTEGER,
    observations INTEGER NOT NULL, useful INTEGER NOT NULL, not_useful INTEGER NOT NULL,
    corrections INTEGER NOT NULL,
    state TEXT NOT NULL,
    ended_by TEXT, ended_at INTEGER, ended_reason TEXT, superseded_by TEXT,
    quality_dropped_at INTEGER,
    created_position INTEGER NOT NULL, version_position INTEGER NOT NULL,
    position INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS memories_by_namespace
    ON memories (namespace, state, expires_at, category);
CREATE INDEX IF NOT EXISTS memories_pinned ON memories (namespace) WHERE tier = 'core';
CREATE INDEX IF NOT EXISTS memories_by_creation ON memories (created_position);
CREATE TABLE IF NOT EXISTS versions (
    memory_id TEXT NOT NULL, version INTEGER NOT NULL,
    content TEXT NOT NULL, updated_by TEXT NOT NULL, source TEXT NOT NULL,
    "trigger" TEXT, reason TEXT, recorded_at INTEGER NOT NULL, position INTEGER NOT NULL,
    PRIMARY KEY (memory_id, version)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS votes (
    position INTEGER PRIMARY KEY,
    memory_id TEXT NOT NULL, agent_id TEXT NOT NULL, verdict TEXT NOT NULL,
    weight INTEGER NOT NULL, recall_id TEXT, reason TEXT, given_at INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS votes_by_memory ON votes (memory_id);
CREATE TABLE IF NOT EXISTS observations (
    position INTEGER PRIMARY KEY,
    memory_id TEXT NOT NULL, episode_id TEXT NOT NULL, match TEXT NOT NULL, delta REAL NOT NULL,
    seen_at INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS observations_by_memory ON observations (memory_id);
CREATE INDEX IF NOT EXISTS observations_by_episode ON observations (episode_id);
CREATE TABLE IF NOT EXISTS memory_tags (
    memory_id TEXT NOT NULL, tag TEXT NOT NULL, PRIMARY KEY (memory_id, tag)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS memory_tags_by_tag ON memory_tags (tag, memory_id);
CREATE TABLE IF NOT EXISTS agents (
    agent_id TEXT PRIMARY KEY,
    aggregate_id TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL, namespace TEXT NOT NULL, key_hash TEXT NOT NULL,
    quota TEXT NOT NULL, may_claim TEXT NOT NULL, active INTEGER NOT NULL,
    registered_at INTEGER NOT NULL, key_changed_at INTEGER NOT NULL, key_expires_at INTEGER,
    created_position INTEGER NOT NULL, position INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS grants (
    agent_id TEXT NOT NULL, namespace TEXT NOT NULL, position INTEGER NOT NULL,
    PRIMARY KEY (agent_id, namespace)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS enrolment_tokens (
    token_hash TEXT PRIMARY KEY,
    aggregate_id TEXT NOT NULL UNIQUE,
    expires_at INTEGER NOT NULL, kind TEXT, used_by TEXT, position INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS namespaces (
    namespace TEXT PRIMARY KEY, claimed_by TEXT, changed_at INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS sessions (
    namespace TEXT NOT NULL, session_id TEXT NOT NULL,
    agent_id TEXT NOT NULL, closed_at INTEGER NOT NULL, position INTEGER NOT NULL,
    PRIMARY KEY (namespace, session_id)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS removed (
    id TEXT PRIMARY KEY, kind TEXT NOT NULL, namespace TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS memory_history (
    id TEXT NOT NULL, from_position INTEGER NOT NULL, to_position INTEGER NOT NULL,
    version INTEGER NOT NULL, tier TEXT NOT NULL, confidence REAL NOT NULL,
    observations INTEGER NOT NULL, last_reinforced_at INTEGER,
    useful INTEGER NOT NULL, not_useful INTEGER NOT NULL, tags TEXT NOT NULL,
    state TEXT NOT NULL, ended_by TEXT, ended_at INTEGER, ended_reason TEXT, superseded_by TEXT,
    quality_dropped_at INTEGER,
    PRIMARY KEY (id, from_position)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS episode_history (
    id TEXT NOT NULL, from_position INTEGER NOT NULL, to_position INTEGER NOT NULL,
    status TEXT NOT NULL, reason TEXT, distiller TEXT, status_before TEXT, reason_before TEXT,
    memory_ids TEXT NOT NULL, reinforced_ids TEXT NOT NULL, distilled_position INTEGER,
    deleted_at INTEGER,
    PRIMARY KEY (id, from_position)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS moments (position INTEGER PRIMARY KEY, latest INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS moments_by_time ON moments (latest);
CREATE TABLE IF NOT EXISTS served (
    position INTEGER PRIMARY KEY,
    agent_id TEXT NOT NULL, served_at INTEGER NOT NULL,
    recalls INTEGER NOT NULL, misses INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS recall_counts (
    memory_id TEXT PRIMARY KEY, recalls INTEGER NOT NULL, last_recalled_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS verifications_by_memory ON verifications (memory_id);
CREATE INDEX IF NOT EXISTS tag_levels_by_tag ON tag_levels (tag, memory_id);
CREATE INDEX IF NOT EXISTS memories_by_expiry
    ON memories (namespace, expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX IF NOT EXISTS episodes_by_expiry
    ON episodes (namespace, expires_at) WHERE expires_at IS NOT NULL;
CREATE TABLE IF NOT EXISTS erasures (
    id TEXT PRIMARY KEY,
    target TEXT NOT NULL, target_id TEXT NOT NULL,
    position INTEGER NOT NULL, complete INTEGER NOT NULL, finished_position INTEGER
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS golden_sets (
    "set" TEXT PRIMARY KEY,
    seed INTEGER NOT NULL, generator TEXT NOT NULL, model TEXT, questions INTEGER NOT NULL,
    generated_at INTEGER NOT NULL, position INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS golden_questions (
    "set" TEXT NOT NULL, number INTEGER NOT NULL,
    query TEXT NOT NULL, expected_ids TEXT NOT NULL, question_class TEXT NOT NULL,
    level TEXT NOT NULL, namespace TEXT NOT NULL, position INTEGER NOT NULL,
    PRIMARY KEY ("set", number)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS evaluations (
    position INTEGER PRIMARY KEY,
    "set" TEXT NOT NULL, actor TEXT NOT NULL, finished_at INTEGER NOT NULL,
    figures TEXT NOT NULL, regressed INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS evaluations_by_set ON evaluations ("set", position);
"""
)
