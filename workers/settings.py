"""What a node is told, and by whom: flags > environment > memoryweave.toml > defaults.

`resolve` is the only place where settings are read. Every value keeps its origin; an unknown name
or a bad value is a `SettingError` that names it. Docs: docs/settings.md (a test keeps it true).
"""

from __future__ import annotations

import ipaddress
import tomllib
from collections.abc import Mapping
from operator import attrgetter
from pathlib import Path
from typing import Annotated, Any, Final, Literal
from urllib.parse import urlsplit, urlunsplit

import msgspec
from msgspec import Meta, Struct, field

from domain.policies.settling import ANY_NAMESPACE, UNLESS_TOLD, Settle
from domain.settings import DEFAULT_POLICY, PolicySettings
from eventlog.archive.rules import ArchiveRules
from memoryweave import contract
from workers.declared_settings import DECLARED, POLICY, PREFIX, Declared

Origin = Literal["flag", "environment", "file", "default", "generated"]
Access = Literal["auto", "open", "admin"]
Role = Literal["primary", "replica"]
SettledPlace = Annotated[str, Meta(pattern=r"^(\*|[A-Za-z0-9][A-Za-z0-9._-]{0,127})$")]

FILE_NAME: Final = "memoryweave.toml"
MASK: Final = "***"
# What is one value although TOML writes it as a table.
_TABLES: Final = frozenset({"settle"})
# Read by tests, `memoryweave demo` and `memoryweave eval`; not settings of a node.
_NOT_SETTINGS: Final = frozenset(
    {
        "MEMORYWEAVE_EVAL_DATA",
        "MEMORYWEAVE_EVAL_VECTORS",
        "MEMORYWEAVE_BENCH_CACHE",
        "MEMORYWEAVE_KEY",
        "MEMORYWEAVE_URL",
    }
)


class SettingError(Exception):
    """A setting that is unknown or has a bad value; the message names it and says what to do."""

    def __init__(self, name: str, message: str) -> None:
        super().__init__(f"{name}: {message}")
        self.name = name


_RULES: Final = ArchiveRules()


class Settings(Struct, frozen=True, kw_only=True):
    """Every setting of a node. Paths are absolute; ``None`` means not given."""

    data: Path
    host: str = "127.0.0.1"
    port: Annotated[int, Meta(ge=0, le=65535)] = 7821
    behind_proxy: bool = False
    role: Role = "primary"
    primary: str | None = None
    public_url: str | None = None
    tls_certificate: Path | None = None
    tls_key: Path | None = None
    api_key: Annotated[str, Meta(min_length=16)] | None = None
    owner_key: Annotated[str, Meta(min_length=16)] | None = None
    log: Annotated[str, Meta(pattern=r"^[a-z0-9][a-z0-9_-]{0,62}$")] = "main"
    redis_url: str | None = None
    volatile_url: str | None = None
    allow_volatile: bool = False
    embed_endpoint: str | None = None
    embed_model: str = "bge-m3"
    embed_dimension: Annotated[int, Meta(ge=1, le=65536)] = 1024
    embed_api_key: str | None = None
    rerank_endpoint: str | None = None
    rerank_model: str = "bge-reranker-v2-m3"
    rerank_api_key: str | None = None
    llm_endpoint: str | None = None
    llm_model: str | None = None
    llm_api_key: str | None = None
    llm_timeout_s: Annotated[float, Meta(gt=0)] = 60.0
    llm_daily_calls: Annotated[int, Meta(ge=0)] = 50
    llm_sunday_calls: Annotated[int, Meta(ge=0)] = 20
    distill_by: Literal["auto", "rules", "off"] = "auto"
    distill_batch: Annotated[int, Meta(ge=1, le=500)] = 10
    distill_wait_s: Annotated[float, Meta(ge=0)] = 300.0
    distill_queue: Annotated[int, Meta(ge=1)] = 50
    settle: dict[SettledPlace, Settle] = field(default_factory=lambda: {ANY_NAMESPACE: UNLESS_TOLD})
    memory_language: Literal["source", "zh", "en"] = "source"
    time_zone: str = "UTC"
    cors_origins: tuple[str, ...] = ()
    metrics_access: Access = "auto"
    schema_access: Access = "auto"
    cross_namespace_reads: Literal["granted", "any"] = "granted"
    recall_log: Literal["all", "sampled", "off"] = "all"
    concurrent_searches: Annotated[int, Meta(ge=1, le=1024)] = 4
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    archive_location: str | None = None
    archive_trim: bool = True
    archive_segment_events: Annotated[int, Meta(ge=1)] = _RULES.segment_events
    archive_segment_s: Annotated[float, Meta(gt=0)] = _RULES.segment_age_s
    archive_hot_window: Annotated[int, Meta(ge=0)] = _RULES.hot_window
    archive_hold_events: Annotated[int, Meta(ge=0)] = _RULES.hold_events
    archive_hold_s: Annotated[float, Meta(ge=0)] = _RULES.hold_s
    backup_daily: bool = True
    backup_hour: Annotated[int, Meta(ge=0, le=23)] = 3
    policy: PolicySettings = DEFAULT_POLICY


