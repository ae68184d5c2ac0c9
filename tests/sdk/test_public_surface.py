"""What users of the SDK hold in their hands; a change here is a change for them."""

from __future__ import annotations

import inspect
import subprocess
import sys

import memoryweave
from memoryweave import AsyncClient, Client
from tests.sdk.building import builders

METHODS = """
agents audit audit_query backup batch_commit bootstrap brief close close_session commit context
deactivate_agent
delete_episode delete_memory deliver episode erase feedback_correct feedback_deprecate
feedback_not_useful feedback_useful grant health issue_enrolment_token memories memory memory_read
namespaces perform pin projections provenance recall refused register_agent remember restore
restore_episode rebuild replicas digest retry_projection revoke rotate_agent_key set_tags settings
stats tags tombstones unpin versions waiting run_evaluation generate_evaluation evaluation_history
candidates settle dismiss redistil
"""


def test_the_package_exports_exactly_these_names() -> None:
    assert sorted(memoryweave.__all__) == ["AsyncClient", "Client", "Queued", "contract", "errors"]
    for name in memoryweave.__all__:
        assert getattr(memoryweave, name) is not None


def test_both_clients_have_exactly_these_methods() -> None:
    for client in (Client, AsyncClient):
        public = {name for name in vars(client) if not name.startswith("_")}
        assert public == set(METHODS.split()), client


def test_every_method_keeps_the_signature_and_words_of_its_operation() -> None:
    built = builders()
    assert len(built) >= 30
    with Client("http://127.0.0.1:9", outbox=None) as client:
        for build in built:
            method = getattr(client, build.__name__)
            assert inspect.signature(method) == inspect.signature(build)
            assert method.__doc__ == build.__doc__
            assert build.__name__ in vars(AsyncClient)


def test_sharing_the_contract_does_not_import_a_client() -> None:
    code = (
        "import sys; from memoryweave import contract;"
        "bad = {'httpx', 'websockets', 'sqlite3'} & set(sys.modules); assert not bad, bad"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
