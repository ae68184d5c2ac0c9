"""Is this one statement that only reads the audit's views? Decided on DuckDB's own parse of it.

Three looks, because each alone has been got past (docs/decisions/0015): the kind of statement, on
the text as sent and as wrapped; every node of its tree, in which a data-modifying CTE shows; and
every table and function that it names. What is not on a list of what may be read is refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

import msgspec

from projections.analytics.views import NAMES

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

TABLE_FUNCTIONS: Final = frozenset({"range", "generate_series", "unnest", "json_each", "json_tree"})

FORBIDDEN_FUNCTIONS: Final = frozenset(
    {
        # They tell of the process and its settings, or of what else is asked.
        "current_setting", "getvariable", "getenv", "current_query", "current_query_id",
        "current_connection_id", "current_database", "current_schema", "current_schemas",
        "in_search_path", "version", "txid_current", "current_transaction_id", "current_catalog",
        # They change something outside the answer.
        "nextval", "currval", "setval", "setseed", "write_log", "sleep_ms",
        # They run or plan a text as SQL, after all checks.
        "json_execute_serialized_sql", "json_serialize_plan", "json_deserialize_sql", "invoke",
        "query", "query_table",
    }
)  # fmt: skip

_NODES: Final = frozenset({"SELECT_NODE", "SET_OPERATION_NODE", "RECURSIVE_CTE_NODE"})
_TABLES: Final = frozenset(
    {"BASE_TABLE", "SUBQUERY", "JOIN", "TABLE_FUNCTION", "EXPRESSION_LIST", "EMPTY"}
)


class StatementRefused(Exception):
    """Why the statement is not run; the message is for the person who sent it."""


def readable_statement(connection: DuckDBPyConnection, sql: str, rows: int) -> str:
    """Give the statement wrapped so that it gives at most ``rows`` rows.

    Raises `StatementRefused`, and what DuckDB raises for a text that it cannot parse.
    """
    # No trick of the text: a statement that ends in a comment or a semicolon is still one.
    text = sql.strip().rstrip(";").strip()
    _require_one_select(connection, text)
    # The line break keeps a comment at the end from hiding what follows it.
    wrapped = f"SELECT * FROM (\n{text}\n) LIMIT {rows:d}"  # noqa: S608  # checked above and below
    _require_one_select(connection, wrapped)
    for tree in (_tree(connection, text), _tree(connection, wrapped)):
        _require_readable(connection, tree)
    return wrapped


def _require_one_select(connection: DuckDBPyConnection, text: str) -> None:
    statements = connection.extract_statements(text)
    if len(statements) != 1:
        raise StatementRefused(f"send exactly one statement, not {len(statements)}")
    if statements[0].type.name != "SELECT":
        raise StatementRefused(f"only SELECT is answered, not {statements[0].type.name}")
    if statements[0].named_parameters:
        raise StatementRefused("a statement has no parameters here: write the values into it")


def _tree(connection: DuckDBPyConnection, text: str) -> Any:
    answer = connection.execute("SELECT json_serialize_sql(?)", [text]).fetchone()
    assert answer is not None
    tree = msgspec.json.decode(answer[0])
    if tree.get("error"):
        raise StatementRefused(f"only SELECT is answered: {tree.get('error_message', '')}")
    return tree


def _require_readable(connection: DuckDBPyConnection, tree: Any) -> None:
    objects = list(_objects(tree))
    ctes = {str(entry["key"]).lower() for item in objects for entry in _ctes(item)}
    _require_free(connection, ctes)
    for item in objects:
        kind = str(item.get("type", ""))
        if kind.endswith("_NODE"):
            if kind not in _NODES:
                raise StatementRefused(f"only reading is answered, not {kind}")
        # Of the objects with a type, expressions have a class and what stands in FROM an alias.
        elif "alias" in item and "class" not in item:
            _require_table(item, kind, NAMES | ctes)
        if "function_name" in item:
            _require_function(item)


def _require_table(item: dict[str, Any], kind: str, tables: frozenset[str]) -> None:
    if kind not in _TABLES:
        raise StatementRefused(f"{kind} is not answered: use SELECT on the audit's views")
    if kind == "BASE_TABLE":
        path = item["qualified_name"]["path"]
        if len(path) != 1 or str(path[0]).lower() not in tables:
            named = ".".join(str(part) for part in path)
            raise StatementRefused(
                f"there is no view {named!r} here: there are {', '.join(sorted(NAMES))}"
            )
    if kind == "TABLE_FUNCTION":
        name = str(item["function"].get("function_name")).lower()
        if name not in TABLE_FUNCTIONS:
            raise StatementRefused(
                f"table function {name!r} is not answered: there are "
                + ", ".join(sorted(TABLE_FUNCTIONS))
            )


def _require_function(item: dict[str, Any]) -> None:
    path = [str(part).lower() for part in item["qualified_name"]["path"]]
    if len(path) != 1:
        raise StatementRefused(f"name function {path[-1]!r} without its schema")
    if path[0] in FORBIDDEN_FUNCTIONS or path[0].startswith(("duckdb_", "pragma_", "pg_", "__")):
        raise StatementRefused(f"function {path[0]!r} is not answered")


def _require_free(connection: DuckDBPyConnection, ctes: set[str]) -> None:
    """A name that means a table of the system outside the CTE's own scope must not be let in."""
    taken = {
        str(row[0]).lower()
        for row in connection.execute(
            "SELECT view_name FROM duckdb_views() UNION ALL SELECT table_name FROM duckdb_tables()"
        ).fetchall()
    }
    for name in sorted(ctes):
        if name in taken | NAMES or not name.replace("_", "a").isalnum():
            raise StatementRefused(f"call the common table expression {name!r} something else")


def _ctes(node: dict[str, Any]) -> list[dict[str, Any]]:
    cte_map = node.get("cte_map")
    return list(cte_map.get("map", [])) if isinstance(cte_map, dict) else []


def _objects(tree: Any) -> Iterator[dict[str, Any]]:
    stack = [tree]
    while stack:
        item = stack.pop()
        if isinstance(item, dict):
            yield item
            stack.extend(item.values())
        elif isinstance(item, list):
            stack.extend(item)
