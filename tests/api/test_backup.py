"""A backup asked for over HTTP, while the service answers."""

from __future__ import annotations

import httpx

from tests.api.service import commit
from workers.backup.container import check_backup
from workers.backup.folder import making
from workers.backup.place import backups_folder


def test_an_admin_backs_the_node_up_and_health_tells_of_it(service):
    receipt = commit(service.agent("saver"), "the pond freezes in January", distill=False)
    answer = service.admin.post("/api/v1/admin/backup", params={"vectors": "false"})
    assert answer.status_code == 201, answer.text
    made = answer.json()
    assert made["position"] >= receipt["position"]
    folder = backups_folder(service.node.values)
    described = check_backup(folder / made["file"])
    assert (described.position, described.chain) == (made["position"], made["chain"])
    assert (folder / made["keys_file"]).stat().st_mode & 0o777 == 0o600
    backup = service.nobody.get("/health").json()["backup"]
    assert backup["file"] == made["file"]
    assert backup["keys"] is True
    assert 0 <= backup["age_s"] < 300


def test_only_an_admin_may_back_up(service):
    for client in (service.owner, service.agent("no-saver")):
        assert refused(client) == (403, "forbidden")
    assert refused(service.nobody) == (401, "unauthenticated")


def test_two_backups_at_once_are_one_and_a_refusal(service):
    commit(service.agent("saver-2"), "x", distill=False)
    with making(backups_folder(service.node.values)):
        assert refused(service.admin) == (503, "backup-failed")


def refused(client: httpx.Client) -> tuple[int, str]:
    answer = client.post("/api/v1/admin/backup")
    return answer.status_code, answer.json()["type"].rpartition("/")[2]
