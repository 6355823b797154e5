"""The class Index: a corpus of sessions that is built once and searched many times."""

from __future__ import annotations

import time
from array import array
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from os import PathLike, fspath
from threading import Lock
from typing import TYPE_CHECKING, Any, Literal, NoReturn, Self, SupportsIndex, Unpack

from recall_rank.index.reader.index_reader import IndexReader
from recall_rank.index.reader.places import Place, held
from recall_rank.index.remote.store_url import is_store_url
from recall_rank.index.segment.build import build
from recall_rank.index.segment.segment import TITLE_ROLE, Segment
from recall_rank.model import Message, RefreshReport, SearchResponse, Session, Source, VectorCount
from recall_rank.model.coerce import message_list, sessions_from
from recall_rank.model.record_classes import field_names, replace
from recall_rank.model.texts import sessions_of_texts
from recall_rank.search.deadline import Deadline
from recall_rank.search.engine import find_evidence, search
from recall_rank.search.options import RankOptions, SearchOptions, parse_options
from recall_rank.search.query import Query

if TYPE_CHECKING:
    import asyncio

    import numpy as np
    import numpy.typing as npt

    from recall_rank.index.live.live_segments import LiveSegments
    from recall_rank.index.remote.object_store import Fetched
    from recall_rank.index.remote.remote_index import RemoteIndex
    from recall_rank.index.segment.segment import SessionRow
    from recall_rank.index.storage.manifest import ListedFile, Manifest
    from recall_rank.model.progress import Progress
    from recall_rank.semantic.embedder import Embedder
    from recall_rank.semantic.vector_index import EmbedReport, VectorIndex


