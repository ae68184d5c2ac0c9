"""`memoryweave` on one node, run in this process."""

from __future__ import annotations

import json
import subprocess
from typing import Any

import pytest
from msgspec import Struct

from tests.nodes import COMMAND, NodeProcess, clean_environment
from workers.cli.main import main


class Printed(Struct, frozen=True):
    """What a command printed."""

    stdout: str
    stderr: str


class Shell:
    """Runs `memoryweave` on one node, in this process."""

    def __init__(self, node: NodeProcess, capsys: pytest.CaptureFixture[str]) -> None:
        self.node = node
        self._capsys = capsys

    def arguments(self, *arguments: str) -> list[str]:
        return [*arguments, "--data", str(self.node.data)]

    def run(self, *arguments: str, code: int = 0) -> Printed:
        done = main(self.arguments(*arguments))
        out, err = self._capsys.readouterr()
        assert done == code, out + err
        return Printed(out, err)

    def json(self, *arguments: str) -> Any:
        return json.loads(self.run(*arguments, "--json").stdout)

    def spawn(self, *arguments: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [*COMMAND, *self.arguments(*arguments)],
            stdout=subprocess.PIPE,
            text=True,
            env=clean_environment(),
        )
