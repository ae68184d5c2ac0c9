"""The log against a model of it: any order of commands, right, stale, repeated or re-used."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    invariant,
    rule,
    run_state_machine_as_test,
)

from domain.errors import KeyReused
from eventlog.entry import RawEntry
from eventlog.outcomes import Appended, Conflict, Duplicate, KeyMismatch
from eventlog.redis_log import RedisLog
from eventlog.subscription import Checkpoint, Subscription
from tests.eventlog.entries import CommandKeywords, an_entry, new_command
from tests.servers import LogServer

AGGREGATES = ["a", "b", "c"]
_numbers = itertools.count(1)


@dataclass
class Model:
    """What the log must hold: event ids by position, and what each command did."""

    event_ids: list[str] = field(default_factory=list)
    versions: dict[str, int] = field(default_factory=lambda: dict.fromkeys(AGGREGATES, 0))
    done: dict[str, Appended] = field(default_factory=dict)
    keys: dict[str, bytes] = field(default_factory=dict)


class LogMachine(RuleBasedStateMachine):
    server: LogServer

    def __init__(self) -> None:
        super().__init__()
        self.log = RedisLog(self.server.url, f"model{next(_numbers)}")
        self.model = Model()
        self.follower = Subscription(self.log.url, self.log.name, Checkpoint())
        self.followed: list[str] = []

    commands = Bundle("commands")

    def teardown(self) -> None:
        self.follower.close()
        self.log.close()

    def _entries(self, names: list[str]) -> list[RawEntry]:
        versions = dict(self.model.versions)
        entries = []
        for name in names:
            versions[name] += 1
            entries.append(an_entry(name, versions[name]))
        return entries

    @rule(
        target=commands,
        names=st.lists(st.sampled_from(AGGREGATES), min_size=1, max_size=5),
    )
    def append(self, names: list[str]) -> CommandKeywords:
        command = new_command()
        entries = self._entries(names)
        first = len(self.model.event_ids) + 1
        expected = Appended(first, first + len(entries) - 1)

        assert self.log.append(entries, **command) == expected
        self.model.event_ids += [entry.event_id for entry in entries]
        for name in names:
            self.model.versions[name] += 1
        self.model.done[command["command_id"]] = expected
        return command

    @rule(
        names=st.lists(st.sampled_from(AGGREGATES), min_size=1, max_size=4), off=st.integers(-2, 2)
    )
    def append_at_a_wrong_version(self, names: list[str], off: int) -> None:
        if off == 0:
            return
        entries = self._entries(names)
        wrong = entries[-1]
        entries[-1] = an_entry(wrong.aggregate_id, wrong.version + off)
        with pytest.raises(Conflict) as conflict:
            self.log.append(entries, **new_command())
        assert conflict.value.actual == self.model.versions[wrong.aggregate_id]

    @rule(read=st.dictionaries(st.sampled_from(AGGREGATES), st.integers(-1, 1), max_size=3))
    def append_after_reading_others(self, read: dict[str, int]) -> None:
        """``read`` says by how much the version that was read is off, per aggregate."""
        versions = self.model.versions
        unchanged = {name: versions[name] + off for name, off in read.items()}
        command = new_command()
        (entry,) = self._entries(["a"])
        wrong = {name for name, off in read.items() if off}
        if wrong:
            with pytest.raises(Conflict) as conflict:
                self.log.append([entry], **command, unchanged=unchanged)
            assert conflict.value.aggregate_id in wrong
            assert conflict.value.actual == versions[conflict.value.aggregate_id]
            return
        self.log.append([entry], **command, unchanged=unchanged)
        self.model.event_ids.append(entry.event_id)
        versions["a"] += 1

    @rule(command=commands, names=st.lists(st.sampled_from(AGGREGATES), min_size=1, max_size=3))
    def repeat(self, command: CommandKeywords, names: list[str]) -> None:
        done = self.model.done[command["command_id"]]
        expected = Duplicate(done.first, done.last)
        assert self.log.append(self._entries(names), **command) == expected
        assert self.log.find_duplicate(**command) == expected

    @rule(command=commands)
    def reuse_the_key(self, command: CommandKeywords) -> None:
        other = CommandKeywords(command_id=command["command_id"], fingerprint="other")
        with pytest.raises(KeyReused):
            self.log.append(self._entries(["a"]), **other)

    @rule(subject=st.sampled_from(["s1", "s2"]), key=st.sampled_from([b"1" * 32, b"2" * 32]))
    def append_with_a_sealing_key(self, subject: str, key: bytes) -> None:
        stored = self.model.keys.get(subject, key)
        command = new_command()
        (entry,) = self._entries(["a"])
        if stored != key:
            with pytest.raises(KeyMismatch) as exists:
                self.log.append([entry], **command, subject_keys={subject: key})
            assert exists.value.keys == {subject: stored}
            return
        self.log.append([entry], **command, subject_keys={subject: key})
        self.model.event_ids.append(entry.event_id)
        self.model.versions["a"] += 1
        self.model.keys[subject] = key

    @rule(limit=st.integers(1, 4))
    def follow(self, limit: int) -> None:
        self.followed += [e.event_id for e in self.follower.read(limit, wait_s=0)]

    @invariant()
    def the_log_holds_what_the_model_says(self) -> None:
        ids = self.model.event_ids
        entries = self.log.read(1, limit=1000)
        assert [e.event_id for e in entries] == ids
        assert [e.position for e in entries] == list(range(1, len(ids) + 1))
        head = self.log.head()
        assert (head.position, head.event_id) == (len(ids), ids[-1] if ids else "")
        for name, version in self.model.versions.items():
            own = self.log.read_aggregate(name)
            assert [e.version for e in own] == list(range(1, version + 1))
            assert own == [e for e in entries if e.aggregate_id == name]
        assert self.log.subject_keys(["s1", "s2"]) == self.model.keys
        assert self.followed == ids[: len(self.followed)]


@pytest.mark.parametrize(
    "examples", [8, pytest.param(100, marks=pytest.mark.slow)], ids=["few", "many"]
)
def test_the_log_behaves_as_its_model(log_server: LogServer, examples: int) -> None:
    class OnThisServer(LogMachine):
        server = log_server

    run_state_machine_as_test(
        OnThisServer,
        settings=settings(
            max_examples=examples,
            stateful_step_count=25,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
