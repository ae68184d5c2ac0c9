"""What the state view answers by id, and how it treats time, scope and its own absence."""

from __future__ import annotations

import itertools
import sqlite3
import threading
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import msgspec
import pytest

from domain import events as facts
from domain.errors import ViewBehind
from domain.events import Entity, Quota
from eventlog.subscription import Checkpoint
from projections.generation import point_at
from projections.state.projector import StateProjector
from projections.state.rows import AgentRow, VersionRow
from projections.state.schema import FILE_NAME
from projections.state.view import StateView
from tests.histories import START
from tests.projections.direct import NOW, Direct, a_memory
from tests.servers import eventually

LATER = START + timedelta(hours=1)


def test_a_corrected_memory_shows_its_newest_text_and_keeps_every_version(direct: Direct) -> None:
    direct.memory("m", "listens on 8188", trigger="first", entities=[Entity("ComfyUI", "software")])
    direct.change(
        "m",
        facts.MemoryCorrected(
            content="listens on 8189",
            source="config_parse",
            agent_id="coder-1",
            reason="it moved",
            trigger="nginx.conf",
        ),
        at=LATER,
    )
    row = direct.view.memory("m", now=NOW)
    assert row is not None
    assert (row.content, row.version, row.source, row.corrections) == (
        "listens on 8189",
        2,
        "config_parse",
        1,
    )
    assert (row.created_at, row.recorded_at) == (START, LATER)
    assert (row.created_position, row.version_position, row.position) == (1, 2, 2)
    assert row.entities == [Entity("ComfyUI", "software")]
    first, second = direct.view.versions("m")
    assert (first.version, first.content, first.updated_by) == (1, "listens on 8188", "hermes-1")
    assert second == VersionRow(
        memory_id="m",
        version=2,
        content="listens on 8189",
        updated_by="coder-1",
        source="config_parse",
        trigger="nginx.conf",
        reason="it moved",
        recorded_at=LATER,
        position=2,
    )
    assert direct.view.versions("unknown") == []


def test_votes_observations_and_confidence_add_up(direct: Direct) -> None:
    direct.memory("m", confidence=0.6)
    direct.change(
        "m",
        facts.MemoryReinforced(episode_id="e-2", match="exact", delta=0.1),
        facts.MemoryReinforced(episode_id="e-1", match="similar", delta=0.1),
        facts.FeedbackGiven(verdict="useful", agent_id="a"),
        facts.FeedbackGiven(verdict="not_useful", agent_id="b", weight=2),
        at=LATER,
    )
    row = direct.view.memory("m", now=NOW)
    assert row is not None
    assert row.confidence == pytest.approx(0.8)
    assert (row.useful, row.not_useful, row.observations) == (1, 2, 3)
    assert row.observed_in == ["e-2", "e-1"]
    assert row.last_seen_at == LATER


def test_an_ended_memory_says_how_and_lives_again_with_its_text_when_restored(
    direct: Direct,
) -> None:
    direct.memory("m", "the text")
    ends = {
        "deleted": facts.MemoryDeleted(agent_id="a", reason="wrong"),
        "deprecated": facts.MemoryDeprecated(agent_id="a", reason="wrong"),
        "superseded": facts.MemorySuperseded(by="n", reason="wrong"),
    }
    for ended_by, body in ends.items():
        direct.change("m", body, at=LATER)
        row = direct.view.memory("m", now=NOW)
        assert row is not None
        assert (row.state, row.ended_by, row.ended_reason) == ("tombstone", ended_by, "wrong")
        assert row.ended_at == LATER
        assert row.superseded_by == ("n" if ended_by == "superseded" else None)
        direct.change("m", facts.MemoryRestored(agent_id="owner"))
        row = direct.view.memory("m", now=NOW)
        assert row is not None
        assert (row.state, row.ended_by, row.ended_at, row.superseded_by, row.content) == (
            "live",
            None,
            None,
            None,
            "the text",
        )


def test_an_expired_memory_is_a_tombstone_from_that_moment_on(direct: Direct) -> None:
    direct.memory("m", expires_at=LATER)
    direct.episode("e", expires_at=LATER)
    just_before = LATER - timedelta(microseconds=1)
    assert direct.view.memory("m", now=just_before).state == "live"  # type: ignore[union-attr]
    gone = direct.view.memory("m", now=LATER)
    assert gone is not None
    assert (gone.state, gone.ended_by, gone.ended_at) == ("tombstone", "expired", LATER)
    for now, live in ((just_before, 1), (LATER, 0)):
        assert len(direct.view.list_memories(None, now=now)[0]) == live
        assert len(direct.view.list_memories(None, now=now, state="tombstone")[0]) == 1 - live
        assert len(direct.view.list_tombstones(None, now=now)[0]) == 2 - 2 * live
        stats = direct.view.stats(None, now=now)
        assert (stats.memories, stats.episodes, stats.tombstones) == (live, live, 2 - 2 * live)
        assert len(direct.view.search_substring("text", None, now=now)) == 2 * live
        assert len(direct.view.bootstrap(None, now=now)) == live
    assert direct.view.episode("e", now=LATER).reason == "expired"  # type: ignore[union-attr]


