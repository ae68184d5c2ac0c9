"""A whole node with no language model: what is committed as talk becomes memories."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from memoryweave.client import Client
from memoryweave.contract import CommitReceipt, EpisodeDetail, MemoryDetail
from tests.nodes import NodeProcess
from tests.servers import eventually

SAID = datetime(2026, 5, 8, 10, tzinfo=UTC)


def test_talk_becomes_memories_is_seen_again_and_borne_out(tmp_path_factory) -> None:
    data = tmp_path_factory.mktemp("node") / "data"
    with NodeProcess(data) as node, node.client() as client:
        first = said(client, "s-1", 0, "The kiln controller listens on port 8455.")
        [kiln] = first.memory_ids
        assert client.memory(kiln).evidence == "The kiln controller listens on port 8455."
        assert said(client, "s-1", 1, "Hi there, thanks a lot!").reason == "chit_chat"

        again = said(client, "s-2", 2, "Please note: the kiln controller listens on port 8455!")
        assert again.memory_ids == [kiln]
        assert client.memory(kiln).observations == 2
        [moved] = said(client, "s-2", 3, "The kiln controller listens on port 8456 now.").memory_ids
        assert moved != kiln, "another port is another statement"

        [zinc] = said(client, "s-3", 4, "昨天我们决定用氧化锌釉料烧制青花瓷茶壶。").memory_ids
        assert "2026年5月11日" in client.memory(zinc).content, "the day before the fourth after"
        said(client, "s-4", 5, "今天又用氧化锌釉料烧制了青花瓷茶壶，效果很好。")
        eventually(lambda: borne_out(client.memory(zinc)))

        found = client.recall("which port does the kiln controller use").results
        ids = [item.id for item in found if item.layer == "memory"]
        assert ids[:2] == [moved, kiln], "of two values the newest comes first"


def said(client: Client, session: str, day: int, text: str) -> EpisodeDetail:
    """Commit a message of the owner; give its episode when the distiller is done with it."""
    at = SAID + timedelta(days=day)
    receipt = client.commit(
        text,
        namespace="shared",
        source="owner_message",
        speaker="owner",
        session_id=session,
        observed_at=at,
        urgent=True,
        wait="true",
    )
    assert isinstance(receipt, CommitReceipt)
    eventually(lambda: client.episode(receipt.episode_id).status != "pending", within_s=60)
    return client.episode(receipt.episode_id)


def borne_out(memory: MemoryDetail) -> bool:
    return memory.verifications >= 1
