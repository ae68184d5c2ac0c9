"""A word that nobody else says is written in every place that takes a text, and then erased.

The node is a real one: archived, trimmed, backed up, corrected, rebuilt. Afterwards the word is in
no file below its directory, decoded or not, and in no answer.
"""

from __future__ import annotations

import base64
import hashlib
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from commands.application import MemoryApplication
from domain.events import Entity, Relation
from domain.policies.settling import Settle
from memoryweave.client import Client
from memoryweave.contract import ErasureReceipt
from memoryweave.errors import NotFound, Unauthenticated
from tests.commands.distilling import Distiller, finding
from tests.commands.speaking import Speaker
from tests.erasure.node_log import admin_log, admin_log_url
from tests.erasure.searching import files_with, keys_of, log_with
from tests.nodes import COMMAND, NodeProcess
from tests.servers import eventually
from tests.state_tables import tables_of

CANARY = "quetzalwren"
SMALL_ARCHIVE = {
    "MEMORYWEAVE_ARCHIVE_SEGMENT_EVENTS": "20",
    "MEMORYWEAVE_ARCHIVE_HOT_WINDOW": "10",
}
VIEWS = ("state", "vector", "analytics")


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NodeProcess]:
    with NodeProcess(tmp_path_factory.mktemp("canary") / "data", **SMALL_ARCHIVE) as running:
        yield running


def say_everywhere(client, word: str) -> tuple[str, str]:
    """Write the word into everything that takes a text; give a memory's id and its episode's."""
    made = client.remember(
        f"the {word} nests in April",
        tags=[word],
        metadata={"seen": f"{word} in the garden", word: 1},
        speaker=f"{word} keeper",
        trigger=f"{word} seen",
        wait="vectors",
    )
    assert made.memory_id is not None
    client.feedback_useful(made.memory_id, reason=f"{word}: right")
    client.set_tags(made.memory_id, [f"{word}-tag", "birds"])
    client.feedback_correct(
        made.memory_id,
        f"the {word} nests in May",
        reason=f"{word} was watched",
        trigger=f"{word} again",
        wait="vectors",
    )
    client.remember(f"the {word} nests in May")
    client.delete_memory(made.memory_id)
    # Only a question that finds the memory goes with it.
    client.restore(made.memory_id, wait="vectors")
    found = client.recall(f"where does the {word} nest")
    assert made.memory_id in [result.id for result in found.results]
    return made.memory_id, made.episode_id


def test_after_an_erase_the_word_is_nowhere_and_all_else_is_as_it_was(node: NodeProcess) -> None:
    with node.client() as client:
        others = [client.remember(f"fact number {n} of the garden") for n in range(30)]
        memory, episode = say_everywhere(client, CANARY)
        eventually(lambda: bool(client.audit(type="RecallServed").items), every_s=0.1)
        said = positions_with(node, CANARY)
        assert len(said) > 5
        others += [client.remember(f"fact number {n} of the house") for n in range(10)]
        with admin_log(node) as log:
            # All of it is in segments by then, and in the stream no more.
            eventually(lambda: log.floor() > said[-1], within_s=60, every_s=0.2)
        assert positions_with(node, CANARY) == said
        client.rebuild("vector")
        client.rebuild("state")
        eventually(
            lambda: all(
                item.build is None or item.build.state == "live"
                for item in client.projections().items
            ),
            within_s=60,
            every_s=0.2,
        )
        client.backup()
        assert CANARY.encode() in set().union(*files_with(node.data, CANARY.encode()).values())
        subjects = [f"memory:{memory}", f"episode:{episode}"]
        keys = keys_of(admin_log_url(node), "main", subjects)
        assert len(keys) == 2
        written = [base64.b64encode(key) for key in keys]
        kept = files_with(node.data / "backups", *written)
        assert set().union(*kept.values()) == set(written)
        shas = shas_of(node.data)
        before = tables_of(node.data / "views" / "state")

        receipt = client.erase(memory_id=memory)
        while receipt.pending_views:
            receipt = client.erase(memory_id=memory)
        assert receipt.still_holding == []
        assert set(subjects) <= set(receipt.subjects)
        assert receipt.purged.views == ["analytics", "state", "vector"]
        assert len(receipt.purged.backups) == 1

        assert positions_with(node, CANARY) == []
        traces = [CANARY.encode(), *keys, *written, *shas]
        assert files_with(node.data, *traces) == {}
        after = tables_of(node.data / "views" / "state")
        gone = {memory, *receipt.episodes}
        for table in ("memories", "episodes", "versions", "votes", "memory_tags"):
            kept = {
                key: row
                for key, row in before[table].items()
                if not gone & {row.get("id"), row.get("memory_id")}
            }
            assert after[table] == kept, table
        assert client.memory(others[7].memory_id).content == "fact number 7 of the garden"
        assert [d.view for d in client.digest().items] == list(VIEWS)

        client.rebuild("vector", compare=True)
        client.rebuild("state", compare=True)
        eventually(lambda: rebuilt(client, "vector", "state"), within_s=60, every_s=0.2)
        for item in client.projections().items:
            if item.build is not None and item.build.old_digest is not None:
                assert item.build.old_digest == item.build.new_digest, item.view
        assert files_with(node.data, *traces) == {}
    shown = subprocess.run(
        [*COMMAND, "log", "show", "--json", "--data", str(node.data)],
        capture_output=True,
        check=True,
        env=node.environment,
    )
    assert CANARY not in shown.stdout.decode()
    assert memory in shown.stdout.decode()