def test_an_episodes_status_follows_its_events(direct: Direct) -> None:
    def status() -> tuple[str, str | None, list[str]]:
        row = direct.view.episode("e", now=NOW)
        assert row is not None
        return row.status, row.reason, row.memory_ids

    direct.episode("e")
    assert status() == ("pending", None, [])
    direct.tell(("Episode", "e", facts.EpisodeSkipped(reason="chit_chat")))
    assert status() == ("skipped", "chit_chat", [])
    direct.tell(("Episode", "e", facts.EpisodeDeleted(reason="private")))
    assert status() == ("deleted", "private", [])
    direct.tell(("Episode", "e", facts.EpisodeRestored(agent_id="owner")))
    assert status() == ("skipped", "chit_chat", [])
    direct.tell(
        (
            "Episode",
            "e",
            facts.EpisodeDistilled(memory_ids=["m"], reinforced_ids=["n"], distiller="rules"),
        )
    )
    assert status() == ("distilled", None, ["m"])


def test_an_agent_is_found_by_name_with_its_grants_and_its_newest_key(direct: Direct) -> None:
    registered = facts.AgentRegistered(
        agent_id="hermes-1",
        kind="hermes",
        namespace="hermes-main",
        key_hash="00$11",
        quota=Quota(10, 20, 2, 5),
        may_claim=["owner_message"],
    )
    direct.tell(
        ("Agent", "agg", registered),
        ("Agent", "agg", facts.ReadGranted(agent_id="hermes-1", namespace="a-main")),
        ("Agent", "agg", facts.ReadGranted(agent_id="hermes-1", namespace="b-main")),
        ("Agent", "agg", facts.ReadRevoked(agent_id="hermes-1", namespace="a-main")),
        ("Agent", "agg", facts.AgentKeyRotated(key_hash="22$33", key_expires_at=NOW)),
    )
    assert direct.view.agent("hermes-1") == AgentRow(
        agent_id="hermes-1",
        aggregate_id="agg",
        kind="hermes",
        namespace="hermes-main",
        key_hash="22$33",
        quota=Quota(10, 20, 2, 5),
        may_claim=["owner_message"],
        granted=frozenset({"b-main"}),
        active=True,
        registered_at=START,
        key_changed_at=START,
        key_expires_at=NOW,
        position=5,
    )
    direct.tell(("Agent", "agg", facts.AgentDeactivated()))
    assert [agent.active for agent in direct.view.agents()] == [False]
    assert direct.view.agent("nobody") is None


def test_closing_a_session_removes_its_ephemeral_rows_and_no_others(direct: Direct) -> None:
    place = {"namespace": "hermes-ephemeral"}
    for session in ("s-1", "s-2", None):
        direct.memory(f"m-{session}", session_id=session, tags=["t"], **place)
        direct.episode(f"e-{session}", session_id=session, **place)
    direct.memory("kept", session_id="s-1", namespace="hermes-main")

    def close(namespace: str, session: str | None) -> None:
        closed = facts.SessionClosed(agent_id="h", namespace=namespace, session_id=session)
        direct.tell(("Session", f"{namespace}:{session}", closed))

    def left() -> set[str]:
        ids = ["m-s-1", "m-s-2", "m-None", "e-s-1", "e-s-2", "e-None", "kept"]
        view = direct.view
        return view.memories(ids, now=NOW).keys() | view.episodes(ids, now=NOW).keys()

    close("hermes-ephemeral", "s-1")
    assert left() == {"m-s-2", "m-None", "e-s-2", "e-None", "kept"}
    assert direct.view.versions("m-s-1") == []
    close("hermes-ephemeral", None)
    assert left() == {"m-s-2", "e-s-2", "kept"}
    close("hermes-main", "s-1")
    assert "kept" in left(), "only what is ephemeral goes"
    direct.memory("m-again", session_id="s-1", **place)
    assert direct.view.memory("m-again", now=NOW) is not None, "the session was used again"
    direct.change("m-s-1", facts.MemoryTagged(tags=["late"]))
    assert direct.view.memory("m-s-1", now=NOW) is None
    tags = direct.view.tags(None, now=NOW)
    assert [(tag.tag, tag.count) for tag in tags] == [("t", 1)]


def test_changed_at_is_the_last_position_that_can_change_an_answer(direct: Direct) -> None:
    direct.memory("m")
    direct.memory("n", namespace="other-main")
    assert direct.view.changed_at(["shared", "other-main", "none"]) == {
        "shared": 1,
        "other-main": 2,
        "none": 0,
    }
    direct.change("m", facts.FeedbackGiven(verdict="useful", agent_id="a"))
    direct.tell(("TextClaim", "t", facts.TextClaimed(namespace="shared", memory_id="m")))
    direct.tell(("NamespaceClaim", "s", facts.NamespaceClaimed(namespace="shared", agent_id="a")))
    assert direct.view.changed_at(["shared"]) == {"shared": 3}


