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
    _processes(commands)
    _doctor(commands)
    return parser


def settings_flags(arguments: argparse.Namespace) -> dict[str, object]:
    """Give the settings that the command line names, for `workers.settings.resolve`."""
    return {field: getattr(arguments, field, None) for field in NODE_FLAGS}


def flags_for_children(arguments: argparse.Namespace) -> list[str]:
    """Give the same flags again, except the port, for processes that resolve the same settings."""
    flags: list[str] = []
    for declared in DECLARED:
        value = getattr(arguments, declared.field, None)
        if declared.flag is None or value is None or declared.field == "port":
            continue
        flags += [declared.flag] if value is True else [declared.flag, str(value)]
    return flags


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


def _processes(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    _command(
        commands,
        "up",
        "workers.cli.up:run",
        "start everything on this machine: servers, API, projection worker (Ctrl-C stops all)",
        NODE_FLAGS,
    )
    for name, run, meaning in (
        ("api", "workers.api_process:run", "run the API alone"),
        ("worker", "workers.projection_worker:run", "run the projection worker alone"),
    ):
        process = _command(commands, name, run, meaning, NODE_FLAGS)
        process.add_argument("--parent", type=int, help=argparse.SUPPRESS)


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
