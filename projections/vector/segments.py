"""Vectors in the archive, so that whoever builds a vector view elsewhere need not embed again.

``vectors/<model>/`` in the archive holds Parquet files (zstd) with the columns ``text_sha``, the
SHA-256 of the embedded text, and ``vector``, float16[dimension], and a manifest with the model,
its dimension and each file's SHA-256. What is shipped is a cache: losing it costs embedding again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import Any, Final

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.parquet
from msgspec import Struct
from numpy.typing import NDArray

from domain.errors import MemoryWeaveError
from eventlog.archive.place import Place
from projections.vector.cache import VectorCache, model_file_name
from projections.vector.shipping import ShippingRecord

# Without types, as the library has none that mypy can follow.
_parquet: Any = pyarrow.parquet

FOLDER: Final = "vectors"
MANIFEST: Final = "manifest.json"
FORMAT: Final = 1

_SHA_BYTES: Final = 32
_ROWS_AT_ONCE: Final = 4_096
_LENGTH_WITHIN: Final = 0.01
"""Halves have 11 significant bits: rounding a vector of length 1 changes it by less than this."""


class VectorSegmentsRefused(MemoryWeaveError):
    """Shipped vectors that are damaged, or not those that were asked for. ``file`` names which."""

    name = "vector-segments-refused"
    title = "Shipped vectors are damaged or of another model"

    def __init__(self, file: str, reason: str) -> None:
        super().__init__(
            f"{file} {reason}: delete its folder, and the vectors are shipped or made again"
        )
        self.file = file


class VectorFile(Struct, frozen=True, kw_only=True):
    """One file: its number, which no other has or had, its rows and its SHA-256 (hex)."""

    number: int
    rows: int
    sha256: str

    @property
    def name(self) -> str:
        """The file's name."""
        return f"{self.number:06d}-{self.sha256[:16]}.parquet"


class VectorManifest(Struct, frozen=True, kw_only=True):
    """The files of one model; ``next_number`` is that of the file that is written next."""

    model: str
    dimension: int
    files: tuple[VectorFile, ...] = ()
    next_number: int = 1
    format: int = FORMAT


def vectors_of(archive: Place, model: str) -> Place:
    """Give the place in an archive where a model's vectors lie."""
    return archive.within(FOLDER).within(model_file_name(model))


def import_vectors(archive: Place, cache: VectorCache) -> int:
    """Take a model's shipped vectors into its cache, and say how many were not there.

    Each file is compared with its SHA-256 before anything of it is used; vectors become float32 of
    length 1 again. What the cache has stays as it is; files that it has seen before, or written,
    are not read again. Raises `VectorSegmentsRefused`, OSError.
    """
    folder, name = vectors_of(archive, cache.model), model_file_name(cache.model)
    manifest, taken = read_vector_manifest(folder, name), 0
    with closing(ShippingRecord(cache.path)) as record:
        while manifest is not None:
            require_model(manifest, cache.model, cache.dimension)
            unknown = unknown_files(manifest, record)
            if not unknown:
                break
            try:
                taken += _take_over(
                    read_checked(folder, manifest, unknown[0]), manifest, unknown[0], cache, record
                )
            except FileNotFoundError as error:
                # It may have been written anew, with other rows, since the manifest was read.
                before, manifest = manifest, read_vector_manifest(folder, name)
                if manifest == before:
                    missing = _shown(cache.model, unknown[0].name)
                    raise VectorSegmentsRefused(missing, "is missing") from error
    return taken


def verify_vectors(archive: Place) -> int:
    """Read every shipped vector of every model, and say how many there are.

    Raises `VectorSegmentsRefused` for the first file that is not what its manifest says, OSError.
    """
    count = 0
    for name in archive.within(FOLDER).folders():
        folder = archive.within(FOLDER).within(name)
        manifest = read_vector_manifest(folder, name)
        while manifest is not None:
            try:
                count += _verify_files(folder, manifest)
                break
            except FileNotFoundError as error:
                # The worker may just have written it anew.
                before, manifest = manifest, read_vector_manifest(folder, name)
                if manifest == before:
                    lacking = {file.name for file in before.files} - set(folder.names())
                    shown = f"{FOLDER}/{name}/{min(lacking, default=MANIFEST)}"
                    raise VectorSegmentsRefused(shown, "is missing") from error
    return count


def unknown_files(manifest: VectorManifest, record: ShippingRecord) -> list[VectorFile]:
    """Give the files that a cache's record does not know; it drops those that are gone."""
    listed = {file.number: file.sha256 for file in manifest.files}
    for number, sha256 in record.files().items():
        if listed.get(number) != sha256:
            record.gone(number)
    known = record.files()
    return [file for file in manifest.files if file.number not in known]


def read_vector_manifest(folder: Place, name: str) -> VectorManifest | None:
    """Read a model's manifest, None where nothing was shipped. Raises `VectorSegmentsRefused`.

    ``name`` is what the folder is called.
    """
    shown = f"{FOLDER}/{name}/{MANIFEST}"
    try:
        text = folder.read(MANIFEST)
    except FileNotFoundError:
        return None
    try:
        manifest = msgspec.json.decode(text, type=VectorManifest)
    except msgspec.MsgspecError as error:
        raise VectorSegmentsRefused(shown, f"cannot be read ({error})") from error
    if manifest.format != FORMAT:
        raise VectorSegmentsRefused(shown, f"has format {manifest.format}, known is {FORMAT}")
    return manifest