def test_before_the_view_is_begun_it_stands_at_zero_and_questions_are_refused(
    tmp_path: Path,
) -> None:
    view = StateView(tmp_path / "views" / "state")
    assert view.checkpoint() == Checkpoint()
    assert view.generation() == 0
    with pytest.raises(ViewBehind, match="start the projection worker"):
        view.memory("m", now=NOW)


def test_readers_move_to_another_generation_when_the_pointer_is_switched(direct: Direct) -> None:
    direct.memory("m", "old generation")
    assert direct.view.memory("m", now=NOW) is not None
    path = direct._directory.path
    (path / "2").mkdir(mode=0o700)
    other = StateProjector(path / "2")
    other.apply([], Checkpoint(77, "epoch", "e77"))
    point_at(path, 2)
    assert direct.view.checkpoint().position == 77
    assert direct.view.generation() == 2
    assert direct.view.memory("m", now=NOW) is None
    other.close()


def test_an_answer_never_mixes_two_positions_while_the_writer_commits(direct: Direct) -> None:
    """Each batch adds one memory to each of two namespaces: a reader sees both or neither."""
    done = threading.Event()
    seen: list[tuple[int, dict[str, int]]] = []
    failures: list[BaseException] = []

    def read() -> None:
        try:
            while not done.is_set():
                stats = direct.view.stats(None, now=NOW)
                seen.append((stats.position, stats.by_namespace))
        except BaseException as error:  # noqa: BLE001  # shown by the test
            failures.append(error)

    readers = [threading.Thread(target=read) for _ in range(4)]
    for reader in readers:
        reader.start()
    numbers = itertools.count()

    def enough_was_read_meanwhile() -> bool:
        number = next(numbers)
        direct.tell(
            ("Memory", f"a-{number}", a_memory(namespace="a-main")),
            ("Memory", f"b-{number}", a_memory(namespace="b-main")),
        )
        return bool(failures) or len({position for position, _ in list(seen)}) > 10

    eventually(enough_was_read_meanwhile, within_s=60, every_s=0.001)
    done.set()
    for reader in readers:
        reader.join(20)
    assert not failures
    for position, counted in seen:
        half = position // 2
        assert counted == ({"a-main": half, "b-main": half} if half else {})


def test_a_generation_of_before_there_were_candidates_is_read_until_the_next_is_live(
    direct: Direct, view_path: Path
) -> None:
    direct.memory("m1", tags=["tea"], distilled_by="rules")
    direct.episode("e1")
    with closing(sqlite3.connect(view_path / "1" / FILE_NAME)) as old:
        for table in ("settling", "verifications", "tag_levels"):
            old.execute(f"DROP TABLE {table}")
        old.execute("ALTER TABLE parked DROP COLUMN namespace")
        old.execute(
            "INSERT INTO parked (position, key, type, cause, reason, command_id, through, "
            "occurred_at_us) VALUES (2, 'e1', 'EpisodeSkipped', 'poison', 'r', 'c', 2, 0)"
        )
        old.commit()
        old.execute("PRAGMA user_version = 5")
    view = StateView(view_path)
    try:
        row = view.memories(("m1",), now=NOW)["m1"]
        assert (row.settled_at, row.verifications, view.settled("m1")) == (None, 0, None)
        assert view.verifications("m1") == []
        assert [(parked.key, parked.namespace) for parked in view.parked_events()] == [("e1", "")]
        assert [(tag.tag, tag.at_user) for tag in view.tags(None, now=NOW)] == [("tea", 0)]
        stats = view.stats(None, now=NOW)
        assert (stats.candidates, stats.queue.waiting, stats.memories) == (0, 1, 1)
    finally:
        view.close()


def test_a_scan_finds_the_episode_of_a_candidate_and_not_the_candidate(direct: Direct) -> None:
    direct.episode("e1", "the kiln is fired on Mondays")
    said = a_memory("the kiln is fired on Mondays", derived_from=["e1"])
    proposed = facts.MemoryProposed(**msgspec.structs.asdict(said))
    became = facts.EpisodeDistilled(memory_ids=["m1"], reinforced_ids=[], distiller="rules")
    direct.tell(("Memory", "m1", proposed), ("Episode", "e1", became))

    def found(position: int | None = None) -> set[str]:
        hits = direct.view.search_substring("kiln", None, now=NOW, position=position)
        return {hit.id for hit in hits}

    assert found() == {"e1"}
    then = direct.position
    direct.change("m1", facts.CandidateSettled(agent_id="owner"))
    assert found() == {"e1", "m1"}
    assert found(then) == {"e1"}
    direct.memory("m2", "the kiln is fired on Mondays")
    dismissed = facts.CandidateDismissed(agent_id="owner")
    direct.tell(("Memory", "m3", proposed), ("Memory", "m3", dismissed))
    assert found() == {"e1", "m1", "m2"}
