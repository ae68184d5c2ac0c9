"""`memoryweave projections`: how the views are, and another try for what they could not show."""

from __future__ import annotations

import argparse
import os

from projections.retry import request_retry
from workers.cli.arguments import settings_flags
from workers.cli.failure import Failure
from workers.cli.output import print_json, show
from workers.cli.service import service
from workers.cli.status import view_table
from workers.node import VIEWS, view_path
from workers.settings import resolve


def run(arguments: argparse.Namespace) -> None:
    """Show the views' status, or ask the worker to replay parked events."""
    if arguments.action == "status":
        with service(arguments) as client:
            show(arguments, client.health(), view_table)
        return
    settings = resolve(settings_flags(arguments), os.environ).settings
    asked = [arguments.view] if arguments.view else list(VIEWS)
    for view in asked:
        if view not in VIEWS:
            raise Failure(f"there is no view {view}: there are {', '.join(VIEWS)}")
        try:
            request_retry(view_path(settings, view))
        except FileNotFoundError as error:
            raise Failure(f"view {view} was never begun in {settings.data}") from error
    if arguments.json:
        print_json({"asked": asked})
    else:
        print(f"asked the projection worker to replay the parked events of: {', '.join(asked)}")
