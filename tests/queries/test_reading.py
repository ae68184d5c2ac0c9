"""Reading by id, lists, counts: what is shown, and to whom."""

from __future__ import annotations

import pytest

from bench.real_stack import RealStack
from domain.errors import Forbidden, InvalidCommand, NotFound
from memoryweave.contract import AsOf, MemoryPage
from queries.bootstrap import bootstrap
from queries.episode import episode
from queries.memories import MemoryList, memories, tombstones
from queries.memory import memory, versions
from queries.stats import namespaces, stats, tags
from tests.commands.speaking import Hand, Speaker


def test_a_memory_tells_its_life(stack: RealStack, hermes: Speaker, clock: Hand) -> None:
    told = hermes.remember("backups run at 03:00", tags=["ops"], category="fact")
    hermes.remember("backups run at 03:00")
    hermes.useful(told.memory_id)
    hermes.not_useful(told.memory_id)
    hermes.correct(told.memory_id, "backups run at 04:00", reason="moved", trigger="mail")
    stack.project()
    detail = memory(told.memory_id, hermes.caller, stack.state, clock())
    assert (detail.content, detail.version, detail.state) == ("backups run at 04:00", 2, "live")
    assert (detail.useful_count, detail.not_useful_count, detail.quality) == (1, 1, 0.5)
    assert detail.confidence == pytest.approx(1.1)
    assert detail.observations == 2
    assert detail.tags == ["ops"]
    assert detail.importance == pytest.approx(1.0)
    assert not detail.volatile
    clock.move(days=90)
    later = memory(told.memory_id, hermes.caller, stack.state, clock())
    assert later.importance < 0.5
    assert later.confidence == pytest.approx(0.95)


def test_versions_show_every_text_with_its_reason(
    stack: RealStack, hermes: Speaker, clock: Hand
) -> None:
    told = hermes.remember("backups run at 03:00", trigger="manual")
    hermes.correct(told.memory_id, "backups run at 04:00", reason="moved", trigger="mail")
    last = hermes.correct(
        told.memory_id, "backups run at 05:00", reason="again", source="config_parse"
    )
    stack.project()
    items = versions(told.memory_id, hermes.caller, stack.state, clock()).items
    assert [item.version for item in items] == [1, 2, 3]
    assert [item.content[-5:] for item in items] == ["03:00", "04:00", "05:00"]
    assert [item.reason for item in items] == [None, "moved", "again"]
    assert [item.trigger for item in items] == ["manual", "mail", None]
    assert [item.source for item in items][1:] == ["agent_inference", "config_parse"]
    assert items[0].position < items[1].position < items[2].position <= last.position
    assert {item.updated_by for item in items} == {"hermes-a06"}


@pytest.mark.parametrize(("source", "trust"), [("owner_edit", 1.0), ("owner_verbal", 1.0)])
def test_what_the_owner_corrected_is_trusted_as_the_owners_word(
    stack: RealStack, hermes: Speaker, owner: Speaker, clock: Hand, source: str, trust: float
) -> None:
    told = hermes.remember("backups run at 03:00")
    owner.correct(told.memory_id, "backups run at 04:00", source=source)
    stack.project()
    detail = memory(told.memory_id, owner.caller, stack.state, clock())
    assert (detail.agent_id, detail.source, detail.trust) == ("hermes-a06", source, trust)
    before = memory(
        told.memory_id, owner.caller, stack.state, clock(), as_of=AsOf(position=told.position)
    )
    assert (before.source, before.trust) == ("agent_inference", 0.5)


def test_what_an_agent_corrected_is_an_agents_claim_whoever_said_it_first(
    stack: RealStack, owner: Speaker, clock: Hand
) -> None:
    allowed = Speaker.agent(stack.application, "openclaw-1", may_claim=True)
    told = owner.remember("backups run at 03:00", source="owner_verbal", namespace="shared")
    stack.project()
    assert memory(told.memory_id, owner.caller, stack.state, clock()).trust == 1.0
    allowed.correct(told.memory_id, "backups run at 04:00", source="owner_verbal")
    stack.project()
    assert memory(told.memory_id, owner.caller, stack.state, clock()).trust == 0.95


def test_a_foreign_id_and_an_unknown_one_are_answered_alike(
    stack: RealStack, hermes: Speaker, owner: Speaker, clock: Hand
) -> None:
    theirs = owner.remember("a secret", namespace="other-main")
    stack.project()
    unknown = "00000000-0000-5000-8000-000000000000"
    for ask, foreign in (
        (memory, theirs.memory_id),
        (versions, theirs.memory_id),
        (episode, theirs.episode_id),
    ):
        said = set()
        for thing in (foreign, unknown):
            with pytest.raises(NotFound) as refused:
                ask(thing, hermes.caller, stack.state, clock())
            said.add(str(refused.value).replace(thing, "…"))
        assert len(said) == 1
    assert memory(theirs.memory_id, owner.caller, stack.state, clock()).content == "a secret"


