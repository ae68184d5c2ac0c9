"""What was tried to get more out of the audit's SQL than rows, each attack kept.

Every attack is sent against a view whose folder and whose neighbour hold a canary. It must be
refused or bounded, must not tell where files lie, and must leave every file as it was.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from domain.errors import InvalidCommand, QueryTooCostly, ViewBehind, ViewDegraded
from eventlog.redis_log import RedisLog
from projections.analytics import sandbox
from projections.analytics.question import LONGEST_SQL, Limits, ask
from projections.analytics.statement import FORBIDDEN_FUNCTIONS
from projections.analytics.view import AnalyticsView
from tests.histories import Historian
from tests.projections.analytics.building import follow
from tests.servers import LogServer

CANARY = "canary-7f3a"
BOUNDS = Limits(rows=5, seconds=5.0, memory_mib=256, answer_bytes=4 << 20)


class Target:
    def __init__(self, root: Path, view_path: Path) -> None:
        self.root = root
        self.view = AnalyticsView(view_path)
        self.folder = view_path / "1"
        self.secret = root / "secret.csv"
        self.secret.write_text(f"{CANARY}\n")
        self.files = self.contents()

    def contents(self) -> dict[str, str]:
        return {
            str(file): hashlib.sha256(file.read_bytes()).hexdigest()
            for file in self.root.rglob("*")
            if file.is_file()
        }

    def filled(self, attack: str) -> str:
        data = self.folder / self.view.live().manifest.files[-1].path
        return attack.format(
            secret=self.secret, folder=self.folder, data=data, new=self.root / "new.parquet"
        )


@pytest.fixture(scope="module")
def target(log_server: LogServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Target]:
    root = tmp_path_factory.mktemp("attacked")
    with RedisLog(log_server.url, "attacked") as log:
        historian = Historian(log, seed=3)
        historian.live_on(30)
        follow(log, root / "views" / "analytics")
    target = Target(root, root / "views" / "analytics")
    yield target
    assert target.contents() == target.files, "an attack has changed a file"


def judged(target: Target, sql: str, monkeypatch: pytest.MonkeyPatch) -> sandbox.Verdict:
    """Judge as the sandbox's process does, in this one: a process each would take minutes."""
    monkeypatch.chdir(target.folder)
    verdict, answer = sandbox._judge(question(target, sql))
    told = verdict.detail + ("" if answer is None else str(answer.to_pylist()))
    assert CANARY not in told.replace(sql, "")
    assert str(target.root) not in told.replace(sql, "").replace(repr(str(target.secret)), "") or (
        str(target.root) in sql  # what the asker has written itself may be said back
    )
    return verdict


def question(target: Target, sql: str) -> sandbox.Question:
    return sandbox.Question(
        sql=sql,
        folder=str(target.folder),
        files=[file.path for file in target.view.live().manifest.files],
        rows=BOUNDS.rows,
        seconds=BOUNDS.seconds,
        memory_mib=BOUNDS.memory_mib,
        answer_bytes=BOUNDS.answer_bytes,
    )


