"""Both clients against a real service, also while its API is killed under them."""

from __future__ import annotations

import asyncio
import inspect
import re
from pathlib import Path

import httpx
import pytest

from memoryweave import AsyncClient, Client, Queued, contract, errors
from memoryweave.contract import CommitReceipt
from memoryweave.exchange import NO_RETRIES, Retries
from tests.nodes import NodeProcess
from tests.sdk.building import builders
from tests.servers import eventually


@pytest.fixture(scope="module")
def agent_key(node: NodeProcess) -> str:
    """The key of an agent that may commit as often as it likes."""
    quota = contract.Quota(
        recall_per_s=1000, recall_burst=1000, commit_per_s=1000, commit_burst=1000
    )
    with node.client() as client:
        return client.register_agent("sdk-agent", "hermes", quota=quota).api_key


def test_a_memorys_life_through_the_client(node: NodeProcess, agent_key: str) -> None:
    with node.client(agent_key) as client, node.client(node.owner_key) as owner:
        made = receipt(client.remember("Port 8188 is ComfyUI's", tags=["ports"], wait="vectors"))
        assert made.memory_id is not None
        answer = client.recall("which port has ComfyUI", min_position=made.position)
        assert answer.results[0].id == made.memory_id
        assert not answer.stale

        client.feedback_useful(made.memory_id, recall_id=answer.recall_id)
        corrected = client.feedback_correct(
            made.memory_id, "Port 8189 is ComfyUI's", reason="moved", expected_version=1
        )
        assert corrected.version == 2
        with pytest.raises(errors.VersionMismatch):
            client.feedback_correct(made.memory_id, "Port 1", expected_version=1)
        client.set_tags(made.memory_id, ["ports", "comfy"], wait="true")
        then = contract.AsOf(position=made.position)
        assert client.memory(made.memory_id, as_of=then).content == "Port 8188 is ComfyUI's"
        since = contract.AsOf(time=client.versions(made.memory_id).items[0].recorded_at)
        assert client.memories(as_of=since).items[0].content == "Port 8188 is ComfyUI's"
        known = client.recall("ComfyUI", as_of=then, layers=["memory"]).results[0]
        assert (known.version, known.content) == (1, "Port 8188 is ComfyUI's")
        assert [v.content for v in client.versions(made.memory_id).items] == [
            "Port 8188 is ComfyUI's",
            "Port 8189 is ComfyUI's",
        ]
        assert sorted(client.memory(made.memory_id).tags) == ["comfy", "ports"]
        assert {"comfy", "ports"} <= {item.tag for item in client.tags().items}

        client.delete_memory(made.memory_id, wait="true")
        assert made.memory_id in {item.id for item in client.tombstones().items}
        client.restore(made.memory_id, wait="true")
        assert made.memory_id in {item.id for item in client.memories(tag="comfy").items}
        owner.pin(made.memory_id, wait="true")
        assert made.memory_id in {item.id for item in client.bootstrap().items}
        owner.unpin(made.memory_id)


def test_episodes_batches_and_sessions_through_the_client(
    node: NodeProcess, agent_key: str
) -> None:
    with node.client(agent_key) as client:
        entries = [contract.Commit(content=f"batch entry {i}", session_id="s") for i in range(3)]
        batch = client.batch_commit(entries, wait="true")
        assert not isinstance(batch, Queued)
        assert len(batch.results) == 3
        episode_id = batch.results[0].episode_id
        assert client.episode(episode_id).content == "batch entry 0"
        client.delete_episode(episode_id, wait="true")
        assert client.episode(episode_id).status == "deleted"
        client.close_session("s")
        assert client.stats().episodes >= 2


def test_access_is_given_and_taken_through_the_client(node: NodeProcess, agent_key: str) -> None:
    with node.client() as admin:
        other = admin.register_agent("sdk-other", "hermes")
        admin.grant("sdk-agent", "sdk-other-main")
        admin.revoke("sdk-agent", "sdk-other-main")
        token = admin.issue_enrolment_token(kind="hermes")
        with node.client(token.token) as newcomer:
            assert newcomer.register_agent("sdk-new", "hermes").api_key
        assert {"sdk-agent", "sdk-other", "sdk-new"} <= {a.agent_id for a in admin.agents().items}
        rotated = admin.rotate_agent_key("sdk-other")
        with node.client(other.api_key) as old, pytest.raises(errors.Unauthenticated):
            eventually(lambda: old.namespaces() is None)
        assert rotated.api_key
        admin.deactivate_agent("sdk-other")
        assert admin.settings().items


