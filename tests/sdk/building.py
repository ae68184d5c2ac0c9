"""The functions that build operations, found by looking."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from memoryweave import administration, reading, writing
from memoryweave.operation import Operation


def builders() -> list[Callable[..., Operation[Any]]]:
    """Give every public function that builds an operation."""
    return [
        found
        for module in (writing, reading, administration)
        for name, found in vars(module).items()
        if inspect.isfunction(found) and found.__module__ == module.__name__ and name[0] != "_"
    ]
