"""`memoryweave replica`: a node that follows a log and answers reads."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from workers.cli.arguments import flags_for_children, settings_flags
from workers.cli.failure import start_failures
from workers.keys import KeyRing, ensure_keys
from workers.log_server import is_new
from workers.logging import set_up_logging
from workers.settings import resolve
from workers.supervisor import Plan, run_node


def run(arguments: argparse.Namespace) -> None:
    """Run until Ctrl-C."""
    arguments.role = "replica"
    place = arguments.archive_location
    if place is not None and "://" not in place:
        # As in a shell: relative to where it was typed, not to the data directory.
        arguments.archive_location = str(Path(place).absolute())
    ring = ensure_keys(resolve(settings_flags(arguments), os.environ))
    set_up_logging("supervisor", ring.resolved.settings.log_level)
    with start_failures():
        run_node(ring, flags_for_children(arguments), _say_where, _plan(ring))
    print("memoryweave: stopped")


def _plan(ring: KeyRing) -> Plan:
    """No lifecycle worker; and the API answers when the views have caught up, whenever that is."""
    return Plan(
        children=("api", "worker projections"),
        first="worker bootstrap" if is_new(ring.resolved.settings) else None,
        ready_within_s=None,
    )


def _say_where(ring: KeyRing, url: str) -> None:
    settings = ring.resolved.settings
    to = settings.primary or "the primary that the log server names"
    print(
        f"""
MemoryWeave answers reads at {url}
  data      {settings.data}
  commands  passed on to {to}

Ctrl-C stops it.
""",
        flush=True,
    )
