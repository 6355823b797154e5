"""Publish segments as the next generation of a folder, and open the newest generation.

There are no locks. A generation is published by creating a link, which fails when another writer was first. Only the
writer whose link succeeded removes the files that it replaced, so no file that a current manifest lists is ever
removed.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final, TypeVar

import xxhash

from recall_rank.index.errors import (
    DamagedIndexError,
    IndexFolderError,
    IndexNotSavedError,
    MissingIndexError,
    UnusableIndexError,
)
from recall_rank.index.segment.segment import Segment
from recall_rank.index.storage.folder import Folder
from recall_rank.index.storage.manifest import Listed, Manifest, generations, named, newest
from recall_rank.index.storage.mapped_segment import MappedSegment
from recall_rank.index.storage.segment_file import SegmentFile
from recall_rank.index.storage.segment_writer import write_segment
from recall_rank.index.storage.table_file import TableFile, write_table

_File = TypeVar("_File", SegmentFile, TableFile)
CHANGES_MET: Final = 100  # generations that may pass while one is opened, before the folder is called broken


def save(segment: Segment, path: str | Path) -> None:
    """Make `segment` the whole index at `path`. Raises the errors of save_all()."""
    save_all((segment,), path)


def save_all(segments: Iterable[Segment], path: str | Path) -> None:
    """Replace the index at `path` by `segments`; each is written and released before the next is taken from the
    iterable.

    Raises IndexFolderError for a path that cannot be an index folder, and IndexNotSavedError when the index could not
    be written; the earlier index is then unchanged.
    """
    try:
        with Folder.create(path) as folder:
            sweep(folder)
            added: list[Listed] = []
            try:
                added.extend(map(partial(add, folder), segments))
                publish(folder, lambda _: tuple(added))
            except BaseException:
                with suppress(UnusableIndexError):
                    folder.sweep([listed.name for listed in added], named(folder))
                raise
    except (IndexFolderError, MissingIndexError):
        raise
    except OSError as error:
        why = error.strerror or str(error)
        raise IndexNotSavedError(
            error.errno, f"the index was not saved, the one before it is unchanged: {why}", str(path)
        ) from error


@dataclass(frozen=True, slots=True)
class Generation:
    """One generation of an index on disk, opened; it stays readable when a newer one replaces it."""

    manifest: Manifest
    segments: tuple[MappedSegment, ...]
    dead: tuple[frozenset[int], ...]  # of each segment the numbers of the sessions that are no longer there
    table: TableFile | None  # None: an index that was saved, not refreshed


def open_generation(path: str | Path, known: Mapping[Listed, MappedSegment] | None = None) -> Generation:
    """The newest generation in the folder. Of its files only header, directory and deleted sessions are read.

    Segments in `known` are not opened again. Raises MissingIndexError, IndexFolderError, IndexFormatError or
    DamagedIndexError.
    """
    with Folder(path) as folder:
        before = -1
        for _ in range(CHANGES_MET):
            manifest = newest(folder)
            try:
                return _opened(folder, manifest, known or {})
            except FileNotFoundError as error:
                if manifest.generation == before:
                    raise DamagedIndexError(f"{folder.path / manifest.name} names a segment that is gone") from error
                before = manifest.generation  # replaced meanwhile: its segments went after the new ones were there
    raise DamagedIndexError(f"{path} changes faster than it can be opened")


def _opened(folder: Folder, manifest: Manifest, known: Mapping[Listed, MappedSegment]) -> Generation:
    segments = tuple(
        known[listed] if listed in known else MappedSegment(_open(folder, listed, SegmentFile))
        for listed in manifest.segments
    )
    table = None if manifest.table is None else _open(folder, manifest.table, TableFile)
    dead = tuple(frozenset[int]() for _ in segments) if table is None else table.dead(len(segments))
    for segment, rows in zip(segments, dead, strict=True):
        if table is not None and rows and max(rows) >= len(segment.sessions):
            raise table.damaged("its list of dead sessions does not fit")
    return Generation(manifest, segments, dead, table)


def add(folder: Folder, segment: Segment) -> Listed:
    """Write a segment file; it belongs to no generation until a manifest lists it."""
    return _added(folder, "segment", lambda descriptor: write_segment(segment, descriptor, str(folder.path)))


def add_table(folder: Folder, sections: Mapping[str, bytes]) -> Listed:
    """Write a table file; it belongs to no generation until a manifest lists it."""
    return _added(folder, "table", lambda descriptor: write_table(sections, descriptor, str(folder.path)))


def _added(folder: Folder, kind: str, fill: Callable[[int], bytes]) -> Listed:
    temporary, header, size = folder.write(fill)
    try:
        return Listed(folder.keep(temporary, kind), size, xxhash.xxh3_128_hexdigest(header))
    except BaseException:
        folder.remove(temporary)
        raise


def publish(folder: Folder, choose: Callable[[Manifest], tuple[Listed, ...]]) -> Manifest:
    """Publish choose(newest manifest) as the next generation; `choose` is called again when another writer was
    first.
    """
    folder.sync()  # the names of the segments must be durable before a manifest lists them
    while True:
        before = _newest_or_none(folder)
        after = before.next(choose(before))
        if not _claimed(folder, after):
            continue
        try:
            if not _stands(folder, after):
                continue
            folder.sync()
        except OSError:
            return after  # published, but perhaps not durable: keep the previous files in case a power cut undoes it
        folder.sweep((listed.name for listed in before.files), frozenset(listed.name for listed in after.files))
        for generation in generations(folder):
            if generation < after.generation:
                folder.remove(Manifest(generation, ()).name)
        return after


def sweep(folder: Folder) -> None:
    """Remove the files of writers that were killed."""
    left = folder.leftovers()  # before the manifest: a writer that is gone by now can have nothing added to it later
    with suppress(UnusableIndexError):
        folder.sweep(left, named(folder))


def _claimed(folder: Folder, manifest: Manifest) -> bool:
    """Write the manifest; returns False when another writer took the number of its generation."""
    temporary, _, _ = folder.write(lambda descriptor: _fill(descriptor, manifest.encode()))
    try:
        folder.claim(temporary, manifest.name)
    except FileExistsError:
        folder.remove(temporary)
        return False
    except BaseException:
        folder.remove(temporary)
        raise
    return True


def _stands(folder: Folder, manifest: Manifest) -> bool:
    """Whether a published manifest is the newest or was succeeded by newer ones; if not, it is removed.

    Its number may have been free only because newer generations came and old manifests were removed while its writer
    slept.
    """
    now = _newest_or_none(folder)
    follows = now.descends_from(manifest)
    if follows is None:  # very long ago, or damaged since: what once was in the index has been removed, the rest not
        follows = not {listed.name for listed in manifest.files} <= set(folder.names())
    if not follows and now.generation > manifest.generation:
        folder.remove(manifest.name)
    return follows


def _fill(descriptor: int, data: bytes) -> bytes:
    while data:
        data = data[os.write(descriptor, data) :]
    os.fsync(descriptor)
    return b""


def _newest_or_none(folder: Folder) -> Manifest:
    """The newest manifest; an empty one, without segments, when there is none or it cannot be read."""
    seen = max(generations(folder), default=0)  # before it is read: one that comes later is not passed over
    try:
        return newest(folder)
    except MissingIndexError:
        return Manifest(0, ())
    except UnusableIndexError:
        return Manifest(seen, ())


def _open(folder: Folder, listed: Listed, kind: Callable[[int, int, str], _File]) -> _File:
    name = str(folder.path / listed.name)
    descriptor = folder.open(listed.name)
    try:
        status = os.fstat(descriptor)
        if status.st_nlink == 0:  # removed since it was opened: what replaces it is there
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), name)
        if status.st_size != listed.size or status.st_nlink != 1:
            raise DamagedIndexError(f"{name} is not the file that was written; build the index again")
        file = kind(descriptor, listed.size, name)
    finally:
        os.close(descriptor)
    if xxhash.xxh3_128_hexdigest(file.header) != listed.seal:
        raise DamagedIndexError(
            f"{name} is another segment or table than the one that was written; build the index again"
        )
    return file
