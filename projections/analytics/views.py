"""The SQL views over the events' files (docs/audit.md tells what stands in each).

The same text is run by the service's own sessions and, as the script beside the files, by anyone
who opens them with a DuckDB of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

SCRIPT_NAME: Final = "views.sql"

_COLUMNS: Final = """
    "position", event_id, aggregate_type, aggregate_id, "version", "type", "schema",
    occurred_at, CAST(occurred_at AS DATE) AS "day", command_id, fingerprint, actor,
    correlation_id, causation_position, namespace, agent_id, CAST(body AS JSON) AS body, raw,
    problem
"""

_FIRST_TEXT: Final = "(\"type\" IN ('MemoryCreated', 'MemoryProposed'))"
_LATER_TEXT: Final = (
    "(\"type\" = 'MemoryCorrected' "
    "OR (\"type\" = 'CandidateSettled' AND body->>'content' IS NOT NULL))"
)

_VIEWS: Final[dict[str, str]] = {
    "commits": """
        SELECT "position", occurred_at, "day", aggregate_id AS episode_id, agent_id, namespace,
               actor, body->>'session_id' AS session_id, body->>'source' AS source,
               body->>'speaker' AS speaker, body->>'category' AS category,
               body->>'content' AS content, CAST(body->'tags' AS VARCHAR[]) AS tags,
               body->'metadata' AS metadata, CAST(body->>'distill' AS BOOLEAN) AS distill
        FROM events WHERE "type" = 'EpisodeCommitted'
    """,
    "feedback": """
        SELECT "position", occurred_at, "day", aggregate_id AS memory_id, agent_id, actor,
               CASE "type" WHEN 'MemoryDeprecated' THEN 'deprecated' ELSE body->>'verdict' END
                   AS verdict,
               CASE "type" WHEN 'FeedbackGiven' THEN CAST(body->>'weight' AS INTEGER) END
                   AS weight,
               body->>'recall_id' AS recall_id, body->>'reason' AS reason
        FROM events WHERE "type" IN ('FeedbackGiven', 'MemoryDeprecated')
    """,
    "corrections": """
        SELECT "position", occurred_at, "day", memory_id, namespace, "version", before, after,
               agent_id, actor, source, reason, "trigger"
        FROM (
            SELECT * EXCLUDE (namespace), lag(after) OVER texts AS before,
                   first_value(namespace) OVER texts AS namespace,
                   row_number() OVER texts AS "version"
            FROM (
                SELECT "position", occurred_at, "day", aggregate_id AS memory_id, "type",
                       agent_id, actor, namespace, body->>'content' AS after,
                       CASE WHEN {LATER_TEXT} THEN body->>'source' END AS source,
                       CASE "type" WHEN 'MemoryCorrected' THEN body->>'reason' END AS reason,
                       CASE "type" WHEN 'MemoryCorrected' THEN body->>'trigger' END AS "trigger"
                FROM events WHERE {FIRST_TEXT} OR {LATER_TEXT}
            )
            WINDOW texts AS (PARTITION BY memory_id ORDER BY "position")
        ) WHERE NOT {FIRST_TEXT}
    """,
    "recalls": """
        SELECT "position", occurred_at, "day", recall->>'recall_id' AS recall_id,
               recall->>'agent_id' AS agent_id, actor,
               CAST(recall->'namespaces' AS VARCHAR[]) AS namespaces,
               nullif(query, '') AS query,
               CAST(recall->>'miss' AS BOOLEAN) OR coalesce(voted_down, false) AS miss,
               recall->>'level' AS "level",
               CAST(recall->>'took_ms' AS DOUBLE) AS took_ms,
               CAST(recall->>'cached' AS BOOLEAN) AS cached, recall->'as_of' AS as_of,
               CAST(recall->'results' AS STRUCT(
                   memory_id VARCHAR, "version" INTEGER, rank INTEGER, score DOUBLE)[]) AS results
        FROM (
            SELECT "position", occurred_at, "day", actor,
                   unnest(CAST(body->'recalls' AS JSON[])) AS recall,
                   unnest(CAST(body->'queries' AS VARCHAR[])) AS query
            FROM events WHERE "type" = 'RecallServed'
        ) LEFT JOIN (
            SELECT recall_id AS voted_on, bool_and(verdict = 'not_useful') AS voted_down
            FROM feedback WHERE recall_id IS NOT NULL GROUP BY recall_id
        ) ON voted_on = recall->>'recall_id'
    """,
    "agents_by_day": """
        SELECT "day", actor, count(*) AS events,
               count(*) FILTER ("type" = 'EpisodeCommitted') AS commits,
               count(*) FILTER ("type" = 'MemoryCreated') AS memories,
               count(*) FILTER ("type" = 'MemoryReinforced') AS reinforcements,
               count(*) FILTER ("type" = 'MemoryCorrected') AS corrections,
               count(*) FILTER ("type" = 'FeedbackGiven') AS votes,
               count(*) FILTER (
                   "type" IN ('MemoryDeleted', 'MemoryDeprecated', 'EpisodeDeleted')
               ) AS deletions,
               count(*) FILTER ("type" = 'MemoryProposed') AS candidates,
               count(*) FILTER ("type" = 'CandidateSettled') AS settled,
               count(*) FILTER ("type" = 'CandidateDismissed') AS dismissed
        FROM events GROUP BY "day", actor
    """,
    "memory_history": """
        SELECT "position", occurred_at, memory_id, "type", actor, agent_id,
               last_value(namespace IGNORE NULLS) OVER life AS namespace,
               count(*) FILTER (speaks) OVER life AS "version",
               last_value(said IGNORE NULLS) OVER life AS content, reason, body
        FROM (
            SELECT "position", occurred_at, aggregate_id AS memory_id, "type", actor, agent_id,
                   namespace, body->>'reason' AS reason, body,
                   {FIRST_TEXT} OR {LATER_TEXT} AS speaks,
                   CASE WHEN {FIRST_TEXT} OR {LATER_TEXT} THEN body->>'content' END AS said
            FROM events WHERE aggregate_type = 'Memory'
        )
        WINDOW life AS (PARTITION BY memory_id ORDER BY "position")
    """,
    "distillations": """
        SELECT "position", occurred_at, "day", aggregate_id AS episode_id, actor,
               CASE "type" WHEN 'EpisodeDistilled' THEN 'distilled'
                   WHEN 'EpisodeSkipped' THEN 'skipped' WHEN 'DistillationFailed' THEN 'failed'
                   ELSE 'asked for anew' END AS outcome,
               CASE "type" WHEN 'DistillationFailed' THEN body->>'error'
                   ELSE body->>'reason' END AS reason,
               body->>'distiller' AS distiller, body->>'model' AS model,
               CAST(body->'scores'->>'overall' AS DOUBLE) AS overall,
               CAST(body->'memory_ids' AS VARCHAR[]) AS memory_ids,
               CAST(body->'reinforced_ids' AS VARCHAR[]) AS reinforced_ids,
               CAST(body->>'attempt' AS INTEGER) AS attempt
        FROM events WHERE "type" IN ('EpisodeDistilled', 'EpisodeSkipped', 'DistillationFailed',
                                     'RedistillationRequested')
    """,
    "health_figures": """
        SELECT "day", votes, coalesce(useful, 0) AS useful_votes,
               useful_votes / nullif(votes, 0) AS useful_recall_rate, recalls, misses,
               1 - misses / nullif(recalls, 0) AS hit_rate,
               memories_created, memories_corrected, memories_evicted,
               candidates_proposed, candidates_settled, episodes_distilled, episodes_skipped
        FROM (
            SELECT "day",
                   count(*) FILTER ("type" = 'FeedbackGiven') AS votes,
                   count(*) FILTER ("type" = 'MemoryCreated') AS memories_created,
                   count(*) FILTER ("type" = 'MemoryCorrected') AS memories_corrected,
                   count(*) FILTER ("type" = 'MemoryEvicted') AS memories_evicted,
                   count(*) FILTER ("type" = 'MemoryProposed') AS candidates_proposed,
                   count(*) FILTER ("type" = 'CandidateSettled') AS candidates_settled,
                   count(*) FILTER ("type" = 'EpisodeDistilled') AS episodes_distilled,
                   count(*) FILTER ("type" = 'EpisodeSkipped') AS episodes_skipped
            FROM events GROUP BY "day"
        ) LEFT JOIN (
            SELECT "day", count(*) AS useful FROM feedback WHERE verdict = 'useful' GROUP BY "day"
        ) USING ("day") LEFT JOIN (
            SELECT "day", count(*) AS recalls, count(*) FILTER (miss) AS misses
            FROM recalls GROUP BY "day"
        ) USING ("day")
    """,
}
VIEWS: Final = {
    name: query.replace("{FIRST_TEXT}", _FIRST_TEXT).replace("{LATER_TEXT}", _LATER_TEXT)
    for name, query in _VIEWS.items()
}
"""Each view's query, in the order in which they build on each other; all build on ``events``.

