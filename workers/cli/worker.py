"""`memoryweave worker KIND`: one worker, until it is told to stop."""

from __future__ import annotations

import argparse
from importlib import import_module

_MODULES = {
    "projections": "workers.projection_worker",
    "lifecycle": "workers.lifecycle_worker",
    "bootstrap": "workers.bootstrap_worker",
}


def run(arguments: argparse.Namespace) -> None:
    """Run the worker that was named; only its own modules are imported."""
    import_module(_MODULES[arguments.kind]).run(arguments)