READING = [
    "SELECT * FROM read_csv('{secret}')",
    "SELECT * FROM read_csv_auto('{secret}')",
    "SELECT * FROM read_text('{secret}')",
    "SELECT * FROM read_blob('{secret}')",
    "SELECT * FROM read_json('{folder}/manifest.json')",
    "SELECT * FROM read_parquet('{data}')",
    "SELECT * FROM parquet_metadata('{data}')",
    "SELECT * FROM parquet_schema('{data}')",
    "SELECT * FROM parquet_kv_metadata('{data}')",
    "SELECT * FROM sniff_csv('{secret}')",
    "SELECT * FROM glob('{folder}/*')",
    "SELECT * FROM '{secret}'",
    "SELECT * FROM '{data}'",
    'SELECT * FROM "{secret}"',
    "FROM '/etc/passwd'",
    "SELECT (SELECT content FROM read_text('{secret}'))",
    "SELECT 1 WHERE EXISTS (FROM read_text('{secret}'))",
    "SELECT * FROM events, LATERAL (SELECT * FROM read_text('{secret}'))",
    "SELECT * FROM events WHERE body IN (SELECT content FROM read_text('{secret}'))",
    "WITH x AS (SELECT * FROM read_text('{secret}')) SELECT * FROM x",
    'SELECT * FROM (WITH "{secret}" AS (SELECT 1) FROM "{secret}"), "{secret}" AS outside',
    "SELECT 1 UNION ALL SELECT content FROM read_text('{secret}')",
    "SELECT * FROM query('SELECT * FROM read_text(''{secret}'')')",
    "SELECT * FROM query_table('events')",
    "SELECT json_execute_serialized_sql('x')",
    "SELECT * FROM json_execute_serialized_sql(json_serialize_sql('SELECT 1'))",
    "PRAGMA json_execute_serialized_sql('x')",
    "SELECT * FROM arrow_scan(1, 2, 3)",
    "SELECT * FROM python_map_function(1)",
    "SELECT * FROM pandas_scan(1)",
    "SELECT * FROM seq_scan('events')",
]
WRITING = [
    "COPY (SELECT 1) TO '{new}'",
    "COPY events TO '{new}' (FORMAT parquet)",
    "WITH x AS (COPY (SELECT 1) TO '{new}') SELECT * FROM x",
    "WITH x AS (DELETE FROM events RETURNING 1) SELECT * FROM x",
    "WITH x AS (INSERT INTO events SELECT 1 RETURNING 1) SELECT * FROM x",
    "WITH x AS (UPDATE events SET body = NULL RETURNING 1) SELECT 1",
    "SELECT * FROM (WITH x AS (COPY (SELECT 1) TO '{new}') SELECT * FROM x)",
    "EXPORT DATABASE '{new}'",
    "IMPORT DATABASE '{folder}'",
    "CREATE TABLE t AS SELECT 1",
    "CREATE OR REPLACE VIEW events AS SELECT 1",
    "CREATE MACRO events() AS 1",
    "CREATE SECRET s (TYPE s3)",
    "DROP VIEW events",
    "ALTER VIEW events RENAME TO x",
    "INSERT INTO events VALUES (1)",
    "UPDATE events SET body = NULL",
    "DELETE FROM events",
    "MERGE INTO events USING events ON true WHEN MATCHED THEN DELETE",
    "TRUNCATE events",
    "VACUUM",
    "CHECKPOINT",
    "SELECT nextval('s')",
    "SELECT write_log('x', level := 'ERROR')",
]
REACHING_OUT = [
    "ATTACH '{new}' AS x",
    "ATTACH ':memory:' AS x",
    "DETACH memory",
    "USE memory",
    "INSTALL httpfs",
    "LOAD httpfs",
    "LOAD '{secret}'",
    "SET enable_external_access = true",
    "SET lock_configuration = false",
    "RESET memory_limit",
    "SET VARIABLE x = 1",
    "PRAGMA enable_profiling",
    "PRAGMA database_list",
    "CALL duckdb_settings()",
    "PREPARE p AS SELECT 1",
    "EXECUTE p",
    "DEALLOCATE p",
    "BEGIN",
    "COMMIT",
    "EXPLAIN ANALYZE SELECT 1",
    "SELECT $1",
    "SELECT $name",
    "SELECT ?",
]
TELLING = [
    "SELECT getenv('HOME')",
    "SELECT current_setting('home_directory')",
    "SELECT current_setting('allowed_paths')",
    "SELECT getvariable('files')",
    "SELECT current_query()",
    "SELECT main.current_setting('allowed_paths')",
    "SELECT system.main.getvariable('x')",
    "SELECT * FROM duckdb_settings()",
    "SELECT * FROM duckdb_secrets()",
    "SELECT * FROM duckdb_views()",
    "SELECT * FROM duckdb_views",
    "SELECT * FROM duckdb_tables",
    "SELECT * FROM duckdb_logs()",
    "SELECT * FROM duckdb_external_file_cache()",
    "SELECT * FROM duckdb_temporary_files()",
    "SELECT * FROM pragma_database_size()",
    "SELECT * FROM information_schema.tables",
    "SELECT * FROM pg_catalog.pg_views",
    "SELECT * FROM sqlite_master",
    "SELECT * FROM (WITH duckdb_views AS (SELECT 1) FROM duckdb_views), duckdb_views AS outside",
    "SELECT * FROM (WITH sqlite_master AS (SELECT 1) FROM sqlite_master), sqlite_master AS out2",
    "SHOW TABLES",
    "DESCRIBE events",
    "SUMMARIZE events",
    "SELECT * FROM (DESCRIBE events)",
    "SELECT * FROM (SHOW ALL TABLES)",
    "SELECT filename FROM events",
    "SELECT * FROM which_secret('x', 'y')",
    "SELECT * FROM test_all_types()",
    "SELECT * FROM histogram('events', 1)",
]
HIDING = [
    "",
    ";",
    "--",
    "/* */",
    "SELECT 1; SELECT 2",
    "SELECT 1; DROP VIEW events",
    "SELECT 1) x; DROP VIEW events; --",
    "SELECT 1) UNION SELECT * FROM read_text('{secret}'); --",
    "SELECT 1 /* ; */; COPY (SELECT 1) TO '{new}' --",
    "SELECT 1 --\n; DROP VIEW events",
    "SELECT 1) LIMIT 0; --",
    "SELECT * FROM events) AS a, read_text('{secret}') AS b --",
    "/* SELECT 1 */ DROP VIEW events",
    "\ufeffDROP VIEW events",
    "PIVOT events ON type USING count(*)",
    "SELECT 'x\x00' ; DROP VIEW events",
    "SELECT " + "-" * 1 + "(" * 5000 + "1" + ")" * 5000,
]


