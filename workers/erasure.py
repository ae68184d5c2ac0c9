"""Erasing everywhere: the events first, then every file that may hold what was erased.

With the events in the log the keys are gone, so what follows can be broken off at any point and
done again: by who asked, or by the lifecycle worker, which finishes what nobody did.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import redis
import structlog
from msgspec import Struct

from commands.application import MemoryApplication
from commands.command import Clock, Command
from commands.erase import erase, finish
from domain.agent import agent_aggregate_id
from domain.erasure import Erasure, still_held
from domain.errors import MemoryWeaveError
from eventlog.archive.place import Place
from eventlog.nodes import Nodes
from eventlog.readers import Readers
from eventlog.redis_log import RedisLog
from eventlog.rewriting import RewriteRefused, rewrite_files
from memoryweave import contract
from projections.purging import held_in
from projections.vector.shipping import cache_files, due_in, open_cache_file
from queries.recall_cache import forget_kept_answers
from workers.archive import open_archive
from workers.health import VIEWS
from workers.log_server import log_url, node_id
from workers.settings import Settings
from workers.vector_shipping import cache_folder, ship_vectors_now
from workers.volatile_store import open_volatile_store

WAIT_S: Final = 25.0
"""Below what a client waits for an answer; what takes longer is asked for again."""

_POLL_S: Final = 0.05
_STORE_WITHIN_S: Final = 2.0
_REWRITE_WITHIN_S: Final = 20.0
_CACHE_FREE_WITHIN_S: Final = 5.0
_IDS_AT_ONCE: Final = 500

_log = structlog.get_logger("erasure")


class Cleared(Struct, frozen=True, kw_only=True):
    """What the files are found to hold. ``pending`` names views that will be cleared yet.

    ``holding`` names what is not cleared and why; ``purged`` what is, by kind.
    """

    purged: dict[str, list[str]]
    holding: list[str]
    pending: list[str]


def erase_everywhere(
    settings: Settings,
    application: MemoryApplication,
    command: Command[contract.Erase],
    clock: Clock,
    wait_s: float = WAIT_S,
) -> contract.ErasureReceipt:
    """Erase a thing, have every file cleared of it, and tell what came of it.

    Raises what `commands.erase.erase` raises. What cannot be cleared is named in the receipt.
    """
    done = erase(application, command, clock)
    erasure = done.erasure
    if erasure.finished is None or erasure.finished.still_holding:
        cleared = clear_files(settings, erasure, wait_s)
        if cleared.pending:
            return receipt_of(erasure, cleared.purged, cleared, duplicate=done.duplicate)
        erasure = finish(application, command, clock, cleared.purged, cleared.holding)
    assert erasure.finished is not None
    return receipt_of(erasure, erasure.finished.purged, None, duplicate=done.duplicate)


def receipt_of(
    erasure: Erasure,
    purged: Mapping[str, Sequence[str]],
    unfinished: Cleared | None,
    *,
    duplicate: bool,
) -> contract.ErasureReceipt:
    """Put an erasure into the words of the wire."""
    holding = erasure.finished.still_holding if erasure.finished else []
    if unfinished is not None:
        holding = unfinished.holding
    names: dict[str, Any] = {kind: list(found) for kind, found in purged.items()}
    return contract.ErasureReceipt(
        subjects=list(erasure.subjects),
        memories=list(erasure.memory_ids),
        episodes=list(erasure.episode_ids),
        position=erasure.position,
        purged=contract.Purged(**names),
        still_holding=[*still_held(erasure), *holding],
        duplicate=duplicate,
        pending_views=unfinished.pending if unfinished else [],
    )


def clear_files(settings: Settings, erasure: Erasure, wait_s: float) -> Cleared:
    """Clear what is not a view's own, then wait until the views of every node have cleared theirs.

    Raises `LogUnavailable`.
    """
    deadline = time.monotonic() + wait_s
    holding: list[str] = []
    with RedisLog(log_url(settings, "admin"), settings.log) as log:
        _forget_snapshots(log, erasure)
        rewritten = _attempt(holding, "log server", lambda: rewrite_files(log, _REWRITE_WITHIN_S))
        forgotten = _attempt(holding, "recall cache", lambda: _forget_answers(settings))
        backups = _strike_backups(settings, erasure.subjects, holding)
        pending = _await_views(settings, log, erasure.position, deadline)
        archived = open_archive(settings)
        holding += _away(settings, log)
        if "vector" not in pending:
            _attempt(holding, "archive", lambda: _strike_vectors(settings, log, archived.place))
    return Cleared(
        purged={
            "views": sorted(set(VIEWS) - {name for name in pending if name in VIEWS}),
            "vectors": [] if "vector" in pending else _vector_caches(settings.data),
            "caches": [
                "snapshots",
                *(["append-only file"] if rewritten else []),
                *(["recall cache"] if forgotten else []),
            ],
            "segments": ["log", *(["archive"] if archived.manifest() is not None else [])],
            "backups": backups,
        },
        holding=[*holding, *(f"view {name}: not cleared yet" for name in pending)],
        pending=pending,
    )


def _forget_snapshots(log: RedisLog, erasure: Erasure) -> None:
    """Delete snapshots: they hold no text, but digests that tell a right guess."""
    ids = [*erasure.memory_ids, *erasure.episode_ids]
    if erasure.target == "agent":
        ids.append(agent_aggregate_id(log.name, erasure.target_id))
    for start in range(0, len(ids), _IDS_AT_ONCE):
        part = ids[start : start + _IDS_AT_ONCE]
        log.call_many([("DEL", log.keys.snapshots(thing)) for thing in part])


def _forget_answers(settings: Settings) -> None:
    """Delete the answers that this node keeps; other nodes' end by themselves within an hour."""
    store = open_volatile_store(settings, _STORE_WITHIN_S)
    if store is None:
        return
    try:
        with store:
            forget_kept_answers(store)
    except redis.RedisError as error:
        raise OSError(f"{type(error).__name__}; its answers end within an hour") from error


