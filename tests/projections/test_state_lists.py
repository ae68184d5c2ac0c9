"""Lists, counts and the substring scan: order, paging, filters, and never beyond the scope."""

from __future__ import annotations

import json
from base64 import urlsafe_b64encode
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from domain import events as facts
from domain.errors import InvalidCommand
from domain.policies.ageing import days_between, last_attended
from domain.policies.confidence import effective_confidence
from domain.policies.importance import importance, retention
from projections.state.listing import Sort
from projections.state.rows import MemoryRow
from projections.state.scan import scan_terms
from projections.state.view import StateView
from tests.histories import START
from tests.projections.direct import NOW, Direct, a_memory

SHARED = frozenset({"shared"})


def pages(view: StateView, sort: Sort, limit: int, **more: object) -> list[list[str]]:
    found, cursor = [], None
    while True:
        rows, cursor = view.list_memories(
            SHARED, now=NOW, sort=sort, cursor=cursor, limit=limit, **more
        )
        found.append([row.id for row in rows])
        if cursor is None:
            return found


def importance_of(row: MemoryRow) -> float:
    days = days_between(last_attended(row.created_at, row.observed_at, row.last_reinforced_at), NOW)
    return importance(
        days=days,
        recall_count=row.recall_count,
        retained=retention(days, row.decay_class, volatile=row.corrections >= 3, tier=row.tier),
        useful=row.useful,
        not_useful=row.not_useful,
    )


MEMORIES = st.lists(
    st.fixed_dictionaries(
        {
            "age": st.integers(0, 400),
            "confidence": st.sampled_from([0.5, 0.7, 0.9, 1.0]),
            "tier": st.sampled_from(["normal", "core"]),
            "decay_class": st.sampled_from(["system_fact", "code_snippet"]),
            "votes": st.integers(0, 6),
        }
    ),
    max_size=25,
)


@settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(
    memories=MEMORIES,
    limit=st.integers(1, 9),
    sort=st.sampled_from(["confidence", "importance", "recent"]),
)
def test_pages_put_together_are_the_whole_list_in_the_order_of_the_formula(
    tmp_path_factory: pytest.TempPathFactory, memories: list, limit: int, sort: Sort
) -> None:
    with Direct(tmp_path_factory.mktemp("lists") / "state") as direct:
        for number, told in enumerate(memories):
            created = NOW - timedelta(days=told["age"])
            more = {name: told[name] for name in ("confidence", "tier", "decay_class")}
            direct.memory(f"m-{number}", at=created, **more)
            vote = facts.FeedbackGiven(verdict="not_useful", agent_id="a")
            direct.change(f"m-{number}", *[vote] * told["votes"], at=created)
        found = [name for page in pages(direct.view, sort, limit) for name in page]
        assert sorted(found) == sorted(f"m-{number}" for number in range(len(memories)))
        rows = direct.view.memories(found, now=NOW)
        keys = {
            "recent": lambda row: row.created_position,
            "confidence": lambda row: (
                effective_confidence(row.confidence, row.last_seen_at, NOW),
                row.last_seen_at,
            ),
            "importance": importance_of,
        }
        in_order = [keys[sort](rows[name]) for name in found]
        assert in_order == sorted(in_order, reverse=True)


@pytest.mark.parametrize("sort", ["recent", "confidence", "importance"])
def test_rows_added_and_ended_between_two_pages_neither_repeat_nor_hide_others(
    direct: Direct, sort: Sort
) -> None:
    for number in range(9):
        at = START - timedelta(days=40 * number)
        direct.memory(f"m-{number}", at=at, confidence=1 - number / 20)
    first, cursor = direct.view.list_memories(SHARED, now=NOW, sort=sort, limit=4)
    direct.memory("new-and-best", confidence=2.0, at=NOW, tier="core")
    direct.memory("new-and-worst", confidence=0.1, at=START - timedelta(days=900))
    direct.change(first[0].id, facts.MemoryDeleted(agent_id="a"))
    later = NOW + timedelta(days=90)
    second, cursor = direct.view.list_memories(SHARED, now=later, sort=sort, cursor=cursor, limit=4)
    rest, end = direct.view.list_memories(SHARED, now=later, sort=sort, cursor=cursor, limit=50)
    assert end is None
    told = [row.id for row in [*first, *second, *rest]]
    assert len(told) == len(set(told))
    assert {f"m-{number}" for number in range(9)} <= set(told)


def test_lists_are_filtered_by_state_category_and_tag(direct: Direct) -> None:
    direct.memory("a", category="decision", tags=["x", "y"])
    direct.memory("b", category="fact", tags=["x"])
    direct.memory("c", category="fact")
    direct.change("c", facts.MemoryDeleted(agent_id="h"))

    def ids(**more: object) -> list[str]:
        return [row.id for row in direct.view.list_memories(SHARED, now=NOW, **more)[0]]

    assert ids() == ["b", "a"]
    assert ids(category="decision") == ["a"]
    assert ids(tag="x") == ["b", "a"]
    assert ids(tag="y", category="fact") == []
    assert ids(state="tombstone") == ["c"]
    assert ids(state="candidate") == []
    direct.change("a", facts.MemoryTagged(tags=["z"]))
    assert ids(tag="x") == ["b"]
    assert ids(tag="z") == ["a"]


