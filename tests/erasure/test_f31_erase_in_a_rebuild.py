"""F31: something is erased while the next generation of a view is half built."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from projections.build import GenerationBuild
from tests.api.service import commit, running_service
from tests.erasure.searching import files_with, log_with
from tests.servers import eventually
from tests.state_tables import assert_state_equals_log
from workers import view_building

CANARY = b"quetzalwren"


class Gate:
    """Holds a build up once half of the log is in it."""

    def __init__(self, half: int) -> None:
        self.reached, self.open = threading.Event(), threading.Event()
        self._half = half

    def around(self, tell: Any) -> Any:
        def told(attempt: Any, build: GenerationBuild) -> None:
            tell(attempt, build)
            if build.position >= self._half:
                self.reached.set()
                self.open.wait(60)

        return told


@pytest.mark.parametrize("view", ["state", "vector", "analytics"])
def test_f31_what_is_erased_when_a_rebuild_is_half_done_is_in_neither_generation(
    log_server, log_name, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, view: str
) -> None:
    monkeypatch.setattr("projections.build.EVENTS_A_BATCH", 8)
    with running_service(log_server, None, tmp_path, log_name) as service:
        hermes = service.agent("hermes-1")
        made = commit(hermes, f"the {CANARY.decode()} nests in April", distill=False, tags=["x"])
        for number in range(12):
            commit(hermes, f"fact number {number}", distill=False, wait="false")
        commit(hermes, f"the {CANARY.decode()} nests in May", namespace="shared", distill=False)
        head = service.node.application.event_log.head().position
        gate = Gate(head // 2)
        told = view_building._Attempts._tell_progress
        monkeypatch.setattr(view_building._Attempts, "_tell_progress", gate.around(told))
        asked = service.admin.post(f"/api/v1/admin/rebuild/{view}", params={"compare": "true"})
        assert asked.status_code == 202, asked.text
        assert gate.reached.wait(30)
        assert files_with(tmp_path / "views" / view / "2", CANARY) != {}
        with ThreadPoolExecutor() as pool:
            erasing = pool.submit(
                service.admin.post,
                "/api/v1/admin/erase",
                json={"agent_id": "hermes-1"},
                timeout=60,
            )
            eventually(lambda: service.node.application.event_log.head().position > head)
            gate.open.set()
            answer = erasing.result()
        while answer.status_code == 202:
            answer = service.admin.post("/api/v1/admin/erase", json={"agent_id": "hermes-1"})
        assert answer.status_code == 200, answer.text
        assert answer.json()["still_holding"] == []
        eventually(lambda: _live(service, view), within_s=60, every_s=0.1)
        build = _build_of(service, view)
        assert build["old_digest"] == build["new_digest"]
        assert files_with(tmp_path, CANARY) == {}
        assert log_with(log_server.url, log_name, CANARY) == []
        assert service.owner.get(f"/api/v1/memory/{made['memory_id']}").status_code == 404
        assert_state_equals_log(tmp_path / "views" / "state", log_server.url, log_name)


def _build_of(service: Any, view: str) -> Any:
    items = service.admin.get("/api/v1/admin/projections").json()["items"]
    return next(item["build"] for item in items if item["view"] == view)


def _live(service: Any, view: str) -> bool:
    build = _build_of(service, view)
    return build["state"] == "live" and build["new_digest"] is not None
