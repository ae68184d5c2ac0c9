"""What the tests of the command line share."""

from __future__ import annotations

import os

import pytest

from tests.cli.shell import Shell
from tests.nodes import NodeProcess, clean_environment


@pytest.fixture
def shell(
    node: NodeProcess, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Shell:
    """A shell without any setting of ours in its environment."""
    for name in os.environ.keys() - clean_environment().keys():
        monkeypatch.delenv(name)
    return Shell(node, capsys)
