"""What users install: both wheels, together, in an environment of their own."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

from tests.nodes import clean_environment

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Both wheels, built from this tree with the build backend of this environment."""
    target = tmp_path_factory.mktemp("wheels")
    for project in (ROOT, ROOT / "sdk"):
        subprocess.run(
            [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", target],
            cwd=project,
            check=True,
            capture_output=True,
        )
    return sorted(target.glob("*.whl"))


def test_the_wheels_hold_the_program_with_its_files_and_nothing_else(wheels: list[Path]) -> None:
    service, sdk = (zipfile.ZipFile(wheel).namelist() for wheel in wheels)
    assert {name.split("/")[0] for name in service if ".dist-info/" not in name} == {
        "api", "commands", "domain", "eventlog", "inference", "projections", "queries", "workers",
    }  # fmt: skip
    assert {name.split("/")[0] for name in sdk if ".dist-info/" not in name} == {"memoryweave"}
    for needed in ("eventlog/append.lua", "workers/cli/sample_conversation.jsonl"):
        assert needed in service
    assert "memoryweave/py.typed" in sdk


def test_both_wheels_installed_together_run(wheels: list[Path], tmp_path: Path) -> None:
    home = tmp_path / "venv"
    venv.create(home, symlinks=True, with_pip=False)
    uv = Path(sysconfig.get_path("scripts")) / "uv"
    python = home / "bin" / "python"
    subprocess.run(
        [uv, "pip", "install", "--quiet", "--offline", "--no-deps", "--python", python, *wheels],
        check=True,
    )
    # The dependencies are those of this environment; its editable installs do not come along,
    # because a path file inside a path that a path file names is not read.
    (packages,) = home.glob("lib/python*/site-packages")
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")

    code = (
        "from importlib.util import find_spec; import memoryweave.client, workers.supervisor;"
        "print(*(find_spec(m).origin for m in ('api.app', 'memoryweave', 'workers.node')))"
    )
    run = [python, "-I", "-c", code]
    places = subprocess.run(run, check=True, capture_output=True, text=True).stdout.split()
    assert [Path(place).is_relative_to(packages) for place in places] == [True] * 3

    shown = subprocess.run(
        [home / "bin" / "memoryweave", "--version"],
        check=True,
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=clean_environment(),
    )
    assert shown.stdout == "memoryweave 0.1.0\n"
