"""Makes a backup: all the log says up to one position, and what else a node cannot make again.

Written under another name, brought to the disk, read back and compared, and only then named. So
however a run ends, the backups before it are whole; what it left goes at the next run. Commands go
on meanwhile: the position is that of the beginning, and what the archive takes over or trims in
between is read from there. The keys are read last, under the lock that an erase takes.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Final
from zoneinfo import ZoneInfo

from msgspec import Struct
from msgspec.structs import replace

from domain.errors import BackupFailed
from eventlog.archive.manifest import Manifest, SegmentRecord, segment_name
from eventlog.archive.segment import encode_segment
from eventlog.chain import links
from eventlog.entry import RawEntry
from eventlog.lineage import read_lineage
from eventlog.outcomes import ArchiveDamaged, LogFork
from eventlog.redis_log import Head, RedisLog
from workers.archive import open_archive, seen_links
from workers.backup.container import (
    NONCE_BYTES,
    BackupDamaged,
    BackupWriter,
    Description,
    check_backup,
)
from workers.backup.derived import derived_files
from workers.backup.elsewhere import forget_elsewhere, remember_elsewhere
from workers.backup.folder import (
    NEW,
    BackupBusy,
    backups_in,
    changing_keys,
    free_name,
    keys_of,
    making,
    remove_leftovers,
    sync_folder,
)
from workers.backup.keys_part import KeysHeader, KeysPartDamaged, last_strike, write_keys_part
from workers.backup.place import backups_folder
from workers.backup.retention import to_keep
from workers.backup.settings_part import settings_text, without_secrets
from workers.health import VERSION
from workers.keys import kept_keys
from workers.log_server import log_url
from workers.settings import FILE_NAME as SETTINGS_NAME
from workers.settings import Settings
from workers.vector_shipping import ship_what_is_missing

KEY_BYTES: Final = 32
_LOG_ANSWERS_WITHIN_S: Final = 30.0
_PAGE: Final = 2_000


class BackupMade(Struct, frozen=True, kw_only=True):
    """A backup, complete and read back. ``removed`` are older ones that made way for it."""

    path: Path
    keys_path: Path
    made_at: datetime
    position: int
    chain: str
    size: int
    keys: int
    files: int
    removed: tuple[str, ...] = ()


def make_backup(
    settings: Settings,
    *,
    to: Path | None = None,
    vectors: bool = True,
    clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    randomness: Callable[[int], bytes] = os.urandom,
    said: Callable[[str], None] = lambda _step: None,
) -> BackupMade:
    """Back the node up into its own folder, where older ones then make way, or into ``to``.

    ``said`` is told each step, by name; what it raises ends the run. Raises `BackupFailed`, and
    `LogUnavailable`, `LogFork`, `ArchiveDamaged` where the log cannot be read or is not what it
    was. Nothing is left behind then.
    """
    own = backups_folder(settings)
    folder = own if to is None else to.absolute()
    try:
        with making(folder):
            remove_leftovers(folder)
            run = _Run(settings, folder, clock(), vectors=vectors, randomness=randomness, said=said)
            made = run.make()
            if folder != own:
                return made
            return _retained(made, folder, clock(), settings.time_zone)
    except (BackupBusy, BackupDamaged, KeysPartDamaged) as error:
        raise BackupFailed(str(error)) from error
    except OSError as error:
        raise BackupFailed(f"{folder}: {error}") from error


class _Run:
    """One run. What it has begun is removed again if it fails."""

    def __init__(
        self,
        settings: Settings,
        folder: Path,
        now: datetime,
        *,
        vectors: bool,
        randomness: Callable[[int], bytes],
        said: Callable[[str], None],
    ) -> None:
        self._settings = settings
        self._folder = folder
        self._own = backups_folder(settings)
        self._now = now
        self._vectors = vectors
        self._randomness = randomness
        self._said = said
        self._id = randomness(16).hex()
        self._derived_key = randomness(KEY_BYTES)
        self._path = free_name(folder, now)
        self._new = self._path.with_name(self._path.name + NEW)

    def make(self) -> BackupMade:
        """Make the backup."""
        keys_path = keys_of(self._path)
        struck_before = last_strike(self._own)
        with ExitStack() as stack:
            stack.callback(self._new.unlink, missing_ok=True)
            archive = open_archive(self._settings)
            log = stack.enter_context(
                RedisLog(
                    log_url(self._settings, "archiver"),
                    self._settings.log,
                    archive=archive,
                    deadline_s=_LOG_ANSWERS_WITHIN_S,
                )
            )
            described = self._write(log)
            self._said("read back")
            if check_backup(self._new) != described:
                raise BackupFailed(f"{self._new.name} does not give back what was written")
            size = self._new.stat().st_size
            failed = stack.enter_context(ExitStack())
            failed.callback(keys_path.unlink, missing_ok=True)
            if self._folder != self._own:
                # Before the keys are read: an erase that comes later knows where they are.
                remember_elsewhere(self._own, keys_path)
                failed.callback(forget_elsewhere, self._own, keys_path)
            with changing_keys(self._folder):
                # An erase in between has taken vectors away that are in this backup already.
                same = last_strike(self._own) == struck_before
                keys = write_keys_part(
                    keys_path,
                    self._header(described, self._derived_key if same else b""),
                    log.all_subject_keys(),
                )
                self._said("keys named")
                self._new.rename(self._path)
                sync_folder(self._folder)
            failed.pop_all()
        self._said("named")
        return BackupMade(
            path=self._path,
            keys_path=keys_path,
            made_at=self._now,
            position=described.position,
            chain=described.chain,
            size=size,
            keys=keys,
            files=len(described.members),
        )

    def _write(self, log: RedisLog) -> Description:
        head = log.head()
        if not head.position:
            raise BackupFailed("the log is empty: there is nothing to back up")
        manifest = self._manifest(log, head)
        with os.fdopen(
            os.open(self._new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb"
        ) as file:
            writer = BackupWriter(file, self._now)
            self._said("begun")
            for record in manifest.segments:
                writer.add(f"segments/{record.file_name}", self._archived(log, record))
                self._said("segment written")
            hot, last, chain = self._write_hot(log, manifest, head, writer)
            self._said("log written")
            if self._vectors:
                ship_what_is_missing(self._settings, log)
            assert log.archive is not None
            for name, data in derived_files(
                self._settings, log.archive.place, vectors=self._vectors
            ):
                writer.add_sealed(name, data, self._derived_key, self._randomness(NONCE_BYTES))
                self._said("derived written")
            settings = without_secrets(settings_text(self._settings.data))
            if settings:
                writer.add(SETTINGS_NAME, settings.encode())
            described = Description(
                id=self._id,
                made_at=self._now,
                program=VERSION,
                log=log.name,
                epoch=head.epoch,
                lineage=read_lineage(log),
                position=head.position,
                event_id=last.event_id if last else self._event_id(log, head.position),
                chain=chain.hex(),
                archived=manifest.segments,
                hot=tuple(hot),
                members=tuple(writer.members),
                tokens=_tokens(log),
            )
            writer.finish(described)
            self._said("written")
            file.flush()
            os.fsync(file.fileno())
        return described

    def _manifest(self, log: RedisLog, head: Head) -> Manifest:
        assert log.archive is not None
        manifest = log.archive.manifest()
        if manifest is None:
            return Manifest(log=log.name, epoch=head.epoch)
        if (manifest.log, manifest.epoch) != (log.name, head.epoch):
            raise LogFork(
                f"the archive is that of log {manifest.log!r} of epoch {manifest.epoch}, this is "
                f"{log.name!r} of epoch {head.epoch}"
            )
        if manifest.last > log.head().position:
            raise LogFork(f"the log ends at {head.position}, the archive at {manifest.last}")
        # What was archived since the head was read belongs to the next backup.
        return replace(
            manifest, segments=tuple(s for s in manifest.segments if s.last <= head.position)
        )

    def _archived(self, log: RedisLog, record: SegmentRecord) -> bytes:
        assert log.archive is not None
        try:
            data = log.archive.place.read(record.file_name)
        except FileNotFoundError as error:
            raise ArchiveDamaged(record.first, f"{record.file_name} is missing") from error
        if hashlib.sha256(data).hexdigest() != record.sha256:
            raise ArchiveDamaged(record.first, f"{record.file_name} is not what was archived")
        return data

    def _write_hot(
        self, log: RedisLog, manifest: Manifest, head: Head, writer: BackupWriter
    ) -> tuple[list[SegmentRecord], RawEntry | None, bytes]:
        """Write what is not archived yet as segments that are the backup's own."""
        hot: list[SegmentRecord] = []
        chain, first, last = manifest.chain, manifest.last + 1, None
        seen = seen_links(self._settings)
        while first <= head.position:
            end = min(head.position, first + self._settings.archive_segment_events - 1)
            entries = list(_read(log, first, end))
            chains = links(chain, entries)
            changed = seen.compare(head.epoch, first, chains)
            if changed is not None:
                raise LogFork(f"what stands at {first + changed} is not what this node has read")
            chain, last = chains[-1], entries[-1]
            data = encode_segment(entries)
            writer.add(f"hot/{segment_name(first, end)}", data)
            sha256 = hashlib.sha256(data).hexdigest()
            hot.append(SegmentRecord(first=first, last=end, sha256=sha256, chain=chain.hex()))
            self._said("hot written")
            first = end + 1
        return hot, last, chain

    def _event_id(self, log: RedisLog, position: int) -> str:
        return log.read(position, position)[0].event_id

    def _header(self, described: Description, derived_key: bytes) -> KeysHeader:
        return KeysHeader(
            backup=described.id,
            log=described.log,
            position=described.position,
            node=kept_keys(self._settings.data),
            settings=settings_text(self._settings.data),
            derived_key=derived_key,
        )


