"""A process that only serves forgets the keys of what another process has erased."""

from __future__ import annotations

from commands.application import MemoryApplication
from tests.commands.speaking import Speaker
from tests.servers import eventually
from workers.key_forgetting import keys_forgotten


def test_a_key_that_another_process_has_destroyed_is_forgotten_within_a_moment(
    log_server, log_name
) -> None:
    with (
        MemoryApplication(log_server.url, log_name) as here,
        MemoryApplication(log_server.url, log_name) as there,
        keys_forgotten(here.event_log, here.codec),
    ):
        hermes = Speaker.agent(here, "hermes-1")
        admin = Speaker.of_kind(there, "admin")
        made, kept = hermes.remember("the port is 3000"), hermes.remember("the port is 3001")
        for receipt in (made, kept):
            assert here.codec.keys.holds(f"memory:{receipt.memory_id}")
        admin.erase(memory_id=made.memory_id)
        eventually(lambda: not here.codec.keys.holds(f"memory:{made.memory_id}"))
        assert not here.codec.keys.holds(f"episode:{made.episode_id}")
        assert here.codec.keys.holds(f"memory:{kept.memory_id}")
