"""`memoryweave doctor`: every setting with its origin."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable

from memoryweave import contract
from workers.cli.arguments import settings_flags
from workers.cli.output import columns, show
from workers.settings import describe, resolve


def run(arguments: argparse.Namespace) -> None:
    """Print the settings in force."""
    resolved = resolve(settings_flags(arguments), os.environ)
    show(arguments, contract.SettingList(items=describe(resolved)), _lines)


def _lines(answer: contract.SettingList) -> Iterable[str]:
    return columns([(item.name, item.value, item.origin) for item in answer.items])
