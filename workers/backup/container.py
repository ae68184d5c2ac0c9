"""The file of a backup: a tar in one zstd frame, and in its last member what all others must be.

A backup is read from its beginning to its end. Its description stands last, because only then is
it known; nothing is believed before it was read and compared.
"""

from __future__ import annotations

import hashlib
import io
import re
import tarfile
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import BinaryIO, Final

import msgspec
import zstandard
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from msgspec import Struct

from eventlog.archive.manifest import SegmentRecord
from eventlog.lineage import Branch

FORMAT: Final = 1
DESCRIPTION: Final = "backup.json"
NONCE_BYTES: Final = 12
_SEGMENT: Final = re.compile(r"(\d{12})-(\d{12})\.parquet$")


class BackupDamaged(Exception):
    """A backup that is not what was written; the message names the file in it, or the position."""


class Member(Struct, frozen=True, kw_only=True):
    """One file of a backup: its length and SHA-256 as it lies there.

    ``sealed``: closed under the key of derived parts, which is with the keys.
    """

    name: str
    size: int
    sha256: str
    sealed: bool = False


class Description(Struct, frozen=True, kw_only=True):
    """What a backup holds: the log up to ``position``, where the chain is ``chain`` (hex).

    ``id`` is the one that its keys part names. ``archived`` are the archive's segments,
    ``hot`` those that were made for the backup from what was not archived yet. ``lineage`` is the
    log's, ``tokens`` the last fencing token of each lease.
    """

    id: str
    made_at: datetime
    program: str
    log: str
    epoch: str
    position: int
    event_id: str
    chain: str
    archived: tuple[SegmentRecord, ...]
    hot: tuple[SegmentRecord, ...]
    members: tuple[Member, ...]
    lineage: tuple[Branch, ...] = ()
    tokens: dict[str, int] = {}
    format: int = FORMAT


class BackupWriter:
    """Writes the members of a backup into an open file, one after the other."""

    def __init__(self, file: BinaryIO, made_at: datetime, level: int = 3) -> None:
        self._made_at = made_at
        compressor = zstandard.ZstdCompressor(level=level, write_checksum=True)
        self._stream = compressor.stream_writer(file, closefd=False)
        self._tar = tarfile.open(fileobj=self._stream, mode="w")  # noqa: SIM115  # see `close`
        self.members: list[Member] = []

    def add(self, name: str, data: bytes) -> None:
        """Add a file."""
        self._add(name, data, sealed=False)

    def add_sealed(self, name: str, data: bytes, key: bytes, nonce: bytes) -> None:
        """Add a file, sealed (AES-256-GCM) under ``key`` and bound to its name."""
        closed = nonce + AESGCM(key).encrypt(nonce, data, name.encode())
        self._add(name, closed, sealed=True)

    def finish(self, description: Description) -> None:
        """Add the description and end the file. The caller brings it to the disk."""
        self._add(DESCRIPTION, msgspec.json.encode(description), sealed=False)
        self._tar.close()
        self._stream.close()  # type: ignore[no-untyped-call]  # its stub says nothing

    def _add(self, name: str, data: bytes, *, sealed: bool) -> None:
        header = tarfile.TarInfo(name)
        header.size, header.mode = len(data), 0o600
        header.mtime = int(self._made_at.timestamp())
        self._tar.addfile(header, io.BytesIO(data))
        # What comes before a damaged place can be read then, so that the place can be named.
        self._stream.flush(zstandard.FLUSH_BLOCK)
        sha256 = hashlib.sha256(data).hexdigest()
        self.members.append(Member(name=name, size=len(data), sha256=sha256, sealed=sealed))


def check_backup(
    path: Path, visit: Callable[[str, bytes], None] = lambda _name, _data: None
) -> Description:
    """Read a backup to its end, compare every file in it, and give its description.

    ``visit`` is told of every file, in their order, before it is compared. Raises
    `BackupDamaged`, OSError.
    """
    found: list[tuple[str, int, str]] = []
    description: bytes | None = None
    for name, data in read_members(path):
        if name == DESCRIPTION:
            description = data
        else:
            found.append((name, len(data), hashlib.sha256(data).hexdigest()))
            visit(name, data)
    if description is None:
        raise BackupDamaged(f"{path.name} {_after(found)}, its end is missing")
    described = _described(path, description)
    for member, (name, size, sha256) in zip(described.members, found, strict=False):
        if (member.name, member.size, member.sha256) != (name, size, sha256):
            raise BackupDamaged(f"{path.name}: {place_of(name)} is not what was written")
    if len(described.members) != len(found):
        raise BackupDamaged(
            f"{path.name} holds {len(found)} files, {len(described.members)} were written"
        )
    return described


def read_members(path: Path) -> Iterator[tuple[str, bytes]]:
    """Give the files of a backup, in their order. Raises `BackupDamaged`, OSError."""
    last = ""
    with path.open("rb") as file:
        try:
            with (
                zstandard.ZstdDecompressor().stream_reader(file, closefd=False) as stream,
                tarfile.open(fileobj=stream, mode="r|") as tar,
            ):
                for header in tar:
                    last = header.name
                    content = tar.extractfile(header)
                    if content is None:
                        raise BackupDamaged(f"{path.name}: {last} is no file")
                    data = content.read()
                    if len(data) != header.size:
                        raise BackupDamaged(f"{path.name} breaks off in {place_of(last)}")
                    yield last, data
                # To the end of the frame: only there does zstd compare its own checksum.
                while stream.read(1 << 16):
                    pass
        except (tarfile.TarError, zstandard.ZstdError, EOFError, ValueError) as error:
            where = f"in or after {place_of(last)}" if last else "at its beginning"
            raise BackupDamaged(f"{path.name} cannot be read {where} ({error})") from error


def open_sealed(name: str, data: bytes, key: bytes) -> bytes:
    """Open a sealed file of a backup. Raises `BackupDamaged`."""
    try:
        return AESGCM(key).decrypt(data[:NONCE_BYTES], data[NONCE_BYTES:], name.encode())
    except (InvalidTag, ValueError) as error:
        raise BackupDamaged(f"{name} does not open under the key of this keys part") from error


def place_of(name: str) -> str:
    """Name a file of a backup for people, with the positions in it if it is a segment."""
    match = _SEGMENT.search(name)
    return f"{name} (positions {int(match[1])} to {int(match[2])})" if match else name


def _described(path: Path, text: bytes) -> Description:
    try:
        described = msgspec.json.decode(text, type=Description)
    except msgspec.MsgspecError as error:
        raise BackupDamaged(f"{path.name}: {DESCRIPTION} cannot be read ({error})") from error
    if described.format != FORMAT:
        raise BackupDamaged(f"{path.name} has format {described.format}, known is {FORMAT}")
    return described


def _after(found: list[tuple[str, int, str]]) -> str:
    return f"breaks off after {place_of(found[-1][0])}" if found else "holds nothing"
