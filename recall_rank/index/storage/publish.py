"""Publish segments as the next generation, that is state, of an index folder, and open the newest generation.

Writers use no lock. A generation is published by one hard link, which fails when another writer has published a
generation of that number. Only the writer whose link succeeded removes the files it replaced, so the files of the
newest manifest always exist.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Final, Protocol, TypeVar

import xxhash

from recall_rank.index.errors import (
    DamagedIndexError,
    IndexFolderError,
    IndexNotSavedError,
    MissingIndexError,
    UnusableIndexError,
)
from recall_rank.index.segment.segment import Segment
from recall_rank.index.storage.folder import Folder, write_synced
from recall_rank.index.storage.manifest import (
    LAST_GENERATION,
    ListedFile,
    Manifest,
    generations,
    listed_names,
    names_of,
    newest_manifest,
)
from recall_rank.index.storage.mapped_file import MappedFile
from recall_rank.index.storage.mapped_segment import MappedSegment
from recall_rank.index.storage.segment_file import SegmentFile
from recall_rank.index.storage.segment_writer import write_segment
from recall_rank.index.storage.table_file import TableFile, write_table
from recall_rank.index.storage.vector_file import carry_vectors
from recall_rank.model.record_classes import frozen

_File = TypeVar("_File", SegmentFile, TableFile)
MAX_OPEN_ATTEMPTS: Final = 100  # generations that may be replaced while they are opened, before an error is raised
MAX_PUBLISH_ATTEMPTS: Final = 1000  # times that other writers may publish first, before an error is raised


def save(segment: Segment, path: str | Path) -> None:
    """Replace the index at `path` by one segment. Raises the errors of save_all()."""
    save_all((segment,), path)


def save_all(
    segments: Iterable[Segment], path: str | Path, *, kept: Sequence[ListedFile] = (), after: Manifest | None = None
) -> None:
    """Replace the index at `path` by `segments`. Each segment is written and released before the next is requested.

    The files `kept` of its newest generation stay in the index. With `after`, nothing is written unless that is the
    newest generation.

    Raises IndexFolderError for a path that cannot contain an index, and IndexNotSavedError when the index could not be
    written; the previous index is then unchanged.
    """
    try:
        with Folder.create(path) as folder:
            save_in(folder, segments, kept=kept, after=after)
    except (IndexFolderError, MissingIndexError):
        raise
    except OSError as error:
        why = error.strerror or str(error)
        raise IndexNotSavedError(
            error.errno, f"the index was not saved, the one before it is unchanged: {why}", str(path)
        ) from error


def save_in(
    folder: Folder, segments: Iterable[Segment], *, kept: Sequence[ListedFile] = (), after: Manifest | None = None
) -> Manifest:
    """Replace the index in an open folder as save_all() does, and return the manifest.

    Raises OSError when it could not be written; what was added to the folder is removed then.
    """
    sweep(folder)
    added: list[ListedFile] = []
    try:
        before = [listed.name for listed in newest_or_empty(folder).segments]
        added.extend(map(partial(add_with_vectors, folder, before), segments))
        return publish(folder, partial(_following, after, (*kept, *added)))
    except BaseException:
        with suppress(UnusableIndexError):
            folder.sweep(names_of(added), listed_names(folder))
        raise


def add_with_vectors(folder: Folder, before: Sequence[str], segment: Segment, *, settled: bool = True) -> ListedFile:
    """Write a segment as add() does, and the vectors of its passages that the segment files `before` have.

    Raises the errors of add(); when either cannot be written, neither stays.
    """
    listed = add(folder, segment, settled=settled)
    try:
        carry_vectors(folder, before, listed.name, segment)
    except BaseException:
        folder.sweep(names_of((listed,)), frozenset())
        raise
    return listed


def _following(after: Manifest | None, files: tuple[ListedFile, ...], newest: Manifest) -> tuple[ListedFile, ...]:
    """Return `files`, of the generation to be published. Raises OSError when `newest` is not the generation `after`."""
    if after is not None and newest.nonce != after.nonce:
        raise OSError(errno.EBUSY, "it was changed since it was opened; open it again and repeat what is to be changed")
    return files


@frozen
class Generation:
    """An opened generation of an index on disk. It stays readable after its files were replaced."""

    manifest: Manifest
    segments: tuple[MappedSegment, ...]
    dead: tuple[frozenset[int], ...]  # for each segment the numbers of its deleted sessions
    table: TableFile | None  # None for an index that was saved rather than refreshed


def open_generation(path: str | Path, known: Mapping[ListedFile, MappedSegment] | None = None) -> Generation:
    """Open the newest generation in a folder, that is the newest published state of an index.

    Segments that `known` has open are reused. Of each other file only the header, the directory and the list of deleted
    sessions are read. Raises MissingIndexError, IndexFolderError, IndexFormatError or DamagedIndexError.
    """
    with Folder(path) as folder:
        return open_newest(folder, known or {}, _FolderOpener(folder))


class Opener(Protocol):
    """Opens the files of a generation. Raises FileNotFoundError for one that is gone, and UnusableIndexError."""

    def segment(self, listed: ListedFile) -> SegmentFile:
        """Return an opened segment file."""
        ...

    def table(self, listed: ListedFile) -> TableFile:
        """Return an opened table file."""
        ...


class _FolderOpener:
    """Opens the files of a generation in a folder."""

    def __init__(self, folder: Folder) -> None:
        self._folder = folder

    def segment(self, listed: ListedFile) -> SegmentFile:
        return _open(self._folder, listed, SegmentFile)

    def table(self, listed: ListedFile) -> TableFile:
        return _open(self._folder, listed, TableFile)


def open_newest(folder: Folder, known: Mapping[ListedFile, MappedSegment], opener: Opener) -> Generation:
    """Open the newest generation, of which `folder` has the manifest and `opener` opens the files.

    Segments that `known` has open are reused. Raises MissingIndexError, IndexFormatError or DamagedIndexError.
    """
    missing_in = -1  # the generation in which a file was missing
    for _ in range(MAX_OPEN_ATTEMPTS):
        manifest = newest_manifest(folder)
        try:
            return open_listed(opener, manifest, known)
        except FileNotFoundError as error:
            if manifest.generation == missing_in:
                raise DamagedIndexError(f"{folder.where(manifest.name)} names a segment that is gone") from error
            # a newer generation may have been published meanwhile: its writer removes replaced files
            missing_in = manifest.generation
    raise DamagedIndexError(f"{folder.where('')} changes faster than it can be opened")


def open_listed(opener: Opener, manifest: Manifest, known: Mapping[ListedFile, MappedSegment]) -> Generation:
    """Open the generation of a manifest; segments that `known` has open are reused. Raises FileNotFoundError when a
    file of it is gone, and UnusableIndexError.
    """
    segments = tuple(
        known[listed] if listed in known else MappedSegment(opener.segment(listed)) for listed in manifest.segments
    )
    table = None if manifest.table is None else opener.table(manifest.table)
    dead = tuple(frozenset[int]() for _ in segments) if table is None else table.dead(len(segments))
    for segment, rows in zip(segments, dead, strict=True):
        if table is not None and rows and max(rows) >= len(segment.sessions):
            raise table.damaged("its list of dead sessions does not fit")
    return Generation(manifest, segments, dead, table)


def add(folder: Folder, segment: Segment, *, settled: bool = True) -> ListedFile:
    """Write a segment file that no manifest lists yet; return the entry for a manifest.

    The text of a `settled` segment, which will not be merged soon, is packed. Raises OSError, and DamagedIndexError
    when `segment` is mapped from a damaged file.
    """
    return _added(
        folder, "segment", lambda descriptor: write_segment(segment, descriptor, folder.where(""), settled=settled)
    )


def add_table(folder: Folder, sections: Mapping[str, bytes]) -> ListedFile:
    """Write a table file that no manifest lists yet; return the entry for a manifest. Raises OSError."""
    return _added(folder, "table", lambda descriptor: write_table(sections, descriptor, folder.where("")))


def _added(folder: Folder, kind: str, fill: Callable[[int], bytes]) -> ListedFile:
    temporary, header, size = folder.write(fill)
    try:
        return ListedFile(folder.rename_temporary(temporary, kind), size, xxhash.xxh3_128_hexdigest(header))
    except BaseException:
        folder.remove(temporary)
        raise


def publish(folder: Folder, choose: Callable[[Manifest], tuple[ListedFile, ...]]) -> Manifest:
    """Publish a new generation, remove the files it replaced, and return its manifest.

    choose(newest manifest) returns the files of the new generation; it is called again when another writer publishes
    first. It gets an empty manifest for an index that cannot be read, which the new one replaces. An error that it
    raises ends the attempt. Raises OSError when the manifest cannot be written.
    """
    for _ in range(MAX_PUBLISH_ATTEMPTS):
        before = newest_or_empty(folder)
        after = publish_after(folder, before, choose(before))
        if after is not None:
            return after
    raise IndexNotSavedError(errno.EBUSY, "other writers publish all the time", folder.where(""))


def publish_after(folder: Folder, before: Manifest, files: tuple[ListedFile, ...]) -> Manifest | None:
    """Publish `files` as the generation that follows `before`, remove the files it replaced, and return its manifest;
    None when another writer has published first.

    Replaced files that cannot be removed stay. Raises OSError when the manifest cannot be written.
    """
    if before.generation >= LAST_GENERATION:
        why = "its generation has the last number there is, so that none can follow; remove the index"
        raise IndexNotSavedError(errno.ERANGE, why, folder.where(before.name))
    after = before.next(files)
    folder.sync()  # the names of the files must be durable before a manifest lists them
    if not _try_claim(folder, after):
        return None
    try:
        if not _is_current(folder, after):
            return None
        folder.sync()
    except OSError:
        return after  # it is published; replaced files stay, because a power cut may undo the publication
    folder.sweep(before.names, frozenset(after.names))
    for generation in generations(folder):
        if generation < after.generation:
            folder.remove(Manifest(generation, ()).name)
    return after


def sweep(folder: Folder) -> None:
    """Remove the files of killed writers. Errors are ignored."""
    # listed before the manifest is read: a writer that has ended by now cannot publish its files later
    leftovers = folder.leftovers()
    with suppress(UnusableIndexError):
        folder.sweep(leftovers, listed_names(folder))


def _try_claim(folder: Folder, manifest: Manifest) -> bool:
    """Write a manifest and give it its name; return False when another writer has published a generation of that
    number.
    """
    temporary, _, _ = folder.write(lambda descriptor: write_synced(descriptor, manifest.encode()))
    try:
        folder.claim(temporary, manifest.name)
    except FileExistsError:
        folder.remove(temporary)
        return False
    except BaseException:
        folder.remove(temporary)
        raise
    return True


def _is_current(folder: Folder, manifest: Manifest) -> bool:
    """Return whether the newest generation equals `manifest` or was derived from it; if not, remove the manifest.

    The link of a writer that was suspended can succeed with an outdated number: newer generations were published
    meanwhile, and the manifest of that number was removed.
    """
    now = newest_or_empty(folder)
    follows = now.descends_from(manifest)
    if follows is None:  # too old or damaged: replaced files have been removed, files never published have not
        follows = not {listed.name for listed in manifest.files} <= set(folder.names())
    if not follows and now.generation > manifest.generation:
        folder.remove(manifest.name)
    return follows


def newest_or_empty(folder: Folder) -> Manifest:
    """Return the newest manifest, or an empty one when there is none or it cannot be read."""
    seen = max(generations(folder), default=0)  # listed first, so that a later generation is not skipped
    try:
        return newest_manifest(folder)
    except MissingIndexError:
        return Manifest(0, ())
    except UnusableIndexError:
        return Manifest(seen, ())


def _open(folder: Folder, listed: ListedFile, kind: Callable[[MappedFile], _File]) -> _File:
    name = folder.where(listed.name)
    descriptor = folder.open(listed.name)
    try:
        status = os.fstat(descriptor)
        if status.st_nlink == 0:  # removed after it was opened, so a newer generation exists
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), name)
        if status.st_size != listed.size or status.st_nlink != 1:
            raise DamagedIndexError(f"{name} is not the file that was written; build the index again")
        return read_listed(MappedFile(descriptor, listed.size, name), listed, kind)
    finally:
        os.close(descriptor)


def read_listed(file: MappedFile, listed: ListedFile, kind: Callable[[MappedFile], _File]) -> _File:
    """Return a file of a generation, opened. Raises IndexFormatError, and DamagedIndexError for a file that is not the
    one that the manifest lists.
    """
    made = kind(file)
    if xxhash.xxh3_128_hexdigest(made.header) != listed.header_hash:
        raise DamagedIndexError(
            f"{file.name} is another segment or table than the one that was written; build the index again"
        )
    return made
