"""What a command raises when it could not do what it was asked (exit code 1)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


class Failure(Exception):
    """A sentence for the person at the terminal: what failed, and what to do."""


class Misused(Failure):
    """What was asked for makes no sense as it was written (exit code 2)."""


@contextmanager
def start_failures() -> Iterator[None]:
    """Turn what keeps a process from starting into a `Failure` that says what to do."""
    from domain.errors import MemoryWeaveError
    from eventlog.embedded import EmbeddedServerError
    from eventlog.guard import LogServerRefused
    from eventlog.run_directory import RunDirectoryRefused
    from workers.children import GaveUp
    from workers.running import AlreadyUp

    try:
        yield
    except LogServerRefused as error:
        lines = "\n  ".join(error.problems)
        raise Failure(
            f"the log server may lose what it acknowledges:\n  {lines}\n"
            "or start with --allow-volatile, if losing events is acceptable"
        ) from error
    except (
        AlreadyUp, EmbeddedServerError, GaveUp, MemoryWeaveError, RunDirectoryRefused,
    ) as error:  # fmt: skip
        raise Failure(str(error)) from error
