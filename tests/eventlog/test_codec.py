"""The codec: what goes into the log comes out again, and its texts cannot be read on the way."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from functools import partial
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.events import (
    EpisodeCommitted,
    Event,
    FeedbackGiven,
    MemoryCorrected,
    MemoryCreated,
    SessionClosed,
    TierChanged,
)
from eventlog.body_shape import ERASED
from eventlog.codec import Codec, Undecodable, UnknownEventType
from eventlog.entry import RawEntry
from eventlog.sealing import KeyRing, SealingKey, subject_of

NOON = datetime(2026, 11, 30, 12, 0, 0, 123_456, tzinfo=UTC)
BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
CANARY = "the canary sings at 乌龙"


class KeyStore:
    """The log's key buckets, in memory, counting the questions."""

    def __init__(self) -> None:
        self.keys: dict[str, bytes] = {}
        self.asked: list[list[str]] = []

    def fetch(self, subjects: Any) -> dict[str, bytes]:
        self.asked.append(list(subjects))
        return {s: self.keys[s] for s in subjects if s in self.keys}


@pytest.fixture
def store() -> KeyStore:
    return KeyStore()


@pytest.fixture
def codec(store: KeyStore) -> Codec:
    return Codec(KeyRing(store.fetch))


def event(body: Any, **changes: Any) -> Event:
    fields: dict[str, Any] = {
        "aggregate_type": "Episode" if isinstance(body, EpisodeCommitted) else "Memory",
        "aggregate_id": "11111111-1111-5111-8111-111111111111",
        "version": 1,
        "event_id": "22222222-2222-5222-8222-222222222222",
        "occurred_at": NOON,
        "actor": "hermes-1",
        "correlation_id": "33333333-3333-5333-8333-333333333333",
        "command_id": "44444444-4444-5444-8444-444444444444",
        "fingerprint": "ab" * 32,
        "causation_position": 7,
    }
    return Event(body=body, **(fields | changes))


def episode(**changes: Any) -> EpisodeCommitted:
    fields: dict[str, Any] = {
        "agent_id": "hermes-1",
        "namespace": "shared",
        "content": CANARY,
        "source": "agent_inference",
        "tags": [CANARY],
        "metadata": {"note": CANARY},
        "observed_at": NOON,
    }
    return EpisodeCommitted(**(fields | changes))


def append(codec: Codec, store: KeyStore, *events: Event) -> list[RawEntry]:
    """Do what the append script does: give positions and keep the new keys."""
    entries = []
    for position, each in enumerate(events, start=1):
        sealed = codec.seal(each)
        if sealed.new_key is not None:
            assert store.keys.setdefault(sealed.subject, sealed.new_key) == sealed.new_key
        entries.append(msgspec.structs.replace(sealed.entry, position=position))
    return entries


def test_a_sealed_event_opens_to_itself_in_another_process(store: KeyStore, codec: Codec) -> None:
    written = event(episode())
    (entry,) = append(codec, store, written)
    opened = Codec(KeyRing(store.fetch)).open(entry)
    assert opened == msgspec.structs.replace(written, position=1)


def test_no_text_of_a_person_stands_in_the_body(store: KeyStore, codec: Codec) -> None:
    (entry,) = append(codec, store, event(episode()))
    assert b"canary" not in entry.body
    assert "乌龙".encode() not in entry.body
    assert msgspec.json.decode(entry.body)["namespace"] == "shared"


def test_an_event_without_text_needs_no_key(store: KeyStore, codec: Codec) -> None:
    sealed = codec.seal(event(FeedbackGiven(verdict="useful", agent_id="hermes-1")))
    assert (sealed.subject, sealed.new_key, store.asked) == ("", None, [])
    assert codec.open(sealed.entry).body == FeedbackGiven(verdict="useful", agent_id="hermes-1")


