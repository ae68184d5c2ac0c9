"""A whole node with a language model: from a commit to one memory, through views and processes."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from typing import Any

import psutil
import pytest

from memoryweave.client import Client
from tests.inference.chat_server import ChatServer
from tests.nodes import NodeProcess
from tests.servers import eventually
from tests.workers.scribe import a_finding, episodes_in, handle_of, writing
from tests.workers.test_llm_acceptance import WORDINGS

FIRST = "ComfyUI listens on port 8188"
CHANGED = "ComfyUI listens on port 9000 as of today."


@pytest.fixture(scope="module")
def node(
    running_chat: ChatServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[NodeProcess]:
    data = tmp_path_factory.mktemp("distilled") / "data"
    with NodeProcess(data, LLM_ENDPOINT=running_chat.endpoint, LLM_MODEL="local-8b") as running:
        yield running


@pytest.fixture(scope="module")
def client(node: NodeProcess) -> Iterator[Client]:
    with node.client() as speaking:
        yield speaking


def tell(client: Client, content: str) -> str:
    """Commit an episode that is distilled at once."""
    receipt = client.commit(content, urgent=True, source="owner_message", wait="true")
    return receipt.episode_id  # type: ignore[union-attr]


def wait_for(client: Client, episode_id: str) -> Any:
    """Wait until an episode was distilled, and give it."""
    eventually(lambda: client.episode(episode_id).status == "distilled", within_s=120, every_s=0.2)
    return client.episode(episode_id)


@pytest.mark.slow
def test_on_a_node_five_free_wordings_give_one_memory_and_a_changed_port_another(
    client: Client, chat: ChatServer
) -> None:
    def find(episode: dict[str, Any]) -> list[dict[str, Any]]:
        text = episode["text"]
        if any(known["text"] == FIRST for known in episode["known"]):
            again = {"action": "reinforce", "memory": handle_of(episode, FIRST)}
            return [a_finding(text, text, **again)]
        return [a_finding(FIRST, text)]

    chat.reply = writing(find)
    made = [wait_for(client, tell(client, wording)).memory_ids for wording in WORDINGS]
    assert made == [made[0]] * 5
    (memory_id,) = made[0]
    memory = client.memory(memory_id)
    assert (memory.content, memory.observations) == (FIRST, 5)
    assert memory.trust == pytest.approx(0.4)
    (other,) = wait_for(client, tell(client, CHANGED)).memory_ids
    assert other != memory_id
    assert client.memory(other).content == CHANGED
    eventually(lambda: len(client.audit(type="LlmCalled").items) == 6, within_s=60, every_s=0.2)


@pytest.mark.slow
def test_a_process_that_is_killed_while_it_asks_has_its_work_done_once_by_the_next(
    client: Client, chat: ChatServer, node: NodeProcess
) -> None:
    text = "The kiln in the studio is fired at 950 degrees."
    killed = threading.Event()
    kills = []

    def kill_first(request: dict[str, Any]) -> None:
        if len(kills) < 2:
            kills.append(_distilling_process(node).pid)
            os.kill(kills[-1], signal.SIGKILL)
            killed.set()

    chat.trouble = kill_first
    chat.reply = writing(lambda episode: [a_finding(text, text)])
    before = len(client.memories(namespace="shared").items)
    episode_id = tell(client, text)
    episode = wait_for(client, episode_id)
    assert killed.is_set()
    assert len(kills) == 2
    assert len(episode.memory_ids) == 1
    assert client.memory(episode.memory_ids[0]).content == text
    assert len(client.memories(namespace="shared").items) == before + 1
    assert [e["text"] for e in episodes_in(chat.requests[-1])] == [text]


def _distilling_process(node: NodeProcess) -> psutil.Process:
    children = psutil.Process(node.pid).children(recursive=True)
    return next(
        child for child in children if "workers.distillation.child" in " ".join(child.cmdline())
    )
