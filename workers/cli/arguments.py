"""Every command with its arguments, and the function that runs it, by name (imported late)."""

from __future__ import annotations

import argparse
from collections.abc import Iterable

from workers.settings import DECLARED

NODE_FLAGS = tuple(declared.field for declared in DECLARED if declared.flag)


def build_parser(version: str) -> argparse.ArgumentParser:
    """Build the parser of `memoryweave`."""
    parser = argparse.ArgumentParser(
        prog="memoryweave", description="Long-term memory that several AI agents share."
    )
    parser.add_argument("--version", action="version", version=f"memoryweave {version}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    _doctor(commands)
    return parser


def settings_flags(arguments: argparse.Namespace) -> dict[str, object]:
    """Give the settings that the command line names, for `workers.settings.resolve`."""
    return {field: getattr(arguments, field, None) for field in NODE_FLAGS}


def _command(
    commands: argparse._SubParsersAction[argparse.ArgumentParser],
    name: str,
    run: str,
    meaning: str,
    flags: Iterable[str] = ("data",),
) -> argparse.ArgumentParser:
    parser = commands.add_parser(name, help=meaning, description=meaning)
    parser.set_defaults(run=run)
    for declared in DECLARED:
        if declared.field not in flags or declared.flag is None:
            continue
        if declared.field in {"behind_proxy", "allow_volatile"}:
            parser.add_argument(
                declared.flag, action="store_true", default=None, help=declared.meaning
            )
        else:
            parser.add_argument(
                declared.flag, dest=declared.field, help=declared.meaning, metavar="VALUE"
            )
    return parser


def _json_flag(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON for machines")


def _doctor(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = _command(
        commands,
        "doctor",
        "workers.cli.doctor:run",
        "show every setting with where it came from, and what is wrong with this node",
        NODE_FLAGS,
    )
    _json_flag(parser)
