"""What the scripts in the log server may and may not do."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from eventlog import scripts
from eventlog.scripts import Script
from tests.eventlog.entries import an_entry, new_command
from tests.servers import LogServer

ROOT = Path(__file__).parents[2]
PRODUCTION = ["domain", "eventlog", "commands", "projections", "queries", "workers", "api"]
NAMING = ["acl.py", "rights.py"]
"""These name commands that somebody may send or not, and send none of them."""
FILES = [
    path
    for folder in PRODUCTION
    for path in sorted((ROOT / folder).rglob("*"))
    if path.suffix in (".py", ".lua") and path.name not in NAMING
]
LUA = sorted((ROOT / "eventlog").glob("*.lua"))

DIGESTS = {
    "APPEND": "33c839607061184835df16f4fd1fc61159e48755",
    "BEGIN_EPOCH": "2a915e79341feb217bbff00d093cc0f10c16ed8d",
    "HEAD": "78ea261206e7c9f3fc3d0264795c0b91e3187ffc",
    "LOAD": "f2ca0efe511ef7f5cd591f4404b6486fbab5495a",
    "PUT_SNAPSHOT": "7f2c3baf3f9aea048e47340aaf396eccc4f0dbc1",
    "READ_AGGREGATE": "97351c1f6376c0563acf749be3db7b048b9107ea",
    "READ_SNAPSHOTS": "6198c938c4369ae31345c6410892d9df437836cc",
    "RESERVE_CALL": "dac0002362fd6071c6ed16f49d79fc6a64e16d25",
    "TAKE_LEASE": "4179fed3dae52bbad7a3ed452b75b9c382f275e9",
    "THIN_INDEX": "1cceb6a14ed6e598d402ce702314fc3c503f21f3",
    "TRIM": "2efd792add455ddbf05ceb14d9066978184ecd6a",
}


def code_of(path: Path) -> str:
    """A file's text without comments and docstrings, as far as the checks below need it."""
    text = path.read_text()
    if path.suffix == ".lua":
        return re.sub(r"--.*", "", text)
    text = re.sub(r'"""[\s\S]*?"""', "", text)
    return re.sub(r"(^|\s)#.*", "", text)


@pytest.mark.parametrize("name", DIGESTS)
def test_a_changed_script_is_noticed(name: str) -> None:
    """Servers know a script by its digest: change it here on purpose, or not at all."""
    assert getattr(scripts, name).digest == DIGESTS[name]


def test_every_script_is_loaded_and_pinned() -> None:
    loaded = {name for name, value in vars(scripts).items() if isinstance(value, Script)}
    assert loaded == set(DIGESTS)
    of_admins = {scripts.BEGIN_EPOCH, scripts.LOAD}
    assert {*scripts.OF_SERVICES, *of_admins} == {getattr(scripts, name) for name in DIGESTS}
    assert not of_admins & set(scripts.OF_SERVICES)
    assert len(LUA) == len(DIGESTS)


@pytest.mark.parametrize("path", LUA, ids=lambda path: path.name)
def test_a_script_has_a_shebang_and_neither_clock_nor_chance(path: Path) -> None:
    assert path.read_text().startswith("#!lua")
    for forbidden in ("'TIME'", "random", "os.", "SPOP", "RANDOMKEY", "'KEYS'", "allow-oom"):
        assert forbidden not in code_of(path), forbidden


@pytest.mark.parametrize("path", LUA, ids=lambda path: path.name)
def test_a_script_touches_only_keys_that_it_was_given(path: Path) -> None:
    calls = re.findall(r"redis\.p?call\((.*)", code_of(path))
    assert calls
    for call in calls:
        arguments = [a.strip() for a in call.split(",")]
        key = arguments[2] if arguments[0] == "'XINFO'" else arguments[1]
        assert key.startswith("KEYS["), call


def test_the_first_write_of_the_append_comes_after_the_last_refusal() -> None:
    code = code_of(ROOT / "eventlog" / "append.lua")
    writes = [m.start() for m in re.finditer(r"'(XADD|ZADD|HSET|HSETNX|HDEL|EXPIREAT)'", code)]
    refusals = [m.start() for m in re.finditer(r"return (\{'(?!appended)|others|gone)", code)]
    assert len(writes) >= 6
    assert len(refusals) == 11
    assert max(refusals) < min(writes)


def test_only_an_append_adds_to_the_stream_and_a_restore_to_one_that_is_no_log_yet() -> None:
    adding = [p.name for p in FILES if re.search(r"xadd", code_of(p), re.IGNORECASE)]
    assert adding == ["append.lua", "load.lua"]
    assert "'*'" not in code_of(ROOT / "eventlog" / "append.lua")


@pytest.mark.parametrize(
    "forbidden",
    [r"(?<!deque\()maxlen", r"xdel", r"xgroup", r"xreadgroup", r"xack\b", r"xclaim", r"xautoclaim"],
)
def test_nothing_trims_by_length_or_reads_in_groups(forbidden: str) -> None:
    """Both pass over events that a reader has not seen (docs/decisions/0002)."""
    found = [p.name for p in FILES if re.search(forbidden, code_of(p), re.IGNORECASE)]
    assert found == []


def test_only_the_archiver_trims_and_only_below_a_position() -> None:
    trimming = [p.name for p in FILES if re.search(r"xtrim", code_of(p), re.IGNORECASE)]
    assert trimming == ["trim.lua"]
    assert "'XTRIM', KEYS[1], 'MINID', '='" in code_of(ROOT / "eventlog" / "trim.lua")


def test_a_reader_always_names_the_position_it_has_seen() -> None:
    """``$`` is where the log ends at that moment: what came between two calls is missed."""
    for path in FILES:
        if "xread" in code_of(path).lower():
            assert not re.search(r"""["']\$["']""", code_of(path)), path


def test_a_script_that_was_loaded_survives_five_hundred_others() -> None:
    """Servers throw away scripts sent with EVAL; those sent with SCRIPT LOAD stay."""
    from eventlog.redis_log import RedisLog

    with LogServer() as server, RedisLog(server.url) as log, server.client() as client:
        log.append([an_entry("a", 1)], **new_command())
        for number in range(600):
            client.eval(f"return {number}", 0)
        assert client.script_exists(scripts.APPEND.digest) == [True]
