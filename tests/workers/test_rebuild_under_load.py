"""Each view is built anew under a live load: no request fails, both generations say the same."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from memoryweave.client import Client
from memoryweave.contract import BuildItem, Commit
from tests.live_load import live_load
from tests.nodes import NodeProcess
from tests.servers import eventually
from workers.views import VIEW_KINDS

WORDS = [f"word{number}" for number in range(400)]


def statement(chance: random.Random) -> str:
    return " ".join(chance.choices(WORDS, k=12))


def question(chance: random.Random) -> str:
    return " ".join(chance.choices(WORDS, k=4))


def build_of(client: Client, view: str) -> BuildItem:
    build = next(item.build for item in client.projections().items if item.view == view)
    assert build is not None
    return build


@pytest.mark.slow
def test_views_built_anew_under_a_live_load_fail_no_request_and_say_the_same(
    tmp_path: Path,
) -> None:
    with NodeProcess(tmp_path / "data") as node, node.client() as client:
        chance = random.Random(3)
        for _ in range(15):
            client.batch_commit(
                [Commit(content=statement(chance), distill=False) for _ in range(100)]
            )
        with live_load(node, statement, question) as load:
            for view in [*VIEW_KINDS, *VIEW_KINDS]:
                asked = client.rebuild(view, compare=True)

                def is_live(view: str = view, generation: int = asked.generation) -> bool:
                    build = build_of(client, view)
                    assert build.state != "failed", build.reason
                    return build.state == "live" and build.generation == generation

                eventually(is_live, within_s=300, every_s=0.1)
                build = build_of(client, view)
                assert build.old_digest == build.new_digest
                assert build.old_digest is not None
                assert build.old_digest.position > 0
            sent = len(load.recalls)
            eventually(lambda: len(load.recalls) >= sent + 20, within_s=120)
        assert load.failures == []
        assert len(load.commits) > 20
        assert len(load.recalls) > 60
        # By words alone where a query had no vector in time; never without an index.
        assert {level for _, _, level in load.recalls} <= {"hybrid", "lexical"}
        answer = client.recall(question(chance), min_position=load.last)
        assert answer.position >= load.last
