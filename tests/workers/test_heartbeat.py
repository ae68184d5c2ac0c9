"""Each node says how it is; who is silent is gone, and nobody else is taken for gone."""

from __future__ import annotations

import threading
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest

from eventlog.nodes import GONE_AFTER_S, NodeBeat, Nodes
from eventlog.redis_log import RedisLog
from tests.histories import Historian
from tests.servers import LogServer, eventually
from workers.heartbeat import beat_of, keep_beating, public_url
from workers.log_server import node_id
from workers.primaries import Primaries
from workers.projection_worker import build_views
from workers.settings import Settings


def settings_of(log: RedisLog, data: Path, **more: object) -> Settings:
    return msgspec.structs.replace(Settings(data=data, redis_url=log.url, log=log.name), **more)


def test_a_worker_tells_of_its_views_until_it_stops(log: RedisLog, tmp_path: Path) -> None:
    Historian(log, seed=1).live_on(20)
    settings = settings_of(log, tmp_path, role="replica", port=7999)
    head = log.head()
    stop = threading.Event()
    worker = threading.Thread(target=build_views, args=(settings, stop))
    worker.start()
    nodes = Nodes(log)

    def caught_up() -> bool:
        return any(beat.views["state"].position == head.position for beat in nodes.living())

    try:
        eventually(caught_up, within_s=60)
        (beat,) = nodes.living()
    finally:
        stop.set()
        worker.join()
    assert (beat.node_id, beat.role, beat.url) == (
        node_id(tmp_path), "replica", "http://127.0.0.1:7999",
    )  # fmt: skip
    assert (beat.epoch, beat.position) == (head.epoch, head.position)
    state = beat.views["state"]
    assert (state.state, state.lag, state.parked, state.generation) == ("running", 0, 0, 1)
    assert state.projector > 0
    assert state.schema > 0
    assert beat.views["vector"].model.endswith("/384")
    assert nodes.living() == [], "one that stops says so"


def test_who_has_said_nothing_for_30_s_is_not_listed(log: RedisLog, tmp_path: Path) -> None:
    nodes, settings = Nodes(log), settings_of(log, tmp_path)
    nodes.beat(beat_of(settings, ["state"], log, datetime.now(UTC)))
    key = log.keys.node(node_id(tmp_path))
    assert 0 < log.call("TTL", key) <= GONE_AFTER_S == 30
    assert nodes.living()[0].views["state"].state == "absent"
    log.call("PEXPIRE", key, 1)
    eventually(lambda: not nodes.living())


def test_what_another_program_says_in_its_own_way_hides_nobody(
    log: RedisLog, tmp_path: Path
) -> None:
    nodes, settings = Nodes(log), settings_of(log, tmp_path)
    now = datetime.now(UTC)
    beat = beat_of(settings, [], log, now)
    nodes.beat(msgspec.structs.replace(beat, node_id="newer"))
    log.call("SET", log.keys.node("newer"), b'{"said": "otherwise"}')
    nodes.beat(beat)
    assert [living.node_id for living in nodes.living()] == [beat.node_id]


def test_a_beat_that_cannot_be_told_is_told_later(tmp_path: Path) -> None:
    with LogServer() as server, RedisLog(server.url, deadline_s=0.2) as log:
        Historian(log, seed=2).live_on(1)
        settings = settings_of(log, tmp_path)
        stop = threading.Event()
        thread = threading.Thread(target=keep_beating, args=(settings, [], log, stop, 0.05))
        thread.start()
        try:
            eventually(lambda: len(Nodes(log).living()) == 1)
            server.kill()
            server.start()
            log.call("DEL", log.keys.node(node_id(tmp_path)))
            eventually(lambda: len(Nodes(log).living()) == 1)
        finally:
            stop.set()
            thread.join()


@pytest.mark.parametrize(
    ("given", "url"),
    [
        ({}, "http://127.0.0.1:7821"),
        ({"host": "::1", "port": 1}, "http://[::1]:1"),
        ({"public_url": "https://memory.example/"}, "https://memory.example"),
    ],
)
def test_a_node_tells_where_others_reach_it(given: dict[str, object], url: str) -> None:
    assert public_url(msgspec.structs.replace(Settings(data=Path("/x")), **given)) == url


def test_a_replica_finds_the_primaries_and_remembers_them(log: RedisLog, tmp_path: Path) -> None:
    nodes, now = Nodes(log), datetime.now(UTC)
    replica = settings_of(log, tmp_path, role="replica", port=7822)
    seconds = 0.0
    primaries = Primaries(replica, lambda: seconds)
    assert primaries.urls() == ()

    def say(name: str, role: str, url: str) -> NodeBeat:
        beat = beat_of(replica, [], log, now)
        beat = msgspec.structs.replace(beat, node_id=name, role=role, url=url)
        nodes.beat(beat)
        return beat

    say("b", "primary", "http://10.0.0.2:7821")
    say("a", "primary", "http://10.0.0.1:7821")
    say("c", "replica", "http://10.0.0.3:7821")
    say("itself", "primary", public_url(replica))
    assert primaries.urls() == (), "it looks every 5 s"
    seconds = 6.0
    assert primaries.urls() == ("http://10.0.0.1:7821", "http://10.0.0.2:7821")
    for name in "abc":
        nodes.leave(name)
    seconds = 12.0
    assert primaries.urls() == ("http://10.0.0.1:7821", "http://10.0.0.2:7821")
    told = msgspec.structs.replace(replica, primary="https://memory.example/")
    assert Primaries(told).urls() == ["https://memory.example"]
