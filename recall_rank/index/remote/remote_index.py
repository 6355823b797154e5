"""Open an index in a store, and publish one there."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, TypeVar

from recall_rank.index.errors import (
    IndexNotSavedError,
    MissingIndexError,
    ReplacedIndexError,
    StoreError,
    UnusableIndexError,
)
from recall_rank.index.reader.index_reader import IndexReader
from recall_rank.index.remote.block_cache import CACHE_BYTES, BlockCache, RemoteFile
from recall_rank.index.remote.object_store import Fetched, ObjectStore
from recall_rank.index.remote.remote_folder import RemoteFolder
from recall_rank.index.remote.store_url import default_folder
from recall_rank.index.segment.columns import COLUMNS, SEARCHED
from recall_rank.index.segment.segment import Segment
from recall_rank.index.storage.format import ENTRY, HEADER_SIZE
from recall_rank.index.storage.manifest import ListedFile, Manifest, newest_manifest
from recall_rank.index.storage.mapped_file import FETCHES, MappedFile
from recall_rank.index.storage.mapped_segment import MappedSegment
from recall_rank.index.storage.publish import (
    Generation,
    newest_or_empty,
    open_listed,
    open_newest,
    read_listed,
    save_in,
)
from recall_rank.index.storage.segment_file import SegmentFile
from recall_rank.index.storage.table_file import LONGEST_HEADER, TableFile

_File = TypeVar("_File", SegmentFile, TableFile)
DIRECTORY_BYTES: Final = ENTRY.size * len(COLUMNS)  # at the end of a segment file


class RemoteIndex:
    """An index in a store, opened for searching. Thread-safe."""

    def __init__(
        self,
        url: str,
        storage: Mapping[str, Any] | None = None,
        cache: str | os.PathLike[str] | None = None,
        cache_bytes: int | None = None,
    ) -> None:
        """Connect to the store at `url`. `storage` are the options of its implementation in fsspec.

        `cache` is the folder of the cache, by default one in the system's folder for caches; it may be shared by
        indexes, and has at most `cache_bytes` bytes, by default 1 GiB. Raises RuntimeError when a package is missing,
        ValueError for a wrong argument, and OSError for a cache that cannot be used.
        """
        most: object = CACHE_BYTES if cache_bytes is None else cache_bytes
        if isinstance(most, bool) or not isinstance(most, int) or most < 0:
            raise ValueError(f"cache_bytes must be a number of bytes, not {cache_bytes!r}")
        self._store = ObjectStore(url, storage)
        self._cache = BlockCache(Path(cache) if cache is not None else default_folder(), self._store.key, most)
        self._lock = threading.Lock()
        self._files: dict[ListedFile, RemoteFile] = {}  # of the generation that is open
        self._generation: Generation | None = None

    @property
    def fetched(self) -> Fetched:
        """The requests and bytes that were read from the store so far."""
        return self._store.fetched

    @property
    def spent(self) -> bool:
        """Whether the cached copies that are open have too many bytes, or were cut; renewed() makes new ones."""
        return any(file.full or file.cut for file in list(self._files.values()))

    def newest(self) -> IndexReader:
        """Return a reader of the newest generation. What is cached of other generations is deleted.

        Raises MissingIndexError, UnusableIndexError when the index cannot be opened in two tries, and StoreError.
        """
        with self._lock, RemoteFolder(self._store) as folder:
            try:
                with self._new_files():
                    return self._opened(open_newest(folder, {}, self))
            except UnusableIndexError:  # one answer of the store may be wrong, such as that an object is not there
                with self._new_files():
                    return self._opened(open_newest(folder, {}, self))

    @contextmanager
    def _new_files(self) -> Iterator[dict[ListedFile, RemoteFile]]:
        """Open files in place of those that are open, which are given; they stay when that fails."""
        before, self._files = self._files, {}
        try:
            yield before
        except BaseException:
            self._files = before
            raise

    def opened(self, manifest: Manifest) -> Generation:
        """Open the generation of a manifest; segments of the one that was opened before are reused. What is cached of
        other generations is deleted.

        Raises FileNotFoundError or ReplacedIndexError when it was replaced meanwhile, and the errors of newest().
        """
        with self._lock, self._new_files() as old:
            before = self._generation
            opened = () if before is None else zip(before.manifest.segments, before.segments, strict=True)
            known = {
                listed: segment for listed, segment in opened if listed in manifest.segments and not old[listed].cut
            }
            self._files.update({listed: old[listed] for listed in known})
            found = self._generation = open_listed(self, manifest, known)
            self._cache.keep_only(manifest)
            return found

    def keep_only(self, manifest: Manifest) -> None:
        """Delete what is cached of this index and belongs to no file of `manifest`."""
        self._cache.keep_only(manifest)

    def renewed(self) -> IndexReader:
        """Return a reader of the generation that is open, over new cached copies, which begin with what every search
        reads, if the cache has room for that.

        The old copies are deleted; readers of them end normally. Raises the errors of newest().
        """
        with self._lock, self._new_files() as old:
            before = self._generation
            if before is None:
                raise ValueError("the index is not open")
            self._cache.drop(before.manifest.files)
            segments = []
            for listed in before.manifest.segments:
                file = self.segment(listed)
                places = file.places(SEARCHED)
                if sum(end - start for start, end in places) <= self._cache.most // 2 // len(before.segments):
                    for start, end in places:  # not through the mapping: the copy may have been cut
                        self._files[listed].fill(start, old[listed].read(start, end - start))
                segments.append(MappedSegment(file))
            return self._opened(Generation(before.manifest, tuple(segments), before.dead, before.table))

    def _opened(self, generation: Generation) -> IndexReader:
        self._generation = generation
        self._cache.keep_only(generation.manifest)
        return IndexReader(generation.segments, generation.dead)

    # --- the files of a generation, as open_newest() asks for them -------------------------------------------

    def segment(self, listed: ListedFile) -> SegmentFile:
        """Return an opened segment file. Raises FileNotFoundError when its object is gone."""
        ends = [(0, HEADER_SIZE), (max(listed.size - DIRECTORY_BYTES, 0), listed.size)]
        return self._file(listed, SegmentFile, ends)

    def table(self, listed: ListedFile) -> TableFile:
        """Return an opened table file. Raises FileNotFoundError when its object is gone."""
        return self._file(listed, TableFile, [(0, min(LONGEST_HEADER, listed.size))])

    def _file(self, listed: ListedFile, kind: Callable[[MappedFile], _File], opening: list[tuple[int, int]]) -> _File:
        file = _IndexFile(self._store, self._cache, listed, self._generation_of)
        self._files[listed] = file
        for _ in range(FETCHES):
            try:
                return read_listed(file, listed, kind)
            except UnusableIndexError:  # it is not in the cache yet
                RemoteFile.load(file, opening)
        return read_listed(file, listed, kind)

    def _generation_of(self) -> Manifest | None:
        return None if self._generation is None else self._generation.manifest


class _IndexFile(RemoteFile):
    """A file of an index in a store, which tells a replaced index from a damaged one."""

    __slots__ = ("_opened",)

    def __init__(
        self, store: ObjectStore, cache: BlockCache, listed: ListedFile, opened: Callable[[], Manifest | None]
    ) -> None:
        self._opened = opened
        super().__init__(store, cache, listed)

    def load(self, ranges: Sequence[tuple[int, int]]) -> bool:
        try:
            return super().load(ranges)
        except FileNotFoundError as error:
            self._check_newest(error)
        try:
            return super().load(ranges)
        except FileNotFoundError as error:
            raise self.damaged("it is gone") from error

    def _check_newest(self, gone: FileNotFoundError) -> None:
        """Raise ReplacedIndexError when a newer index was published, and DamagedIndexError when none is left."""
        opened = self._opened()
        with RemoteFolder(self._store) as folder:
            try:
                newest = newest_manifest(folder)
            except MissingIndexError:
                raise self.damaged("it is gone, and no index is left there") from gone
        if opened is not None and newest.nonce != opened.nonce:
            raise ReplacedIndexError(f"{self._store.url}: a newer index was published; open it again") from gone


def publish_segments(segments: Iterable[Segment], url: str, storage: Mapping[str, Any] | None = None) -> None:
    """Replace the index at `url` by `segments`. Each is written and released before the next is requested.

    Readers find the old index or the new one. Raises IndexNotSavedError when another writer has published since this
    call began, or when the store could not be written to; what this call has written is removed then. Raises StoreError
    when the index was published and the store still has objects of the one before it.
    """
    store = ObjectStore(url, storage)
    with RemoteFolder(store) as folder:
        try:
            before = newest_or_empty(folder)
            save_in(folder, segments, after=before)
        except OSError as error:
            why = error.strerror or str(error)
            raise IndexNotSavedError(
                error.errno, f"the index was not published, the one before it is unchanged: {why}", url
            ) from error
        left = sorted(set(before.names).intersection(folder.names()))
    if left:
        raise StoreError(
            f"the index was published, but objects of the one before it are still there: {', '.join(left)}"
        )
