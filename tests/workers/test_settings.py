"""Settings: precedence, origins, refusals that name what is wrong."""

from __future__ import annotations

import stat
from pathlib import Path

import msgspec
import pytest

from domain.policies.settling import settle_of
from domain.settings import DEFAULT_POLICY, PolicySettings
from workers.declared_settings import DECLARED
from workers.keys import embedded_users, ensure_keys, server_password
from workers.settings import SettingError, Settings, describe, resolve

ROOT = Path(__file__).parents[2]


def test_flags_win_over_environment_over_file_over_defaults(tmp_path: Path) -> None:
    (tmp_path / "memoryweave.toml").write_text(
        'host = "127.0.0.3"\nport = 1003\nlog = "three"\ntime_zone = "Asia/Shanghai"\n'
    )
    resolved = resolve(
        {"data": str(tmp_path), "host": "127.0.0.1", "port": None},
        {"MEMORYWEAVE_HOST": "127.0.0.2", "MEMORYWEAVE_PORT": "1002", "MEMORYWEAVE_LOG": "two"},
    )
    settings, origins = resolved.settings, resolved.origins
    assert (settings.host, origins["host"]) == ("127.0.0.1", "flag")
    assert (settings.port, origins["port"]) == (1002, "environment")
    assert (settings.log, origins["log"]) == ("two", "environment")
    assert (settings.time_zone, origins["time_zone"]) == ("Asia/Shanghai", "file")
    assert (settings.embed_model, origins["embed_model"]) == ("bge-m3", "default")
    assert origins["data"] == "flag"


def test_the_file_is_found_in_the_directory_that_the_environment_names(tmp_path: Path) -> None:
    (tmp_path / "memoryweave.toml").write_text('[cors]\norigins = ["https://a.example"]\n')
    resolved = resolve({}, {"MEMORYWEAVE_DATA": str(tmp_path)})
    assert resolved.settings.cors_origins == ("https://a.example",)
    assert resolved.origins["cors_origins"] == "file"


def test_every_number_of_policy_can_be_set_and_says_by_whom(tmp_path: Path) -> None:
    (tmp_path / "memoryweave.toml").write_text(
        "[policy]\nretention_floor = 0.2\nquality_votes_needed = 7\nrecency_rate = 1\n"
    )
    resolved = resolve({"data": str(tmp_path)}, {"MEMORYWEAVE_POLICY_QUALITY_VOTES_NEEDED": "9"})
    assert resolved.settings.policy == PolicySettings(
        retention_floor=0.2, quality_votes_needed=9, recency_rate=1.0
    )
    shown = {i.name: (i.value, i.origin) for i in describe(resolved)}
    assert shown["policy.retention_floor"] == (0.2, "file")
    assert shown["policy.quality_votes_needed"] == (9, "environment")
    assert shown["policy.trust_owner_edit"] == (1.0, "default")


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("retention_floor = 1.5", "policy.retention_floor"),
        ("retention_floor = 'much'", "policy.retention_floor"),
        ("content_max_bytes = 65537", "policy.content_max_bytes"),
        ("attempts_on_conflict = 0", "policy.attempts_on_conflict"),
        ("retention_flour = 0.1", "policy.retention_flour"),
    ],
)
def test_a_bad_number_of_policy_is_refused_by_name(tmp_path: Path, line: str, named: str) -> None:
    (tmp_path / "memoryweave.toml").write_text(f"[policy]\n{line}\n")
    with pytest.raises(SettingError, match=named):
        resolve({"data": str(tmp_path)}, {})


def test_a_list_in_the_environment_is_separated_by_commas(tmp_path: Path) -> None:
    resolved = resolve(
        {"data": str(tmp_path)},
        {"MEMORYWEAVE_CORS_ORIGINS": "https://a.example, https://b.example"},
    )
    assert resolved.settings.cors_origins == ("https://a.example", "https://b.example")


@pytest.mark.parametrize(
    ("told", "meant"),
    [
        ("confirm", {"*": "confirm"}),
        ("hermes-main = confirm, a.b=auto", {"hermes-main": "confirm", "a.b": "auto"}),
        ("*=confirm,shared=auto", {"*": "confirm", "shared": "auto"}),
    ],
)
def test_namespaces_are_told_how_to_settle_by_a_variable(
    tmp_path: Path, told: str, meant: dict[str, str]
) -> None:
    resolved = resolve({"data": str(tmp_path)}, {"MEMORYWEAVE_SETTLE": told})
    assert resolved.settings.settle == meant


