"""Makes a node of a backup: the log with a new epoch, the archive, the keys, the views built anew.

The whole backup is read and compared before anything is written, and what is written goes into an
empty directory and an empty log. A restore that was killed leaves a mark in both; the next one
begins anew there.
"""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from eventlog.archive.manifest import Manifest, write_manifest
from eventlog.archive.place import open_place
from eventlog.archive.segment import Segment
from eventlog.chain import BEGINNING, links
from eventlog.embedded import EmbeddedServers, find_server
from eventlog.entry import RawEntry
from eventlog.guard import guard_log_server
from eventlog.lineage import Branch
from eventlog.loading import LogParts, load_log, make_room
from eventlog.redis_log import RedisLog
from projections.digest import ViewDigest
from workers.archive import archive_location
from workers.backup.container import (
    BackupDamaged,
    Description,
    check_backup,
    open_sealed,
    place_of,
    read_members,
)
from workers.backup.derived import keep_derived_file
from workers.backup.folder import keys_of, replacing
from workers.backup.keys_part import KeysHeader, opened_keys_part
from workers.backup.rebuilding import Progress, build_all_views
from workers.backup.unreadable import Unreadable
from workers.keys import embedded_users, keep_keys
from workers.log_server import guard_log, log_url
from workers.settings import FILE_NAME as SETTINGS_NAME
from workers.settings import Settings, resolve

_MARK: Final = "restoring"
_LOG_ANSWERS_WITHIN_S: Final = 60.0
_SEGMENTS: Final = ("segments/", "hot/")


class RestoreRefused(Exception):
    """Nothing was restored, and nothing changed; the message says what to do."""


class Restored(Struct, frozen=True, kw_only=True):
    """A restored node. ``keys`` is how many sealing keys there were, None without a keys part.

    ``sealed`` counts the events whose texts nobody can open for want of a keys part, by the kind
    of thing they speak of; ``erased`` those whose texts were erased after the backup was made.
    ``digests`` are of the views at ``position``.
    """

    data: Path
    log: str
    made_at: datetime
    position: int
    epoch: str
    parent: str
    chain: str
    keys: int | None
    sealed: dict[str, int]
    erased: dict[str, int]
    derived: int
    digests: list[ViewDigest]


class RestoreRequest(Struct, frozen=True, kw_only=True):
    """What to restore from, and under which settings: ``flags`` and ``environment`` as given.

    ``keys`` is the keys part, None: the one beside the backup. ``without_keys``: there is none.
    """

    backup: Path
    flags: Mapping[str, Any]
    environment: Mapping[str, str]
    keys: Path | None = None
    without_keys: bool = False


def restore_backup(
    request: RestoreRequest,
    *,
    now: datetime,
    randomness: Callable[[int], bytes],
    progress: Progress = lambda _part, _done, _of: None,
) -> Restored:
    """Restore a backup. Raises `RestoreRefused`, `BackupDamaged`, `KeysPartDamaged`,
    `SettingError`, what checking and writing the log server raises, OSError.
    """
    described = check_restorable(request.backup, progress)
    keys_path = _keys_part(request, described)
    settings = _settings(request, keys_path)
    if settings.log != described.log:
        raise RestoreRefused(
            f"the backup is of the log {described.log!r}, the settings name {settings.log!r}: "
            f"give --log {described.log}"
        )
    with _empty_directory(settings, described), ExitStack() as stack:
        if settings.redis_url is None:
            users = embedded_users(settings)
            stack.enter_context(EmbeddedServers(settings.data, names=("log",), users=users))
        restoring = _Restoring(settings, request.backup, keys_path, described, progress)
        return restoring.run(randomness(16).hex(), now)


