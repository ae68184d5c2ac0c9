"""Recall on a real log with real views: what is found, what is never shown, what is refused."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from bench.real_stack import RealStack
from domain.caller import Caller
from domain.errors import Forbidden, ViewBehind, ViewDegraded
from projections.parking import ParkedEvent, Parking
from projections.state.view import StateView
from queries.tokens import token_count
from tests.commands.speaking import Hand, Speaker
from tests.queries.asking import ask, settle, texts
from tests.queries.distilling import distil


def test_words_and_meaning_find_memories_and_episodes_with_scores_between_0_and_1(
    stack: RealStack, hermes: Speaker
) -> None:
    port = hermes.remember("ComfyUI listens on port 8188", category="fact")
    tea = hermes.commit("我喜欢喝冻顶乌龙茶", speaker="owner")
    hermes.commit("the bakery opens at seven")
    settle(stack)
    answer = ask(stack, hermes, "which port does ComfyUI use")
    assert answer.level == "hybrid"
    assert answer.degraded == []
    assert answer.results[0].id == port.memory_id
    assert answer.results[0].layer == "memory"
    assert ask(stack, hermes, "乌龙").results[0].id == tea.episode_id
    assert ask(stack, hermes, "what does he like to drink").results[0].id == tea.episode_id
    scores = [result.score for result in answer.results]
    assert scores == sorted(scores, reverse=True)
    assert all(0.0 <= score <= 1.0 for score in scores)
    assert answer.position == stack.state.checkpoint().position


def test_a_memory_corrected_twice_is_found_by_its_last_text_only(
    stack: RealStack, hermes: Speaker
) -> None:
    memory = hermes.remember("the gateway listens on port 3000").memory_id
    settle(stack)
    hermes.correct(memory, "the gateway listens on port 4000", reason="moved")
    hermes.correct(memory, "the gateway listens on port 5000", reason="moved again")
    settle(stack)
    for layers in (["memory"], ["episode"], ["memory", "episode"]):
        for query in ("port 3000", "port 4000", "the gateway listens on port 3000"):
            found = texts(ask(stack, hermes, query, layers=layers, top_k=100))
            assert not any("3000" in text or "4000" in text for text in found)
    [result] = ask(stack, hermes, "gateway port").results
    assert (result.content, result.version) == ("the gateway listens on port 5000", 3)


def test_what_changes_while_it_is_ranked_is_not_shown(stack: RealStack, hermes: Speaker) -> None:
    moved = hermes.remember("the gateway listens on port 3000").memory_id
    gone = hermes.remember("the gateway password is in the safe").memory_id
    episode = hermes.commit("the gateway was painted green").episode_id
    praised = hermes.remember("the gateway is a grey box").memory_id
    settle(stack)

    class Changing(StateView):
        def outlines(self, *ids: Any, now: datetime) -> Any:
            read = super().outlines(*ids, now=now)
            hermes.correct(moved, "the gateway listens on port 4000")
            hermes.delete(gone)
            hermes.delete_episode(episode)
            hermes.useful(praised)
            stack.project("state")
            return read

    stack.state.close()
    with closing(Changing(stack.state_folder.parent)) as stack.state:
        answer = ask(stack, hermes, "the gateway")
    assert texts(answer) == ["the gateway is a grey box"]


@pytest.mark.parametrize("ahead", ["state", "vector"])
def test_no_old_text_is_shown_while_one_view_is_ahead_of_the_other(
    stack: RealStack, hermes: Speaker, ahead: str
) -> None:
    memory = hermes.remember("the gateway listens on port 3000").memory_id
    gone = hermes.remember("the gateway password is in the safe").memory_id
    episode = hermes.commit("the gateway was painted green").episode_id
    settle(stack)
    hermes.correct(memory, "the gateway listens on port 4000")
    hermes.delete(gone)
    hermes.delete_episode(episode)
    stack.project(ahead)
    found = texts(ask(stack, hermes, "the gateway"))
    assert "the gateway listens on port 3000" not in found
    if ahead == "state":
        assert found == []
    settle(stack)
    assert texts(ask(stack, hermes, "the gateway")) == ["the gateway listens on port 4000"]


def test_a_deleted_memory_is_not_recalled_until_it_is_restored(
    stack: RealStack, hermes: Speaker
) -> None:
    memory = hermes.remember("lunch is at noon").memory_id
    hermes.delete(memory)
    settle(stack)
    assert ask(stack, hermes, "when is lunch").results == []
    hermes.restore(memory)
    settle(stack)
    assert texts(ask(stack, hermes, "when is lunch")) == ["lunch is at noon"]


def test_what_has_expired_is_not_recalled(stack: RealStack, hermes: Speaker, clock: Hand) -> None:
    hermes.remember("the visitor code is 7731", expires_at=clock.now + timedelta(hours=1))
    hermes.commit("the visitor code changes daily", expires_at=clock.now + timedelta(hours=1))
    settle(stack)
    assert len(ask(stack, hermes, "visitor code").results) == 2
    clock.move(hours=2)
    assert ask(stack, hermes, "visitor code").results == []


def test_a_distilled_episode_goes_once_one_of_its_memories_says_something_else(
    stack: RealStack, hermes: Speaker
) -> None:
    episode = hermes.commit("we moved the printer to room 12 and bought toner").episode_id
    moved, toner = distil(stack, hermes, episode, "the printer is in room 12", "toner was bought")
    settle(stack)
    assert [result.id for result in ask(stack, hermes, "printer room 12").results] == [moved, toner]
    assert ask(stack, hermes, "printer", layers=["episode"]).results[0].id == episode
    hermes.correct(moved, "the printer is in room 14")
    stack.project("state")
    assert episode not in {result.id for result in ask(stack, hermes, "printer room 12").results}
    settle(stack)
    found = ask(stack, hermes, "printer room 12")
    assert episode not in {result.id for result in found.results}
    assert not any("room 12" in text for text in texts(found))
    [history] = ask(stack, hermes, "printer room 12", layers=["episode"]).results
    assert (history.id, history.warnings) == (episode, ["superseded"])
    hermes.delete(moved)
    settle(stack)
    [history] = ask(stack, hermes, "printer room 12", layers=["episode"]).results
    assert history.warnings == ["memory_deleted"]


def test_an_episode_that_confirmed_a_memory_goes_once_that_memory_is_corrected(
    stack: RealStack, hermes: Speaker
) -> None:
    memory = hermes.remember("backups run at 03:00").memory_id
    episode = hermes.commit("again: backups run at 03:00 sharp").episode_id
    distil(stack, hermes, episode, reinforce=memory)
    settle(stack)
    assert len(ask(stack, hermes, "when do backups run").results) == 2
    hermes.correct(memory, "backups run at 04:00")
    stack.project("state")
    assert texts(ask(stack, hermes, "when do backups run")) == []
    settle(stack)
    assert texts(ask(stack, hermes, "when do backups run")) == ["backups run at 04:00"]


def test_an_agent_recalls_its_own_and_shared_and_nothing_else(
    stack: RealStack, hermes: Speaker, owner: Speaker
) -> None:
    for namespace in ("hermes-main", "shared", "other-main", "hermes-ephemeral"):
        owner.remember(f"the code word of {namespace} is kestrel", namespace=namespace)
    settle(stack)

    def seen(speaker: Speaker, **options: Any) -> set[str]:
        return {item.namespace for item in ask(stack, speaker, "code word", **options).results}

    assert seen(hermes) == {"hermes-main", "shared", "hermes-ephemeral"}
    assert seen(hermes, namespaces=["shared"]) == {"shared"}
    assert seen(hermes, namespaces=[]) == set()
    assert seen(owner) == {"hermes-main", "shared", "other-main", "hermes-ephemeral"}
    granted = Speaker(
        stack.application,
        Caller(
            actor="hermes-a06",
            kind="agent",
            namespaces=hermes.caller.namespaces,
            granted=frozenset({"other-main"}),
        ),
    )
    assert "other-main" not in seen(granted)
    assert "other-main" in seen(granted, include_namespaces=["other-main"])
    for name in ("other-main", "no-such-main"):
        with pytest.raises(Forbidden):
            ask(stack, hermes, "code word", include_namespaces=[name])
        with pytest.raises(Forbidden):
            ask(stack, hermes, "code word", namespaces=[name])


FILTERS: list[tuple[dict[str, Any], set[str]]] = [
    ({"categories": ["decision"]}, {"kestrel one"}),
    ({"categories": ["decision", "preference"]}, {"kestrel one", "kestrel two"}),
    ({"categories": []}, set()),
    ({"tags": ["net"]}, {"kestrel one", "kestrel three"}),
    ({"tags": ["net", "lab"]}, {"kestrel one"}),
    ({"agents": ["hermes-a06"]}, {"kestrel one", "kestrel two", "kestrel three"}),
    ({"agents": ["nobody"]}, set()),
    ({"sources": ["config_parse"]}, {"kestrel two"}),
    ({"session_id": "s-1"}, {"kestrel one"}),
    ({"observed_after": datetime(2026, 3, 1, tzinfo=UTC)}, {"kestrel two", "kestrel three"}),
    ({"observed_before": datetime(2026, 3, 1, tzinfo=UTC)}, {"kestrel one", "kestrel two"}),
    ({"observed_before": datetime(2026, 3, 1)}, {"kestrel one", "kestrel two"}),  # noqa: DTZ001
    ({"metadata": {"rack": 7}}, {"kestrel one"}),
    ({"metadata": {"rack": True}}, {"kestrel two"}),
    ({"metadata": {"rack": 7, "row": "b"}}, set()),
    ({"layers": ["episode"]}, {"kestrel three"}),
    ({"layers": ["memory"]}, {"kestrel one", "kestrel two"}),
    ({"categories": ["decision"], "tags": ["lab"], "session_id": "s-1"}, {"kestrel one"}),
]


def test_filters_select_the_same_rows_by_search_and_by_scan(
    stack: RealStack, hermes: Speaker
) -> None:
    hermes.remember(
        "kestrel one",
        category="decision",
        tags=["net", "lab"],
        session_id="s-1",
        observed_at=datetime(2026, 2, 1, tzinfo=UTC),
        metadata={"rack": 7},
    )
    hermes.remember(
        "kestrel two",
        category="preference",
        source="config_parse",
        observed_at=datetime(2026, 3, 1, tzinfo=UTC),
        metadata={"rack": True},
    )
    hermes.commit("kestrel three", tags=["net"])
    settle(stack)
    searched = [set(texts(ask(stack, hermes, "kestrel", **options))) for options, _ in FILTERS]
    damage_vector_view(stack)
    scanned = [ask(stack, hermes, "kestrel", **options) for options, _ in FILTERS]
    expected = [wanted for _, wanted in FILTERS]
    assert searched == expected
    assert [set(texts(answer)) for answer in scanned] == expected
    assert {answer.level for answer in scanned} == {"scan", "hybrid"}  # hybrid: nothing can match


def damage_vector_view(stack: RealStack) -> None:
    """Garble every file of the vector table, as a bad disk does."""
    for file in stack.vector_folder.rglob("*"):
        if file.is_file():
            file.write_bytes(b"\0" * 64)
    stack.reopen_views()


def test_limits_cut_the_answer(stack: RealStack, hermes: Speaker) -> None:
    for number in range(12):
        hermes.remember(f"shelf {number} holds {'books ' * (number + 1)}".strip())
    settle(stack)
    full = ask(stack, hermes, "which shelf holds books", top_k=100)
    assert len(full.results) == 12
    assert texts(ask(stack, hermes, "which shelf holds books", top_k=3)) == texts(full)[:3]
    bound = full.results[5].score
    above = ask(stack, hermes, "which shelf holds books", top_k=100, min_score=bound)
    assert [item.score >= bound for item in full.results].count(True) == len(above.results)
    frugal = texts(ask(stack, hermes, "which shelf holds books", top_k=100, token_budget=30))
    assert frugal
    assert sum(map(token_count, frugal)) <= 30
    assert ask(stack, hermes, "which shelf holds books", token_budget=1).results == []


def test_an_explained_result_names_the_parts_of_its_score(
    stack: RealStack, hermes: Speaker
) -> None:
    hermes.remember("the lathe is in hall B")
    hermes.remember("rye bread needs a sour starter")
    settle(stack)
    assert all(item.parts is None for item in ask(stack, hermes, "lathe hall").results)
    best = ask(stack, hermes, "lathe hall", explain=True).results[0]
    assert best.parts is not None
    weight = best.parts["lexical_weight"]
    mixed = (1 - weight) * best.parts["dense"] + weight * best.parts["lexical"]
    assert best.score == pytest.approx(mixed)
    assert -1.0 <= best.parts["cosine"] <= 1.0
    assert 0.0 <= best.parts["similarity"] <= 1.0


def test_a_row_that_waits_for_its_vector_is_found_by_its_words(
    stack: RealStack, hermes: Speaker
) -> None:
    hermes.remember("the lathe is in hall B")
    settle(stack)
    hermes.remember("the new lathe is in hall C")
    stack.project()
    answer = ask(stack, hermes, "new lathe", explain=True)
    assert answer.results[0].content == "the new lathe is in hall C"
    assert answer.results[0].parts is not None
    assert "dense" not in answer.results[0].parts


def test_a_long_episode_is_one_result_with_its_best_chunk(
    stack: RealStack, hermes: Speaker
) -> None:
    filler = "Nothing happened in the workshop that day, and nobody came by to ask. "
    long = filler * 26 + "The furnace must never exceed 900 degrees. " + filler * 26
    episode = hermes.commit(long).episode_id
    settle(stack)
    [result] = ask(stack, hermes, "how hot may the furnace become").results
    assert result.id == episode
    assert result.chunk is not None
    assert result.chunk.of > 1
    assert 0 <= result.chunk.index < result.chunk.of
    assert "900 degrees" in result.content
    assert len(result.content) < len(long)
    assert result.content in long


def test_warnings_tell_what_not_to_rely_on(stack: RealStack, hermes: Speaker, clock: Hand) -> None:
    memory = hermes.remember("the meeting is on Monday").memory_id
    for number, day in enumerate(["Tuesday", "Wednesday", "Thursday"]):
        hermes.correct(memory, f"the meeting is on {day}", trigger=f"mail {number % 2}")
    hermes.remember("the meeting room is number 4")
    settle(stack)
    volatile, steady = sorted(
        ask(stack, hermes, "the meeting").results, key=lambda item: item.version, reverse=True
    )
    assert volatile.warnings == ["volatile"]
    assert volatile.triggers == ["mail 0", "mail 1"]
    assert steady.warnings == steady.triggers == []
    clock.move(days=30 * 10)
    aged = ask(stack, hermes, "number of the meeting room").results[0]
    assert aged.confidence == pytest.approx(0.5)
    assert aged.warnings == ["low_confidence"]


def test_an_importers_ids_come_back(stack: RealStack, hermes: Speaker) -> None:
    hermes.commit("line of an import about otters", metadata={"external_id": "l-1", "page": 3})
    hermes.remember("otters hold hands", metadata={"external_id": "l-2"})
    settle(stack)
    by_layer = {item.layer: item.metadata for item in ask(stack, hermes, "otters").results}
    assert by_layer["episode"] == {"external_id": "l-1", "page": 3}
    assert by_layer["memory"] == {"external_id": ["l-2"]}


def test_min_position_waits_for_both_views(stack: RealStack, hermes: Speaker) -> None:
    position = hermes.remember("the lathe is in hall B").position
    follower = threading.Timer(0.1, stack.project)
    follower.start()
    try:
        answer = ask(stack, hermes, "lathe", min_position=position)
    finally:
        follower.join()
    assert texts(answer) == ["the lathe is in hall B"]
    assert answer.position >= position
    with pytest.raises(ViewBehind, match=f"position {position + 1}"):
        ask(stack, hermes, "lathe", min_position=position + 1)


@pytest.mark.parametrize("view", ["state", "vector"])
def test_min_position_says_that_a_view_could_not_show_it(
    stack: RealStack, hermes: Speaker, view: str
) -> None:
    receipt = hermes.remember("the lathe is in hall B")
    settle(stack)
    projector = stack.state_projector if view == "state" else stack.vector_projector
    parked = ParkedEvent(
        position=receipt.position - 1,
        key="some id",
        type="X",
        cause="poison",
        reason="test",
        through=receipt.position,
    )
    projector.apply([], projector.checkpoint(), Parking(added=(parked,)))
    with pytest.raises(ViewDegraded, match=f"view {view}"):
        ask(stack, hermes, "lathe", min_position=receipt.position)
    assert texts(ask(stack, hermes, "lathe")) == ["the lathe is in hall B"]


def test_recalls_at_the_same_time_answer_as_one_after_the_other(
    stack: RealStack, hermes: Speaker
) -> None:
    for number in range(20):
        hermes.remember(f"drawer {number} holds part {number * 7}")
    settle(stack)
    queries = [f"which drawer holds part {number * 7}" for number in range(8)]
    alone = [texts(ask(stack, hermes, query)) for query in queries]
    with ThreadPoolExecutor(4) as callers:
        together = list(callers.map(lambda query: texts(ask(stack, hermes, query)), queries))
    assert together == alone