def _read(log: RedisLog, first: int, last: int) -> Iterator[RawEntry]:
    while first <= last:
        page = log.read(first, last, _PAGE)
        if not page:
            raise LogFork(f"the log ends before {first}, it had reached {last}")
        yield from page
        first = page[-1].position + 1


def _tokens(log: RedisLog) -> dict[str, int]:
    """Give the last fencing token of each lease."""
    flat = log.call("HGETALL", log.keys.meta)
    meta = {name.decode(): value for name, value in zip(flat[::2], flat[1::2], strict=True)}
    return {
        name.removeprefix("token:"): int(value)
        for name, value in meta.items()
        if name.startswith("token:")
    }


def _retained(made: BackupMade, folder: Path, now: datetime, zone: str) -> BackupMade:
    """Let older backups make way, as `to_keep` says; the one that was just made stays."""
    backups = backups_in(folder)
    stay = to_keep([backup.made_at for backup in backups], now, ZoneInfo(zone))
    removed = []
    for backup in backups:
        if backup.made_at not in stay and backup.path != made.path:
            # The backup first: keys without one are left-overs, which the next run removes.
            backup.path.unlink(missing_ok=True)
            backup.keys.unlink(missing_ok=True)
            removed.append(backup.path.name)
    if removed:
        sync_folder(folder)
    return replace(made, removed=tuple(removed))
