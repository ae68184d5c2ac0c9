"""Where sealing keys lie: small, complete when copied, and found again from older logs."""

from __future__ import annotations

import hashlib
from zlib import crc32

import pytest

from eventlog.keys import BUCKETS, key_field
from eventlog.log_format import bring_up_to_date
from eventlog.outcomes import LogFork
from eventlog.redis_log import RedisLog
from tests.eventlog.entries import an_entry, new_command
from tests.servers import LogServer


def test_all_sealing_keys_can_be_taken_to_another_log(log: RedisLog, log_server: LogServer) -> None:
    keys = {f"memory:{n}": n.to_bytes(4, "big") * 8 for n in range(3_000)}
    for first in range(0, 3_000, 1_000):
        some = {name: keys[name] for name in list(keys)[first : first + 1_000]}
        log.append([an_entry("a", first // 1_000 + 1)], **new_command(), subject_keys=some)
    taken = dict(log.all_subject_keys())
    assert taken == {key_field(subject): key for subject, key in keys.items()}

    with RedisLog(log_server.url, log.name + "-restored") as other:
        there = {"memory:5": b"t" * 32}
        other.append([an_entry("a", 1)], **new_command(), subject_keys=there)
        other.put_subject_keys(taken.items())
        assert other.subject_keys(keys) == keys | there


def test_a_sealing_key_takes_little_memory(log: RedisLog, log_server: LogServer) -> None:
    count = (
        20 * BUCKETS // 8
    )  # as close together in an eighth of the buckets as in a log of 328,000
    fields = (key_field(f"memory:{n}") for n in range(count * 8))
    chosen = [
        field for field in fields if int.from_bytes(field[:2], "big") % BUCKETS < BUCKETS // 8
    ]
    log.put_subject_keys((field, hashlib.sha256(field).digest()) for field in chosen)
    with log_server.client() as client:
        sizes = [
            client.memory_usage(log.keys.sealing_key_bucket(n), samples=0)
            for n in range(BUCKETS // 8)
        ]
        encoding = client.object("encoding", log.keys.sealing_key_bucket(0))
    assert encoding == b"listpack"
    assert sum(sizes) / len(chosen) < 60


def test_a_log_of_the_first_format_keeps_its_sealing_keys(
    log: RedisLog, log_server: LogServer
) -> None:
    keys = {f"memory:{n}": n.to_bytes(4, "big") * 8 for n in range(1_000)}
    with log_server.client() as client:
        log.append([an_entry("a", 1)], **new_command(), subject_keys={"memory:0": keys["memory:0"]})
        for subject, key in keys.items():
            old = f"{{mw:{log.name}}}:keys:{crc32(subject.encode()) % 256:02x}"
            client.hset(old, subject, key)
        client.hset(log.keys.meta, "format", "1")
        bring_up_to_date(log)
        assert log.subject_keys(keys) == keys
        assert not list(client.scan_iter(f"{{mw:{log.name}}}:keys:??"))
        assert client.hget(log.keys.meta, "format") == b"2"

        client.hset(log.keys.meta, "format", "3")
        with pytest.raises(LogFork, match="format 3"):
            bring_up_to_date(log)