def test_an_episode_is_shown_verbatim_with_what_it_became(
    stack: RealStack, hermes: Speaker, clock: Hand
) -> None:
    said = hermes.commit("  verbatim,\n with blanks ", speaker="owner", metadata={"page": 3})
    told = hermes.remember("backups run at 03:00")
    stack.project()
    raw = episode(said.episode_id, hermes.caller, stack.state, clock())
    assert (raw.content, raw.speaker, raw.status) == (
        "  verbatim,\n with blanks ",
        "owner",
        "pending",
    )
    assert raw.metadata == {"page": 3}
    assert raw.position == said.position
    became = episode(told.episode_id, hermes.caller, stack.state, clock())
    assert (became.status, became.memory_ids) == ("distilled", [told.memory_id])


def test_lists_page_through_everything_once(stack: RealStack, hermes: Speaker, clock: Hand) -> None:
    ids = [hermes.remember(f"fact number {number}").memory_id for number in range(7)]
    stack.project()
    seen: list[str] = []
    page = MemoryPage(items=[], next="")
    cursor = None
    while page.next is not None:
        page = memories(MemoryList(limit=3, cursor=cursor), hermes.caller, stack.state, clock())
        seen += [item.id for item in page.items]
        cursor = page.next
    assert seen == ids[::-1]
    with pytest.raises(InvalidCommand, match="cursor"):
        memories(MemoryList(cursor="bogus"), hermes.caller, stack.state, clock())


def test_lists_show_only_what_the_caller_may_read(
    stack: RealStack, hermes: Speaker, owner: Speaker, clock: Hand
) -> None:
    owner.remember("theirs", namespace="other-main", tags=["hidden"])
    owner.remember("everybody's", namespace="shared", tags=["seen"])
    hermes.remember("mine", tags=["seen"])
    stack.project()
    now = clock()
    listed = memories(MemoryList(), hermes.caller, stack.state, now).items
    assert {item.content for item in listed} == {"everybody's", "mine"}
    assert [item.tag for item in tags(hermes.caller, stack.state, now).items] == ["seen"]
    spaces = {item.namespace: item for item in namespaces(hermes.caller, stack.state, now).items}
    assert "other-main" not in spaces
    assert spaces["hermes-main"].writable
    assert stats(hermes.caller, stack.state, now).memories == 2
    assert stats(owner.caller, stack.state, now).memories == 3
    assert set(stats(hermes.caller, stack.state, now).by_namespace) == {"hermes-main", "shared"}
    for name in ("other-main", "no-such-main"):
        with pytest.raises(Forbidden):
            memories(MemoryList(namespace=name), hermes.caller, stack.state, now)
        with pytest.raises(Forbidden):
            tombstones(hermes.caller, stack.state, now, namespace=name)
        with pytest.raises(Forbidden):
            tags(hermes.caller, stack.state, now, namespace=name)


def test_tombstones_hold_deleted_memories_and_episodes(
    stack: RealStack, hermes: Speaker, clock: Hand
) -> None:
    told = hermes.remember("backups run at 03:00").memory_id
    said = hermes.commit("an imported line").episode_id
    hermes.delete(told)
    clock.move(minutes=1)
    hermes.delete_episode(said)
    stack.project()
    items = tombstones(hermes.caller, stack.state, clock()).items
    assert [(item.id, item.layer, item.state) for item in items] == [
        (said, "episode", "tombstone"),
        (told, "memory", "tombstone"),
    ]
    assert memories(MemoryList(), hermes.caller, stack.state, clock()).items == []


def test_bootstrap_gives_pinned_memories_first_and_ten_at_most(
    stack: RealStack, hermes: Speaker, owner: Speaker, clock: Hand
) -> None:
    ids = [hermes.remember(f"fact number {number}").memory_id for number in range(12)]
    owner.pin(ids[3])
    owner.remember("theirs", namespace="other-main")
    stack.project()
    items = bootstrap(hermes.caller, stack.state, clock()).items
    assert len(items) == 10
    assert items[0].id == ids[3]
    assert items[0].tier == "core"
    assert "theirs" not in {item.content for item in items}


def test_a_tag_is_the_users_when_most_of_what_carries_it_is_preference(
    stack: RealStack, hermes: Speaker, clock: Hand
) -> None:
    hermes.remember("likes tea", category="preference", tags=["taste", "mixed"])
    hermes.remember("port 8188", category="fact", tags=["net", "mixed"])
    stack.project()
    levels = {item.tag: item.level for item in tags(hermes.caller, stack.state, clock()).items}
    assert levels == {"taste": "user", "net": "project", "mixed": "project"}