def test_keys_of_a_batch_are_fetched_in_one_round_trip(store: KeyStore, codec: Codec) -> None:
    entries = append(
        codec,
        store,
        *(event(episode(), aggregate_id=f"episode-{i}", event_id=f"e{i}") for i in range(20)),
    )
    store.asked.clear()
    reader = Codec(KeyRing(store.fetch))
    assert len(reader.open_batch(entries)) == 20
    assert [len(asked) for asked in store.asked] == [20]
    reader.open_batch(entries)
    assert len(store.asked) == 1


def test_a_text_whose_key_is_gone_opens_to_the_marker(store: KeyStore, codec: Codec) -> None:
    (entry,) = append(codec, store, event(episode()))
    store.keys.clear()
    body = Codec(KeyRing(store.fetch)).open(entry).body
    assert isinstance(body, EpisodeCommitted)
    assert (body.content, body.tags, body.metadata) == (ERASED, [], {})
    assert body.speaker is None
    assert body.observed_at == NOON


def test_a_text_moved_to_another_event_does_not_open(store: KeyStore, codec: Codec) -> None:
    first, second = append(
        codec, store, event(episode()), event(episode(content="other"), event_id="e2", version=2)
    )
    moved = msgspec.structs.replace(second, body=first.body)
    (answer,) = codec.open_batch([moved])
    assert isinstance(answer, Undecodable)
    assert answer.position == 2


def test_a_broken_body_takes_its_place_in_the_batch_as_an_error(
    store: KeyStore, codec: Codec
) -> None:
    entries = append(codec, store, *(event(episode(), event_id=f"e{i}") for i in range(3)))
    entries[1] = msgspec.structs.replace(entries[1], body=b'{"agent_id": ')
    before, broken, after = codec.open_batch(entries)
    assert isinstance(before, Event)
    assert isinstance(after, Event)
    assert isinstance(broken, Undecodable)
    with pytest.raises(Undecodable, match="EpisodeCommitted schema 1 at position 2"):
        codec.open(entries[1])


def test_an_entry_that_is_not_ours_is_undecodable_with_its_reason(codec: Codec) -> None:
    entry = codec.seal(event(TierChanged(tier="core"))).entry
    stranger = msgspec.structs.replace(entry, type="", malformed="it has no field e")
    with pytest.raises(Undecodable, match="it has no field e"):
        codec.open(stranger)


@pytest.mark.parametrize("change", [{"type": "DreamDreamt"}, {"schema": 99}])
def test_a_newer_type_or_schema_is_told_apart_from_a_broken_one(
    codec: Codec, change: dict[str, Any]
) -> None:
    entry = msgspec.structs.replace(
        codec.seal(event(TierChanged(tier="core"))).entry, position=5, **change
    )
    (answer,) = codec.open_batch([entry])
    assert isinstance(answer, UnknownEventType)
    with pytest.raises(UnknownEventType, match="newer version"):
        codec.open(entry)


def test_unknown_members_of_a_body_are_ignored(codec: Codec) -> None:
    entry = codec.seal(event(TierChanged(tier="core"))).entry
    wider = msgspec.structs.replace(entry, body=b'{"tier": "core", "mood": {"x": [1]}}')
    assert codec.open(wider).body == TierChanged(tier="core")


def test_subjects_follow_the_thing_and_ephemeral_ones_their_session() -> None:
    thing = "11111111-1111-5111-8111-111111111111"
    memory = MemoryCreated(
        content="x",
        category="fact",
        decay_class="system_fact",
        namespace="hermes-1-ephemeral",
        agent_id="hermes-1",
        source="agent_inference",
        distilled_by="caller",
        confidence=1.0,
    )
    assert subject_of(event(episode())) == f"episode:{thing}"
    assert subject_of(event(TierChanged(tier="core"))) == f"memory:{thing}"
    assert subject_of(event(memory)) == "session:hermes-1-ephemeral:-"
    assert (
        subject_of(event(episode(namespace="hermes-1-ephemeral", session_id="s9")))
        == "session:hermes-1-ephemeral:s9"
    )
    assert (
        subject_of(event(TierChanged(tier="core"), aggregate_type="Agent"))
        == f"agent:{thing}:2026-11-30"
    )


