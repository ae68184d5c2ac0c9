"""schemathesis against the live service: no 5xx, no undocumented status (issue A, line 7)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.api.service import commit, running_service

CHECKS = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_schema_conformance",
    "response_headers_conformance",
    "negative_data_rejection",
    "unsupported_method",
    "ignored_auth",
)
CONFIG = """
[parameters]
"path.memory_id" = "{memory}"
"path.episode_id" = "{episode}"
"path.agent_id" = "{agent}"
"path.view" = "state"

[checks.negative_data_rejection]
expected-statuses = [400, 401, 403, 404, 405, 409, 413, 415, 422, 429]
"""


@pytest.fixture(scope="module")
def fuzzed(log_server, volatile_server, tmp_path_factory):
    """A service of its own: what is thrown at it is not for other tests to find."""
    data = tmp_path_factory.mktemp("fuzzed")
    with running_service(log_server, volatile_server, data, "fuzzed") as running:
        yield running


def test_nothing_that_is_sent_breaks_the_service_or_gets_an_undocumented_status(fuzzed, tmp_path):
    run_schemathesis(fuzzed, "agent", tmp_path, "--phases=fuzzing,stateful", examples=5, seed=7)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["agent", "owner", "admin"])
def test_nothing_breaks_the_service_however_long_it_is_tried(fuzzed, kind, tmp_path):
    run_schemathesis(fuzzed, kind, tmp_path, examples=200, seed=None)


def run_schemathesis(
    service, kind: str, tmp_path: Path, *more: str, examples: int, seed: int | None
) -> None:
    """Run it with the key of that kind, on paths that name things which exist."""
    agent = service.agent(f"fuzzer-{kind}-{examples}")
    client = agent if kind == "agent" else getattr(service, kind)
    receipt = commit(agent, f"what {kind} finds", distill=False)
    throwaway = service.agent(f"throwaway-{kind}-{examples}")
    config = tmp_path / "schemathesis.toml"
    config.write_text(
        CONFIG.format(
            memory=receipt["memory_id"],
            episode=receipt["episode_id"],
            agent=throwaway.headers["X-API-Key"].removeprefix("mw_").split(".")[0],
        )
    )
    command = [
        str(Path(sys.executable).with_name("schemathesis")),
        f"--config-file={config}",
        "run",
        f"{service.url}/schema/openapi.json",
        f"--header=X-API-Key: {client.headers['X-API-Key']}",
        f"--max-examples={examples}",
        f"--checks={','.join(CHECKS)}",
        "--workers=2",
        "--no-color",
        "--suppress-health-check=all",
        *more,
        *([] if seed is None else [f"--seed={seed}"]),
    ]
    outcome = subprocess.run(
        command,
        capture_output=True,
        text=True,
        timeout=3000,
        check=False,
        cwd=tmp_path,
        env=os.environ | {"NO_PROXY": "127.0.0.1"},
    )
    assert outcome.returncode == 0, outcome.stdout[-8000:] + outcome.stderr[-2000:]
