"""What is little sure is marked wherever it is shown, and never taken away."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from commands.application import MemoryApplication
from queries.brief import brief
from queries.context_block import fill
from queries.memories import MemoryList, memories
from queries.memory import memory
from tests.commands.distilling import Distiller, finding
from tests.commands.speaking import Hand, Speaker
from tests.queries.state_beside import Shown, shown

MARK = "low_confidence"


@pytest.fixture
def state(log_server, log_name, tmp_path: Path) -> Iterator[Shown]:
    with (
        MemoryApplication(log_server.url, log_name) as application,
        shown(application, tmp_path / "state") as state,
    ):
        yield state


@pytest.fixture
def clock() -> Hand:
    return Hand()


@pytest.fixture
def hermes(state: Shown, clock: Hand) -> Speaker:
    speaker = Speaker.agent(state.application, "hermes-a06", main="hermes-main", may_claim=True)
    speaker.clock = clock
    return speaker


def test_the_mark_stands_in_lists_details_briefs_and_blocks(
    state: Shown, hermes: Speaker, clock: Hand
) -> None:
    sure = hermes.remember("the kettle is blue").memory_id
    spoken = hermes.commit("Perhaps the attic is damp, somebody said.").episode_id
    found = finding("the attic is damp", clarity=0.3)
    [unsure] = Distiller(state.application, clock).distil(spoken, found).memory_ids
    for told in (sure, unsure):
        hermes.tag(told, "house", level="user")
    state.catch_up()
    page = memories(MemoryList(sort="confidence"), hermes.caller, state.view, clock())
    assert [(one.id, one.warnings) for one in page.items] == [(sure, []), (unsure, [MARK])]
    assert MARK in memory(unsure, hermes.caller, state.view, clock()).warnings
    told = brief(hermes.caller, state.view, clock())
    assert [one.warnings for one in told.user[0].items] == [[], [MARK]]
    block = fill({"memory": list(page.items)}, 5, 500).text
    for text in (told.text, block):
        [marked] = [line for line in text.splitlines() if MARK in line]
        assert "the attic is damp" in marked


def test_the_mark_comes_with_time_and_goes_when_the_statement_is_seen_again(
    state: Shown, hermes: Speaker, clock: Hand
) -> None:
    one = hermes.remember("the cellar key hangs by the door").memory_id
    marked = []
    for _ in range(11):
        state.catch_up()
        item = state.figures([one], clock())[one]
        marked.append((round(item.confidence, 2), MARK in item.warnings))
        clock.move(days=30)
    assert marked[:9] == [(round(1 - 0.05 * month, 2), False) for month in range(9)]
    assert marked[10] == (0.5, True)
    assert hermes.remember("the cellar key hangs by the door").memory_id == one
    state.catch_up()
    assert state.figures([one], clock())[one].warnings == []


def test_the_order_of_confidence_is_confidence_then_last_seen(
    state: Shown, hermes: Speaker, clock: Hand
) -> None:
    texts = ["the oak is old", "the elm is tall", "the ash is sick"]
    oak, elm, ash = (hermes.remember(text).memory_id for text in texts)
    clock.move(days=1)
    birch = hermes.remember("the birch is white").memory_id
    hermes.remember("the elm is tall")
    clock.move(days=1)
    hermes.remember("the oak is old")
    state.catch_up()
    page = memories(MemoryList(sort="confidence"), hermes.caller, state.view, clock())
    assert [one.id for one in page.items] == [oak, elm, birch, ash]
