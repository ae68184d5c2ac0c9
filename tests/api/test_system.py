"""What the service tells of itself: health, figures, its schema and the viewer."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest
from litestar.testing import TestClient
from prometheus_client.parser import text_string_to_metric_families

from api.app import create_app
from memoryweave import contract
from tests.api.service import ADMIN_KEY, OWNER_KEY, WithOptions, commit, running_service
from workers.lifecycle_status import LifecycleStatus, write_status


def test_health_is_open_and_tells_of_log_views_and_embedder(service):
    answer = service.nobody.get("/health")
    assert answer.status_code == 200
    health = answer.json()
    assert (health["live"], health["ready"]) == (True, True)
    assert set(health["views"]) == {"state", "vector", "analytics"}
    assert health["log"]["writable"] is True
    assert health["embedder"]["name"]


def test_health_says_what_is_wrong_and_not_where_the_node_keeps_its_files(service):
    data = service.node.values.data
    trouble = f"the archive waits: [Errno 28] No space left on device: '{data}/archive/7.parquet'"
    write_status(data, LifecycleStatus(at=datetime.now(UTC), active=True, trouble=trouble))
    try:
        degraded = service.nobody.get("/health").json()["degraded"]
    finally:
        write_status(data, LifecycleStatus(at=datetime.now(UTC), active=False))
    [reason] = [part["reason"] for part in degraded if part["part"] == "archive"]
    assert reason == trouble.replace(str(data), "data")


def test_invented_methods_make_no_figures_of_their_own(service):
    for number in range(3):
        service.nobody.request(f"INVENTED{number}", "/health")
    figures = service.nobody.get("/metrics").text
    assert "INVENTED" not in figures
    assert 'endpoint="other ' in figures


def test_metrics_hold_the_named_figures(service, log_server, fresh):
    commit(service.agent(fresh("hermes")), "counted", wait="vectors")
    answer = service.nobody.get("/metrics")
    assert answer.headers["Content-Type"].startswith("text/plain")
    families = {family.name: family for family in text_string_to_metric_families(answer.text)}
    assert families.keys() >= {
        "memoryweave_uptime_seconds",
        "memoryweave_request_duration_seconds",
        "memoryweave_log_position",
        "memoryweave_projection_lag_events",
        "memoryweave_parked_events",
        "memoryweave_missing_vectors",
        "memoryweave_log_memory_ratio",
        "memoryweave_vectors",
    }
    counted = {
        sample.labels["endpoint"]
        for sample in families["memoryweave_request_duration_seconds"].samples
    }
    assert "POST /api/v1/commit" in counted
    [position] = families["memoryweave_log_position"].samples
    assert position.value > 0
    [ratio] = families["memoryweave_log_memory_ratio"].samples
    with log_server.client() as server:
        memory = server.info("memory")
    assert 0 < ratio.value == pytest.approx(memory["used_memory"] / memory["maxmemory"], abs=0.01)
    [vectors] = families["memoryweave_vectors"].samples
    assert vectors.value == service.node.vector.vectors() > 0


def test_endpoints_in_the_figures_are_templates_however_many_ids_are_asked(service, fresh):
    client = service.agent(fresh("hermes"))
    for number in range(3):
        client.get(f"/api/v1/memory/id-{number}")
        client.get(f"/nowhere/{number}")
    text = service.nobody.get("/metrics").text
    assert 'endpoint="GET /api/v1/memory/{memory_id}"' in text
    assert "id-1" not in text
    assert "/nowhere/" not in text


def test_the_schema_is_openapi_3_1_and_shows_a_viewer_to_browsers(service):
    answer = service.nobody.get("/schema")
    document = answer.json()
    assert document["openapi"].startswith("3.1")
    assert document["info"]["title"] == "MemoryWeave"
    assert document == service.nobody.get("/schema/openapi.json").json()
    browser = service.nobody.get("/schema", headers={"Accept": "text/html,*/*;q=0.8"})
    assert browser.status_code == 302
    assert browser.headers["Location"] == "/schema/viewer"


def test_the_viewer_needs_nothing_from_elsewhere(service):
    page = service.nobody.get("/schema/viewer")
    assert page.headers["Content-Type"].startswith("text/html")
    policy = page.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "http" not in policy
    assert re.findall(r"(?:https?:)?//", page.text) == []
    for asset in re.findall(r'(?:src|href)="(assets/[^"]+)"', page.text):
        answer = service.nobody.get(f"/schema/{asset}")
        assert answer.status_code == 200, asset
        assert len(answer.content) > 100
    assert re.search(r"swagger|Swagger", service.nobody.get("/schema/assets/swagger-ui.css").text)
    assert service.nobody.get("/schema/assets/..%2fpage.html").status_code == 404


def test_every_documented_message_is_the_contracts_own(service):
    schemas = service.nobody.get("/schema/openapi.json").json()["components"]["schemas"]
    assert schemas["Commit"]["properties"]["tags"]["items"] == {
        "type": "string",
        "maxLength": 200,
        "minLength": 1,
    }
    assert schemas["Commit"]["required"] == ["content"]
    assert set(schemas) <= set(vars(contract))


@pytest.mark.parametrize("path", ["/metrics", "/schema", "/schema/openapi.json", "/schema/viewer"])
def test_beyond_loopback_figures_and_schema_need_the_admin_key(service, path):
    with TestClient(
        create_app(WithOptions(service.node, open_schema=False, open_metrics=False))
    ) as client:
        assert client.get(path).status_code == 401
        assert client.get(path, headers={"X-API-Key": "wrong"}).status_code == 401
        assert client.get(path, headers={"X-API-Key": OWNER_KEY}).status_code == 403
        assert client.get(path, headers={"X-API-Key": ADMIN_KEY}).status_code == 200
        assert client.get("/health").status_code == 200


def test_lists_are_sorted_by_the_numbers_of_policy_that_are_set(log_server, tmp_path):
    fading = {"policy.decay_rate_system_fact": 0.009}
    long_ago = (datetime.now(UTC) - timedelta(days=100)).isoformat()
    with running_service(log_server, None, tmp_path / "node", "policy-tests", **fading) as service:
        for decay_class in ("user_pref", "system_fact"):
            fields = {"decay_class": decay_class, "observed_at": long_ago, "distill": False}
            commit(service.owner, f"a {decay_class}", **fields)
        items = service.owner.get("/api/v1/memories", params={"sort": "importance"}).json()["items"]
    assert [item["content"] for item in items] == ["a user_pref", "a system_fact"]
    assert items[0]["importance"] > items[1]["importance"]