_BY_FIELD: Final = {declared.field: declared for declared in DECLARED}


class Resolved(Struct, frozen=True):
    """The settings in force and, per field name, who gave each."""

    settings: Settings
    origins: dict[str, Origin]


def resolve(flags: Mapping[str, Any], environment: Mapping[str, str]) -> Resolved:
    """Give the settings in force.

    ``flags`` maps field names to what the command line gave (None: not given). An empty variable
    counts as not given. Raises `SettingError`.
    """
    given: dict[str, tuple[Any, Origin]] = {}
    from_environment = _read_environment(environment)
    data = flags.get("data") or from_environment.get("data") or "data"
    file = Path(data).absolute() / FILE_NAME
    sources: tuple[tuple[Origin, dict[str, Any]], ...] = (
        ("file", _read_file(file)),
        ("environment", from_environment),
        ("flag", {k: v for k, v in flags.items() if k in _BY_FIELD and v is not None}),
    )
    for origin, source in sources:
        given |= {field: (value, origin) for field, value in source.items()}
    given.setdefault("data", ("data", "default"))
    values = {field: _convert(field, value, origin) for field, (value, origin) in given.items()}
    policy = {f.removeprefix(POLICY): values.pop(f) for f in list(values) if f.startswith(POLICY)}
    settings = Settings(**values, policy=PolicySettings(**policy))
    _check_together(settings)
    return Resolved(
        settings, {d.field: given[d.field][1] if d.field in given else "default" for d in DECLARED}
    )


def describe(resolved: Resolved) -> list[contract.SettingItem]:
    """List every setting for people: secrets and passwords in URLs masked."""
    return [
        contract.SettingItem(
            name=declared.key or declared.field,
            value=_shown(attrgetter(declared.field)(resolved.settings), secret=declared.secret),
            origin=resolved.origins[declared.field],
        )
        for declared in DECLARED
    ]


