"""A backup's keys: in a file of their own, which an erase can rewrite and an owner take elsewhere.

Lines of JSON in one zstd frame: a header, ``[field, key]`` for every sealing key, and at the end
their number and the SHA-256 of all lines before. The header also holds the node's own keys and the
key under which the backup's derived parts (vectors, carriers) are sealed. Erasing a subject leaves
its key empty, as in the log, so that a restored log makes it no new one; a session's line goes,
because one of that name may begin anew. The other key goes with it: which vectors or notes came
from the erased text nobody can tell in a sealed file, and both can be made again.
"""

from __future__ import annotations

import hashlib
import io
import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final, cast

import msgspec
import zstandard
from msgspec import Struct
from msgspec.structs import replace

from eventlog.keys import key_field
from eventlog.sealing import is_final
from workers.backup.elsewhere import keys_parts_elsewhere
from workers.backup.folder import (
    BackupBusy,
    backups_in,
    changing_keys,
    making,
    remove_leftovers,
    replacing,
)

FORMAT: Final = 1
_LAST_STRIKE: Final = "last-strike"
_encode: Final = msgspec.json.Encoder().encode
_decode_pair: Final = msgspec.json.Decoder(tuple[bytes, bytes]).decode


class KeysPartDamaged(Exception):
    """A keys part that is not whole, or no keys part at all."""


class KeysHeader(Struct, frozen=True, kw_only=True):
    """What a keys part says before the keys.

    ``backup`` is the id of the backup that it belongs to. ``node`` holds the node's own keys by
    name, ``settings`` its settings file with the secrets in it, ``derived_key`` (32 bytes) opens
    the backup's derived parts, empty where an erase has destroyed it.
    """

    backup: str
    log: str
    position: int
    node: dict[str, str]
    settings: str
    derived_key: bytes
    format: int = FORMAT

    def __repr__(self) -> str:
        """Keep the secrets out of logs and tracebacks."""
        return f"KeysHeader(backup={self.backup!r}, ***)"


class _Footer(Struct, frozen=True, kw_only=True):
    keys: int
    sha256: str


class Struck(Struct, frozen=True):
    """What became of subjects' keys: the keys parts rewritten, and what holds them still, and why.

    Parts that did not hold any of the subjects are in neither list.
    """

    rewritten: tuple[str, ...] = ()
    still_holding: tuple[str, ...] = ()


def strike_keys(folder: Path, subjects: Collection[str]) -> Struck:
    """Destroy the keys of these subjects in every backup that is kept in ``folder``.

    Each keys part is replaced by rename, so it holds what it did or what it shall. Backups that
    were made into other folders are found there, if they are there still. Whatever cannot be
    rewritten is named in the answer; nothing is raised. To be called after the log has destroyed
    the keys: a backup that is being made reads them under the same lock.
    """
    wanted = {key_field(subject): is_final(subject) for subject in subjects}
    rewritten: list[str] = []
    holding: list[str] = []
    try:
        if not folder.is_dir():
            return Struck()
        _strike_in(folder, wanted, rewritten, holding)
        elsewhere = keys_parts_elsewhere(folder)
    except OSError as error:
        return Struck(tuple(rewritten), (*holding, f"{folder}: {error}"))
    for path in elsewhere:
        if not path.exists():
            holding.append(f"{path}: it is not there any more; if it was moved, it holds them")
            continue
        try:
            with changing_keys(path.parent):
                _strike_one(path, wanted, rewritten, holding)
        except OSError as error:
            holding.append(f"{path}: {error}")
    return Struck(tuple(rewritten), tuple(holding))


def last_strike(folder: Path) -> bytes:
    """Give what tells one strike in ``folder`` from the next, b"" where there was none.

    Who finds another value than before knows that keys were struck in between. Raises OSError.
    """
    try:
        return (folder / _LAST_STRIKE).read_bytes()
    except FileNotFoundError:
        return b""


def write_keys_part(path: Path, header: KeysHeader, keys: Iterable[tuple[bytes, bytes]]) -> int:
    """Write a keys part, mode 600, replacing one that has the name; give how many keys it holds.

    ``keys`` are as `RedisLog.all_subject_keys` gives them.
    Raises OSError.
    """
    with replacing(path) as file:
        count = _write(file, header, keys)
        file.flush()
        file.seek(0)
        for _ in _read(path, file):
            pass  # read back: raises unless every line is there as it was written
    return count