def test_a_named_subject_is_kept_with_the_event(store: KeyStore, codec: Codec) -> None:
    written = event(
        MemoryCorrected(content=CANARY, source="owner_edit", agent_id="hermes-1"),
        version=2,
        subject="session:hermes-1-ephemeral:s9",
    )
    (entry,) = append(codec, store, written)
    assert list(store.keys) == ["session:hermes-1-ephemeral:s9"]
    opened = Codec(KeyRing(store.fetch)).open(entry)
    assert opened == msgspec.structs.replace(written, position=1)


def test_a_key_goes_along_until_the_log_is_known_to_hold_it(store: KeyStore, codec: Codec) -> None:
    first = codec.seal(event(episode()))
    again = codec.seal(event(episode(), version=2, event_id="e2"))
    assert first.new_key is not None
    assert again.new_key == first.new_key
    store.keys[first.subject] = first.new_key
    codec.open(first.entry)
    assert codec.seal(event(episode(), version=3, event_id="e3")).new_key is None


def test_threads_that_make_a_key_at_once_make_the_same_one(store: KeyStore) -> None:
    ring = KeyRing(store.fetch)
    with ThreadPoolExecutor(8) as threads:
        made = list(
            threads.map(
                lambda n: ring.for_sealing(f"memory:{n % 50}", brand_new=n % 2 == 0)[0].raw,
                range(2_000),
            )
        )
    assert all(raw == made[n % 50] for n, raw in enumerate(made))
    assert len(set(made)) == 50


def test_the_ring_keeps_the_keys_that_were_used_last(store: KeyStore) -> None:
    store.keys = {f"memory:{n}": bytes([n]) * 32 for n in range(4)}
    ids = {subject: SealingKey(raw).id for subject, raw in store.keys.items()}
    ring = KeyRing(store.fetch, size=3)
    for n in (0, 1, 2, 0, 3, 0):
        ring.for_opening([(f"memory:{n}", ids[f"memory:{n}"])])
    assert store.asked == [["memory:0"], ["memory:1"], ["memory:2"], ["memory:3"]]
    ring.for_opening([("memory:1", ids["memory:1"])])
    assert store.asked[-1] == ["memory:1"]


def test_the_loser_of_a_race_for_a_key_seals_anew(store: KeyStore, codec: Codec) -> None:
    session = {"namespace": "hermes-1-ephemeral", "session_id": "s9"}
    other = Codec(KeyRing(store.fetch))
    lost = codec.seal(event(episode(**session)))
    append(other, store, event(episode(**session), aggregate_id="other"))
    resealed = codec.reseal(lost, store.keys[lost.subject])
    assert (resealed.new_key, resealed.held_key) == (None, store.keys[lost.subject])
    assert other.open(resealed.entry).body == episode(**session)
    assert codec.seal(event(episode(**session), event_id="e2")).new_key is None


def test_closing_a_session_destroys_its_key_and_only_an_ephemeral_ones(codec: Codec) -> None:
    def close(namespace: str, session_id: str | None) -> tuple[str, ...]:
        body = SessionClosed(agent_id="h", namespace=namespace, session_id=session_id)
        return codec.seal(event(body, aggregate_type="Session")).destroys

    assert close("hermes-1-ephemeral", "s9") == ("session:hermes-1-ephemeral:s9",)
    assert close("hermes-1-ephemeral", None) == ("session:hermes-1-ephemeral:-",)
    assert close("shared", "s9") == ()


def test_a_text_under_a_destroyed_key_is_erased_though_its_subject_has_a_new_one(
    store: KeyStore, codec: Codec
) -> None:
    session = {"namespace": "hermes-1-ephemeral", "session_id": "s9"}
    (old,) = append(codec, store, event(episode(**session)))
    store.keys.clear()
    anew = Codec(KeyRing(store.fetch))
    (new,) = append(anew, store, event(episode(**session), event_id="e2", aggregate_id="b"))
    for batch in ([old, new], [new, old]):
        bodies = {e.event_id: e.body for e in Codec(KeyRing(store.fetch)).open_batch(batch)}
        assert bodies[old.event_id].content == ERASED
        assert bodies[new.event_id].content == CANARY


