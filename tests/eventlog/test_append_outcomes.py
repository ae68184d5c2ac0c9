"""Every row of the table of outcomes (docs/decisions/0003), and the order of the checks."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime, timedelta

import pytest
from msgspec.structs import replace

from domain.errors import CommandTooOld, Erased, Fenced, KeyReused, LogUnavailable, TooLarge
from domain.identity import uuid7
from eventlog.append import MAX_BYTES, MAX_EVENTS, Fence, Tracked
from eventlog.outcomes import (
    Appended,
    Conflict,
    Duplicate,
    InDoubt,
    KeyMismatch,
    TrackingConflict,
)
from eventlog.redis_log import RedisLog
from tests.eventlog.entries import CommandKeywords, an_entry, new_command
from tests.servers import LogServer, eventually

# The server forgets old records by its own clock, so the tests' present must be the real one.
NOW = datetime.now(UTC).replace(microsecond=0)
MILLISECOND = timedelta(milliseconds=1)


@pytest.fixture(params=["bundled", "debian"])
def log_server(request: pytest.FixtureRequest, log_server: LogServer) -> LogServer:
    """Every row on both servers."""
    if request.param == "bundled":
        return log_server
    debian: LogServer = request.getfixturevalue("redis_server")
    return debian


@pytest.fixture
def log_at_now(log_server: LogServer, log_name: str) -> RedisLog:
    return RedisLog(log_server.url, log_name, clock=lambda: NOW)


def everything_in(server: LogServer, log: RedisLog) -> dict[bytes, bytes]:
    """All keys of a log with their contents, as the server dumps them."""
    with server.client() as client:
        return {key: client.dump(key) for key in client.keys(f"{{mw:{log.name}}}:*")}


def timed_command(moment: datetime, fingerprint: str = "f1") -> CommandKeywords:
    """A command id that carries a time, as a UUIDv7 key gives."""
    time_ms = round(moment.timestamp() * 1000)
    return {"command_id": uuid7(time_ms, uuid.uuid4().bytes), "fingerprint": fingerprint}


def test_a_new_command_at_the_right_versions_is_appended(log: RedisLog) -> None:
    outcome = log.append([an_entry("a", 1), an_entry("b", 1), an_entry("a", 2)], **new_command())

    assert outcome == Appended(1, 3)
    assert [e.version for e in log.read_aggregate("a")] == [1, 2]
    assert [(e.position, e.aggregate_id) for e in log.read(1)] == [(1, "a"), (2, "b"), (3, "a")]


@pytest.mark.parametrize(
    ("versions", "expected"),
    [([2], 1), ([4], 3), ([3, 5], 4), ([3, 3], 2), ([0], -1)],
    ids=["stale", "too far", "with a hole", "twice", "before the first"],
)
def test_any_but_the_next_version_is_a_conflict(
    log_server: LogServer, log: RedisLog, versions: list[int], expected: int
) -> None:
    log.append([an_entry("a", 1), an_entry("a", 2)], **new_command())
    before = everything_in(log_server, log)

    with pytest.raises(Conflict) as conflict:
        log.append(
            [an_entry("other", 1), *(an_entry("a", version) for version in versions)],
            **new_command(),
            subject_keys={"memory:other": b"k" * 32},
        )

    assert conflict.value.aggregate_id == "a"
    assert (conflict.value.expected, conflict.value.actual) == (expected, 2)
    assert everything_in(log_server, log) == before


def test_after_a_conflict_the_same_command_may_be_tried_again(log: RedisLog) -> None:
    log.append([an_entry("a", 1)], **new_command())
    command = new_command()
    with pytest.raises(Conflict):
        log.append([an_entry("a", 1)], **command)

    assert log.append([an_entry("a", 2)], **command) == Appended(2, 2)


@pytest.mark.parametrize(("read", "actual"), [({"a": 1}, 2), ({"a": 3}, 2), ({"new": 1}, 0)])
def test_what_was_only_read_must_not_have_changed_meanwhile(
    log_server: LogServer, log: RedisLog, read: dict[str, int], actual: int
) -> None:
    log.append([an_entry("a", 1), an_entry("a", 2)], **new_command())
    before = everything_in(log_server, log)

    with pytest.raises(Conflict) as conflict:
        log.append([an_entry("b", 1)], **new_command(), unchanged={"none": 0} | read)

    assert {conflict.value.aggregate_id: conflict.value.expected} == read
    assert conflict.value.actual == actual
    assert everything_in(log_server, log) == before


def test_what_was_only_read_and_stayed_the_same_lets_the_append_through(log: RedisLog) -> None:
    log.append([an_entry("a", 1), an_entry("a", 2)], **new_command())

    outcome = log.append(
        [an_entry("b", 1)],
        **new_command(),
        subject_keys={"memory:b": b"k" * 32},
        unchanged={"a": 2, "none": 0},
    )

    assert outcome == Appended(3, 3)
    assert [e.version for e in log.read_aggregate("a")] == [1, 2]
    assert log.read_aggregate("none") == []
    assert log.subject_keys(["memory:b"]) == {"memory:b": b"k" * 32}


def test_versions_of_the_library_may_leave_gaps_but_not_repeat(log: RedisLog) -> None:
    log.append([an_entry("a", 0), an_entry("a", 7)], **new_command(), rule="unique")
    log.append([an_entry("a", 3)], **new_command(), rule="unique")

    for versions in ([7], [3], [9, 9]):
        with pytest.raises(Conflict):
            log.append([an_entry("a", v) for v in versions], **new_command(), rule="unique")
    assert [e.version for e in log.read_aggregate("a", -1)] == [0, 3, 7]


def test_a_repeat_is_a_duplicate_even_if_the_aggregate_has_moved_on(
    log_server: LogServer, log: RedisLog
) -> None:
    command = new_command()
    log.append([an_entry("a", 1)], **command)
    log.append([an_entry("a", 2)], **new_command())
    before = everything_in(log_server, log)

    assert log.append([an_entry("a", 1)], **command) == Duplicate(1, 1)
    # What the repeat would append is not looked at: the first time counts.
    assert log.append([an_entry("a", 3), an_entry("b", 1)], **command) == Duplicate(1, 1)
    assert everything_in(log_server, log) == before


def test_a_command_id_with_another_fingerprint_is_refused(
    log_server: LogServer, log: RedisLog
) -> None:
    command = new_command("one request")
    log.append([an_entry("a", 1)], **command)
    before = everything_in(log_server, log)

    other = CommandKeywords(command_id=command["command_id"], fingerprint="another request")
    with pytest.raises(KeyReused):
        log.append([an_entry("a", 2)], **other)
    with pytest.raises(KeyReused):
        log.find_duplicate(**other)
    assert everything_in(log_server, log) == before


@pytest.mark.parametrize(
    ("age", "accepted"),
    [
        (timedelta(days=30), True),
        (timedelta(days=30) + MILLISECOND, False),
        (timedelta(days=400), False),
        (timedelta(minutes=-5), True),
        (timedelta(minutes=-5) - MILLISECOND, False),
    ],
)
def test_a_key_outside_the_window_is_refused_and_never_executed(
    log_server: LogServer, log_at_now: RedisLog, age: timedelta, accepted: bool
) -> None:
    command = timed_command(NOW - age)
    if accepted:
        assert log_at_now.append([an_entry("a", 1)], **command) == Appended(1, 1)
        assert log_at_now.append([an_entry("a", 1)], **command) == Duplicate(1, 1)
    else:
        with pytest.raises(CommandTooOld):
            log_at_now.append([an_entry("a", 1)], **command)
        assert everything_in(log_server, log_at_now) == {}


def test_the_record_of_a_timed_key_outlives_the_window(
    log_server: LogServer, log_at_now: RedisLog
) -> None:
    """Kept until 32 days after the end of the key's day; refused 30 days after the key's time."""
    for moment in (NOW - timedelta(days=30), NOW):
        command = timed_command(moment)
        aggregate = str(uuid.uuid4())
        log_at_now.append([an_entry(aggregate, 1)], **command)
        with log_server.client() as client:
            key = f"{{mw:{log_at_now.name}}}:cmd:{moment:%Y%m%d}"
            expires = client.expiretime(key)
        midnight = datetime(moment.year, moment.month, moment.day, tzinfo=UTC)
        assert expires == (midnight + timedelta(days=33)).timestamp()


def test_the_record_of_a_text_key_stays_for_ever(log_server: LogServer, log: RedisLog) -> None:
    log.append([an_entry("a", 1)], **new_command())

    with log_server.client() as client:
        assert client.ttl(f"{{mw:{log.name}}}:cmd:text") == -1


def test_a_writer_with_an_old_token_is_fenced(log_server: LogServer, log: RedisLog) -> None:
    with log_server.client() as client:
        client.hset(log.keys.lease("lifecycle"), mapping={"token": 7, "holder": "other"})
    before = everything_in(log_server, log)

    for fence in (Fence("lifecycle", 6), Fence("nobody has this", 7)):
        with pytest.raises(Fenced):
            log.append([an_entry("a", 1)], **new_command(), fence=fence)
    assert everything_in(log_server, log) == before
    accepted = log.append([an_entry("a", 1)], **new_command(), fence=Fence("lifecycle", 7))
    assert accepted == Appended(1, 1)


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ([an_entry("a", v) for v in range(1, MAX_EVENTS + 2)], "1001 events"),
        ([an_entry("a", 1, b"x" * (MAX_BYTES + 1))], "bytes in one append"),
        ([an_entry("a", v, b"x" * (MAX_BYTES // 2)) for v in (1, 2)], "bytes in one append"),
    ],
    ids=["events", "one body", "together"],
)
def test_a_batch_over_its_limits_is_refused(
    log: RedisLog, entries: list[object], message: str
) -> None:
    with pytest.raises(TooLarge, match=message):
        log.append(entries, **new_command())  # type: ignore[arg-type]
    assert log.head().position == 0


def test_a_batch_just_within_its_limits_is_appended(log: RedisLog) -> None:
    many = [an_entry("many", v) for v in range(1, MAX_EVENTS + 1)]
    assert log.append(many, **new_command()) == Appended(1, 1000)
    large = an_entry("large", 1, b"x" * (MAX_BYTES - 1000))
    assert log.append([large], **new_command()) == Appended(1001, 1001)
    assert log.read_aggregate("large")[0].body == large.body


def test_nothing_to_append_is_a_mistake_of_the_caller(log: RedisLog) -> None:
    with pytest.raises(ValueError, match="appends nothing"):
        log.append([], **new_command())


def test_a_subject_keeps_its_first_key(log_server: LogServer, log: RedisLog) -> None:
    first = {"memory:m": b"1" * 32}
    log.append([an_entry("a", 1)], **new_command(), subject_keys=first)
    before = everything_in(log_server, log)

    with pytest.raises(KeyMismatch) as exists:
        log.append(
            [an_entry("a", 2)],
            **new_command(),
            subject_keys={"memory:m": b"2" * 32, "memory:new": b"3" * 32},
        )

    assert exists.value.keys == first
    assert everything_in(log_server, log) == before
    log.append([an_entry("a", 2)], **new_command(), subject_keys=first)
    assert log.subject_keys(["memory:m", "memory:new"]) == first


def test_a_text_under_a_key_that_the_log_does_not_hold_is_not_stored(
    log_server: LogServer, log: RedisLog
) -> None:
    stored = {"memory:m": b"1" * 32}
    log.append([an_entry("a", 1)], **new_command(), subject_keys=stored)
    before = everything_in(log_server, log)

    with pytest.raises(KeyMismatch) as mismatch:
        log.append(
            [an_entry("a", 2)],
            **new_command(),
            held_keys={"memory:m": b"2" * 32, "memory:gone": b"3" * 32},
        )

    assert mismatch.value.keys == {**stored, "memory:gone": None}
    assert everything_in(log_server, log) == before
    assert log.append([an_entry("a", 2)], **new_command(), held_keys=stored) == Appended(2, 2)


def test_what_tells_of_an_erased_subject_is_not_stored(
    log_server: LogServer, log: RedisLog
) -> None:
    keys = {"memory:m": b"1" * 32, "memory:n": b"2" * 32}
    log.append([an_entry("a", 1)], **new_command(), subject_keys=keys)
    gone = ["memory:m", "episode:that never had a key"]
    log.append([an_entry("a", 2)], **new_command(), erased_keys=gone)
    before = everything_in(log_server, log)

    with pytest.raises(Erased) as erased:
        log.append(
            [an_entry("a", 3)],
            **new_command(),
            subject_keys={"memory:new": b"3" * 32},
            named_subjects=[*gone, "memory:n", "memory:unknown"],
        )

    assert erased.value.subjects == frozenset(gone)
    assert everything_in(log_server, log) == before
    others = ["memory:n", "memory:unknown"]
    assert log.append([an_entry("a", 3)], **new_command(), named_subjects=others) == Appended(3, 3)
    assert log.subject_keys(others) == {"memory:n": keys["memory:n"]}


def test_a_key_is_destroyed_with_the_append_or_not_at_all(log: RedisLog) -> None:
    keys = {"session:s": b"1" * 32, "memory:m": b"2" * 32}
    log.append([an_entry("a", 1)], **new_command(), subject_keys=keys)
    with pytest.raises(Conflict):
        log.append([an_entry("a", 9)], **new_command(), destroyed_keys=["session:s"])
    assert log.subject_keys(keys) == keys

    command = new_command()
    log.append([an_entry("a", 2)], **command, destroyed_keys=["session:s", "unknown"])

    assert log.subject_keys(keys) == {"memory:m": b"2" * 32}
    anew = {"session:s": b"3" * 32}
    log.append([an_entry("a", 3)], **new_command(), subject_keys=anew)
    assert log.append([an_entry("a", 2)], **command, destroyed_keys=["session:s"]) == Duplicate(
        2, 2
    )
    assert log.subject_keys(anew) == anew


def test_a_tracked_position_only_rises(log_server: LogServer, log: RedisLog) -> None:
    log.append([an_entry("a", 1)], **new_command(), tracking=Tracked("upstream", 5))
    before = everything_in(log_server, log)

    for position in (4, 5):
        with pytest.raises(TrackingConflict):
            log.append([an_entry("a", 2)], **new_command(), tracking=Tracked("upstream", position))
    assert everything_in(log_server, log) == before
    assert log.tracked_position("upstream") == 5
    assert log.tracked_position("another") is None


def test_a_position_tracked_without_events_is_a_duplicate_when_repeated(log: RedisLog) -> None:
    command = new_command()
    assert log.append([], **command, tracking=Tracked("upstream", 5)) == Appended(1, 0)
    assert log.append([], **command, tracking=Tracked("upstream", 5)) == Duplicate(1, 0)
    assert log.append([an_entry("a", 1)], **new_command()) == Appended(1, 1)


def test_the_checks_come_in_this_order_command_fence_version_key_tracking(
    log_server: LogServer, log: RedisLog
) -> None:
    command = new_command()
    log.append(
        [an_entry("a", 1)],
        **command,
        subject_keys={"s": b"1" * 32},
        tracking=Tracked("upstream", 5),
    )
    with log_server.client() as client:
        client.hset(log.keys.lease("l"), mapping={"token": 2})
    lost, held = Fence("l", 1), Fence("l", 2)
    other_key, known_key = {"s": b"2" * 32}, {"s": b"1" * 32}
    late, next_one = Tracked("upstream", 5), Tracked("upstream", 6)
    stale, right = an_entry("a", 1), an_entry("a", 2)

    def attempt(entry, fence, keys, tracking, **chosen):
        return log.append(
            [entry],
            **(chosen or new_command()),
            fence=fence,
            subject_keys=keys,
            tracking=tracking,
        )

    assert attempt(stale, lost, other_key, late, **command) == Duplicate(1, 1)
    with pytest.raises(Fenced):
        attempt(stale, lost, other_key, late)
    with pytest.raises(Conflict):
        attempt(stale, held, other_key, late)
    with pytest.raises(KeyMismatch):
        attempt(right, held, other_key, late)
    with pytest.raises(TrackingConflict):
        attempt(right, held, known_key, late)
    assert attempt(right, held, known_key, next_one) == Appended(2, 2)


def test_without_a_server_nothing_was_stored_and_the_error_says_so(tmp_path) -> None:
    log = RedisLog(f"unix://{tmp_path}/none", deadline_s=0.1)

    with pytest.raises(LogUnavailable, match="nothing was stored") as error:
        log.append([an_entry("a", 1)], **new_command())
    assert not isinstance(error.value, InDoubt)
    with pytest.raises(LogUnavailable):
        log.head()


def test_a_server_that_does_not_answer_leaves_the_command_in_doubt() -> None:
    with LogServer() as server:
        patient = RedisLog(server.url, deadline_s=20)
        log = RedisLog(server.url, deadline_s=1, attempt_timeout_s=0.1)
        patient.append([an_entry("before", 1)], **new_command())
        assert log.subject_keys(["none"]) == {}  # now it has a connection to send on
        command = new_command()
        server.pause()
        with pytest.raises(InDoubt) as doubt:
            log.append([an_entry("a", 1)], **command)
        server.resume()

        assert doubt.value.command_id == command["command_id"]
        # The paused server had the command in its socket: it was carried out, once.
        eventually(lambda: patient.head().position == 2)
        assert patient.append([an_entry("a", 1)], **command) == Duplicate(2, 2)


def test_what_stands_in_an_entry_before_the_append_is_not_taken_over(log: RedisLog) -> None:
    command = new_command()
    claimed = replace(an_entry("a", 1), position=99, command_id="other", fingerprint="other")
    log.append([claimed], **command)

    (entry,) = log.read(1)
    assert (entry.position, entry.command_id, entry.fingerprint) == (
        1,
        command["command_id"],
        command["fingerprint"],
    )
