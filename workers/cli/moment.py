"""A moment of the past on the command line."""

from __future__ import annotations

import argparse
from datetime import datetime

from memoryweave.contract import AsOf


def moment(text: str) -> AsOf:
    """Read a log position, or an ISO 8601 time; one without a zone is this machine's local time.

    Raises `argparse.ArgumentTypeError` for anything else.
    """
    if text.isascii() and text.isdigit():
        return AsOf(position=int(text))
    try:
        return AsOf(time=datetime.fromisoformat(text).astimezone())
    except (ValueError, OverflowError, OSError) as error:
        raise argparse.ArgumentTypeError(
            f"{text!r} is neither a log position nor a time such as 2026-05-10T00:00:00Z"
        ) from error
