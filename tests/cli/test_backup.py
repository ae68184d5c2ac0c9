"""`memoryweave backup`, `restore` and `init --new-epoch` from the command line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.backup.homes import Home
from tests.servers import LogServer
from workers.cli.main import main


@pytest.fixture
def empty_server() -> Iterator[LogServer]:
    with LogServer() as server:
        yield server


def test_back_up_restore_and_begin_a_new_epoch(
    log_server: LogServer,
    empty_server: LogServer,
    log_name: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    home = Home(tmp_path / "a", log_server.url, log_name)
    home.live_on(8, seed=11)

    def run(data: Path, server: LogServer, command: str, *more: str) -> tuple[int, str, str]:
        flags = ["--data", str(data), "--redis-url", server.url, "--log", log_name]
        code = main([command, *more, *flags])
        out, err = capsys.readouterr()
        return code, out, err

    code, out, _ = run(home.data, log_server, "backup", "--no-vectors", "--json")
    assert code == 0
    made = json.loads(out)
    code, out, _ = run(tmp_path / "b", empty_server, "restore", made["path"])
    assert code == 0
    assert f"up to position {made['position']}" in out
    assert "compare with `memoryweave digest`" in out
    code, _, err = run(tmp_path / "b", empty_server, "restore", made["path"])
    assert (code, "is not empty" in err) == (1, True)
    Path(made["keys_path"]).unlink()
    code, _, err = run(tmp_path / "c", empty_server, "restore", made["path"])
    assert (code, "--without-keys" in err) == (1, True)
    code, out, _ = run(tmp_path / "b", empty_server, "init", "--new-epoch", "--json")
    assert code == 0
    assert json.loads(out)["position"] == made["position"]
    with pytest.raises(SystemExit) as usage:
        run(tmp_path / "b", empty_server, "init")
    assert usage.value.code == 2
