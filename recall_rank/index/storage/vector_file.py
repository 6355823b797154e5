"""The file with the vectors of a segment. It lies beside the segment's file, whose name it shares but for its kind.

No manifest lists it. It is replaced as a whole when more passages have a vector, and removed with its segment. A file
that is missing or damaged is the same as one without vectors: they are made again.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Final

import xxhash

from recall_rank.index.errors import DamagedIndexError
from recall_rank.index.segment.segment import Segment
from recall_rank.index.storage.folder import Folder, vectors_name
from recall_rank.index.storage.format import aligned
from recall_rank.index.storage.mapped_file import MappedFile
from recall_rank.index.storage.mapped_segment import MappedSegment

if TYPE_CHECKING:
    from recall_rank.index.vectors.segment_vectors import SegmentVectors

MAGIC: Final = b"RRVEC\r\n\x1a"
VERSION: Final = 1
# magic, version, bytes of the model's name, dimension, documents of the segment, vectors, skipped, xxh3-128 of the rest
HEADER: Final = struct.Struct("<8sIIIIQQ16s")
LONGEST_NAME: Final = 4096
MOST_DIMENSIONS: Final = 1 << 20


def load_vectors(segment: Segment) -> SegmentVectors | None:
    """Return the vectors that are stored for a segment; None when there are none, or its file is damaged.

    Reads and checks the whole file. Raises OSError when the folder cannot be read.
    """
    if not isinstance(segment, MappedSegment):
        return None
    with Folder(segment.path.parent) as folder:
        return read_vectors(folder, segment.path.name, segment.docs)


def save_vectors(segment: Segment, vectors: SegmentVectors) -> bool:
    """Store the vectors of a segment that lies in a folder; return whether they were stored.

    They are not for a segment in memory, nor for one whose file was removed meanwhile. Raises OSError.
    """
    if not isinstance(segment, MappedSegment):
        return False
    with Folder(segment.path.parent) as folder:
        return write_vectors(folder, segment.path.name, segment.docs, vectors)


def carry_vectors(folder: Folder, before: Iterable[str], name: str, segment: Segment) -> None:
    """Store for the new segment `segment`, whose file is `name`, the vectors that passages with equal text have in the
    segments `before`, which are given by the names of their files.

    Does nothing, and imports no numpy, where none of these has vectors. Of several embedders the vectors of the one are
    kept that made most. Raises OSError.
    """
    there = frozenset(folder.names())
    with_vectors = [one for one in before if vectors_name(one) in there]
    if not with_vectors:
        return
    from recall_rank.index.merge.numpy_room import require_numpy_room

    require_numpy_room()
    from recall_rank.index.vectors.passages import prose_passages
    from recall_rank.index.vectors.segment_vectors import carried

    sources = [found for one in with_vectors if (found := read_vectors(folder, one)) is not None]
    if not sources:
        return
    most = max(sources, key=len)
    kept = carried(prose_passages(segment), sources, most.model, most.dimension)
    if len(kept):
        write_vectors(folder, name, segment.docs, kept)


def write_vectors(folder: Folder, segment_name: str, docs: int, vectors: SegmentVectors) -> bool:
    """Write the vectors of a segment with `docs` documents, in place of those stored for it; return whether its file is
    there still. Raises OSError.
    """
    name = vectors.model.encode()
    columns = (vectors.docs, vectors.digests, vectors.scales, vectors.skipped, vectors.values)
    hashed = xxhash.xxh3_128()
    chunks: list[bytes | memoryview] = []
    for data in (memoryview(name), *(column.data.cast("B") if column.size else memoryview(b"") for column in columns)):
        chunks += [data, bytes(aligned(len(data)) - len(data))]
    for chunk in chunks:
        hashed.update(chunk)
    header = HEADER.pack(
        *(MAGIC, VERSION, len(name), vectors.dimension, docs, len(vectors), len(vectors.skipped), hashed.digest())
    )

    def fill(descriptor: int) -> bytes:
        for chunk in (header.ljust(aligned(HEADER.size), b"\0"), *chunks):
            view = memoryview(chunk)
            while view:
                view = view[os.write(descriptor, view) :]
        os.fsync(descriptor)
        return header

    written = folder.write(fill)
    own = vectors_name(segment_name)
    try:
        folder.replace(written.name, own)
    except BaseException:
        folder.remove(written.name)
        raise
    if segment_name not in folder.names():  # another process replaced the segment: its text must not stay in vectors
        folder.remove(own)
        return False
    return True


def read_vectors(folder: Folder, segment_name: str, docs: int | None = None) -> SegmentVectors | None:
    """Return the vectors stored for a segment, by the name of its file; None when there are none or they are damaged.

    With `docs`, the number of the segment's documents, they must have been made for as many. Raises OSError.
    """
    name = vectors_name(segment_name)
    try:
        descriptor = folder.open(name)
    except (FileNotFoundError, DamagedIndexError):
        return None
    try:
        file = MappedFile(descriptor, os.fstat(descriptor).st_size, str(Path(folder.path, name)))
    except DamagedIndexError:  # it is empty
        return None
    finally:
        os.close(descriptor)
    return _parsed(file, docs)


def _parsed(file: MappedFile, docs: int | None) -> SegmentVectors | None:
    """Return the content of a file, or None where it is not what write_vectors() wrote."""
    import numpy as np

    from recall_rank.index.vectors.segment_vectors import SegmentVectors

    if file.size < aligned(HEADER.size):
        return None
    magic, version, name_size, dimension, made_for, count, skipped, digest = HEADER.unpack(file.bytes[: HEADER.size])
    if magic != MAGIC or version != VERSION or name_size > LONGEST_NAME or not 0 < dimension <= MOST_DIMENSIONS:
        return None
    if docs is not None and made_for != docs:
        return None
    body = file.bytes[aligned(HEADER.size) :]
    sizes = [name_size, 4 * count, 8 * count, 4 * count, 4 * skipped, count * dimension]
    if len(body) != sum(map(aligned, sizes)) or xxhash.xxh3_128_digest(body) != digest:
        return None
    starts = [sum(map(aligned, sizes[:at])) for at in range(len(sizes))]
    name, *columns = (body[start : start + size] for start, size in zip(starts, sizes, strict=True))
    own, digests, scales, left, values = columns
    numbers = np.frombuffer(own, np.uint32)
    if count and (int(numbers[-1]) >= made_for or bool((np.diff(numbers.astype(np.int64)) <= 0).any())):
        return None
    return SegmentVectors(
        bytes(name).decode("utf-8", "replace"),
        dimension,
        numbers,
        np.frombuffer(digests, np.uint64),
        np.frombuffer(scales, np.float32),
        np.frombuffer(values, np.int8).reshape(count, dimension),
        np.frombuffer(left, np.uint32),
        file.written,
    )