def check_restorable(backup: Path, progress: Progress = lambda _p, _d, _o: None) -> Description:
    """Read a backup to its end and compare everything: files, events, chain. Changes nothing.

    Raises `BackupDamaged`, which names the file or the positions, and OSError.
    """
    chain, expected = BEGINNING, 1
    ends: dict[int, tuple[str, bytes]] = {}

    def follow(name: str, data: bytes) -> None:
        nonlocal chain, expected
        if name.startswith(_SEGMENTS):
            entries = _entries(name, data)
            if entries[0].position != expected:
                raise BackupDamaged(f"{backup.name}: {place_of(name)} is not at {expected}")
            chain = links(chain, entries)[-1]
            expected = entries[-1].position + 1
            ends[entries[-1].position] = (name, chain)
            progress("check", expected - 1, 0)

    described = check_backup(backup, follow)
    for record in (*described.archived, *described.hot):
        name, found = ends.get(record.last, ("", b""))
        if found.hex() != record.chain:
            raise BackupDamaged(
                f"{backup.name}: positions {record.first} to {record.last} "
                f"{'have another chain' if name else 'are missing'}"
            )
    if (expected - 1, chain.hex()) != (described.position, described.chain):
        raise BackupDamaged(f"{backup.name} ends at {expected - 1}, not at {described.position}")
    return described


class _Restoring:
    """One restore into an empty directory and an empty log, both checked."""

    def __init__(
        self,
        settings: Settings,
        backup: Path,
        keys_path: Path | None,
        described: Description,
        progress: Progress,
    ) -> None:
        self._settings = settings
        self._backup = backup
        self._keys_path = keys_path
        self._described = described
        self._progress = progress
        self._sha256 = {member.name: member.sha256 for member in described.members}
        self._unreadable = Unreadable()
        self._derived = 0

    def run(self, epoch: str, now: datetime) -> Restored:
        """Restore; ``epoch`` is the new one."""
        described, settings = self._described, self._settings
        branch = Branch(epoch=epoch, parent=described.epoch, position=described.position)
        url = log_url(settings, "admin")
        with RedisLog(url, settings.log, deadline_s=_LOG_ANSWERS_WITHIN_S) as log:
            make_room(log)
            guard_log_server(log, allow_volatile=settings.allow_volatile)
            keys = self._load(log, branch, now)
            erased = {} if keys is None else self._unreadable.erased_since(log.subject_keys)
        # Last, with the log's new epoch in it: before, the archive is nobody's.
        write_manifest(
            open_place(archive_location(settings)),
            Manifest(log=settings.log, epoch=epoch, segments=described.archived),
        )
        guard_log(settings, "admin")
        digests = build_all_views(settings, self._progress)
        return Restored(
            data=settings.data,
            log=described.log,
            made_at=described.made_at,
            position=described.position,
            epoch=epoch,
            parent=described.epoch,
            chain=described.chain,
            keys=keys,
            sealed=self._unreadable.without_keys() if keys is None else {},
            erased=erased,
            derived=self._derived,
            digests=digests,
        )

    def _load(self, log: RedisLog, branch: Branch, now: datetime) -> int | None:
        floor, chain = self._floor()
        parts = LogParts(
            lineage=(*self._described.lineage, branch),
            floor=floor,
            floor_chain=chain,
            tokens=self._described.tokens,
        )
        if self._keys_path is None:
            load_log(log, parts, self._unpacked(b""), [], now)
            return None
        with opened_keys_part(self._keys_path) as (header, keys):
            keep_keys(self._settings.data, header.node)
            self._write_settings(header.settings)
            counted = self._unreadable.counted(keys)
            load_log(log, parts, self._unpacked(header.derived_key), counted, now)
            return self._unreadable.keys

    def _floor(self) -> tuple[int, str]:
        """Say where the part in the server begins: as trimming would have left it."""
        floor, chain = 1, ""
        if self._settings.archive_trim:
            hot = max(1, self._settings.archive_hot_window)
            first_kept = self._described.position - hot + 1
            for record in self._described.archived:
                if record.last + 1 <= first_kept:
                    floor, chain = record.last + 1, record.chain
        return floor, chain

    def _unpacked(self, derived_key: bytes) -> Iterator[RawEntry]:
        """Give the log's events, and put every other file to its place on the way."""
        place = open_place(archive_location(self._settings))
        for name, data in read_members(self._backup):
            if name in self._sha256 and hashlib.sha256(data).hexdigest() != self._sha256[name]:
                raise BackupDamaged(f"{self._backup.name} changed while it was read, in {name}")
            if name.startswith(_SEGMENTS):
                if name.startswith("segments/"):
                    place.write(name.removeprefix("segments/"), data)
                for entry in _entries(name, data):
                    self._unreadable.see(entry)
                    yield entry
                    if entry.position % 1_000 == 0:
                        self._progress("log", entry.position, self._described.position)
            elif name == SETTINGS_NAME:
                if self._keys_path is None:
                    self._write_settings(data.decode())
            elif name in self._sha256 and derived_key:
                keep_derived_file(self._settings, place, name, open_sealed(name, data, derived_key))
                self._derived += 1

    def _write_settings(self, text: str) -> None:
        if text:
            with replacing(self._settings.data / SETTINGS_NAME) as file:
                file.write(text.encode())