class Index:
    """A searchable corpus of sessions. Thread-safe: any number of threads may search and change it.

    add(), append(), remove() and refresh() change its sessions. A search that is already running keeps the sessions it
    began with; a search that begins later finds the change.
    """

    __slots__ = ("_changing", "_folder", "_held", "_live", "_manifest", "_owns_vectors", "_remote", "_vectors")

    def __init__(
        self,
        reader: IndexReader,
        folder: str | None = None,
        manifest: Manifest | None = None,
        embedder: Embedder | VectorIndex | None = None,
    ) -> None:
        if not isinstance(reader, IndexReader):
            raise TypeError("Index.build(sessions) makes an index, Index.open(folder) opens one that was saved")
        self._vectors: VectorIndex | None = None
        self._owns_vectors = False
        if embedder is not None:
            from recall_rank.semantic.vector_index import VectorIndex

            self._owns_vectors = not isinstance(embedder, VectorIndex)
            self._vectors = embedder if isinstance(embedder, VectorIndex) else VectorIndex(embedder)
        self._held: IndexReader | None = None
        self._adopt(reader)
        self._folder = folder
        self._manifest = manifest  # of the generation in the folder from which `reader` was opened
        self._changing = Lock()  # held while the index is changed, never while it is searched
        self._live: LiveSegments | None = None  # what changed since the index was opened; made by the first change
        self._remote: RemoteIndex | None = None  # the store from which the index was opened

    @property
    def _reader(self) -> IndexReader:
        """The reader of a search that begins now. Takes the lock at times; what holds the lock uses `_current`."""
        before = self._held
        if before is not None and self._remote is not None and self._remote.spent:
            self._read_anew(before)
        return self._current

    @property
    def _current(self) -> IndexReader:
        """The reader that was adopted last. Raises ValueError for a closed index."""
        reader = self._held
        if reader is None:
            raise ValueError("this index is closed")
        reader.check()
        return reader

    def _read_anew(self, before: IndexReader, *, newest: bool = False) -> None:
        """Read from the store over new cached copies, or, with `newest`, the newest generation; unless another thread
        has done so since `before` was read.
        """
        with self._changing:
            if self._held is before and self._remote is not None:
                self._adopt(self._remote.newest() if newest else self._remote.renewed())

    def _adopt(self, reader: IndexReader) -> None:
        """Make `reader` what later searches read."""
        if self._vectors is not None:
            self._vectors.attach(reader)
        self._held = reader

    def _merged(self) -> Segment:
        """Return the index as one segment without deleted sessions.

        An index that is such a segment is returned itself; otherwise its segments are merged into a new one.
        """
        reader = self._current
        if reader.whole is not None:
            return reader.whole
        from recall_rank.index.merge.merge import merge

        return merge([view.segment for view in reader.views], reader.dead)

    @classmethod
    def build(
        cls,
        sessions: Iterable[Session | Mapping[str, Any]],
        *,
        folder: str | PathLike[str] | None = None,
        embedder: Embedder | None = None,
        storage: Mapping[str, Any] | None = None,
    ) -> Self:
        """Return an index of `sessions`: Session records, or mappings with the field names of Session.

        Without a `folder` the index is in memory; it does not keep the session records. With a `folder` the index is
        written to that folder, replaces an earlier one there, and is opened from its files. `sessions` are then read in
        batches, and neither they nor the index need to fit into memory. With an `embedder`, searches also find what is
        near in meaning; see embed(). A `folder` may be the URL of a store, with `storage` as in open().

        Raises ValueError or TypeError for an invalid session, and the errors of save().
        """
        records = sessions_from(sessions)
        if folder is None:
            return cls(IndexReader([build(records)]), embedder=embedder)
        from recall_rank.index.segment.build_batches import build_batches

        if is_store_url(folder):
            from recall_rank.index.remote.remote_index import publish_segments

            _check_no_embedder(embedder)
            publish_segments(build_batches(records), fspath(folder), storage)
            return cls.open(folder, storage=storage)
        from recall_rank.index.storage.publish import save_all

        save_all(build_batches(records), fspath(folder))
        return cls.open(folder, embedder=embedder)

    @classmethod
    def from_texts(
        cls,
        texts: Iterable[str | Mapping[str, Any]],
        *,
        key: str = "text",
        folder: str | PathLike[str] | None = None,
        embedder: Embedder | None = None,
    ) -> Self:
        """Return an index of plain texts, such as notes or log lines: strings, or mappings with the text under `key`.

        Each text is a session of one message, and its id is that of the session, the message and the part: the "id" of
        the mapping, else the number of the text, counted from 0. A mapping may also have "title", "author",
        "directory", "project", "role" and "time" (ms since 1970). `folder` and `embedder` are those of build().

        Raises ValueError or TypeError for a text that has none, or another wrong value, and ValueError for an id that
        comes twice.
        """
        return cls.build(_once(sessions_of_texts(texts, key)), folder=folder, embedder=embedder)

    @classmethod
    def open(
        cls,
        folder: str | PathLike[str],
        *,
        verify: bool = False,
        create: bool = False,
        embedder: Embedder | None = None,
        cache: str | PathLike[str] | None = None,
        cache_bytes: int | None = None,
        storage: Mapping[str, Any] | None = None,
    ) -> Self:
        """Open the index that save() or refresh() wrote to `folder`, its files mapped into memory.

        The time to open does not grow with the index, and a search reads only the blocks that it needs.

        With `create`, a folder that is missing or has no index opens as an empty index, and the first refresh() writes
        it.

        `embedder` is that of build(); its vectors are kept in the folder.

        `verify` checks every block first. Without it, a search that is the first to read a damaged block raises
        DamagedIndexError and returns no response.

        A `folder` may also be the URL of an index in a store, such as s3://bucket/prefix (extra `remote`), which is
        searched and never changed. Blocks are fetched when they are first needed, verified, and kept in `cache`, by
        default a folder among the system's caches, which has at most `cache_bytes` bytes (1 GiB). `storage` are options
        of the store's implementation in fsspec, such as {"endpoint_url": ...}. docs/remote.md tells more.

        Raises MissingIndexError (a FileNotFoundError), IndexFolderError (an OSError), and for an index that has to be
        built again IndexFormatError or DamagedIndexError (both UnusableIndexErrors and ValueErrors). Raises StoreError
        (an OSError) for a store that cannot be reached, and RuntimeError when a package for it is missing.
        """
        if is_store_url(folder):
            if create:
                raise ValueError("an index in a store is only read: build() or save() it there")
            _check_no_embedder(embedder)
            return cls._open_remote(fspath(folder), verify, storage, cache, cache_bytes)
        if cache is not None or cache_bytes is not None or storage:
            raise ValueError(f"{fspath(folder)} is no URL: cache, cache_bytes and storage are for an index in a store")
        from recall_rank.index.errors import MissingIndexError
        from recall_rank.index.storage.publish import open_generation

        try:
            found = open_generation(fspath(folder))
        except MissingIndexError:
            if not create:
                raise
            from recall_rank.index.storage.manifest import Manifest

            return cls(IndexReader([build(())]), fspath(folder), Manifest(0, ()), embedder)
        if verify:
            for segment in found.segments:
                segment.verify()
        return cls(IndexReader(found.segments, found.dead), fspath(folder), found.manifest, embedder)

    @classmethod
    def _open_remote(
        cls,
        url: str,
        verify: bool,
        storage: Mapping[str, Any] | None,
        cache: str | PathLike[str] | None,
        cache_bytes: int | None,
    ) -> Self:
        from recall_rank.index.remote.remote_index import RemoteIndex

        remote = RemoteIndex(url, storage, cache, cache_bytes)
        reader = remote.newest()
        if verify:
            for view in reader.views:
                view.segment.verify()
        index = cls(reader)
        index._remote = remote
        return index

    @property
    def fetched(self) -> Fetched | None:
        """The requests that this index has sent to its store, and the bytes that it has read there; None without a
        store.
        """
        return None if self._remote is None else self._remote.fetched

    def add(self, sessions: Iterable[Session | Mapping[str, Any]]) -> None:
        """Add sessions: Session records, or mappings with the field names of Session. Later searches find them.

        Raises ValueError or TypeError for an invalid session, for an id that the index has or that comes twice, and for
        an index that is refreshed from sources; nothing is added then. Writes nothing: save() does.
        """
        records = list(sessions_from(sessions))
        self._change(lambda live: live.add(records))

    def append(self, session_id: str, messages: Iterable[Message | Mapping[str, Any]]) -> None:
        """Add messages to the end of a session. Later searches find them, and rank as if the index had been built with
        them. The session's time becomes that of its newest message.

        A message is what it may be in build(), but a tool's output that is appended later than its call is a part of
        its own. The cost is that of indexing the new messages, and of copying the columns of their session.

        Raises ValueError or TypeError for a session that the index does not have, for an id that several sessions have,
        for an invalid message or one whose id the session has, and for an index that is refreshed from sources; nothing
        is added then. Writes nothing: save() does.
        """
        _check_id(session_id)
        given = message_list(messages)
        self._change(lambda live: live.append(session_id, given))

    def remove(self, session_ids: Iterable[str]) -> None:
        """Remove sessions, by their ids. Later searches do not find them.

        Raises ValueError or TypeError for an id that the index does not have, and for an index that is refreshed from
        sources; nothing is removed then. Writes nothing: save() does, and no file contains their text afterwards.
        """
        given: object = session_ids
        if isinstance(given, str | bytes) or not isinstance(given, Iterable):
            raise TypeError(f"remove() takes a list of session ids, not {given!r:.80}")
        ids = list(session_ids)
        for each in ids:
            _check_id(each)
        self._change(lambda live: live.remove(list(dict.fromkeys(ids))))

    def _change(self, change: Callable[[LiveSegments], None]) -> None:
        """Call change(live segments) and make the result what later searches read."""
        self._check_writable()
        with self._changing:
            before = self._current
            if self._live is None:
                from recall_rank.index.live.live_segments import LiveSegments

                files: Sequence[ListedFile | None] = [None] * len(before.views)
                if self._manifest is not None:
                    if self._manifest.table is not None:
                        raise ValueError(
                            "this index is refreshed from sources, and the next refresh() would undo the change: "
                            "change the sources, or save() a copy"
                        )
                    files = self._manifest.segments or files
                self._live = LiveSegments([view.segment for view in before.views], before.dead, files)
            change(self._live)
            self._adopt(self._live.reader(before))

    def _check_writable(self) -> None:
        if self._remote is not None:
            raise ValueError(
                "an index in a store is only read: save() it to a folder, change it there, and save() it to the URL"
            )

    def refresh(self, sources: Iterable[Source]) -> RefreshReport:
        """Bring the folder of this index up to date with `sources`; later searches of this index use the new sessions.

        Only changed units of the sources (files, or sessions of a database) are read. Sessions of any other source are
        removed from the index.

        Raises ValueError for an index that was not opened from a folder. Raises IndexFolderError or another OSError
        when nothing could be written; the index is then unchanged.
        """
        from pathlib import Path

        from recall_rank.histories.cache.refresh import refresh

        self._check_writable()
        before = self._reader
        if self._folder is None:
            raise ValueError("only an index that was opened from a folder can be refreshed")
        done = refresh(Path(self._folder), tuple(sources))
        if done.problem is not None:
            raise done.problem
        with self._changing:
            if self._held is before or (self._held is not None and self._is_newer(done.state.manifest)):
                self._adopt(IndexReader(done.state.segments, done.state.dead))
                self._live, self._manifest = None, done.state.manifest
        return done.report

    def _is_newer(self, manifest: Manifest | None) -> bool:
        """Return whether a generation of the folder comes after the one that is read, which another thread may have
        adopted while this one was made.
        """
        return manifest is not None and (self._manifest is None or manifest.generation > self._manifest.generation)

    def save(self, folder: str | PathLike[str] | None = None, *, storage: Mapping[str, Any] | None = None) -> None:
        """Write the index to `folder`, in place of an earlier one; by default, write what add(), append() and remove()
        changed to the folder from which it was opened. A missing folder is created.

        The folder holds the complete old index or the complete new one at every moment, also after a crash. Only the
        user may read the files. Without a `folder`, the files whose sessions did not change stay as they are. Vectors
        are written with the index.

        Raises IndexNotSavedError or IndexFolderError, both OSErrors; the old index is then unchanged. One reason is,
        without a `folder`, that another process has written to it since this index was opened. Raises ValueError
        without a `folder` for an index that was not opened from one.

        A `folder` may be the URL of a store, with `storage` as in open(): the index is published there, without its
        vectors. If another writer publishes there meanwhile, one of both succeeds, and the other gets
        IndexNotSavedError. Raises StoreError when the index is published and objects of the old one could not be
        deleted.
        """
        from pathlib import Path

        from recall_rank.index.storage.publish import open_generation, save

        with self._changing:
            before = self._current
            if folder is None:
                self._save_changes()
                return
            if is_store_url(folder):
                from recall_rank.index.remote.remote_index import publish_segments

                publish_segments((self._merged(),), fspath(folder), storage)
                return
            save(self._merged(), fspath(folder))
            if self._folder is not None and Path(folder).resolve() == Path(self._folder).resolve():
                self._reopen()
            elif self._vectors is not None:
                found = open_generation(fspath(folder))
                self._vectors.carry(IndexReader(found.segments, found.dead), before=before)

    def _save_changes(self) -> None:
        """Write the unsaved changes to the folder of the index, and read from there on. The caller holds the lock."""
        from recall_rank.index.storage.publish import save_all

        if self._folder is None:
            raise ValueError("this index was not opened from a folder: give save() the folder to write to")
        if self._live is not None and self._live.changed:
            kept, segments = self._live.to_save()
            save_all(segments, self._folder, kept=kept, after=self._manifest)
            self._reopen()

    def _reopen(self) -> None:
        """Read the newest generation in the folder of the index. The caller holds the lock."""
        from recall_rank.index.storage.publish import open_generation

        found = open_generation(self._folder or "")
        self._adopt(IndexReader(found.segments, found.dead))
        self._live, self._manifest = None, found.manifest
        if self._vectors is not None:
            self._vectors.carry(self._current)

    def __len__(self) -> int:
        """Return the number of searchable parts of messages; titles of sessions are not counted."""
        return self._reader.parts_without_titles

    def search(self, query: str, **options: Unpack[SearchOptions]) -> SearchResponse:
        """Return the response with the best parts for `query`, or, with the option group="session", the best sessions.

        The options are those of recall_rank.Options. Raises ValueError or TypeError for a bad query or option; the
        message names the value and the accepted values. Raises RuntimeError for match="regex" when the extra `regex` is
        not installed, and DamagedIndexError when the index on disk is damaged.
        """
        reader, parsed = self._reader, self._parse(query, options)
        if self._remote is not None:
            return self._search_remote(reader, parsed)
        if self._vectors is None:
            return search(reader, parsed)
        by_meaning = parsed.options.match in ("smart", "fuzzy") and parsed.options.order == "relevance"
        asked = self._vectors.ask(reader, parsed.text) if by_meaning else None
        response = search(reader, parsed, asked=asked)
        return replace(response, coverage=replace(response.coverage, vectors=self._vectors.count(reader)))

    def _search_remote(self, reader: IndexReader, parsed: Query) -> SearchResponse:
        """Search an index in a store; the newest generation, if that which is open was replaced meanwhile, or its
        cached copies were cut. Both tries, and reading the newest generation, count in one budget.
        """
        from recall_rank.index.errors import ReplacedIndexError

        deadline = Deadline(parsed.options.budget_ms, cancel=parsed.options.cancel)
        try:
            return search(reader, parsed, deadline=deadline)
        except ReplacedIndexError:
            self._read_anew(reader, newest=True)
            return search(self._reader, parsed, deadline=deadline)

    @property
    def vectors(self) -> VectorCount | None:
        """The number of passages that have a vector; None without an embedder."""
        return None if self._vectors is None else self._vectors.count(self._reader)

    def embed(self, progress: Progress | None = None) -> EmbedReport:
        """Make the vectors of all passages that have none now, and return when they are stored.

        Without this call they are made in the background, while no search runs. A search ranks a passage that has no
        vector yet by its words; `coverage.vectors` of its response counts them. `progress` is called with the stage
        "embedding". A save() that another thread calls waits for a batch only. Raises ValueError without an embedder
        and for an index that is closed meanwhile, what the embedder raises, and OSError when vectors cannot be stored;
        those made until then are kept.
        """
        if self._vectors is None:
            raise ValueError("this index has no embedder: give one to build() or open()")
        return self._vectors.embed(lambda: self._reader, progress)

    async def asearch(self, query: str, **options: Unpack[SearchOptions]) -> SearchResponse:
        """Await search() in a thread; cancelling the task ends the search before its next stage."""
        return await search_in_thread(self.search, query, options)

    def scores(self, query: str, **options: Unpack[SearchOptions]) -> npt.NDArray[np.float32]:
        """Return the evidence of every part for `query`: f32[parts], 0 for a part that is not a hit; rows are those of
        `columns`.

        Evidence is the prefilter's score divided by the ceiling: the BM25 of a document full of every word of the
        query, of a class with weight 1 and without context. It can exceed 1, since context and the classes of greater
        weight add to it. It is meant for callers that fuse it with scores of their own.

        In literal and regex mode only parts whose text matches are hits. Parts that were not reached before
        `budget_ms` ended have 0. Raises what search() raises, and ReplacedIndexError for an index in a store that was
        replaced and would have to be read anew: other rows would no longer be those of earlier columns.
        """
        import numpy as np

        reader = self._reader
        context, evidence = find_evidence(reader, self._parse(query, options))
        found = array("f", bytes(4 * reader.parts))
        evidence.write_scores(found)
        scores = np.frombuffer(found, dtype=np.float32) / np.float32(context.expansion.ceiling or 1.0)
        if reader.whole is not None:
            return scores
        from recall_rank.index.merge.merge import rows_of

        return scores[rows_of(reader, "part")]

    @property
    def part_ids(self) -> list[str]:
        """The id of every part, in the order of the rows of scores() and of the columns part_*.

        The title of a session is a part, too: `columns["part_is_title"]` marks it.
        """
        return self._ids("part")

    @property
    def message_ids(self) -> list[str]:
        """The id of every message, in the order of the columns message_*; a title stands in a message of its own."""
        return self._ids("message")

    @property
    def session_ids(self) -> list[str]:
        """The ids of all sessions, newest first. The numbers in the column message_session are indexes into it."""
        return [row.id for row in self._reader.sessions]

    def _ids(self, kind: Literal["part", "message"]) -> list[str]:
        """Return the ids of all parts or of all messages, as `kind` says, in the order of the columns."""
        reader = self._reader
        if reader.whole is not None:
            strings = reader.whole.part_ids if kind == "part" else reader.whole.message_ids
            return strings.decode_range(0, len(strings))
        from recall_rank.index.merge.merge import rows_of

        ids = reader.part_ids if kind == "part" else reader.message_ids
        return [ids[row] for row in rows_of(reader, kind).tolist()]

    def holds(self, places: Iterable[Place], *, project: str | None = None) -> set[Place]:
        """Return those of `places` that the index contains: sessions, messages, and parts with searchable text, given
        by ids.

        With `project`, only places in sessions of that project are returned. The titles of sessions are not found as
        places.
        """
        return held(self._reader, places, project)

    def indexed(self, ids: Iterable[str]) -> list[Session]:
        """Return the sessions with these ids, with their messages, newest session first; unknown ids are ignored.

        The sessions hold only what is searched: files, models and the names of tool parameters are missing.
        """
        from recall_rank.index.reader.indexed_sessions import indexed_sessions

        return indexed_sessions(self._reader, frozenset(ids))

    @property
    def columns(self) -> Mapping[str, npt.NDArray[Any]]:
        """A mapping from column name to array: columns of parts (part_*), of messages (message_*) and of documents
        (doc_*).

        Rows of parts are those of scores() and part_ids, rows of messages those of message_ids; `part_is_title` is 1
        for a part that is the title of its session.

        The arrays are views of the index if it is one segment without deleted sessions. Otherwise its segments are
        merged first, which copies them.
        """
        import numpy as np

        names = [name for name in field_names(Segment) if name.split("_")[0] in ("part", "message", "doc")]
        segment = self._merged()
        views = {name: getattr(segment, name) for name in names}
        columns = {name: np.asarray(view) for name, view in views.items() if isinstance(view, memoryview)}
        titles = columns["message_role"][columns["part_message"]] == TITLE_ROLE
        return {**columns, "part_is_title": titles.astype(np.uint8)}

    def close(self) -> None:
        """Release the texts and files of the index. Running searches end normally; later ones raise ValueError.

        What add(), append() and remove() changed is saved first, if the index was opened from a folder. Raises the
        errors of save(), after the index was closed.
        """
        with self._changing:
            try:
                if self._held is not None and self._folder is not None:
                    self._save_changes()
            finally:
                self._held = self._live = None
                if self._vectors is not None and self._owns_vectors:
                    self._vectors.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __reduce_ex__(self, protocol: SupportsIndex) -> NoReturn:
        """Raise TypeError: an index cannot be pickled or copied."""
        raise TypeError(
            "an Index cannot be pickled or copied: save() it to a folder, and let each process call "
            "recall_rank.Index.open(folder), which takes a few milliseconds and shares the memory of its files"
        )

    @staticmethod
    def _parse(query: str, options: SearchOptions) -> Query:
        checked = parse_options(options)
        return Query.parse(query, checked.now if checked.now is not None else int(time.time() * 1000), checked)


