"""`memoryweave up`: everything on this machine, with nothing installed before."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from workers.cli.arguments import flags_for_children, settings_flags
from workers.cli.failure import start_failures
from workers.keys import KeyRing, ensure_keys
from workers.logging import set_up_logging
from workers.settings import resolve
from workers.supervisor import run_node


def run(arguments: argparse.Namespace) -> None:
    """Run until Ctrl-C."""
    ring = ensure_keys(resolve(settings_flags(arguments), os.environ))
    set_up_logging("supervisor", ring.resolved.settings.log_level)
    with start_failures():
        run_node(ring, flags_for_children(arguments), _say_what_to_try)
    print("memoryweave: stopped")


def _say_what_to_try(ring: KeyRing, url: str) -> None:
    made = f"made just now and kept in {ring.path}" if ring.made else f"in {ring.path}"
    print(
        f"""
MemoryWeave answers at {url}
  data    {ring.resolved.settings.data}
  keys    {made} (mode 600)

Try, in another terminal:
  . {_short(ring.path)}
  curl -s {url}/api/v1/commit -H "X-API-Key: $API_KEY" -H "Content-Type: application/json" \\
       -d '{{"content": "ComfyUI listens on port 8188", "distill": false}}'
  curl -s {url}/api/v1/recall -H "X-API-Key: $API_KEY" -H "Content-Type: application/json" \\
       -d '{{"query": "which port does ComfyUI use"}}'
  {_short(Path(sys.executable))} -c \\
       "from memoryweave import Client; print(Client('{url}', '$API_KEY').recall('ComfyUI'))"
  make demo                a conversation, ten questions, answers with their provenance
  {url}/schema             every route

Ctrl-C stops everything.
""",
        flush=True,
    )


def _short(path: Path) -> str:
    """Give the path as a shell in this directory would write it (`.` needs a slash in it)."""
    try:
        return f"./{path.relative_to(Path.cwd())}"
    except ValueError:
        return str(path)
