"""The command line: exit code 0 done, 1 failed, 2 usage.

Only the parser is built here; what a command needs is imported when it runs, so that `--help`
stays quick (bench: ≤ 0.3 s of CPU).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from importlib.metadata import version
from typing import Any, cast

from workers.cli.arguments import build_parser
from workers.cli.failure import Failure, Misused
from workers.settings import SettingError

DONE, FAILED, USAGE = 0, 1, 2


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and give its exit code."""
    # Read once, when Lance is loaded. It warns, as no line of ours looks, of every cell of an index
    # that new rows leave empty.
    os.environ.setdefault("LANCE_LOG", "error")
    arguments = build_parser(version("memoryweave")).parse_args(argv)
    module, function = arguments.run.split(":")
    try:
        with _without_rich():
            command = getattr(import_module(module), function)
        return int(command(arguments) or DONE)
    except (Misused, SettingError) as error:
        print(f"memoryweave: {error}", file=sys.stderr)
        return USAGE
    except Failure as error:
        print(f"memoryweave: {error}", file=sys.stderr)
        return FAILED
    except BrokenPipeError:  # `memoryweave log show | head` is no failure of ours
        sys.stderr.close()
        return DONE
    except KeyboardInterrupt:
        print("memoryweave: interrupted", file=sys.stderr)
        return FAILED


@contextmanager
def _without_rich() -> Iterator[None]:
    """Hide ``rich`` from what loads it only where it finds it.

    ``structlog`` does, for tracebacks in colour, and takes three times as long to load by it, in
    each of a node's processes. Who draws progress bars asks for it later.
    """
    if "rich" in sys.modules:
        yield
        return
    sys.modules["rich"] = cast("Any", None)  # an import of it fails now as if it were not installed
    try:
        yield
    finally:
        del sys.modules["rich"]


if __name__ == "__main__":
    sys.exit(main())