def _once(sessions: Iterable[Session]) -> Iterator[Session]:
    """Yield the sessions. Raises ValueError for an id that comes twice."""
    seen: set[str] = set()
    for session in sessions:
        if session.id in seen:
            raise ValueError(f"the id {session.id!r} is given to two texts")
        seen.add(session.id)
        yield session


def _check_no_embedder(embedder: object) -> None:
    if embedder is not None:
        raise ValueError("an index in a store has no vectors: give no embedder")


def _check_id(session_id: object) -> None:
    if not isinstance(session_id, str):
        raise TypeError(f"a session id is a string, not {session_id!r:.80}")


def index_of_segments(
    segments: Sequence[Segment], dead: Sequence[Collection[int]] | None = None, vectors: VectorIndex | None = None
) -> Index:
    """Return an index over existing segments; dead[k] are the row numbers of the deleted sessions of segments[k].

    With `dead` None, no session is deleted. `vectors` may serve several indexes, and is not closed with this one.
    """
    return Index(IndexReader(segments, dead), embedder=vectors)


def index_of_some(index: Index, shown: Callable[[SessionRow], bool], vectors: VectorIndex | None = None) -> Index:
    """Return an index over those sessions of `index` that `shown` accepts; it shares the segments, and treats all other
    sessions as deleted. `vectors` as in index_of_segments().
    """
    reader = index._reader  # noqa: SLF001 - of this module
    segments = [view.segment for view in reader.views]
    hidden = [{at for at, row in enumerate(segment.sessions) if not shown(row)} for segment in segments]
    dead = [each.union(gone) for each, gone in zip(hidden, reader.dead, strict=True)]
    return index_of_segments(segments, dead, vectors)


async def search_in_thread(search: Callable[..., SearchResponse], query: str, options: SearchOptions) -> SearchResponse:
    """Await search(query, **options) in a thread.

    When the task is cancelled, the event in the option `cancel` is set: the search ends before its next stage, and its
    response is dropped.
    """
    import asyncio
    import threading

    cancel = options.get("cancel")
    if cancel is None:
        cancel = options["cancel"] = threading.Event()
    work = asyncio.ensure_future(asyncio.to_thread(search, query, **options))
    try:
        return await asyncio.shield(work)
    except asyncio.CancelledError:
        cancel.set()
        work.add_done_callback(_drop_outcome)
        raise


def _drop_outcome(work: asyncio.Future[SearchResponse]) -> None:
    """Fetch the exception of abandoned work, so that asyncio does not log it as never retrieved."""
    if not work.cancelled():
        work.exception()


def rank(query: str, sessions: Iterable[Session | Mapping[str, Any]], **options: Unpack[RankOptions]) -> SearchResponse:
    """Return the response with the best parts of `sessions` for `query`, without keeping an index.

    Equal to Index.build(sessions).search(query, **options).
    """
    return Index.build(sessions).search(query, **options)