A body is long, and reading JSON costs more than all else. So what a view needs of a body is taken
out only where the type is right, and before a window, which would else carry the body along.
"""

NAMES: Final = frozenset({"events", *VIEWS})

SET_TIME_ZONE: Final = "SET TimeZone = 'UTC'"
"""Days and hours are those of UTC, wherever the question is asked."""


def view_statements(files: Sequence[str]) -> list[str]:
    """Give the statements that make the views over these files."""
    paths = ", ".join("'" + file.replace("'", "''") + "'" for file in files)
    return _statements(f"[{paths}]")


def _statements(files: str) -> list[str]:
    events = f"SELECT {_COLUMNS} FROM read_parquet({files}, hive_partitioning = false)"  # noqa: S608  # ours
    queries = {"events": events, **VIEWS}
    return [f"CREATE OR REPLACE VIEW {name} AS {query}" for name, query in queries.items()]


SCRIPT: Final = ";\n".join(
    [
        "-- Views over the events of MemoryWeave, for a DuckDB of your own (docs/audit.md).\n"
        "-- Start it in this folder, or SET VARIABLE folder = '…' to it before. Run it again to\n"
        "-- see newer events: the files that the views read are those of this moment.\n"
        + SET_TIME_ZONE,
        "SET VARIABLE files = (SELECT list(coalesce(getvariable('folder'), '.') || '/' || path) "
        "FROM (SELECT unnest(files).path AS path "
        "FROM read_json(coalesce(getvariable('folder'), '.') || '/manifest.json')))",
        *_statements("getvariable('files')"),
        "",
    ]
)
"""What stands in ``views.sql`` beside the manifest."""