def test_the_async_client_does_the_same(node: NodeProcess, agent_key: str) -> None:
    async def live() -> None:
        async with AsyncClient(node.url, agent_key, outbox=None) as client:
            made = receipt(await client.remember("The lift needs a blue card", wait="vectors"))
            answers = await asyncio.gather(*(client.recall("blue card") for _ in range(5)))
            assert {answer.results[0].id for answer in answers} == {made.memory_id}
            with pytest.raises(errors.NotFound):
                await client.memory("00000000-0000-4000-8000-000000000000")

    asyncio.run(live())


def test_what_is_committed_while_the_api_is_down_is_delivered_exactly_once(
    node: NodeProcess, agent_key: str, tmp_path: Path
) -> None:
    box = tmp_path / "outbox.sqlite"
    options = {"outbox": box, "retries": NO_RETRIES, "timeout_s": 5.0}
    contents = [f"outbox canary {number}" for number in range(30)]
    with Client(node.url, agent_key, **options) as client:  # type: ignore[arg-type]
        before = client.recall("outbox canary")
        node.children()["api"].kill()
        answers = [client.commit(content) for content in contents]
        assert isinstance(answers[0], Queued)
        stale = client.recall("outbox canary")
        assert stale.stale or stale.recall_id != before.recall_id
        # This client is gone before the service is back; the next one finds what it left.
    with Client(node.url, agent_key, **options) as client:  # type: ignore[arg-type]
        eventually(lambda: client.waiting() == 0, within_s=60, every_s=0.1)
        assert client.refused() == []
    assert committed(node, "outbox canary") == sorted(contents)


def test_commits_of_several_writers_under_a_dying_api_are_each_stored_once(
    node: NodeProcess, agent_key: str, tmp_path: Path
) -> None:
    eventually(node.is_ready, within_s=60, every_s=0.1)
    contents = [f"dying canary {number}" for number in range(60)]
    todo = list(contents)

    async def write(client: AsyncClient) -> None:
        while todo:
            if len(todo) == 40:
                node.children()["api"].kill()
            await client.commit(todo.pop())

    async def live() -> None:
        async with AsyncClient(
            node.url,
            agent_key,
            outbox=tmp_path / "outbox.sqlite",
            retries=Retries(within_s=0.3),
            timeout_s=5.0,
        ) as client:
            await asyncio.gather(*(write(client) for _ in range(6)))
            while not await client.deliver():
                await asyncio.sleep(0.1)
            assert client.refused() == []

    asyncio.run(asyncio.wait_for(live(), 120))
    assert committed(node, "dying canary") == sorted(contents)


def test_every_route_of_the_service_has_its_method_and_no_method_lacks_its_route(
    node: NodeProcess,
) -> None:
    document = httpx.get(f"{node.url}/schema/openapi.json").json()
    routes = {
        (method.upper(), re.sub(r"\{[^}]*\}", "X", path))
        for path, methods in document["paths"].items()
        for method in methods
    }
    built = set()
    for build in builders():
        needed = [
            [] if parameter.name == "entries" else "X"
            for parameter in inspect.signature(build).parameters.values()
            if parameter.default is inspect.Parameter.empty
        ]
        operation = build(*needed)
        built.add((operation.method, operation.path))
    assert built == routes - {("GET", "/metrics")}


def receipt(answer: CommitReceipt | Queued) -> CommitReceipt:
    """Say that an answer is a receipt."""
    assert isinstance(answer, CommitReceipt)
    return answer


def committed(node: NodeProcess, beginning: str) -> list[str]:
    """Give the committed contents that begin like this, once for every event in the log."""
    from domain.events import EpisodeCommitted, Event
    from eventlog.codec import Codec
    from eventlog.redis_log import RedisLog
    from eventlog.sealing import KeyRing

    with RedisLog(node.log_url("reader")) as log:
        opened = Codec(KeyRing(log.subject_keys)).open_batch(log.read(1, limit=100_000))
    bodies = [event.body for event in opened if isinstance(event, Event)]
    return sorted(
        body.content
        for body in bodies
        if isinstance(body, EpisodeCommitted) and body.content.startswith(beginning)
    )