@pytest.mark.parametrize(
    "attack", [*READING, *WRITING, *REACHING_OUT, *TELLING, *HIDING], ids=lambda text: text[:50]
)
def test_what_is_not_one_select_over_the_views_is_refused(
    target: Target, attack: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    verdict = judged(target, target.filled(attack), monkeypatch)
    assert verdict.outcome == "refused"
    assert verdict.detail


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT count(*) FROM events",
        "select * from events;",
        "SELECT 1 -- that is all",
        "SELECT 'DROP VIEW events; --'",
        "FROM commits",
        "VALUES (1), (2)",
        "SELECT * FROM events UNION ALL BY NAME SELECT * FROM events",
        "WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 9) FROM n",
        "WITH memories AS (SELECT memory_id FROM corrections) SELECT count(*) FROM memories",
        "SELECT list_transform([1, 2], lambda x : x + 1), body->>'content' FROM events",
        "SELECT unnest([1, 2]), e.type FROM events e JOIN range(3) r ON true",
        'SELECT "type", count(*) OVER (PARTITION BY "day") FROM events QUALIFY true',
    ],
)
def test_what_an_auditor_writes_is_answered(
    target: Target, statement: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert judged(target, statement, monkeypatch).outcome == "answered"


@pytest.mark.parametrize("attack", [*READING[:12], *WRITING[:2], *REACHING_OUT[:11]])
def test_the_locked_database_alone_lets_none_of_it_through(
    target: Target, attack: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Were the look at the statement got past, DuckDB's own locks still hold."""
    monkeypatch.chdir(target.folder)
    connection = sandbox._locked(question(target, "SELECT 1"))
    harmless = ("ATTACH ':memory:'", "DETACH", "USE", "SET VARIABLE")
    try:
        rows = connection.execute(target.filled(attack)).fetchall()
    except duckdb.Error:
        return
    finally:
        connection.close()
    # Its own data file is what the views show anyway.
    assert "{data}" in attack or attack.startswith(harmless), rows


COSTLY = [
    ("WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n", "s"),
    ("SELECT count(*) FROM range(9999999) a, range(9999999) b, range(9999) c", "s"),
    ("SELECT length(repeat('x', 2000000000))", "MiB"),
    ("SELECT range(100000000)", "MiB"),
    ("SELECT list(i) FROM range(200000000) t(i)", "MiB"),
    ("SELECT repeat('x', 3000000) FROM range(5)", "MiB"),
]


@pytest.mark.parametrize(("sql", "named"), COSTLY, ids=[sql[:40] for sql, _ in COSTLY])
def test_what_takes_too_much_is_ended_and_says_of_what(
    target: Target, sql: str, named: str
) -> None:
    with pytest.raises(QueryTooCostly, match=named):
        ask(target.view, sql, BOUNDS)


def test_a_question_is_answered_up_to_its_rows_in_the_order_asked_for(target: Target) -> None:
    answer = ask(target.view, 'SELECT "position" FROM events ORDER BY "position" DESC', BOUNDS)
    last = target.view.checkpoint().position
    assert answer.table["position"].to_pylist() == list(range(last, last - 5, -1))
    assert answer.truncated
    whole = ask(target.view, "SELECT count(*) AS n FROM events", BOUNDS)
    assert (whole.table.to_pylist(), whole.truncated) == ([{"n": last}], False)


def test_the_process_that_answers_can_write_no_file_and_sees_no_variable(
    target: Target, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("API_KEY", CANARY)
    with pytest.raises(InvalidCommand) as refused:
        ask(target.view, "SELECT getenv('API_KEY')", BOUNDS)
    assert CANARY not in str(refused.value)


def test_a_text_that_is_too_long_and_a_view_that_is_not_there_are_told_apart(
    target: Target, tmp_path: Path
) -> None:
    with pytest.raises(InvalidCommand, match="longer"):
        ask(target.view, "SELECT " + "1" * LONGEST_SQL, BOUNDS)
    with pytest.raises(ViewBehind):
        ask(AnalyticsView(tmp_path), "SELECT 1", BOUNDS)


def test_a_lost_file_is_a_fault_of_the_view_and_not_of_the_question(
    log: RedisLog, historian: Historian, tmp_path: Path
) -> None:
    historian.live_on(5)
    follow(log, tmp_path / "analytics")
    view = AnalyticsView(tmp_path / "analytics")
    (tmp_path / "analytics" / "1" / view.live().manifest.files[-1].path).unlink()
    with pytest.raises(ViewDegraded):
        ask(view, "SELECT count(*) FROM events", BOUNDS)


def test_the_functions_of_this_duckdb_are_those_that_were_reviewed() -> None:
    """A new version brings new functions: look at them, then put the new number here."""
    with duckdb.connect() as connection:
        names = connection.execute(
            "SELECT DISTINCT function_name FROM duckdb_functions() "
            "WHERE function_type IN ('scalar', 'macro') AND function_name NOT LIKE '%collate%' "
            "ORDER BY 1"
        ).fetchall()
    digest = hashlib.sha256("\n".join(name for (name,) in names).encode()).hexdigest()
    assert (duckdb.__version__, digest[:16]) == ("2.0.1", "c193703dbaa10716")
    assert {"current_setting", "getvariable", "write_log"} <= FORBIDDEN_FUNCTIONS