def test_a_reader_that_passes_the_end_of_a_session_forgets_its_key(
    store: KeyStore, codec: Codec
) -> None:
    session = {"namespace": "hermes-1-ephemeral", "session_id": "s9"}
    closed = SessionClosed(agent_id="h", **session)
    text, end = append(
        codec, store, event(episode(**session)), event(closed, aggregate_type="Session")
    )
    reader = Codec(KeyRing(store.fetch))
    assert reader.open(text).body.content == CANARY
    store.keys.clear()
    reader.open(end)
    assert reader.open(text).body.content == ERASED


class Passing:
    """The keys of a log; while it is asked for some, its readers pass ends of sessions.

    ``meanwhile`` holds what happens during each question, in turn, after the answer was read.
    """

    def __init__(self, store: KeyStore, meanwhile: Sequence[Callable[[], object]]) -> None:
        self._store = store
        self._meanwhile = iter(meanwhile)

    def fetch(self, subjects: Iterable[str]) -> dict[str, bytes]:
        answer = self._store.fetch(subjects)
        next(self._meanwhile, lambda: None)()
        return answer


def test_a_session_that_lives_again_is_open_to_who_reads_while_another_passes_its_first_end(
    store: KeyStore, codec: Codec
) -> None:
    session = {"namespace": "hermes-1-ephemeral", "session_id": "s9"}
    closed = event(SessionClosed(agent_id="h", **session), aggregate_type="Session")
    (_, end) = append(codec, store, event(episode(**session)), closed)
    store.keys.clear()
    writer = Codec(KeyRing(store.fetch))
    (text,) = append(writer, store, event(episode(**session), event_id="e2", aggregate_id="b"))
    passing = Passing(store, [lambda: reader.open(end)] * 3)
    reader = Codec(KeyRing(passing.fetch))
    assert reader.open(text).body.content == CANARY


def test_a_session_that_ends_while_its_key_is_asked_for_is_closed_to_who_asked(
    store: KeyStore, codec: Codec
) -> None:
    session = {"namespace": "hermes-1-ephemeral", "session_id": "s9"}
    closed = event(SessionClosed(agent_id="h", **session), aggregate_type="Session")
    text, end = append(codec, store, event(episode(**session)), closed)

    def close() -> None:
        store.keys.clear()
        reader.open(end)

    reader = Codec(KeyRing(Passing(store, [close]).fetch))
    assert reader.open(text).body.content == ERASED
    assert not reader.keys.holds(codec.seal(event(episode(**session))).subject)


@given(st.lists(st.lists(st.sampled_from(["end", "begin", "pass an old end"]), max_size=3)))
def test_a_key_that_is_asked_for_is_given_unless_it_ended(asked: list[list[str]]) -> None:
    """Readers pass an end after it happened, so whoever is told a key may know that it lived."""
    store, numbers = KeyStore(), iter(range(2, 1_000))
    ended: set[bytes] = set()
    store.keys["session:s"] = first = bytes([1]) * 32

    def happen(what: str) -> None:
        if what == "begin":
            store.keys.setdefault("session:s", next(numbers).to_bytes(32, "big"))
            return
        if what == "end" and "session:s" in store.keys:
            ended.add(store.keys.pop("session:s"))
        ring.forget(["session:s"])

    meanwhile = [partial(lambda steps: [happen(step) for step in steps], s) for s in asked]
    ring = KeyRing(Passing(store, meanwhile).fetch)
    found = ring.for_opening([("session:s", SealingKey(first).id)])
    assert {key.raw for key in found.values()}.isdisjoint(ended)
    assert first in ended or found["session:s"].raw == first


