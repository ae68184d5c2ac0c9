"""Runs every benchmark of this folder and holds it against its floor.

A benchmark is a module with ``main() -> list[Ratio]``. What is compared is measured in the same
run on the same machine, so a slow machine does not fail and a fast one does not hide.
"""

from __future__ import annotations

import importlib
import pkgutil
import sys

import bench
from bench.ratio import Ratio


def main() -> int:
    chosen = sys.argv[1:]
    results: list[Ratio] = []
    for module in sorted(pkgutil.iter_modules(bench.__path__), key=lambda m: m.name):
        if module.name.startswith("_") or (chosen and module.name not in chosen):
            continue
        run = getattr(importlib.import_module(f"bench.{module.name}"), "main", None)
        if run is not None:
            for ratio in run():
                print(ratio.line(), flush=True)
                results.append(ratio)
    missed = [ratio for ratio in results if not ratio.met]
    print(f"{len(results)} measured, {len(missed)} missed")
    return 1 if missed else 0


sys.exit(main())