@contextmanager
def opened_keys_part(path: Path) -> Iterator[tuple[KeysHeader, Iterator[tuple[bytes, bytes]]]]:
    """Give a keys part's header and its keys.

    Raises `KeysPartDamaged`, for what is missing only when the keys are read to their end.
    """
    with path.open("rb") as file:
        lines = _read(path, file)
        header = next(lines)
        assert isinstance(header, KeysHeader)
        yield header, cast("Iterator[tuple[bytes, bytes]]", lines)


def _strike_in(
    folder: Path, wanted: Mapping[bytes, bool], rewritten: list[str], holding: list[str]
) -> None:
    with changing_keys(folder):
        with replacing(folder / _LAST_STRIKE) as file:
            file.write(os.urandom(16).hex().encode())
        for backup in backups_in(folder):
            if backup.keys.exists():
                _strike_one(backup.keys, wanted, rewritten, holding)
            else:
                holding.append(f"{backup.keys.name}: its keys part is not in {folder}")
    try:
        with making(folder):
            remove_leftovers(folder)
    except BackupBusy:
        # Whoever makes a backup now reads the keys after us, or we have waited for its end.
        return


def _strike_one(
    path: Path, wanted: Mapping[bytes, bool], rewritten: list[str], holding: list[str]
) -> None:
    """Strike the keys of one part; ``wanted`` tells of each field whether it stays, empty."""
    try:
        with opened_keys_part(path) as (_, keys):
            concerned = sum(field in wanted and key != b"" for field, key in keys)
        if concerned:
            with opened_keys_part(path) as (header, keys):
                left = (
                    (field, b"" if field in wanted else key)
                    for field, key in keys
                    if wanted.get(field, True)
                )
                write_keys_part(path, replace(header, derived_key=b""), left)
            rewritten.append(path.name)
    except (KeysPartDamaged, OSError) as error:
        holding.append(f"{path.name}: {error}")


def _write(file: BinaryIO, header: KeysHeader, keys: Iterable[tuple[bytes, bytes]]) -> int:
    count, digest = 0, hashlib.sha256()
    compressor = zstandard.ZstdCompressor(level=1, write_checksum=True)
    with compressor.stream_writer(file, closefd=False) as stream:

        def write(value: object) -> None:
            line = _encode(value) + b"\n"
            digest.update(line)
            stream.write(line)

        write(header)
        for pair in keys:
            write(pair)
            count += 1
        write(_Footer(keys=count, sha256=digest.hexdigest()))
    return count


def _read(path: Path, file: BinaryIO) -> Iterator[KeysHeader | tuple[bytes, bytes]]:
    """Give the header, then the keys. Raises `KeysPartDamaged`, at the end if not before."""
    count, digest, ended = 0, hashlib.sha256(), False
    try:
        with zstandard.ZstdDecompressor().stream_reader(file, closefd=False) as stream:
            lines = io.BufferedReader(stream)
            first = next(lines, b"")
            digest.update(first)
            yield _header(path, first)
            # To the end of the file: only there does zstd compare its own checksum.
            for line in lines:
                if line.startswith(b"["):
                    yield _decode_pair(line)
                    count += 1
                else:
                    footer = msgspec.json.decode(line, type=_Footer)
                    ended = footer == _Footer(keys=count, sha256=digest.hexdigest())
                digest.update(line)
    except (msgspec.MsgspecError, zstandard.ZstdError) as error:
        raise KeysPartDamaged(f"{path.name} is damaged after {count} keys ({error})") from error
    if not ended:
        raise KeysPartDamaged(f"{path.name} is not whole: it ends after {count} keys")


def _header(path: Path, line: bytes) -> KeysHeader:
    try:
        header = msgspec.json.decode(line, type=KeysHeader)
    except msgspec.MsgspecError as error:
        raise KeysPartDamaged(f"{path.name} is no keys part of a backup ({error})") from error
    if header.format != FORMAT:
        raise KeysPartDamaged(f"{path.name} has format {header.format}, known is {FORMAT}")
    return header
