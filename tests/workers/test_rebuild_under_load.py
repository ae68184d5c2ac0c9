"""Each view is built anew under a live load: no request fails, both generations say the same."""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from memoryweave.client import Client
from memoryweave.contract import BuildItem, Commit
from projections.generation import current_generation
from tests.live_load import Load, live_load
from tests.nodes import NodeProcess
from tests.servers import eventually
from workers.views import VIEW_KINDS

WORDS = [f"word{number}" for number in range(400)]


@contextmanager
def loaded_node(data: Path) -> Iterator[tuple[NodeProcess, Client, Load]]:
    """Give a node with some thousand events, under load; fail if any request does."""
    with NodeProcess(data) as node, node.client() as client:
        chance = random.Random(3)
        for _ in range(15):
            client.batch_commit(
                [Commit(content=statement(chance), distill=False) for _ in range(100)]
            )
        with live_load(node, statement, question) as load:
            yield node, client, load
            sent = len(load.recalls)
            eventually(lambda: len(load.recalls) >= sent + 20, within_s=120)
        assert load.failures == []
        assert len(load.commits) > 20
        assert len(load.recalls) > 60
        # By words alone where a query had no vector in time; never without an index.
        assert {level for _, _, level in load.recalls} <= {"hybrid", "lexical"}
        answer = client.recall(question(chance), min_position=load.last)
        assert answer.position >= load.last


def statement(chance: random.Random) -> str:
    return " ".join(chance.choices(WORDS, k=12))


def question(chance: random.Random) -> str:
    return " ".join(chance.choices(WORDS, k=4))


def build_of(client: Client, view: str) -> BuildItem:
    build = next(item.build for item in client.projections().items if item.view == view)
    assert build is not None
    assert build.state != "failed", build.reason
    return build


def await_live(client: Client, view: str, generation: int) -> None:
    def is_live() -> bool:
        build = build_of(client, view)
        return build.state == "live" and build.generation == generation

    eventually(is_live, within_s=300, every_s=0.1)


def rebuild_equal(client: Client, view: str) -> None:
    """Build the view anew; fail unless the new generation says what the one before said."""
    await_live(client, view, client.rebuild(view, compare=True).generation)
    build = build_of(client, view)
    assert build.old_digest is not None, build.reason
    assert build.old_digest == build.new_digest
    assert build.old_digest.position > 0


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_views_built_anew_under_a_live_load_fail_no_request_and_say_the_same(
    tmp_path: Path,
) -> None:
    with loaded_node(tmp_path / "data") as (_, client, _load):
        for view in [*VIEW_KINDS, *VIEW_KINDS]:
            rebuild_equal(client, view)


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_a_worker_killed_in_rebuilds_under_a_live_load_fails_no_request(tmp_path: Path) -> None:
    with loaded_node(tmp_path / "data") as (node, client, _load):
        for view in VIEW_KINDS:
            path = node.data / "views" / view
            with pointing(path) as pointed:
                asked = client.rebuild(view)
                eventually(
                    lambda: build_of(client, view).state != "requested",  # noqa: B023  # at once
                    within_s=60,
                )
                node.children()["worker"].kill()
                await_live(client, view, asked.generation)
            assert pointed <= {asked.generation - 1, asked.generation}, "the old one or the new one"
            rebuild_equal(client, view)


@contextmanager
def pointing(view: Path) -> Iterator[set[int | None]]:
    """Give what CURRENT names at any time in the block, as far as a reader can see."""
    seen, stop = set[int | None](), threading.Event()

    def look() -> None:
        while not stop.wait(0.001):
            seen.add(current_generation(view))

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield seen
    finally:
        stop.set()
        thread.join()
