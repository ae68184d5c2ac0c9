"""Ships what a model's cache has and the archive has not, and strikes out what was forgotten.

Whoever does this holds a lease: two at once would each write a manifest without the other's files.
A file is written before the manifest that names it, and deleted after one that does not; a crash
in between leaves a file that nobody reads, and the next run removes it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable
from typing import Final

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from eventlog.archive.place import Place
from projections.vector.cache import model_file_name
from projections.vector.segments import (
    FOLDER,
    MANIFEST,
    VectorFile,
    VectorManifest,
    decode_vectors,
    encode_vectors,
    read_checked,
    read_vector_manifest,
    require_model,
    unknown_files,
    vectors_of,
    write_vector_manifest,
)
from projections.vector.shipping import ShippingRecord

ROWS_PER_FILE: Final = 20_000
"""A file with fewer is written anew with what comes next: 15 MB at 384 dimensions."""


class Shipped(Struct, frozen=True):
    """How many vectors were added to the archive, and how many files were rid of some."""

    added: int
    rewritten: int


def ship_vectors(
    archive: Place, record: ShippingRecord, renew: Callable[[], None], rows: int = ROWS_PER_FILE
) -> Shipped:
    """Bring a model's vectors in the archive to where its cache is.

    ``renew`` is called before each manifest is written, and raises if the lease is lost. Raises
    `VectorSegmentsRefused` where the archive's files are damaged, OSError.
    """
    known = record.model
    if known is None:
        return Shipped(0, 0)
    model, dimension = known
    folder = vectors_of(archive, model)
    manifest = read_vector_manifest(folder, model_file_name(model))
    if manifest is None:
        manifest = VectorManifest(model=model, dimension=dimension)
    require_model(manifest, model, dimension)
    _catch_up(folder, manifest, record)
    manifest, rewritten = _strike_forgotten(folder, manifest, record, renew)
    manifest, added = _add_unshipped(folder, manifest, record, renew, rows)
    if rewritten or added:
        _remove_unnamed(folder, manifest)
    return Shipped(added, rewritten)


def strike_vectors(archive: Place, shas: Iterable[bytes], renew: Callable[[], None]) -> int:
    """Strike texts' vectors out of the files of every model, also those without a cache here.

    Reads every file: for erasing. Tells how many files were rewritten. Raises as `ship_vectors`.
    """
    struck, rewritten = frozenset(shas), 0
    for name in archive.within(FOLDER).folders():
        folder = archive.within(FOLDER).within(name)
        manifest = read_vector_manifest(folder, name)
        if manifest is not None:
            changed = _without(folder, manifest, manifest.files, struck, renew)
            rewritten += len(set(manifest.files) - set(changed.files))
            _remove_unnamed(folder, changed)
    return rewritten


def _catch_up(folder: Place, manifest: VectorManifest, record: ShippingRecord) -> None:
    """Have the record know the files that are there: another node may have shipped before."""
    for file in unknown_files(manifest, record):
        shas, _ = _rows_of(folder, manifest, file)
        record.now_in(file.number, file.sha256, shas)


def _strike_forgotten(
    folder: Place, manifest: VectorManifest, record: ShippingRecord, renew: Callable[[], None]
) -> tuple[VectorManifest, int]:
    forgotten = record.forgotten()
    if not forgotten:
        return manifest, 0
    numbers = record.files_with(forgotten)
    concerned = [file for file in manifest.files if file.number in numbers]
    changed = _without(folder, manifest, concerned, frozenset(forgotten), renew)
    record.struck(forgotten)
    _catch_up(folder, changed, record)
    return changed, len(concerned)


def _without(
    folder: Place,
    manifest: VectorManifest,
    concerned: Iterable[VectorFile],
    struck: Collection[bytes],
    renew: Callable[[], None],
) -> VectorManifest:
    """Write those files anew that hold any of ``struck``, and the manifest once after all."""
    changed = manifest
    for file in concerned:
        shas, vectors = _rows_of(folder, manifest, file)
        kept = [index for index, sha in enumerate(shas) if sha not in struck]
        if len(kept) < len(shas):
            rest = [other for other in changed.files if other != file]
            if kept:
                rest.append(_write(folder, changed, [shas[i] for i in kept], vectors[kept]))
            changed = replace(changed, files=tuple(rest), next_number=changed.next_number + 1)
    if changed is not manifest:
        renew()
        write_vector_manifest(folder, changed)
    return changed


def _add_unshipped(
    folder: Place,
    manifest: VectorManifest,
    record: ShippingRecord,
    renew: Callable[[], None],
    rows_per_file: int,
) -> tuple[VectorManifest, int]:
    added = 0
    while True:
        small = next((file for file in manifest.files if file.rows < rows_per_file), None)
        new = record.unshipped(rows_per_file - (small.rows if small else 0))
        if not new:
            return manifest, added
        shas = [sha for sha, _ in new]
        vectors = np.stack([np.frombuffer(raw, dtype="<f4") for _, raw in new])
        rest = manifest.files
        if small:
            before, older = _rows_of(folder, manifest, small)
            shas, vectors = before + shas, np.concatenate([older, vectors])
            rest = tuple(file for file in rest if file != small)
        written = _write(folder, manifest, shas, vectors)
        manifest = replace(manifest, files=(*rest, written), next_number=manifest.next_number + 1)
        renew()
        write_vector_manifest(folder, manifest)
        record.now_in(written.number, written.sha256, shas)
        if small:
            record.gone(small.number)
        added += len(new)


def _write(
    folder: Place, manifest: VectorManifest, shas: list[bytes], vectors: NDArray[np.float32]
) -> VectorFile:
    data = encode_vectors(manifest, shas, vectors)
    file = VectorFile(
        number=manifest.next_number, rows=len(shas), sha256=hashlib.sha256(data).hexdigest()
    )
    folder.write(file.name, data)
    return file


def _rows_of(
    folder: Place, manifest: VectorManifest, file: VectorFile
) -> tuple[list[bytes], NDArray[np.float32]]:
    data = read_checked(folder, manifest, file)
    shas: list[bytes] = []
    parts = []
    for some, vectors in decode_vectors(data, manifest, file):
        shas += some
        parts.append(vectors)
    return shas, np.concatenate(parts)


def _remove_unnamed(folder: Place, manifest: VectorManifest) -> None:
    named = {MANIFEST, *(file.name for file in manifest.files)}
    for name in folder.names():
        if name not in named:
            folder.delete(name)