def test_namespaces_are_told_how_to_settle_by_a_table(tmp_path: Path) -> None:
    (tmp_path / "memoryweave.toml").write_text(
        '[settle]\nshared = "auto"\n"team.ops" = "confirm"\n"*" = "confirm"\n'
    )
    resolved = resolve({"data": str(tmp_path)}, {})
    shown = {item.name: (item.value, item.origin) for item in describe(resolved)}
    told = {"shared": "auto", "team.ops": "confirm", "*": "confirm"}
    assert shown["settle"] == (told, "file")
    settled = {place: settle_of(place, resolved.settings.settle) for place in ("shared", "any")}
    assert settled == {"shared": "auto", "any": "confirm"}
    assert settle_of("any", {}) == settle_of("any", Settings(data=tmp_path).settle) == "auto"


def test_an_empty_variable_counts_as_not_given(tmp_path: Path) -> None:
    resolved = resolve({"data": str(tmp_path)}, {"REDIS_URL": "", "MEMORYWEAVE_PORT": ""})
    assert resolved.settings.redis_url is None
    assert resolved.origins["port"] == "default"


@pytest.mark.parametrize(
    ("environment", "named"),
    [
        ({"MEMORYWEAVE_PROT": "7821"}, "MEMORYWEAVE_PROT"),
        ({"MEMORYWEAVE_PORT": "http"}, "MEMORYWEAVE_PORT"),
        ({"MEMORYWEAVE_PORT": "70000"}, "MEMORYWEAVE_PORT"),
        ({"MEMORYWEAVE_TIME_ZONE": "Mars/Olympus"}, "MEMORYWEAVE_TIME_ZONE"),
        ({"MEMORYWEAVE_LOG": "a}b"}, "MEMORYWEAVE_LOG"),
        ({"REDIS_URL": "localhost:6379"}, "REDIS_URL"),
        ({"EMBED_ENDPOINT": "ftp://x"}, "EMBED_ENDPOINT"),
        ({"MEMORYWEAVE_METRICS_ACCESS": "yes"}, "MEMORYWEAVE_METRICS_ACCESS"),
        ({"API_KEY": "short"}, "API_KEY"),
        ({"MEMORYWEAVE_SETTLE": "ask"}, "MEMORYWEAVE_SETTLE"),
        ({"MEMORYWEAVE_SETTLE": "not a name=auto"}, "MEMORYWEAVE_SETTLE"),
        ({"MEMORYWEAVE_MEMORY_LANGUAGE": "fr"}, "MEMORYWEAVE_MEMORY_LANGUAGE"),
        ({"LLM_DAILY_CALLS": "-1"}, "LLM_DAILY_CALLS"),
        ({"API_KEY": "k" * 20, "OWNER_KEY": "k" * 20}, "OWNER_KEY"),
    ],
)
def test_a_bad_or_unknown_variable_is_refused_by_name(
    tmp_path: Path, environment: dict[str, str], named: str
) -> None:
    with pytest.raises(SettingError) as refused:
        resolve({"data": str(tmp_path)}, environment)
    assert str(refused.value).startswith(named)
    assert "short" not in str(refused.value)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("prot = 7821\n", "prot in"),
        ("[cors]\norigin = []\n", "cors.origin in"),
        ('port = "7821"\n', "port"),
        ("[embed]\nmodel = 3\n", "embed.model"),
        ('data = "elsewhere"\n', "data in"),
        ("port = = 1\n", "memoryweave.toml"),
    ],
)
def test_a_bad_or_unknown_line_of_the_file_is_refused_by_name(
    tmp_path: Path, text: str, named: str
) -> None:
    (tmp_path / "memoryweave.toml").write_text(text)
    with pytest.raises(SettingError, match=named.replace(".", r"\.")):
        resolve({"data": str(tmp_path)}, {})


def test_an_address_that_others_can_reach_needs_tls_or_a_proxy(tmp_path: Path) -> None:
    flags = {"data": str(tmp_path), "host": "0.0.0.0"}
    with pytest.raises(SettingError, match="host"):
        resolve(flags, {})
    assert resolve(flags | {"behind_proxy": True}, {}).settings.behind_proxy
    with pytest.raises(SettingError, match="tls"):
        resolve(flags | {"tls_certificate": str(tmp_path / "absent.pem")}, {})
    for name in ("chain.pem", "key.pem"):
        (tmp_path / name).write_text("")
    tls = {"tls_certificate": str(tmp_path / "chain.pem"), "tls_key": str(tmp_path / "key.pem")}
    assert resolve(flags | tls, {}).settings.host == "0.0.0.0"
    for host in ("127.0.0.5", "::1", "localhost"):
        assert resolve(flags | {"host": host}, {}).settings.host == host


