"""F18: a build that meets an event it cannot show fails; the old generation serves on."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import httpx
import pytest

from eventlog.redis_log import RedisLog
from projections.generation import current_generation, generations
from tests.api.service import ADMIN_KEY, Service, running_service
from tests.histories import Historian
from tests.nodes import clean_environment
from tests.projections.test_f16_undecodable import add_by_hand
from tests.servers import LogServer, eventually
from tests.view_oracles import seed_cache
from tests.view_workers import digests
from tests.workers.rebuilding_process import settings_of
from workers.cli.main import main
from workers.node import view_path

PARKING = ("state", "vector")
"""The views that set an event aside; analytics shows what it cannot open as it is stored."""


def build_of(service: Service, view: str) -> Any:
    items = service.admin.get("/api/v1/admin/projections").json()["items"]
    return next(item for item in items if item["view"] == view)["build"]


def ended(service: Service, view: str, **asked: str) -> Any:
    """Ask over HTTP for the view's next generation; give how its building ended."""
    answer = service.admin.post(f"/api/v1/admin/rebuild/{view}", params=asked)
    assert answer.status_code == 202, answer.text
    generation = answer.json()["generation"]

    def has_ended() -> bool:
        build = build_of(service, view)
        return bool(build["generation"] == generation and build["state"] in ("live", "failed"))

    eventually(has_ended, within_s=60, every_s=0.05)
    return build_of(service, view)


def test_f18_poison_fails_a_rebuild_unless_it_is_allowed_and_the_old_generation_serves(
    log_server: LogServer,
    log: RedisLog,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    historian = Historian(log, seed=18)
    historian.live_on(20)
    hit = historian.remember("The kiln is fired on Mondays")
    spared = historian.remember("The glaze dries for two days")
    bad = add_by_hand(log_server, log, hit, {"d": b"no JSON"})
    settings = settings_of(tmp_path / "data", log_server.url, log.name)
    seed_cache(settings, log)

    for name in os.environ.keys() - clean_environment().keys():
        monkeypatch.delenv(name)
    monkeypatch.setenv("MEMORYWEAVE_KEY", ADMIN_KEY)

    with running_service(log_server, None, settings.data, log.name, recall_log="off") as service:

        def rebuild(view: str, *flags: str, code: int) -> str:
            asked = ["rebuild", view, "--wait", "--json", "--url", service.url, *flags]
            done = main([*asked, "--data", str(tmp_path / "elsewhere")])
            printed = capsys.readouterr()
            assert done == code, printed.err
            if code:
                return printed.err
            # The service runs in this process, and logs to the same place.
            return next(line for line in printed.out.splitlines() if line.startswith("{"))

        def parked(view: str) -> list[int]:
            return digests(settings)[view].parked

        eventually(lambda: all_at(service, bad), within_s=60)
        before = digests(settings)
        assert {view: before[view].parked for view in before} == {
            "state": [bad], "vector": [bad], "analytics": [],
        }  # fmt: skip
        for view in PARKING:
            path = view_path(settings, view)
            failed = ended(service, view)
            assert failed["state"] == "failed"
            assert f"position {bad} (TierChanged) cannot be shown, undecodable" in failed["reason"]
            assert f"position {bad} " in rebuild(view, code=1)
            assert (current_generation(path), generations(path)) == (1, [1])
            assert digests(settings) == before
        found = recalled(service, "when is the kiln fired")
        assert hit in found
        assert service.nobody.get("/health").json()["views"]["state"]["parked"] == 1

        allowed = ended(service, "state", allow_parked="true", compare="true")
        assert (allowed["state"], allowed["parked"]) == ("live", 1)
        assert allowed["old_digest"] == allowed["new_digest"]
        told = json.loads(rebuild("vector", "--allow-parked", "--compare", code=0))
        assert (told["state"], told["parked"]) == ("live", 1)
        assert told["old_digest"] == told["new_digest"]
        assert json.loads(rebuild("analytics", code=0))["state"] == "live"
        assert parked("state") == parked("vector") == [bad]
        assert digests(settings) == before
        assert {hit, spared} <= recalled(service, "kiln glaze")


def all_at(service: Service, position: int) -> bool:
    views = service.nobody.get("/health").json()["views"]
    return all(view["position"] == position for view in views.values())


def recalled(service: Service, query: str) -> set[str]:
    answer: httpx.Response = service.admin.post("/api/v1/recall", json={"query": query})
    assert answer.status_code == 200, answer.text
    return {item["id"] for item in answer.json()["results"]}