def test_tombstones_hold_memories_and_episodes_the_last_ended_first(direct: Direct) -> None:
    for number in range(4):
        direct.memory(f"m-{number}")
        direct.episode(f"e-{number}")
    for number in range(4):
        at = START + timedelta(hours=number)
        direct.change(f"m-{number}", facts.MemoryDeleted(agent_id="h"), at=at)
        direct.tell(
            ("Episode", f"e-{number}", facts.EpisodeDeleted()), at=at + timedelta(minutes=1)
        )
    found, cursor = [], None
    while cursor is not None or not found:
        rows, cursor = direct.view.list_tombstones(SHARED, now=NOW, cursor=cursor, limit=3)
        found += [row.id for row in rows]
    assert found == ["e-3", "m-3", "e-2", "m-2", "e-1", "m-1", "e-0", "m-0"]
    assert direct.view.list_tombstones(frozenset({"other"}), now=NOW) == ([], None)


@pytest.mark.parametrize("cursor", ["", "nonsense", "eyJhIjoxfQ", "W10", "ñ", "A" * 41])
def test_a_cursor_that_no_list_gave_is_refused_by_name(direct: Direct, cursor: str) -> None:
    with pytest.raises(InvalidCommand, match="cursor"):
        direct.view.list_memories(SHARED, now=NOW, cursor=cursor)
    with pytest.raises(InvalidCommand, match="cursor"):
        direct.view.list_tombstones(SHARED, now=NOW, cursor=cursor)


def test_a_forged_cursor_is_refused_or_harmless(direct: Direct) -> None:
    direct.memory("secret", namespace="secret-main")
    for now in (-1, 10**18, 10**30):
        forged = urlsafe_b64encode(json.dumps(["confidence", now, [1, 0, 0]]).encode()).decode()
        with pytest.raises(InvalidCommand, match="cursor"):
            direct.view.list_memories(SHARED, now=NOW, sort="confidence", cursor=forged)
    forged = urlsafe_b64encode(json.dumps(["recent", 0, [1e300, 0, 0]]).encode()).decode()
    assert direct.view.list_memories(SHARED, now=NOW, sort="recent", cursor=forged) == ([], None)


def test_a_cursor_of_another_order_is_refused(direct: Direct) -> None:
    direct.memory("a")
    direct.memory("b")
    _, cursor = direct.view.list_memories(SHARED, now=NOW, sort="recent", limit=1)
    with pytest.raises(InvalidCommand, match="'recent', not 'confidence'"):
        direct.view.list_memories(SHARED, now=NOW, sort="confidence", cursor=cursor)


def test_nothing_outside_the_scope_is_listed_counted_or_found(direct: Direct) -> None:
    for namespace in ("shared", "hermes-main", "secret-main"):
        direct.memory(f"m-{namespace}", "the port", namespace=namespace, tags=[namespace])
        direct.episode(f"e-{namespace}", "the port", namespace=namespace)
        direct.memory(f"t-{namespace}", "the port", namespace=namespace)
        direct.change(f"t-{namespace}", facts.MemoryDeleted(agent_id="h"))
    for scope in (frozenset({"shared", "hermes-main"}), frozenset(), None):
        readable = scope if scope is not None else {"shared", "hermes-main", "secret-main"}
        view = direct.view
        stats = view.stats(scope, now=NOW)
        assert stats.by_namespace == dict.fromkeys(readable, 1)
        assert (stats.memories, stats.episodes, stats.tombstones) == (len(readable),) * 3
        assert stats.distillation == ({"pending": len(readable)} if readable else {})
        assert stats.by_category == ({"fact": len(readable)} if readable else {})
        assert {row.namespace for row in view.namespaces(scope, now=NOW)} == readable
        assert {row.tag for row in view.tags(scope, now=NOW)} == readable
        assert {row.namespace for row in view.list_memories(scope, now=NOW)[0]} == readable
        assert {row.namespace for row in view.list_tombstones(scope, now=NOW)[0]} == readable
        assert {row.namespace for row in view.bootstrap(scope, now=NOW)} == readable
        hits = view.search_substring("port", scope, now=NOW)
        assert {hit.id for hit in hits} == {f"{kind}-{name}" for name in readable for kind in "me"}


def test_tags_are_counted_over_live_memories_with_how_many_are_preferences(direct: Direct) -> None:
    direct.memory("a", tags=["tea", "port"], decay_class="user_pref")
    direct.memory("b", tags=["tea"])
    direct.memory("c", tags=["tea", "gone"])
    direct.change("c", facts.MemoryDeleted(agent_id="h"))
    assert [
        (row.tag, row.count, row.user_preferences) for row in direct.view.tags(None, now=NOW)
    ] == [
        ("tea", 2, 1),
        ("port", 1, 1),
    ]