def test_secrets_and_passwords_are_masked_when_shown(tmp_path: Path) -> None:
    resolved = resolve(
        {"data": str(tmp_path)},
        {"API_KEY": "canary-admin-key-1", "REDIS_URL": "redis://u:canary-pass@h:6379/0"},
    )
    shown = {item.name: item.value for item in describe(resolved)}
    assert shown["api_key"] == "***"
    assert shown["owner_key"] is None
    assert shown["redis_url"] == "redis://u:***@h:6379/0"
    assert "canary" not in repr(shown)


def test_every_setting_is_declared_and_documented() -> None:
    policy = {f"policy.{name}" for name in PolicySettings.__struct_fields__}
    declared = {declared.field for declared in DECLARED}
    assert declared == (set(Settings.__struct_fields__) - {"policy"}) | policy
    page = (ROOT / "docs" / "settings.md").read_text("utf-8")
    assert settings_table() in page, "docs/settings.md: the table must read\n" + settings_table()


def settings_table() -> str:
    """The table of docs/settings.md, from the declarations."""
    defaults = dict(
        zip(
            Settings.__struct_fields__[-len(Settings.__struct_defaults__) :],
            Settings.__struct_defaults__,
            strict=True,
        )
    ) | {"data": "data", "settle": Settings(data=ROOT).settle["*"]}
    defaults |= {f"policy.{k}": v for k, v in msgspec.structs.asdict(DEFAULT_POLICY).items()}
    rows = [
        "| in the file | variable | flag | default | meaning |",
        "| --- | --- | --- | --- | --- |",
    ]
    for declared in DECLARED:
        default = defaults[declared.field]
        shown = {"None": "", "()": "none", "True": "true", "False": "false"}.get(
            repr(default), default
        )
        cells = (declared.key, declared.variable, declared.flag, shown, declared.meaning)
        rows.append(
            "| "
            + " | ".join(f"`{c}`" if c and i < 3 else str(c or "") for i, c in enumerate(cells))
            + " |"
        )
    return "\n".join(rows)


def test_keys_are_made_once_kept_with_mode_600_and_belong_to_the_node(tmp_path: Path) -> None:
    first = ensure_keys(resolve({"data": str(tmp_path / "node")}, {}))
    assert first.made == ("API_KEY", "OWNER_KEY", "NODE_SECRET")
    assert stat.S_IMODE(first.path.stat().st_mode) == 0o600
    assert len({first.keys.api_key, first.keys.owner_key, first.keys.secret}) == 3
    assert first.resolved.settings.api_key == first.keys.api_key
    assert first.resolved.origins["owner_key"] == "generated"
    assert first.keys.api_key not in repr(first.keys)

    second = ensure_keys(resolve({"data": str(tmp_path / "node")}, {}))
    assert second.made == ()
    assert second.keys == first.keys


def test_a_keys_file_of_before_gets_the_passwords_of_the_embedded_servers(tmp_path: Path) -> None:
    ring = ensure_keys(resolve({"data": str(tmp_path)}, {}))
    before = ring.path.read_text()
    assert server_password(tmp_path, "log", "writer") is None

    users = embedded_users(ring.resolved.settings)
    assert [user.name for user in users["log"]] == ["writer", "reader", "archiver", "admin"]
    assert [user.name for user in users["volatile"]] == ["writer", "admin"]
    assert ring.path.read_text().startswith(before)
    assert stat.S_IMODE(ring.path.stat().st_mode) == 0o600
    assert server_password(tmp_path, "log", "writer") == users["log"][0].password
    assert len({user.password for of_server in users.values() for user in of_server}) == 6
    assert users["log"][0].password not in repr(users)

    assert embedded_users(ring.resolved.settings) == users
    assert ensure_keys(resolve({"data": str(tmp_path)}, {})).keys == ring.keys


def test_a_given_key_is_used_and_not_written_down(tmp_path: Path) -> None:
    ring = ensure_keys(resolve({"data": str(tmp_path)}, {"API_KEY": "given-by-the-owner"}))
    assert ring.keys.api_key == "given-by-the-owner"
    assert ring.made == ("OWNER_KEY", "NODE_SECRET")
    assert "given-by-the-owner" not in ring.path.read_text()
    assert ring.resolved.origins["api_key"] == "environment"


def test_a_key_file_that_others_can_read_is_refused(tmp_path: Path) -> None:
    ring = ensure_keys(resolve({"data": str(tmp_path)}, {}))
    ring.path.chmod(0o644)
    with pytest.raises(SettingError, match="chmod 600"):
        ensure_keys(resolve({"data": str(tmp_path)}, {}))
