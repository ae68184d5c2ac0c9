"""`memoryweave rebuild`: a view's next generation, built beside the live one.

Without --wait it only asks; the projection worker builds whether or not anybody looks on.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterable, Iterator
from typing import Final

from memoryweave.client import Client
from memoryweave.contract import BuildItem
from workers.cli.failure import Failure
from workers.cli.output import print_json, show
from workers.cli.service import service

_LOOK_EVERY_S: Final = 0.5
_PATIENCE_S: Final = 30.0


def run(arguments: argparse.Namespace) -> None:
    """Ask for the generation; with --wait show its progress until it is live. Raises `Failure`."""
    with service(arguments, _PATIENCE_S) as client:
        asked = client.rebuild(
            arguments.view, allow_parked=arguments.allow_parked, compare=arguments.compare
        )
        if not arguments.wait:
            if arguments.json:
                print_json(asked)
            else:
                state = "is being built already" if asked.under_way else "will be built"
                print(f"generation {asked.generation} of the {asked.view} view {state}")
            return
        looks = _looks(client, asked.view, asked.generation)
        ended = _watched(looks, quiet=arguments.json)
    if ended.state == "failed":
        raise Failure(
            f"generation {ended.generation} of the {asked.view} view failed, the old one still "
            f"serves: {ended.reason}"
        )
    show(arguments, ended, _lines)


def _looks(client: Client, view: str, generation: int) -> Iterator[BuildItem]:
    """Give how the build is, now and again, until it has ended."""
    while True:
        builds = [item.build for item in client.projections().items if item.view == view]
        build = builds[0] if builds else None
        if build is None or build.generation > generation:
            raise Failure(f"generation {generation} of the {view} view is not being built any more")
        yield build
        if build.state in {"live", "failed"}:
            return
        time.sleep(_LOOK_EVERY_S)


def _watched(looks: Iterator[BuildItem], *, quiet: bool) -> BuildItem:
    """Give the last look, with a progress bar on a terminal."""
    if quiet or not sys.stderr.isatty():
        *_, last = looks
        return last
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("events {task.fields[pace]}"),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("requested", total=None, pace="")
        for last in looks:
            progress.update(
                task,
                description=last.state,
                completed=last.position,
                total=last.target or None,
                pace=_pace(last),
            )
    return last


def _pace(build: BuildItem) -> str:
    parts = []
    if build.events_per_s is not None:
        parts.append(f"{build.events_per_s:,.0f}/s")
    if build.eta_s is not None:
        parts.append(f"{build.eta_s:.0f} s left")
    return ", ".join(parts) or build.reason


def _lines(build: BuildItem) -> Iterable[str]:
    yield f"generation {build.generation} is live, at position {build.position}"
    if build.old_digest is not None and build.new_digest is not None:
        same = "equal" if build.old_digest == build.new_digest else "different"
        yield f"the digests of the old and the new one are {same}:"
        yield f"  {build.old_digest.sha256} at {build.old_digest.position}"
        yield f"  {build.new_digest.sha256} at {build.new_digest.position}"
