"""`memoryweave eval`: what recall is worth on questions with known answers."""

from __future__ import annotations

import argparse

from workers.cli.evaluation_sets import data_folder, every_set, find_set, run_sets, updates_file
from workers.cli.failure import Misused


def run(arguments: argparse.Namespace) -> int:
    """Measure a set, or every set (exit code 1: worse than it has to be)."""
    if arguments.all:
        folder = data_folder()
        found = every_set(folder)
        if not found:
            raise Misused(f"{folder} holds no set")
        return run_sets(arguments, found, updates_file(folder))
    folder_of_set = find_set(arguments.set)
    if folder_of_set is None:
        raise Misused(f"there is no set {arguments.set}")
    return run_sets(arguments, [folder_of_set], None)
