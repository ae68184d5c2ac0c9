"""Log lines: one JSON object each, to stderr, with no secret and nothing that people wrote."""

from __future__ import annotations

import logging
import sys
from typing import Any, Final, TextIO

import structlog

MASK: Final = "***"
# A last line of defence: no caller should pass these, and none gets through.
_NEVER_LOGGED: Final = frozenset(
    {
        "api_key", "authorization", "body", "content", "key", "key_hash", "message", "metadata",
        "owner_key", "password", "query", "reason_text", "secret", "speaker", "statement", "text",
        "token", "x_api_key",
    }
)  # fmt: skip


def set_up_logging(process: str, level: str, stream: TextIO | None = None) -> None:
    """Send this process's log lines, also those of libraries, as JSON to ``stream`` (stderr).

    ``process`` is the name that every line carries; ``level`` the least level written.
    """

    def named(_logger: Any, _method: str, line: dict[str, Any]) -> dict[str, Any]:
        # Not a context variable: a thread that the process starts would not have it.
        line.setdefault("process", process)
        return line

    shared: list[Any] = [
        structlog.contextvars.merge_contextvars,
        named,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        _mask,
    ]
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *shared,
            structlog.processors.format_exc_info,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[*shared, structlog.processors.format_exc_info],
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.EventRenamer("event"),
                structlog.processors.JSONRenderer(sort_keys=True),
            ],
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level.upper())
    for chatty in ("httpx", "httpcore"):  # these log URLs, and a URL may hold a query
        logging.getLogger(chatty).setLevel(logging.WARNING)


def _mask(_logger: Any, _method: str, line: dict[str, Any]) -> dict[str, Any]:
    for name in line.keys() & _NEVER_LOGGED:
        line[name] = MASK
    return line
