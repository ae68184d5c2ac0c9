"""How commands are declared: what runs them, and the flags that several have."""

from __future__ import annotations

import argparse
from argparse import ArgumentParser
from collections.abc import Iterable
from typing import TYPE_CHECKING, TypeAlias

from workers.declared_settings import DECLARED

if TYPE_CHECKING:
    Subcommands: TypeAlias = "argparse._SubParsersAction[ArgumentParser]"  # noqa: SLF001  # its only name


def declare(
    commands: Subcommands,
    name: str,
    run: str,
    meaning: str,
    flags: Iterable[str] = ("data",),
) -> ArgumentParser:
    """Declare a command of this node; ``flags`` are the settings that it takes, by field."""
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


def declare_client(
    commands: Subcommands,
    name: str,
    module: str,
    meaning: str,
    flags: Iterable[str] = ("data",),
) -> ArgumentParser:
    """Declare a command that talks to a running service. ``module`` may name its function."""
    run = module if ":" in module else f"{module}:run"
    parser = declare(commands, name, f"workers.cli.{run}", meaning, flags)
    parser.add_argument("--url", help="the service's address; its key is then MEMORYWEAVE_KEY")
    parser.add_argument("--owner", action="store_true", help="speak with the owner's key")
    json_flag(parser)
    return parser


def declare_actions(commands: Subcommands, name: str, meaning: str) -> Subcommands:
    """Declare a command that has commands of its own."""
    parser = commands.add_parser(name, help=meaning, description=meaning)
    return parser.add_subparsers(dest="action", metavar="ACTION", required=True)


def json_flag(parser: ArgumentParser) -> None:
    """Let a command answer in JSON."""
    parser.add_argument("--json", action="store_true", help="print JSON for machines")
