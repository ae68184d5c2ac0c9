"""Whatever was changed in log or archive, `verify` names its place and no reader passes it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from eventlog.archive.manifest import Manifest, read_manifest, write_manifest
from eventlog.archive.place import Folder
from eventlog.archive.segment import encode_segment
from eventlog.chain import BEGINNING, links
from eventlog.entry import RawEntry
from eventlog.links import LinkRecord
from eventlog.outcomes import LogFork, LogGap
from eventlog.readers import Readers
from eventlog.subscription import Checkpoint, Subscription
from eventlog.verification import Deviation, verify_log
from tests.eventlog.archived import NOW, ArchivedLog
from tests.servers import LogServer

HOT = 41
"""The first position that is not trimmed; 41 to 49 are in the stream only."""


class Witnessed(ArchivedLog):
    """A log that one reader has followed to its end before anybody changed it."""

    def __init__(self, server: LogServer, name: str, folder: Path) -> None:
        super().__init__(server.url, name, Folder(folder / "archive"))
        self.server = server
        self.seen = LinkRecord(folder / "chain")
        self.write(45)
        archiver = self.archiver()
        archiver.archive_due()
        archiver.trim()
        self.reader = self.follow()[-1]
        Readers(self.log).report("node/state", self.reader, NOW)

    def follow(self, seen: LinkRecord | None = None) -> list[Checkpoint]:
        """Read everything as a new view does, and give the checkpoint after each event."""
        reached = []
        with Subscription(
            self.log.url, self.log.name, Checkpoint(), self.archive, seen or self.seen
        ) as subscription:
            while page := subscription.read(limit=6, wait_s=0):
                reached += [subscription.checkpoint_at(entry) for entry in page]
                self.passed = reached[-1].position
        return reached

    def rewrite(self, change: Callable[[dict[int, dict[bytes, bytes]]], None]) -> None:
        """Change what the stream holds, as somebody who may do anything in the server."""
        with self.server.client() as client:
            stream = self.log.keys.stream
            entries = {int(i.split(b"-")[0]): fields for i, fields in client.xrange(stream)}
            change(entries)
            client.delete(stream)
            for position, fields in sorted(entries.items()):
                client.xadd(stream, fields, id=f"{position}-0")

    def manifest(self) -> Manifest:
        manifest = read_manifest(self.place)
        assert manifest is not None
        return manifest


@pytest.fixture
def log(log_server: LogServer, log_name: str, tmp_path: Path) -> Iterator[Witnessed]:
    witnessed = Witnessed(log_server, log_name, tmp_path)
    with witnessed.log:
        yield witnessed


def flip_in_stream(log: Witnessed) -> int:
    def change(entries: dict[int, dict[bytes, bytes]]) -> None:
        entries[43][b"o"] = entries[43][b"o"][:-1] + b"7"

    log.rewrite(change)
    return 43


def flip_in_body(log: Witnessed) -> int:
    def change(entries: dict[int, dict[bytes, bytes]]) -> None:
        entries[42][b"d"] = b"\x00" + entries[42][b"d"]

    log.rewrite(change)
    return 42


def delete_from_stream(log: Witnessed) -> int:
    with log.server.client() as client:
        client.xdel(log.log.keys.stream, "44-0")
    return 44


def swap_in_stream(log: Witnessed) -> int:
    def change(entries: dict[int, dict[bytes, bytes]]) -> None:
        entries[42], entries[44] = entries[44], entries[42]

    log.rewrite(change)
    return 42


def lose_the_tail(log: Witnessed) -> int:
    log.rewrite(lambda entries: [entries.pop(p) for p in (47, 48, 49)] and None)
    return 47


def rewrite_segment(log: Witnessed, change: Callable[[list[RawEntry]], None]) -> None:
    """Write a segment anew with everything in the manifest made to agree."""
    manifest = log.manifest()
    entries: list[RawEntry] = []
    for segment in manifest.segments:
        entries += log.archive.read(segment.first, segment.last)
    change(entries)
    chains = links(BEGINNING, entries)
    segments = []
    for segment in manifest.segments:
        data = encode_segment(entries[segment.first - 1 : segment.last])
        log.place.write(segment.file_name, data)
        segments.append(
            replace(
                segment,
                sha256=hashlib.sha256(data).hexdigest(),
                chain=chains[segment.last - 1].hex(),
            )
        )
    write_manifest(log.place, replace(manifest, segments=tuple(segments)))


def rewrite_archive_and_manifest(log: Witnessed) -> int:
    def change(entries: list[RawEntry]) -> None:
        entries[13] = replace(entries[13], actor="somebody else")

    rewrite_segment(log, change)
    return 14


def swap_in_archive(log: Witnessed) -> int:
    def change(entries: list[RawEntry]) -> None:
        one, other = entries[21], entries[23]
        entries[21] = replace(other, position=22)
        entries[23] = replace(one, position=24)

    rewrite_segment(log, change)
    return 22


def shorten_manifest(log: Witnessed) -> int:
    manifest = log.manifest()
    write_manifest(log.place, replace(manifest, segments=manifest.segments[:2]))
    return 21


def skip_in_manifest(log: Witnessed) -> int:
    manifest = log.manifest()
    write_manifest(
        log.place, replace(manifest, segments=(manifest.segments[0], *manifest.segments[2:]))
    )
    return 11


def change_a_chain_in_the_manifest(log: Witnessed) -> int:
    manifest = log.manifest()
    changed = replace(manifest.segments[1], chain="ab" * 32)
    segments = (manifest.segments[0], changed, *manifest.segments[2:])
    write_manifest(log.place, replace(manifest, segments=segments))
    return 20


def remove_segment(log: Witnessed) -> int:
    log.place.delete(log.manifest().segments[2].file_name)
    return 21


DAMAGES = [
    flip_in_stream,
    flip_in_body,
    delete_from_stream,
    swap_in_stream,
    lose_the_tail,
    rewrite_archive_and_manifest,
    swap_in_archive,
    shorten_manifest,
    skip_in_manifest,
    change_a_chain_in_the_manifest,
    remove_segment,
]


@pytest.mark.parametrize("damage", DAMAGES)
def test_verify_names_the_first_position_that_changed(
    log: Witnessed, damage: Callable[[Witnessed], int]
) -> None:
    position = damage(log)
    with pytest.raises(Deviation) as found:
        verify_log(log.log, log.archive, log.seen)
    assert found.value.position == position


@pytest.mark.parametrize("damage", [d for d in DAMAGES if d is not lose_the_tail])
def test_a_view_that_is_built_anew_stops_before_what_was_changed(
    log: Witnessed, damage: Callable[[Witnessed], int]
) -> None:
    position = damage(log)
    log.passed = 0
    with pytest.raises((LogFork, LogGap)):
        log.follow()
    assert log.passed < position


def test_a_reader_that_was_ahead_of_a_lost_tail_stops(log: Witnessed) -> None:
    lose_the_tail(log)
    with (
        Subscription(log.log.url, log.log.name, log.reader, log.archive) as subscription,
        pytest.raises(LogFork),
    ):
        subscription.read()


@pytest.mark.parametrize("offset", range(5, 1900, 270))
def test_one_flipped_byte_in_a_segment_is_found_wherever_it_is(log: Witnessed, offset: int) -> None:
    segment = log.manifest().segments[1]
    data = bytearray(log.place.read(segment.file_name))
    data[offset * len(data) // 1900] ^= 0x01
    log.place.write(segment.file_name, bytes(data))
    with pytest.raises(Deviation) as found:
        verify_log(log.log, log.archive, log.seen)
    assert segment.first <= found.value.position <= found.value.up_to <= segment.last
    log.passed = 0
    with pytest.raises(LogFork):
        log.follow()
    assert log.passed == segment.first - 1


def test_a_flipped_byte_that_still_decodes_is_named_exactly(log: Witnessed) -> None:
    """The manifest is as it was; the file holds another event 15."""
    segment = log.manifest().segments[1]
    entries = log.archive.read(segment.first, segment.last)
    entries[4] = replace(entries[4], body=b"other")
    log.place.write(segment.file_name, encode_segment(entries))
    with pytest.raises(Deviation) as found:
        verify_log(log.log, log.archive, log.seen)
    assert (found.value.position, found.value.up_to) == (15, 15)


def test_without_a_record_of_its_own_the_checkpoints_of_others_still_testify(
    log: Witnessed, tmp_path: Path
) -> None:
    """As on another node: exact where the index knows, a stretch where only a chain does."""
    flip_in_stream(log)
    with pytest.raises(Deviation) as found:
        verify_log(log.log, log.archive, LinkRecord(tmp_path / "nothing"))
    assert found.value.position <= 43 <= found.value.up_to
    assert "node/state" in str(found.value)


def test_a_whole_log_is_verified_and_says_what_was_compared(log: Witnessed) -> None:
    verified = verify_log(log.log, log.archive, log.seen)
    assert (verified.position, verified.chain) == (log.reader.position, log.reader.chain)
    assert (verified.segments, verified.statements, verified.checkpoints) == (4, 4, 1)
    assert verified.seen == verified.position


def test_an_archiver_does_not_archive_what_a_reader_has_read_differently(log: Witnessed) -> None:
    flip_in_stream(log)
    with pytest.raises(LogFork, match="node/state"):
        log.archiver().archive_all()
    assert log.manifest().last == 40


def test_an_accepted_log_is_followed_again(log: Witnessed) -> None:
    position = flip_in_stream(log)
    with pytest.raises(LogFork):
        log.follow()
    log.seen.forget(log.log.head().epoch)
    assert log.follow()[-1].position > position
