"""Vectors in the archive: what was made once is taken over elsewhere, checked, and forgotten."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator
from contextlib import closing
from pathlib import Path

import msgspec
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from eventlog.archive.place import Folder
from eventlog.archive.place import Place as ArchivePlace
from projections.vector.cache import VectorCache
from projections.vector.exporting import Shipped, ship_vectors, strike_vectors
from projections.vector.schema import Row, text_sha
from projections.vector.segments import (
    VectorManifest,
    VectorSegmentsRefused,
    encode_vectors,
    import_vectors,
    read_vector_manifest,
    vectors_of,
    verify_vectors,
    write_vector_manifest,
)
from projections.vector.shipping import Due, ShippingRecord, due_in, forget_in
from tests.archive_places import PLACES
from tests.projections.vector.histories import History
from tests.projections.vector.places import DIMENSION, MODEL, Place, letters

TEXTS = [f"statement number {number}" for number in range(50)]
SHAS = [text_sha(text) for text in TEXTS]


def a_cache(folder: Path, model: str = MODEL, dimension: int = DIMENSION) -> VectorCache:
    return VectorCache(folder, model, dimension)


def remember(cache: VectorCache, texts: list[str]) -> None:
    cache.put({text_sha(text): letters(text) for text in texts})


def ship(archive: ArchivePlace, cache: VectorCache, rows: int = 20) -> Shipped:
    with closing(ShippingRecord(cache.path)) as record:
        return ship_vectors(archive, record, lambda: None, rows)


def taken_from(archive: ArchivePlace, folder: Path) -> dict[str, list[float]]:
    """What a node without any vectors gets from the archive."""
    with closing(a_cache(folder)) as cache:
        count = import_vectors(archive, cache)
        found = {sha: vector.tolist() for sha, vector in cache.get(SHAS).items()}
        assert count == cache.count() == len(found)
        assert due_in(folder) == {}
    return found


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[VectorCache]:
    with closing(a_cache(tmp_path / "cache")) as opened:
        yield opened


@pytest.fixture
def archive(tmp_path: Path) -> ArchivePlace:
    return Folder(tmp_path / "archive")


@pytest.mark.parametrize("kind", PLACES)
def test_vectors_are_taken_over_from_any_archive(
    kind: str, tmp_path: Path, cache: VectorCache
) -> None:
    archive = PLACES[kind](tmp_path / "archive")
    remember(cache, TEXTS)
    assert ship(archive, cache) == Shipped(50, 0)
    found = taken_from(archive, tmp_path / "elsewhere")
    assert found.keys() == set(SHAS)
    for text, sha in zip(TEXTS, SHAS, strict=True):
        vector = np.array(found[sha], dtype=np.float32)
        assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-6)
        assert np.allclose(vector, letters(text), atol=1e-3)
    assert ship(archive, cache) == Shipped(0, 0)


def test_only_what_is_new_is_shipped_and_small_files_grow(
    archive: ArchivePlace, cache: VectorCache, tmp_path: Path
) -> None:
    added = []
    for start in range(0, 50, 5):
        remember(cache, TEXTS[start : start + 5])
        remember(cache, TEXTS[:start])  # known already: nothing to ship
        added.append(ship(archive, cache).added)
    assert added == [5] * 10
    manifest = read_vector_manifest(vectors_of(archive, MODEL), MODEL)
    assert manifest is not None
    assert sorted(file.rows for file in manifest.files) == [10, 20, 20]
    # Nothing is left over of the files that were written anew.
    assert vectors_of(archive, MODEL).names() == sorted(
        [*(file.name for file in manifest.files), "manifest.json"]
    )
    assert taken_from(archive, tmp_path / "elsewhere").keys() == set(SHAS)


def test_what_the_cache_has_stays_as_it_is(
    archive: ArchivePlace, cache: VectorCache, tmp_path: Path
) -> None:
    remember(cache, TEXTS)
    ship(archive, cache)
    with closing(a_cache(tmp_path / "other")) as other:
        remember(other, TEXTS[:10])
        assert import_vectors(archive, other) == 40
        assert import_vectors(archive, other) == 0
        assert ship(archive, other) == Shipped(0, 0)
        assert np.array_equal(other.get(SHAS[:1])[SHAS[0]], letters(TEXTS[0]))


def test_without_any_shipped_vectors_nothing_is_taken(
    archive: ArchivePlace, cache: VectorCache
) -> None:
    assert import_vectors(archive, cache) == 0


def test_forgotten_vectors_leave_the_cache_and_the_archive(
    archive: ArchivePlace, cache: VectorCache, tmp_path: Path
) -> None:
    remember(cache, TEXTS)
    ship(archive, cache)
    cache.forget(SHAS[18:22])
    assert cache.get(SHAS[18:22]) == {}
    assert import_vectors(archive, cache) == 0  # not even before they have left the archive
    assert ship(archive, cache).added == 0
    assert taken_from(archive, tmp_path / "elsewhere").keys() == set(SHAS[:18] + SHAS[22:])
    assert due_in(cache.path.parent) == {}
    # A text that is said again is shipped again.
    remember(cache, TEXTS[20:21])
    assert ship(archive, cache) == Shipped(1, 0)


def test_no_file_holds_what_was_forgotten(archive: ArchivePlace, tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    cache = a_cache(folder)
    remember(cache, TEXTS)
    ship(archive, cache)
    other_model = a_cache(folder, "letters/2")
    remember(other_model, TEXTS)
    ship(archive, other_model)
    sha, raw = bytes.fromhex(SHAS[7]), letters(TEXTS[7]).tobytes()
    assert any(raw in path.read_bytes() for path in folder.iterdir())

    forget_in(folder, [sha])
    rewritten = strike_vectors(archive, [sha], lambda: None)
    assert rewritten == 2  # of each model the file that held it
    cache.close()
    other_model.close()
    for path in folder.iterdir():
        with closing(ShippingRecord(path)) as record:
            record.struck([sha])
    for path in folder.iterdir():
        assert raw not in path.read_bytes()
    for model in (MODEL, "letters/2"):
        place = vectors_of(archive, model)
        names = place.names()
        manifest = read_vector_manifest(place, model)
        assert manifest is not None
        assert {*names} == {"manifest.json", *(file.name for file in manifest.files)}
        assert sum(file.rows for file in manifest.files) == 49
    assert SHAS[7] not in taken_from(archive, tmp_path / "elsewhere")


def test_another_node_goes_on_where_the_first_has_shipped(
    archive: ArchivePlace, cache: VectorCache, tmp_path: Path
) -> None:
    remember(cache, TEXTS[:30])
    ship(archive, cache)
    with closing(a_cache(tmp_path / "second")) as second:
        remember(second, TEXTS)  # it has made the same vectors itself
        assert ship(archive, second) == Shipped(20, 0)
        second.forget(SHAS[:1])
        assert ship(archive, second).rewritten == 1
    cache.forget(SHAS[:1])
    assert ship(archive, cache) == Shipped(0, 0)
    assert taken_from(archive, tmp_path / "elsewhere").keys() == set(SHAS[1:])


def test_a_lost_archive_is_filled_again(
    archive: ArchivePlace, cache: VectorCache, tmp_path: Path
) -> None:
    remember(cache, TEXTS)
    ship(archive, cache)
    place = vectors_of(archive, MODEL)
    for name in place.names():
        place.delete(name)
    remember(cache, ["one more"])
    assert ship(archive, cache).added == 51
    with closing(a_cache(tmp_path / "elsewhere")) as elsewhere:
        assert import_vectors(archive, elsewhere) == 51


def test_a_crash_before_the_manifest_leaves_what_was_there(
    archive: ArchivePlace, cache: VectorCache, tmp_path: Path
) -> None:
    remember(cache, TEXTS[:10])
    ship(archive, cache)
    remember(cache, TEXTS)
    with (
        closing(ShippingRecord(cache.path)) as record,
        pytest.raises(ZeroDivisionError),
    ):
        ship_vectors(archive, record, lambda: 1 // 0, 20)
    assert taken_from(archive, tmp_path / "elsewhere").keys() == set(SHAS[:10])
    assert ship(archive, cache).added == 40
    assert taken_from(archive, tmp_path / "elsewhere too").keys() == set(SHAS)
    manifest = read_vector_manifest(vectors_of(archive, MODEL), MODEL)
    assert manifest is not None
    assert len(vectors_of(archive, MODEL).names()) == len(manifest.files) + 1


def shipped_folder(
    archive: ArchivePlace, cache: VectorCache
) -> tuple[ArchivePlace, VectorManifest]:
    remember(cache, TEXTS)
    ship(archive, cache)
    place = vectors_of(archive, MODEL)
    manifest = read_vector_manifest(place, MODEL)
    assert manifest is not None
    return place, manifest


def refused(archive: ArchivePlace, tmp_path: Path, dimension: int = DIMENSION) -> str:
    """Import into an empty cache; give the file that was refused."""
    with (
        closing(a_cache(tmp_path / "elsewhere", dimension=dimension)) as elsewhere,
        pytest.raises(VectorSegmentsRefused) as refusal,
    ):
        import_vectors(archive, elsewhere)
    assert refusal.value.file in str(refusal.value)
    return refusal.value.file


def refused_by_verify(archive: ArchivePlace) -> str:
    with pytest.raises(VectorSegmentsRefused) as refusal:
        verify_vectors(archive)
    return refusal.value.file


def test_a_flipped_byte_is_refused_and_named(
    archive: ArchivePlace, cache: VectorCache, tmp_path: Path
) -> None:
    place, manifest = shipped_folder(archive, cache)
    name = manifest.files[1].name
    data = bytearray(place.read(name))
    data[len(data) // 2] ^= 1
    place.write(name, bytes(data))
    assert refused(archive, tmp_path) == f"vectors/{MODEL}/{name}" == refused_by_verify(archive)
    with closing(a_cache(tmp_path / "elsewhere")) as elsewhere:
        assert elsewhere.count() == manifest.files[0].rows


def test_a_missing_file_is_refused_and_named(
    archive: ArchivePlace, cache: VectorCache, tmp_path: Path
) -> None:
    place, manifest = shipped_folder(archive, cache)
    assert verify_vectors(archive) == 50
    place.delete(manifest.files[2].name)
    missing = f"vectors/{MODEL}/{manifest.files[2].name}"
    assert refused(archive, tmp_path) == missing == refused_by_verify(archive)


def test_another_dimension_is_refused(
    archive: ArchivePlace, cache: VectorCache, tmp_path: Path
) -> None:
    shipped_folder(archive, cache)
    assert refused(archive, tmp_path, dimension=16) == f"vectors/{MODEL}/manifest.json"


@pytest.mark.parametrize(
    "text", [b"", b"{}", b'{"model": "letters"', b"\xff", b'{"model":"l","dimension":"8"}']
)
def test_a_manifest_that_cannot_be_read_is_refused(
    archive: ArchivePlace, cache: VectorCache, tmp_path: Path, text: bytes
) -> None:
    place, _ = shipped_folder(archive, cache)
    place.write("manifest.json", text)
    manifest = f"vectors/{MODEL}/manifest.json"
    assert refused(archive, tmp_path) == manifest == refused_by_verify(archive)


@pytest.mark.parametrize("change", [{"model": "other"}, {"format": 2}])
def test_a_manifest_of_another_model_or_format_is_refused(
    archive: ArchivePlace, cache: VectorCache, tmp_path: Path, change: dict[str, object]
) -> None:
    place, manifest = shipped_folder(archive, cache)
    write_vector_manifest(place, msgspec.structs.replace(manifest, **change))
    assert refused(archive, tmp_path) == f"vectors/{MODEL}/manifest.json"


@pytest.mark.parametrize(
    ("model", "dimension", "vector"),
    [
        ("other", DIMENSION, letters("a")),
        (MODEL, 2 * DIMENSION, np.concatenate([letters("a"), letters("a")])),
        (MODEL, DIMENSION, np.full(DIMENSION, np.nan)),
        (MODEL, DIMENSION, np.zeros(DIMENSION)),
        (MODEL, DIMENSION, 3 * letters("a")),
    ],
)
def test_a_file_that_holds_something_else_is_refused_though_the_manifest_names_it(
    archive: ArchivePlace,
    cache: VectorCache,
    tmp_path: Path,
    model: str,
    dimension: int,
    vector: np.ndarray,
) -> None:
    place, manifest = shipped_folder(archive, cache)
    foreign = encode_vectors(
        VectorManifest(model=model, dimension=dimension), [bytes(32)], vector[None, :]
    )
    file = msgspec.structs.replace(
        manifest.files[0], rows=1, sha256=hashlib.sha256(foreign).hexdigest()
    )
    place.write(file.name, foreign)
    write_vector_manifest(place, msgspec.structs.replace(manifest, files=(file,)))
    assert (
        refused(archive, tmp_path) == f"vectors/{MODEL}/{file.name}" == refused_by_verify(archive)
    )


def test_a_cache_of_an_older_program_is_shipped_whole(
    archive: ArchivePlace, tmp_path: Path
) -> None:
    import sqlite3

    folder = tmp_path / "cache"
    folder.mkdir()
    with closing(sqlite3.connect(folder / f"vectors-{MODEL}.sqlite")) as old:
        old.execute(
            "create table vectors (text_sha blob primary key, vector blob not null) without rowid"
        )
        rows = [
            (bytes.fromhex(sha), letters(t).tobytes()) for t, sha in zip(TEXTS, SHAS, strict=True)
        ]
        old.executemany("insert into vectors values (?, ?)", [*rows, (bytes(32), b"too short")])
        old.commit()
    assert due_in(folder) == {}  # nobody knows yet whose they are
    with closing(a_cache(folder)) as cache:
        assert due_in(folder) == {cache.path: Due(50, 0)}
        assert ship(archive, cache).added == 50


def test_the_vectors_of_a_closed_session_leave_cache_and_archive(
    place: Place, history: History, archive: ArchivePlace, tmp_path: Path
) -> None:
    whispered, both = "whispered", "said in both"
    for namespace, text in (("h-ephemeral", whispered), ("h-ephemeral", both), ("shared", both)):
        session = "s1" if namespace == "h-ephemeral" else None
        history.commit(text, namespace=namespace, session_id=session)
    place.project(history.events)
    place.fill()
    ship(archive, place.cache)
    history.close_session("h-ephemeral", "s1")
    # The batch is cut off after the cache was cleared; what comes after is the same batch again.
    merge, place.projector._merge = place.projector._merge, fail
    with pytest.raises(OSError, match="disk"):
        place.project(history.events)
    place.projector._merge = merge
    place.project(history.events)

    assert place.cache.get([text_sha(whispered), text_sha(both)]).keys() == {text_sha(both)}
    assert ship(archive, place.cache) == Shipped(0, 1)
    with closing(a_cache(tmp_path / "elsewhere")) as elsewhere:
        assert import_vectors(archive, elsewhere) == 1
        assert elsewhere.get([text_sha(whispered)]) == {}


def fail(_rows: list[Row], _removed: Collection[str]) -> None:
    raise OSError("the disk is full")


@given(data=st.data())
@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_whoever_ships_and_forgets_the_archive_ends_as_the_caches_are(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Two nodes with caches of their own, one archive: it has what either has shipped, and
    nothing that either was told to forget after it was said last.
    """
    folder = tmp_path_factory.mktemp("nodes")
    archive = Folder(folder / "archive")
    caches = [a_cache(folder / name) for name in ("a", "b")]
    known: set[int] = set()
    step = st.tuples(
        st.sampled_from(["say", "forget", "ship"]),
        st.integers(0, 1),
        st.sets(st.integers(0, 9), min_size=1, max_size=4),
    )
    for what, who, numbers in data.draw(st.lists(step, max_size=25)):
        if what == "say":
            # A view makes what it shows, on every node.
            for cache in caches:
                remember(cache, [TEXTS[n] for n in numbers])
            known |= numbers
        elif what == "forget":
            for cache in caches:
                cache.forget(SHAS[n] for n in numbers)
            known -= numbers
        else:
            ship(archive, caches[who], rows=4)
    for cache in (*caches, caches[0]):
        ship(archive, cache, rows=4)
        assert due_in(cache.path.parent).keys() <= {cache.path}
    assert taken_from(archive, folder / "elsewhere").keys() == {SHAS[n] for n in known}
    for cache in caches:
        cache.close()
