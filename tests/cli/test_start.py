"""What a process loads before it begins: each of a node's processes pays for it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.nodes import clean_environment

PROGRAM = """
import sys
from workers.cli.main import main

code = main(["log", "show", "--data", sys.argv[1]])
print(code, "structlog" in sys.modules, "rich" in sys.modules)
import rich.progress
"""


def test_what_draws_progress_bars_is_not_loaded_by_who_draws_none_and_can_be_later(
    tmp_path: Path,
) -> None:
    shown = subprocess.run(
        [sys.executable, "-c", PROGRAM, tmp_path],
        capture_output=True,
        text=True,
        env=clean_environment(),
    )
    assert shown.stdout.split() == ["2", "True", "False"], shown.stderr
    assert shown.returncode == 0, shown.stderr