def require_model(manifest: VectorManifest, model: str, dimension: int) -> None:
    """Refuse a manifest of another model (`VectorSegmentsRefused`)."""
    if (manifest.model, manifest.dimension) != (model, dimension):
        raise VectorSegmentsRefused(
            _shown(model, MANIFEST),
            f"is of model {manifest.model!r} with {manifest.dimension} numbers a vector, wanted is "
            f"{model!r} with {dimension}",
        )


def write_vector_manifest(folder: Place, manifest: VectorManifest) -> None:
    """Put a manifest in the place of the one before, at once for every reader."""
    folder.write(MANIFEST, msgspec.json.format(msgspec.json.encode(manifest), indent=1))


def read_checked(folder: Place, manifest: VectorManifest, file: VectorFile) -> bytes:
    """Read a file, and give it if it is what the manifest says.

    Raises `VectorSegmentsRefused`, FileNotFoundError, OSError.
    """
    data = folder.read(file.name)
    digest = hashlib.sha256(data).hexdigest()
    if digest != file.sha256:
        raise VectorSegmentsRefused(
            _shown(manifest.model, file.name), f"has SHA-256 {digest}, recorded was {file.sha256}"
        )
    return data


def encode_vectors(
    manifest: VectorManifest, shas: Sequence[bytes], vectors: NDArray[np.floating[Any]]
) -> bytes:
    """Give the file of these rows: a text's SHA-256 each, and float[rows, dimension]."""
    schema = _schema(manifest.dimension, _origin(manifest))
    flat = pa.array(np.ascontiguousarray(vectors, dtype=np.float16).reshape(-1))
    table = pa.Table.from_arrays(
        [
            pa.array(shas, type=pa.binary(_SHA_BYTES)),
            pa.FixedSizeListArray.from_arrays(flat, manifest.dimension),
        ],
        schema=schema,
    )
    sink = pa.BufferOutputStream()
    _parquet.write_table(
        table, sink, compression="zstd", row_group_size=_ROWS_AT_ONCE, use_dictionary=False
    )
    data: bytes = sink.getvalue().to_pybytes()
    return data


def decode_vectors(
    data: bytes, manifest: VectorManifest, file: VectorFile
) -> Iterator[tuple[list[bytes], NDArray[np.float32]]]:
    """Give a file's rows some thousand at a time: SHA-256 each, and float32[rows, dimension].

    Raises `VectorSegmentsRefused` for a file that has not the manifest's model, dimension and
    number of rows, and for what is no vector of length 1.
    """
    shown = _shown(manifest.model, file.name)
    try:
        opened = _parquet.ParquetFile(pa.BufferReader(data))
        found, rows = opened.schema_arrow, opened.metadata.num_rows
    except (ValueError, OSError) as error:
        raise VectorSegmentsRefused(shown, f"is no segment ({error})") from error
    if (found.metadata or {}) != _origin(manifest) or not found.equals(_schema(manifest.dimension)):
        said = {key.decode(): value.decode() for key, value in (found.metadata or {}).items()}
        raise VectorSegmentsRefused(
            shown,
            f"says {said}, wanted is model {manifest.model!r} of dimension {manifest.dimension}",
        )
    if rows != file.rows:
        raise VectorSegmentsRefused(shown, f"has {rows} rows, recorded were {file.rows}")
    for batch in opened.iter_batches(_ROWS_AT_ONCE):
        values = batch.column(1).flatten().to_numpy(zero_copy_only=False).astype(np.float32)
        vectors = values.reshape(batch.num_rows, manifest.dimension)
        lengths = np.linalg.norm(vectors, axis=1)
        if not np.all(np.abs(lengths - 1) < _LENGTH_WITHIN):
            raise VectorSegmentsRefused(shown, "holds what is no vector of length 1")
        yield batch.column(0).to_pylist(), vectors / lengths[:, None]


def _take_over(
    data: bytes,
    manifest: VectorManifest,
    file: VectorFile,
    cache: VectorCache,
    record: ShippingRecord,
) -> int:
    taken, seen = 0, list[bytes]()
    for shas, vectors in decode_vectors(data, manifest, file):
        taken += cache.take_over(dict(zip((sha.hex() for sha in shas), vectors, strict=True)))
        seen += shas
    record.now_in(file.number, file.sha256, seen)
    return taken


def _verify_files(folder: Place, manifest: VectorManifest) -> int:
    count = 0
    for file in manifest.files:
        for shas, _ in decode_vectors(read_checked(folder, manifest, file), manifest, file):
            count += len(shas)
    return count


def _schema(dimension: int, metadata: dict[bytes, bytes] | None = None) -> Any:
    return pa.schema(
        [
            pa.field("text_sha", pa.binary(_SHA_BYTES)),
            pa.field("vector", pa.list_(pa.field("element", pa.float16()), dimension)),
        ],
        metadata=metadata,
    )


def _origin(manifest: VectorManifest) -> dict[bytes, bytes]:
    return {
        b"memoryweave.model": manifest.model.encode(),
        b"memoryweave.dimension": str(manifest.dimension).encode(),
    }


def _shown(model: str, name: str) -> str:
    return f"{FOLDER}/{model_file_name(model)}/{name}"