def positions_with(node: NodeProcess, word: str) -> list[int]:
    """Give the positions, in segments and stream, whose event says the word with today's keys."""
    return log_with(admin_log_url(node), "main", word.encode(), archive=node.data / "archive")


def rebuilt(client, *views: str) -> bool:
    builds = {item.view: item.build for item in client.projections().items}
    return all(
        (build := builds[view]) is not None and build.state == "live" and build.new_digest
        for view in views
    )


def shas_of(data: Path) -> list[bytes]:
    """Give the digests under which vectors of texts with the word lie."""
    texts = [f"the {CANARY} nests in April", f"the {CANARY} nests in May"]
    digests = [hashlib.sha256(text.encode()).digest() for text in texts]
    cached = files_with(data / "cache", *digests)
    assert cached, "the vectors of these texts are not in the cache under the names expected"
    return [*digests, *(digest.hex().encode() for digest in digests)]


def distil(
    application: MemoryApplication, episode: str, contents: list[str], settle: Settle = "auto"
) -> list[str]:
    """Make memories of an episode, each with the words in every field that can hold some."""
    found = [
        finding(
            content,
            entities=(Entity(name=content, type="bird"),),
            relations=(Relation(subject=content, relation="HAS", object=content),),
        )
        for content in contents
    ]
    distiller = Distiller(application)
    distiller.clock.now = datetime.now(UTC)
    distiller.fail(episode, f"it choked on {contents[0]}")
    return list(distiller.distil(episode, *found, settle=settle).memory_ids)


@pytest.mark.slow
def test_an_episode_goes_with_its_three_memories_and_an_agent_with_all_it_said(
    node: NodeProcess,
) -> None:
    first, second = "nightjarheron", "dippercrake"
    with node.client() as client:
        registered = client.register_agent("wren-1", "hermes")
    with node.client(registered.api_key) as agent:
        long = f"{first} " + " ".join(f"word{n} {first}{n}." for n in range(1500))
        talk = agent.commit(long, namespace="shared", speaker=first)
        doubtful = agent.commit(f"{first} may come, go or stay", namespace="shared")
        said = agent.remember(f"the {second} sleeps", tags=[second], metadata={"k": second})
        agent.commit(f"about {second}", speaker=second)
    with MemoryApplication(admin_log_url(node)) as application:
        made = distil(application, talk.episode_id, [f"{first} one", f"{first} two", f"{first} 3"])
        shy = [f"{first} may come", f"{first} may go", f"{first} may stay"]
        proposed = distil(application, doubtful.episode_id, shy, settle="confirm")
        owner = Speaker.of_kind(application, "owner")
        owner.clock.now = datetime.now(UTC)
        owner.settle(proposed[0], content=f"{first} comes")
        owner.dismiss(proposed[1], reason=f"{first} does not go")
        owner.redistil(doubtful.episode_id, reason=f"better heard of {first}")
    with node.client() as client:
        own = client.remember("what nobody erases", wait="vectors")
        client.feedback_useful(made[0], reason=first, wait="true")
        receipt = erased(client, episode_id=talk.episode_id)
        assert sorted(receipt.memories) == sorted(made)
        assert (receipt.episodes, receipt.still_holding) == ([talk.episode_id], [])
        assert files_with(node.data, first.encode()) != {}
        receipt = erased(client, episode_id=doubtful.episode_id)
        assert sorted(receipt.memories) == sorted(proposed)
        assert files_with(node.data, first.encode()) == {}
        assert files_with(node.data, second.encode()) != {}
        receipt = erased(client, agent_id="wren-1")
        assert said.memory_id in receipt.memories
        assert receipt.still_holding == []
        assert files_with(node.data, second.encode()) == {}
        assert client.memory(own.memory_id).content == "what nobody erases"
        for thing in (*made, *proposed):
            with pytest.raises(NotFound):
                client.memory(thing)
        for word in (first, second):
            assert word not in str(client.recall(word, top_k=50))
            assert word not in str(client.memories(limit=100))
    with node.client(registered.api_key) as agent, pytest.raises(Unauthenticated):
        agent.recall(second)


def erased(client: Client, **target: str) -> ErasureReceipt:
    while (receipt := client.erase(**target)).pending_views:
        pass
    return receipt