def is_loopback(host: str) -> bool:
    """Tell whether only this machine can reach an address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _read_environment(environment: Mapping[str, str]) -> dict[str, Any]:
    known = {declared.variable: declared.field for declared in DECLARED}
    for variable in environment:
        if variable.startswith(PREFIX) and variable not in known | dict.fromkeys(_NOT_SETTINGS):
            raise SettingError(variable, "there is no such setting; see docs/settings.md")
    return {
        field: environment[variable]
        for variable, field in known.items()
        if environment.get(variable)
    }


def _read_file(path: Path) -> dict[str, Any]:
    try:
        text = path.read_text("utf-8")
    except FileNotFoundError:
        return {}
    try:
        tree = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SettingError(str(path), f"is not valid TOML: {error}") from error
    known = {declared.key: declared.field for declared in DECLARED if declared.key}
    found: dict[str, Any] = {}
    for key, value in _flatten(tree):
        if key not in known:
            raise SettingError(f"{key} in {path}", "there is no such setting; see docs/settings.md")
        found[known[key]] = value
    return found


def _flatten(tree: dict[str, Any], prefix: str = "") -> list[tuple[str, Any]]:
    flat: list[tuple[str, Any]] = []
    for name, value in tree.items():
        if isinstance(value, dict) and prefix + name not in _TABLES:
            flat += _flatten(value, f"{prefix}{name}.")
        else:
            flat.append((prefix + name, value))
    return flat


def _convert(field: str, value: Any, origin: Origin) -> Any:
    declared = _BY_FIELD[field]
    owner = PolicySettings if field.startswith(POLICY) else Settings
    name = field.removeprefix(POLICY)
    kind = next(f.type for f in msgspec.structs.fields(owner) if f.name == name)
    if isinstance(value, str) and field == "cors_origins":
        value = _parts(value)
    if isinstance(value, str) and field == "settle":
        value = _by_namespace(value)
    if field in {"data", "tls_certificate", "tls_key"}:
        return _path(declared, value, origin)
    try:
        converted = msgspec.convert(value, kind, strict=origin == "file")
    except msgspec.ValidationError as error:
        # The message of a secret's error must not carry the secret; msgspec's never does.
        raise SettingError(_place(declared, origin), str(error)) from error
    _check_alone(declared, converted, origin)
    return converted


def _parts(value: str) -> list[str]:
    return [part.strip() for part in value.split(",") if part.strip()]


def _by_namespace(value: str) -> dict[str, str]:
    """Read ``confirm``, or ``hermes-main=confirm,*=auto``."""
    words = (part.rpartition("=") for part in _parts(value))
    return {place.strip() or ANY_NAMESPACE: word.strip() for place, _, word in words}


def _path(declared: Declared, value: Any, origin: Origin) -> Path:
    if not isinstance(value, str | Path):
        raise SettingError(_place(declared, origin), f"expected a path, got {value!r}")
    return Path(value).expanduser().absolute()


def _place(declared: Declared, origin: Origin) -> str:
    names = {"environment": declared.variable, "flag": declared.flag, "file": declared.key}
    return names.get(origin) or declared.field


def _check_alone(declared: Declared, value: Any, origin: Origin) -> None:
    if declared.field == "time_zone":
        from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

        try:
            ZoneInfo(value)
        except (ZoneInfoNotFoundError, ValueError) as error:
            raise SettingError(
                _place(declared, origin), f"no time zone {value!r}; write one like Asia/Shanghai"
            ) from error
    schemes = {
        "redis_url": ("redis", "rediss", "unix", "valkey", "valkeys"),
        "volatile_url": ("redis", "rediss", "unix", "valkey", "valkeys"),
        "embed_endpoint": ("http", "https"),
        "rerank_endpoint": ("http", "https"),
        "llm_endpoint": ("http", "https"),
        "primary": ("http", "https"),
        "public_url": ("http", "https"),
    }.get(declared.field)
    if schemes and value is not None and urlsplit(value).scheme not in schemes:
        raise SettingError(
            _place(declared, origin),
            f"{_mask_password(value)!r} is not a URL that starts with {', '.join(schemes)}",
        )


def _check_together(settings: Settings) -> None:
    if (settings.tls_certificate is None) != (settings.tls_key is None):
        raise SettingError("tls", "certificate and key are needed together")
    for name in ("tls_certificate", "tls_key"):
        path = getattr(settings, name)
        if path is not None and not path.is_file():
            raise SettingError(name.replace("_", "."), f"there is no file {path}")
    if settings.llm_endpoint is not None and settings.llm_model is None:
        raise SettingError("LLM_MODEL", "say which model is asked for at LLM_ENDPOINT")
    if settings.api_key is not None and settings.api_key == settings.owner_key:
        raise SettingError("OWNER_KEY", "must differ from API_KEY: they open different doors")
    if settings.role == "replica":
        _check_replica(settings)
    if not (is_loopback(settings.host) or settings.behind_proxy or settings.tls_certificate):
        raise SettingError(
            "host",
            f"{settings.host} can be reached from other machines and there is no TLS: give "
            "--tls-certificate and --tls-key, or --behind-proxy if a proxy in front ends TLS",
        )


def _check_replica(settings: Settings) -> None:
    if settings.redis_url is None:
        raise SettingError("REDIS_URL", "a replica needs the address of the log that it follows")
    if settings.primary is not None and settings.primary == settings.public_url:
        raise SettingError("primary", f"{settings.primary} is this replica itself")


def _shown(value: Any, *, secret: bool) -> Any:
    if value is None:
        return None
    if secret:
        return MASK
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, tuple):
        return list(value)
    return _mask_password(value) if isinstance(value, str) else value


def _mask_password(url: str) -> str:
    parts = urlsplit(url) if "://" in url else None
    if parts is None or parts.password is None:
        return url
    host = parts.netloc.rsplit("@", 1)[1]
    return urlunsplit(parts._replace(netloc=f"{parts.username or ''}:{MASK}@{host}"))