def _entries(name: str, data: bytes) -> list[RawEntry]:
    try:
        first = int(Path(name).name.partition("-")[0])
        segment = Segment(first, data)
        entries = segment.read(first, first + segment.count - 1)
    except (ValueError, OSError, KeyError) as error:
        raise BackupDamaged(f"{place_of(name)} is no segment ({error})") from error
    for expected, entry in enumerate(entries, first):
        if entry.position != expected:
            raise BackupDamaged(f"{place_of(name)} has {entry.position} at {expected}")
    return entries


def _keys_part(request: RestoreRequest, described: Description) -> Path | None:
    """Give the keys part, read to its end, or None where the caller does without."""
    path = request.keys or keys_of(request.backup)
    if request.without_keys:
        return None
    if not path.exists():
        raise RestoreRefused(
            f"there is no keys part {path}: say where it is with --keys FILE. With --without-keys "
            "what is sealed (contents, queries, reasons, tags) can never be opened; ids, times, "
            "namespaces and who did what remain"
        )
    with opened_keys_part(path) as (header, keys):
        _require_belongs(path, header, described)
        for _ in keys:
            pass  # to its end: only there is it known to be whole
    return path


def _require_belongs(path: Path, header: KeysHeader, described: Description) -> None:
    if header.backup != described.id:
        raise RestoreRefused(
            f"{path} belongs to another backup (of log {header.log!r} at position "
            f"{header.position}): give the one that was made with this backup"
        )


def _settings(request: RestoreRequest, keys_path: Path | None) -> Settings:
    """Resolve the settings as `memoryweave up` will, with the backup's file in the directory."""
    text = ""
    if keys_path is not None:
        with opened_keys_part(keys_path) as (header, _):
            text = header.settings
    else:
        shown = (data for name, data in read_members(request.backup) if name == SETTINGS_NAME)
        text = next(shown, b"").decode()
    given = resolve(request.flags, request.environment).settings.data
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / SETTINGS_NAME).write_text(text, "utf-8")
        settings = resolve({**request.flags, "data": folder}, request.environment).settings
    return replace(settings, data=given)


@contextmanager
def _empty_directory(settings: Settings, described: Description) -> Iterator[None]:
    """Give the directory to a restore; take away what it wrote if it fails."""
    data = settings.data
    mark = data / _MARK
    if data.exists() and not data.is_dir():
        raise RestoreRefused(f"{data} is no directory")
    if data.is_dir() and not mark.exists() and any(data.iterdir()):
        raise RestoreRefused(f"{data} is not empty: restore into a new directory with --data")
    data.mkdir(mode=0o700, parents=True, exist_ok=True)
    if find_server(data, "log"):
        # That of a restore that was killed; only who has taken it over can stop it.
        with EmbeddedServers(data, names=("log",), users=embedded_users(settings)):
            pass
    _clear(data)
    with replacing(mark) as file:
        file.write(described.id.encode())
    try:
        yield
    except BaseException:
        _clear(data)
        raise
    mark.unlink()


def _clear(data: Path) -> None:
    for path in data.iterdir():
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()
