"""A segment gives back exactly what was put in, and the chain sees every byte of it."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from eventlog.archive.place import Folder
from eventlog.archive.segment import ROWS_PER_GROUP, Segment, encode_segment
from eventlog.chain import BEGINNING, link, links
from eventlog.entry import FIELDS, RawEntry, entry_from, fields_of
from tests.eventlog.archived import ArchivedLog
from tests.eventlog.entries import an_entry, new_command
from tests.servers import LogServer

TEXTS = st.text(max_size=8).map(lambda text: text.encode("utf-8", "surrogatepass"))
NUMBERS = st.one_of(
    st.integers(-(2**70), 2**70).map(lambda number: b"%d" % number),
    st.sampled_from([b"", b"01", b"+1", b" 1", b"1_0", b"-0", b"one"]),
)
OURS = st.builds(
    lambda texts, numbers, body: [
        part
        for name in FIELDS
        for part in (
            name,
            numbers.pop() if name in b"nso" else body if name == b"d" else texts.pop(),
        )
    ],
    st.lists(TEXTS, min_size=9, max_size=9),
    st.lists(NUMBERS, min_size=3, max_size=3),
    st.binary(max_size=20),
)
FOREIGN = st.lists(st.tuples(st.binary(max_size=5), st.binary(max_size=5)), max_size=4).map(
    lambda pairs: [part for pair in pairs for part in pair]
)
STORED = st.one_of(OURS, FOREIGN)


@given(STORED)
def test_an_entry_gives_back_the_very_bytes_it_was_read_from(fields: list[bytes]) -> None:
    assert list(fields_of(entry_from(7, fields))) == fields


@given(st.lists(STORED, min_size=1, max_size=12), st.data())
@settings(deadline=None)
def test_a_segment_gives_back_what_was_put_in(
    stored: list[list[bytes]], data: st.DataObject
) -> None:
    entries = [entry_from(position, fields) for position, fields in enumerate(stored, 11)]
    written = encode_segment(entries)
    assert encode_segment(entries) == written
    segment = Segment(11, written)
    first = data.draw(st.integers(11, 10 + len(entries)))
    last = data.draw(st.integers(first, 12 + len(entries)))
    assert segment.read(first, last) == entries[first - 11 : last - 10]
    for aggregate in {entry.aggregate_id for entry in entries}:
        found = segment.of_aggregate(aggregate)
        assert found == [entry for entry in entries if entry.aggregate_id == aggregate]


@given(STORED, STORED, st.integers(1, 2**40), st.integers(1, 2**40))
def test_two_entries_that_differ_anywhere_have_two_links(
    one: list[bytes], other: list[bytes], here: int, there: int
) -> None:
    same = (one, here) == (other, there)
    assert (link(BEGINNING, here, one) == link(BEGINNING, there, other)) is same
    assert link(BEGINNING, here, one) != link(link(BEGINNING, here, one), here, one)


def test_a_segment_of_several_groups_of_rows_is_read_across_them() -> None:
    entries = [
        RawEntry(**{**_fields(an_entry(f"a{n % 7}", n)), "position": n})
        for n in range(1, 2 * ROWS_PER_GROUP + 10)
    ]
    segment = Segment(1, encode_segment(entries))
    edge = ROWS_PER_GROUP
    assert segment.read(edge - 1, edge + 2) == entries[edge - 2 : edge + 2]
    assert segment.read(1, len(entries)) == entries
    assert [e.position for e in segment.of_aggregate("a3")] == list(range(3, len(entries) + 1, 7))


def test_what_somebody_else_put_into_the_stream_is_archived_as_it_is(
    log_server: LogServer, log_name: str, tmp_path: Path
) -> None:
    archived = ArchivedLog(log_server.url, log_name, Folder(tmp_path))
    with archived.log as log:
        archived.write(4)
        with log_server.client() as client:
            client.xadd(log.keys.stream, {b"foo": b"\xff\x00", b"": b""}, id="5-0")
        log.append([an_entry("b", 1)], **new_command())
        archived.write(20)
        before = archived.everything()
        archived.archiver().archive_due()
        archived.archiver().trim()
        assert log.floor() == 21
        after = archived.everything()
    assert after[: len(before)] == before
    assert after[4].stored == (b"foo", b"\xff\x00", b"", b"")
    assert links(BEGINNING, after)[: len(before)] == links(BEGINNING, before)


def _fields(entry: RawEntry) -> dict[str, object]:
    return {name: getattr(entry, name) for name in RawEntry.__struct_fields__}