def test_a_text_sealed_under_a_key_that_was_destroyed_meanwhile_is_sealed_anew(
    store: KeyStore, codec: Codec
) -> None:
    session = {"namespace": "hermes-1-ephemeral", "session_id": "s9"}
    append(codec, store, event(episode(**session)))
    codec.keys.adopt(store.keys)
    late = [
        codec.seal(event(episode(**session), event_id=f"e{i}", aggregate_id=f"a{i}"))
        for i in range(2)
    ]
    assert all(sealed.held_key == store.keys[sealed.subject] for sealed in late)
    store.keys.clear()
    again = [codec.reseal(sealed, None) for sealed in late]
    assert again[0].new_key is not None
    assert again[0].new_key == again[1].new_key != late[0].held_key
    store.keys[again[0].subject] = again[0].new_key
    reader = Codec(KeyRing(store.fetch))
    assert [reader.open(sealed.entry).body for sealed in again] == [episode(**session)] * 2


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=200)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(-1e9, 1e9) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)
EPISODES = st.builds(
    EpisodeCommitted,
    agent_id=TEXTS,
    namespace=TEXTS | st.just("x-ephemeral"),
    content=TEXTS,
    source=st.sampled_from(["owner_edit", "agent_inference"]),
    speaker=st.none() | TEXTS,
    session_id=st.none() | TEXTS,
    observed_at=st.none() | st.datetimes(timezones=st.just(UTC)),
    urgent=st.booleans(),
    tags=st.lists(TEXTS, max_size=4),
    metadata=st.dictionaries(TEXTS, JSON, max_size=4),
)
TIMES = st.datetimes(timezones=st.just(UTC))


@given(EPISODES, TIMES, st.none() | st.integers(1, 2**53))
def test_whatever_was_sealed_opens_to_itself(
    body: EpisodeCommitted, occurred_at: datetime, cause: int | None
) -> None:
    store = KeyStore()
    written = event(body, occurred_at=occurred_at, causation_position=cause)
    (entry,) = append(Codec(KeyRing(store.fetch)), store, written)
    opened = Codec(KeyRing(store.fetch)).open(entry)
    assert opened == msgspec.structs.replace(written, position=1)


@given(st.integers(0), st.integers(1, 63), st.sampled_from(["content", "tags", "metadata"]))
def test_a_changed_sealed_text_never_opens_to_another_text(at: int, shift: int, field: str) -> None:
    store = KeyStore()
    codec = Codec(KeyRing(store.fetch))
    (entry,) = append(codec, store, event(episode()))
    members = msgspec.json.decode(entry.body)
    closed = members[field]
    at %= len(closed.rstrip("="))
    other = BASE64[(BASE64.index(closed[at]) + shift) % 64]
    members[field] = closed[:at] + other + closed[at + 1 :]
    (answer,) = codec.open_batch(
        [msgspec.structs.replace(entry, body=msgspec.json.encode(members))]
    )
    # A change in the first bytes names another key, as if this one had been destroyed.
    changed = getattr(answer, "body", None)
    assert isinstance(answer, Undecodable) or getattr(changed, field) in (
        ERASED,
        [],
        {},
        getattr(episode(), field),
    )


@given(
    st.binary(max_size=60)
    | st.sampled_from([b"[" * 100_000, b'{"tier": ' + b"[" * 100_000, b'{"tier": "\xff"}'])
    | st.builds(lambda junk: msgspec.json.encode({"content": junk}), JSON),
    st.sampled_from(["TierChanged", "EpisodeCommitted", "MemoryTagged", "AgentDeactivated"]),
    st.integers(-(2**63), 2**63),
)
def test_no_entry_whatever_makes_opening_fail(body: bytes, name: str, moment: int) -> None:
    codec = Codec(KeyRing(KeyStore().fetch))
    entry = codec.seal(event(TierChanged(tier="core"))).entry
    broken = msgspec.structs.replace(entry, type=name, body=body, occurred_at_us=moment)
    before, answer, after = codec.open_batch([entry, broken, entry])
    assert isinstance(answer, Undecodable | Event)
    assert before == after == codec.open(entry)