def test_a_session_starts_with_what_is_pinned_and_then_what_is_important(direct: Direct) -> None:
    direct.memory("old", at=START - timedelta(days=300))
    direct.memory("new")
    direct.memory("pinned", at=START - timedelta(days=900), tier="core")
    assert [row.id for row in direct.view.bootstrap(None, now=NOW)] == ["pinned", "new", "old"]
    assert len(direct.view.bootstrap(None, now=NOW, limit=2)) == 2


def test_the_order_that_is_kept_is_the_one_that_would_be_made_anew(
    direct: Direct, view_path: Path
) -> None:
    def ids(now: datetime = NOW) -> list[str]:
        return [row.id for row in direct.view.bootstrap(SHARED, now=now, limit=3)]

    def anew(now: datetime = NOW) -> list[str]:
        with closing(StateView(view_path)) as view:
            return [row.id for row in view.bootstrap(SHARED, now=now, limit=3)]

    soon = NOW + timedelta(minutes=2)
    for number in range(8):
        direct.memory(f"m{number}", at=START - timedelta(days=number))
    assert ids() == anew() == ["m0", "m1", "m2"]
    direct.memory("passing", expires_at=soon)
    assert ids()[0] == "passing"
    assert ids(soon) == anew(soon) == ["m0", "m1", "m2"]
    direct.change("m0", facts.MemoryDeleted(agent_id="h"))
    assert ids(soon) == anew(soon) == ["m1", "m2", "m3"]
    direct.memory("elsewhere", namespace="private")
    direct.memory("pinned", at=START - timedelta(days=900), tier="core")
    assert ids(soon) == anew(soon) == ["pinned", "m1", "m2"]
    later = soon + timedelta(days=400)
    assert ids(later) == anew(later)


def test_the_scan_ranks_by_terms_found_and_leaves_superseded_text_out(direct: Direct) -> None:
    direct.memory("both", "ComfyUI listens on PORT 8188")
    direct.memory("one", "the port of Hamburg")
    direct.memory("tea", "我喜欢喝冻顶乌龙茶")
    direct.episode("kept", "ComfyUI once more", metadata={})
    direct.episode("said", "ComfyUI came from here", distill=False)
    direct.episode("gone", "ComfyUI is deleted")
    direct.tell(("Episode", "gone", facts.EpisodeDeleted()))
    direct.episode("stale", "ComfyUI listens on 1111")
    direct.memory("corrected", "ComfyUI listens on 1111", derived_from=["stale"])
    distilled = facts.EpisodeDistilled(memory_ids=["corrected"], reinforced_ids=[], distiller="r")
    direct.tell(("Episode", "stale", distilled))

    def found(text: str) -> list[str]:
        return [hit.id for hit in direct.view.search_substring(text, None, now=NOW)]

    assert "stale" in found("1111")
    correction = facts.MemoryCorrected(content="no such thing", source="owner_edit", agent_id="o")
    direct.change("corrected", correction)
    assert found("1111") == []
    direct.memory("confirmed", "the tea is 8190")
    direct.episode("again", "once more 8190")
    direct.tell(
        (
            "Episode",
            "again",
            facts.EpisodeDistilled(memory_ids=[], reinforced_ids=["confirmed"], distiller="rules"),
        )
    )
    assert found("8190") == ["again", "confirmed"]
    direct.change("confirmed", facts.MemoryDeleted(agent_id="h"))
    assert found("8190") == []
    direct.change("confirmed", facts.MemoryRestored(agent_id="h"))
    assert found("8190") == ["confirmed", "again"]
    direct.change("confirmed", correction)
    assert found("8190") == []
    assert found("which port does comfyui use") == ["both", "kept", "one"]
    assert found("乌龙") == ["tea"]
    assert found("%") == found("") == found("_") == []


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("Which port?", ["which", "port"]),
        ("冻顶乌龙", ["冻顶", "顶乌", "乌龙"]),
        ("茶", ["茶"]),
        ("/etc/nginx/sites-enabled a", ["etc/nginx/sites-enabled", "a"]),
        ("", []),
    ],
)
def test_a_query_is_split_into_words_and_chinese_bigrams(text: str, terms: list[str]) -> None:
    assert scan_terms(text) == sorted(terms, key=len, reverse=True)


def test_two_thousand_rows_are_paged_through_without_a_loss(view_path: Path) -> None:
    with Direct(view_path) as direct:
        direct.tell(*(("Memory", f"m-{n}", a_memory(f"text {n}")) for n in range(2_000)))
        found = [name for page in pages(direct.view, "importance", 100) for name in page]
        assert len(found) == len(set(found)) == 2_000
