"""Every command with its arguments, and the function that runs it, by name (imported late)."""

from __future__ import annotations

import argparse
from argparse import ArgumentParser
from pathlib import Path
from typing import TYPE_CHECKING

from workers.cli.declaring import declare, declare_actions, declare_client, json_flag
from workers.cli.moment import moment
from workers.declared_settings import DECLARED

if TYPE_CHECKING:
    from workers.cli.declaring import Subcommands

_OF_A_REPLICA = ("archive_location", "log", "redis_url", "role")
"""Flags that `memoryweave replica` has under another name, or not at all."""

NODE_FLAGS = tuple(declared.field for declared in DECLARED if declared.flag)


def build_parser(version: str) -> ArgumentParser:
    """Build the parser of `memoryweave`."""
    parser = argparse.ArgumentParser(
        prog="memoryweave", description="Long-term memory that several AI agents share."
    )
    parser.add_argument("--version", action="version", version=f"memoryweave {version}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    _processes(commands)
    _memory(commands)
    _distillation(commands)
    _evaluation(commands)
    _operation(commands)
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


def _processes(commands: Subcommands) -> None:
    declare(
        commands,
        "up",
        "workers.cli.up:run",
        "start everything on this machine: servers, API, workers (Ctrl-C stops all)",
        NODE_FLAGS,
    )
    replica = declare(
        commands,
        "replica",
        "workers.cli.replica:run",
        "follow a log and answer reads; commands are passed on to a primary",
        tuple(field for field in NODE_FLAGS if field not in _OF_A_REPLICA),
    )
    replica.add_argument(
        "--log", dest="redis_url", metavar="URL", help="the log server, as redis://…: REDIS_URL"
    )
    replica.add_argument("--log-name", dest="log", metavar="NAME", help="the log in it: main")
    replica.add_argument(
        "--bootstrap",
        dest="archive_location",
        metavar="PLACE",
        help="folder or URI of the log's archive: verified and read before the log is followed",
    )
    api = declare(commands, "api", "workers.api_process:run", "run the API alone", NODE_FLAGS)
    worker = declare(commands, "worker", "workers.cli.worker:run", "run one worker", NODE_FLAGS)
    worker.add_argument(
        "kind",
        nargs="?",
        choices=("projections", "lifecycle", "bootstrap"),
        default="projections",
        help="projections builds the views; lifecycle archives and trims the log; bootstrap "
        "verifies it for a new replica, takes the shipped vectors, and ends",
    )
    for process in (api, worker):
        process.add_argument("--parent", type=int, help=argparse.SUPPRESS)


def _memory(commands: Subcommands) -> None:
    remember = declare_client(commands, "remember", "remember", "store one finished statement")
    remember.add_argument("statement")
    commit = declare_client(commands, "commit", "commit", "store a piece of conversation, verbatim")
    commit.add_argument("content", help="the text, or - to read it from standard input")
    commit.add_argument("--session", help="the session it belongs to")
    for parser in (remember, commit):
        parser.add_argument("--namespace", help="default: the key's main one")
        parser.add_argument("--speaker", help="who said it")
        parser.add_argument("--source", help="owner_message, config_parse, agent_inference, …")
        parser.add_argument("--category", help="fact, decision, preference, …")
        parser.add_argument("--tag", action="append", default=[], help="may be repeated")
        parser.add_argument("--idempotency-key", help="repeat a command without doing it twice")
        parser.add_argument("--wait", action="store_true", help="until it can be recalled")
    recall = declare_client(commands, "recall", "recall", "find what is known")
    recall.add_argument("query")
    recall.add_argument("--top-k", type=int, default=5, metavar="N")
    recall.add_argument("--namespace", action="append", help="only this one; may be repeated")
    recall.add_argument("--layer", choices=("memory", "episode"), help="only this one")
    recall.add_argument(
        "--as-of", type=moment, metavar="WHEN", help="what was known at a position or a time"
    )
    load = declare_client(commands, "import", "import_lines", "store JSON Lines, resumably")
    load.add_argument("file", type=Path, help='lines of {"text", "id"?, "speaker"?, "time"?, …}')
    load.add_argument("--namespace", help="for lines that name none; default: the key's main one")
    load.add_argument("--source", default="agent_inference")
    load.add_argument("--batch", type=int, default=100, metavar="N", help="lines a batch (≤ 500)")
    load.add_argument("--wait", action="store_true", help="until every line can be recalled")


def _distillation(commands: Subcommands) -> None:
    acts = declare_actions(commands, "candidates", "what was distilled and waits for the owner")
    listing = declare_client(acts, "list", "candidates", "list them, the newest first")
    listing.add_argument("--namespace", help="only this one's")
    listing.add_argument("--limit", type=int, default=50, metavar="N", help="default: 50")
    settle = declare_client(acts, "settle", "candidates", "let them be memories (owner)")
    settle.add_argument("--content", help="in these words, of one alone")
    dismiss = declare_client(acts, "dismiss", "candidates", "make tombstones of them (owner)")
    dismiss.add_argument("--reason", help="why, kept with the tombstone")
    for parser in (settle, dismiss):
        parser.add_argument("memory_ids", nargs="+", metavar="ID")
    meaning = "let episodes be distilled anew, by the rules or the model of now (admin)"
    redistil = declare_client(commands, "redistil", "redistil", meaning)
    redistil.add_argument("episode_ids", nargs="*", metavar="EPISODE", help="these, or …")
    redistil.add_argument("--namespace", help="… all of a namespace that came to an end")
    redistil.add_argument("--reason", help="why, kept with each")


def _evaluation(commands: Subcommands) -> None:
    actions = declare_actions(
        commands, "eval", "what recall is worth on questions with known answers"
    )
    run = declare_client(actions, "run", "evaluation", "measure a set (exit code 1: it got worse)")
    which = run.add_mutually_exclusive_group()
    which.add_argument(
        "set",
        nargs="?",
        help="a folder of conversations, or its name in MEMORYWEAVE_EVAL_DATA: on a node of its "
        "own; a .jsonl file of questions, or a generated set: on the running service; default: own",
    )
    which.add_argument("--all", action="store_true", help="every set in MEMORYWEAVE_EVAL_DATA")
    run.add_argument("--vectors", metavar="FOLDER", help="keeps their vectors between runs")
    generate = declare_client(
        actions, "generate", "evaluation:generate", "make questions on the live memories"
    )
    generate.add_argument("set", nargs="?", default="own", help="name to keep them under; own")
    generate.add_argument("--seed", type=int, default=7, metavar="N", help="default: 7")
    generate.add_argument(
        "--per-cell", type=int, default=5, metavar="N", help="of each class and level; default: 5"
    )
    generate.add_argument("--generator", choices=("auto", "templates", "llm"), default="auto")
    for parser in (run, generate):
        parser.add_argument("--namespace", action="append", help="only this one; may be repeated")
    history = declare_client(
        actions, "history", "evaluation:history", "how runs went, newest first"
    )
    history.add_argument("set", nargs="?", help="only this one's")
    history.add_argument("--limit", type=int, default=20, metavar="N", help="default: 20")
    dialogues = declare(
        actions,
        "dialogues",
        "workers.cli.evaluation:dialogues",
        "have the language model write conversations with known answers, as a set",
    )
    dialogues.add_argument("folder", type=Path, help="where the set goes")
    dialogues.add_argument("--count", type=int, default=8, metavar="N", help="default: 8")
    dialogues.add_argument("--seed", type=int, default=7, metavar="N", help="default: 7")
    dialogues.add_argument("--language", choices=("en", "zh"), default="en")
    json_flag(dialogues)


def _operation(commands: Subcommands) -> None:
    declare_client(
        commands, "status", "status", "how the running service is (exit code 1: not well)"
    )
    agents = declare_actions(commands, "agents", "register, list, rotate, deactivate agents")
    register = declare_client(
        agents, "register", "agents", "let an agent speak; prints its key once"
    )
    register.add_argument("agent_id")
    register.add_argument("--kind", required=True, help="hermes, openclaw, cron, …")
    register.add_argument("--namespace", help="its main namespace")
    declare_client(agents, "list", "agents", "list agents, never their keys")
    for name, meaning in (
        ("rotate", "give an agent a new key; the old one ends"),
        ("deactivate", "end an agent's access; what it stored stays"),
    ):
        declare_client(agents, name, "agents", meaning).add_argument("agent_id")
    views = declare_actions(
        commands, "projections", "how the views are, and a retry of what failed"
    )
    declare_client(views, "status", "projections", "position, lag and parked events of each view")
    rebuild = declare_client(
        commands, "rebuild", "rebuild", "build a view anew beside the live one, then switch to it"
    )
    rebuild.add_argument("view", help="state, vector, …")
    rebuild.add_argument("--wait", action="store_true", help="until it is live, with its progress")
    rebuild.add_argument(
        "--allow-parked", action="store_true", help="go live even if events were set aside"
    )
    rebuild.add_argument(
        "--compare", action="store_true", help="digest the old and the new one at the switch"
    )
    digest = declare_client(
        commands, "digest", "digest", "each view's digest at its position", ("data", "redis_url")
    )
    digest.add_argument("--at", type=int, metavar="POSITION", help="there and nowhere else")
    digest.add_argument(
        "--rebuild",
        action="store_true",
        help="fold the log up to --at into scratch copies of this node's views and digest those",
    )
    digest.add_argument(
        "--all",
        action="store_true",
        help="on every node of the log; exit code 1 unless all say the same",
    )
    erase = declare_client(
        commands, "erase", "erase", "erase a thing for ever, in every file (admin)"
    )
    thing = erase.add_mutually_exclusive_group(required=True)
    thing.add_argument("--memory", metavar="ID", help="and the episodes that say the same")
    thing.add_argument("--episode", metavar="ID", help="and the memories that came of it alone")
    thing.add_argument("--agent", metavar="ID", help="and all that it stored")
    erase.add_argument("--yes", action="store_true", help="do not ask")
    retry = declare_client(views, "retry", "projections", "replay a view's parked events")
    retry.add_argument("view", nargs="?", help="default: every view")
    log = declare_actions(commands, "log", "read the log, opened")
    show = declare(log, "show", "workers.cli.log:run", "print events", NODE_FLAGS)
    show.add_argument("--first", type=int, default=1, metavar="POSITION")
    show.add_argument("--last", type=int, metavar="POSITION")
    show.add_argument("--type", help="only events of this type")
    show.add_argument("--aggregate", metavar="ID", help="only this aggregate's events")
    tail = declare(log, "tail", "workers.cli.log:run", "print events as they come", NODE_FLAGS)
    tail.add_argument("--lines", type=int, default=10, metavar="N", help="begin N before the end")
    for reading in (show, tail):
        json_flag(reading)
    _replay(commands)
    _backup(commands)
    verify = declare(
        commands,
        "verify",
        "workers.cli.verify:run",
        "compare log, archive and checkpoints (exit code 1 and the position of a difference)",
        NODE_FLAGS,
    )
    verify.add_argument(
        "--accept",
        action="store_true",
        help="forget what this node has read before: after a decision that the log is right",
    )
    json_flag(verify)
    _readers(commands)
    audit = declare(
        commands,
        "audit",
        "workers.cli.audit:run",
        "answer one SELECT over what happened, on this node's own files",
        NODE_FLAGS,
    )
    audit.add_argument("sql", help="over events, commits, feedback, corrections, memory_history, …")
    audit.add_argument("--format", choices=("table", "csv", "json", "parquet"), default="table")
    audit.add_argument("--output", type=Path, help="write there; parquet needs it", metavar="FILE")
    audit.add_argument("--limit", type=int, default=1000, metavar="ROWS", help="default: 1000")
    audit.add_argument("--seconds", type=float, default=60.0, help="time it may take; default: 60")
    doctor = declare(
        commands,
        "doctor",
        "workers.cli.doctor:run",
        "show every setting with where it came from, and what is wrong with this node",
        NODE_FLAGS,
    )
    json_flag(doctor)
    declare_client(commands, "demo", "demo", "import a conversation, ask ten questions")


def _readers(commands: Subcommands) -> None:
    meaning = "who reads the log and how far each has come; trimming waits for them, within limits"
    readers = declare(commands, "readers", "workers.cli.readers:run", meaning, NODE_FLAGS)
    readers.set_defaults(action="list")
    json_flag(readers)
    actions = readers.add_subparsers(dest="action", metavar="ACTION")
    forget = declare(
        actions,
        "forget",
        "workers.cli.readers:run",
        "take one off the list that will not come back; if it does, it is on it again",
        NODE_FLAGS,
    )
    forget.add_argument("name", help="as `memoryweave readers` shows it")
    forget.add_argument("--yes", action="store_true", help="do not ask")
    json_flag(forget)


def _replay(commands: Subcommands) -> None:
    replay = declare(
        commands,
        "replay",
        "workers.cli.replay:run",
        "print a range of the log, or see what it does to a view; changes nothing",
        NODE_FLAGS,
    )
    replay.add_argument(
        "--from", dest="first", type=int, default=1, metavar="POSITION", help="default: 1"
    )
    replay.add_argument(
        "--to", dest="last", type=int, metavar="POSITION", help="default: the log's end"
    )
    how = replay.add_mutually_exclusive_group(required=True)
    how.add_argument("--print", action="store_true", help="print the events, opened")
    how.add_argument(
        "--view",
        metavar="NAME",
        help="fold the log up to --to into a scratch copy of this view, tell what the range "
        "changed in it, and compare it with the live view, which is only read (exit code 1: "
        "they differ, or an event cannot be shown)",
    )
    replay.add_argument(
        "--allow-parked", action="store_true", help="set aside what cannot be shown, and go on"
    )
    json_flag(replay)


def _backup(commands: Subcommands) -> None:
    init = declare(
        commands,
        "init",
        "workers.cli.init:run",
        "decide that the log is right as it is, after events were lost",
        NODE_FLAGS,
    )
    init.add_argument(
        "--new-epoch",
        action="store_true",
        required=True,
        help="begin a new epoch where the log ends now; every view is built anew from it",
    )
    backup = declare(
        commands,
        "backup",
        "workers.cli.backup:run",
        "back this node up now; the service may run",
        NODE_FLAGS,
    )
    backup.add_argument(
        "--no-vectors", dest="vectors", action="store_false", help="they are computed again then"
    )
    backup.add_argument(
        "--to", type=Path, metavar="FOLDER", help="default: data/backups, where old ones make way"
    )
    restore = declare(
        commands,
        "restore",
        "workers.cli.restore:run",
        "make a node of a backup, in an empty --data directory and an empty log",
        NODE_FLAGS,
    )
    restore.add_argument("backup", type=Path, metavar="BACKUP")
    restore.add_argument(
        "--keys", type=Path, metavar="FILE", help="its keys part; default: the one beside it"
    )
    restore.add_argument(
        "--without-keys",
        action="store_true",
        help="there is no keys part: restore what can be read without",
    )
    for parser in (init, backup, restore):
        json_flag(parser)