def _attempt(holding: list[str], what: str, clear: Callable[[], None]) -> bool:
    try:
        clear()
    except (RewriteRefused, MemoryWeaveError, OSError, sqlite3.Error) as error:
        _log.warning("not_cleared", what=what, reason=str(error))
        holding.append(f"{what}: {error}")
        return False
    return True


def _strike_backups(settings: Settings, subjects: Iterable[str], holding: list[str]) -> list[str]:
    from workers.backup.folder import backups_in
    from workers.backup.keys_part import strike_keys
    from workers.backup.place import backups_folder

    folder = backups_folder(settings)
    struck = strike_keys(folder, list(subjects))
    holding += struck.still_holding
    # Those too from which an earlier attempt has taken them.
    kept = {*struck.rewritten, *(backup.keys.name for backup in backups_in(folder))}
    named = {name.partition(":")[0] for name in struck.still_holding}
    return sorted(kept - named)


def _strike_vectors(settings: Settings, log: RedisLog, place: Place) -> None:
    """Bring to the archive what the vector view has taken out of this node's caches."""
    caches = cache_folder(settings)
    if any(due.forgotten for due in due_in(caches).values()):
        ship_vectors_now(settings, log, place)
    deadline = time.monotonic() + _CACHE_FREE_WITHIN_S
    for path in cache_files(caches):
        with closing(open_cache_file(path)) as connection:
            # What was deleted is in the file's older pages until the newer ones are in it.
            while connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]:
                if time.monotonic() > deadline:
                    raise OSError(f"{path.name} is being read all the time")
                time.sleep(_POLL_S)


def _await_views(settings: Settings, log: RedisLog, position: int, deadline: float) -> list[str]:
    """Give the views that have not cleared their files when the time is up, other nodes' too."""
    while True:
        pending = [name for name in VIEWS if held_in(settings.data / "views" / name, position)]
        pending += _of_other_nodes(settings, log, position)
        if not pending or time.monotonic() > deadline:
            return pending
        time.sleep(_POLL_S)


def _of_other_nodes(settings: Settings, log: RedisLog, position: int) -> list[str]:
    own = node_id(settings.data)
    return [
        f"{name} of node {beat.node_id}"
        for beat in Nodes(log).living()
        if beat.node_id != own
        for name, view in beat.views.items()
        if view.state != "absent" and view.purged < position
    ]


def _away(settings: Settings, log: RedisLog) -> list[str]:
    """Name the nodes that have read this log and are not running: nobody can ask them.

    They clear their files when they run again, because they follow the log.
    """
    here = {node_id(settings.data), *(beat.node_id for beat in Nodes(log).living())}
    named = {reader.name.partition("/")[0] for reader in Readers(log).all() if "/" in reader.name}
    return [
        f"node {name}: it is not running, and clears its files when it runs again; if it is gone "
        "for good, take its views off the list (`memoryweave readers forget`) and erase again"
        for name in sorted(named - here)
    ]


def _vector_caches(data: Path) -> list[str]:
    return sorted(file.name for file in (data / "cache").glob("vectors-*.sqlite"))
