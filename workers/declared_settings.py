"""Where each setting may be given, and what it means: the rows of docs/settings.md."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from domain.settings import MEANING, PolicySettings

PREFIX: Final = "MEMORYWEAVE_"
POLICY: Final = "policy."


class Declared(Struct, frozen=True):
    """Where one setting may be given. ``key`` is its dotted name in the file, None: not there."""

    field: str
    variable: str
    key: str | None
    flag: str | None
    meaning: str
    secret: bool = False


def _declare_archive() -> Iterator[Declared]:
    """Declare what the archive can be told, as ``archive.<name>``."""
    yield Declared(
        "archive_location",
        f"{PREFIX}ARCHIVE_LOCATION",
        "archive.location",
        "--archive-location",
        "folder or URI (pyarrow's file systems) of the archive; none: data/archive",
    )
    for name, meaning in (
        ("trim", "trim the log once it is archived"),
        ("segment_events", "close a segment at so many events"),
        ("segment_s", "close a segment when its first event is so many seconds old"),
        ("hot_window", "newest events that stay in the log server"),
        ("hold_events", "a reader so many events behind holds trimming back no more"),
        ("hold_s", "a reader not seen for so many seconds holds trimming back no more"),
    ):
        variable = f"{PREFIX}ARCHIVE_{name}".upper()
        yield Declared(f"archive_{name}", variable, f"archive.{name}", None, meaning)


def _declare_distillation() -> Iterator[Declared]:
    """Declare what turns talk into memories, as ``distill.<name>`` and beside it."""
    for field, key, meaning in (
        ("distill_by", "distill.by", "auto: the language model where there is one; rules; off"),
        ("distill_batch", "distill.batch", "distil when so many episodes wait"),
        ("distill_wait_s", "distill.wait_s", "or so many seconds after the last time"),
        ("distill_queue", "distill.queue", "episodes of one session that may wait"),
        ("settle", "settle", "auto or confirm, by namespace; * is any other (distillation.md)"),
        ("memory_language", "memory.language", "language of distilled memories: source, zh or en"),
    ):
        yield Declared(field, f"{PREFIX}{field}".upper(), key, None, meaning)
    for name, meaning in (
        ("daily_calls", "distillations by the language model a day, in time_zone"),
        ("sunday_calls", "more of them on Sunday, for consolidation"),
    ):
        yield Declared(f"llm_{name}", f"LLM_{name}".upper(), f"llm.{name}", None, meaning)


def _declare_policy() -> Iterator[Declared]:
    """Declare each number of policy as ``policy.<name>``."""
    for name in PolicySettings.__struct_fields__:
        variable = f"{PREFIX}{POLICY}{name}".upper().replace(".", "_")
        yield Declared(f"{POLICY}{name}", variable, f"{POLICY}{name}", None, MEANING[name])


DECLARED: Final = (
    Declared("data", "MEMORYWEAVE_DATA", None, "--data", "the node's directory"),
    Declared("host", "MEMORYWEAVE_HOST", "host", "--host", "address the API listens on"),
    Declared("port", "MEMORYWEAVE_PORT", "port", "--port", "port the API listens on"),
    Declared(
        "behind_proxy",
        "MEMORYWEAVE_BEHIND_PROXY",
        "behind_proxy",
        "--behind-proxy",
        "a proxy in front ends TLS, so another address than loopback may be listened on",
    ),
    Declared(
        "role",
        "MEMORYWEAVE_ROLE",
        "role",
        "--role",
        "primary: takes commands; replica: answers reads, passes commands on (replicas.md)",
    ),
    Declared(
        "primary",
        "MEMORYWEAVE_PRIMARY",
        "primary",
        "--primary",
        "URL that a replica passes commands on to; none: what primaries say in the log server",
    ),
    Declared(
        "public_url",
        "MEMORYWEAVE_PUBLIC_URL",
        "public_url",
        "--public-url",
        "URL at which other nodes reach this one; none: made of host and port",
    ),
    Declared(
        "tls_certificate",
        "MEMORYWEAVE_TLS_CERTIFICATE",
        "tls.certificate",
        "--tls-certificate",
        "PEM file with the certificate chain",
    ),
    Declared("tls_key", "MEMORYWEAVE_TLS_KEY", "tls.key", "--tls-key", "PEM file with its key"),
    Declared("api_key", "API_KEY", "api_key", None, "the admin's key", secret=True),
    Declared("owner_key", "OWNER_KEY", "owner_key", None, "the owner's key", secret=True),
    Declared("log", "MEMORYWEAVE_LOG", "log", "--log", "name of the log (one per tenant)"),
    Declared(
        "redis_url",
        "REDIS_URL",
        "redis_url",
        "--redis-url",
        "Redis ≥ 7 or Valkey ≥ 8 that holds the log; without it an embedded server does",
    ),
    Declared(
        "volatile_url",
        "VOLATILE_URL",
        "volatile_url",
        "--volatile-url",
        "server for what may be lost (rate buckets, caches); without it an embedded one",
    ),
    Declared(
        "allow_volatile",
        "MEMORYWEAVE_ALLOW_VOLATILE",
        "allow_volatile",
        "--allow-volatile",
        "start although the log server may lose what it acknowledged; /health says so",
    ),
    Declared(
        "embed_endpoint",
        "EMBED_ENDPOINT",
        "embed.endpoint",
        None,
        "OpenAI-compatible base URL for embeddings; without it the bundled model",
    ),
    Declared("embed_model", "EMBED_MODEL", "embed.model", None, "model asked for at the endpoint"),
    Declared(
        "embed_dimension",
        "EMBED_DIMENSION",
        "embed.dimension",
        None,
        "length of that model's vectors",
    ),
    Declared(
        "embed_api_key",
        "EMBED_API_KEY",
        "embed.api_key",
        None,
        "bearer token for the endpoint",
        secret=True,
    ),
    Declared(
        "rerank_endpoint",
        "RERANK_ENDPOINT",
        "rerank.endpoint",
        None,
        "base URL of a server with /v1/rerank that reorders what recall found; none: no reranking",
    ),
    Declared(
        "rerank_model", "RERANK_MODEL", "rerank.model", None, "model asked for at that endpoint"
    ),
    Declared(
        "rerank_api_key",
        "RERANK_API_KEY",
        "rerank.api_key",
        None,
        "bearer token for that endpoint",
        secret=True,
    ),
    Declared(
        "llm_endpoint",
        "LLM_ENDPOINT",
        "llm.endpoint",
        None,
        "OpenAI-compatible base URL for chat completions; without it no language model is used",
    ),
    Declared("llm_model", "LLM_MODEL", "llm.model", None, "model asked for at that endpoint"),
    Declared(
        "llm_api_key",
        "LLM_API_KEY",
        "llm.api_key",
        None,
        "bearer token for that endpoint",
        secret=True,
    ),
    Declared(
        "llm_timeout_s", "LLM_TIMEOUT_S", "llm.timeout_s", None, "seconds that an answer may take"
    ),
    *_declare_distillation(),
    Declared(
        "time_zone",
        "MEMORYWEAVE_TIME_ZONE",
        "time_zone",
        None,
        "zone that days are cut in: the daily backup, the language model's budget",
    ),
    Declared(
        "cors_origins",
        "MEMORYWEAVE_CORS_ORIGINS",
        "cors.origins",
        None,
        "origins whose pages may call the API (in the environment: separated by commas)",
    ),
    Declared(
        "metrics_access",
        "MEMORYWEAVE_METRICS_ACCESS",
        "metrics.access",
        None,
        "/metrics: open, admin (key needed), auto (open on loopback only)",
    ),
    Declared(
        "schema_access",
        "MEMORYWEAVE_SCHEMA_ACCESS",
        "schema.access",
        None,
        "/schema: open, admin (key needed), auto (open on loopback only)",
    ),
    Declared(
        "cross_namespace_reads",
        "MEMORYWEAVE_CROSS_NAMESPACE_READS",
        "cross_namespace_reads",
        None,
        "what agents may read of others: granted (a grant is needed) or any they name",
    ),
    Declared(
        "recall_log",
        "MEMORYWEAVE_RECALL_LOG",
        "recall_log",
        None,
        "which recalls are written into the log: all, sampled (one in ten) or off",
    ),
    Declared(
        "concurrent_searches",
        "MEMORYWEAVE_CONCURRENT_SEARCHES",
        "concurrent_searches",
        None,
        "searches that one API process runs at a time",
    ),
    Declared(
        "log_level", "MEMORYWEAVE_LOG_LEVEL", "log_level", "--log-level", "least level printed"
    ),
    *_declare_archive(),
    Declared(
        "backup_daily",
        "MEMORYWEAVE_BACKUP_DAILY",
        "backup.daily",
        None,
        "make a backup every day, in data/backups",
    ),
    Declared(
        "backup_hour",
        "MEMORYWEAVE_BACKUP_HOUR",
        "backup.hour",
        None,
        "hour from which the day's backup is made, in time_zone",
    ),
    *_declare_policy(),
)
