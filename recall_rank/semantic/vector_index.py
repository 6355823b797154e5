"""VectorIndex: keeps the vectors of the passages of an index, makes those that are missing, and asks for queries."""

from __future__ import annotations

import atexit
import threading
import time
import weakref
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from typing import TYPE_CHECKING, Final

from recall_rank.index.errors import MissingIndexError
from recall_rank.index.reader.index_reader import IndexReader
from recall_rank.index.storage.folder import Folder
from recall_rank.index.storage.mapped_segment import MappedSegment
from recall_rank.index.storage.vector_file import load_vectors, save_vectors
from recall_rank.model.record_classes import frozen, mutable
from recall_rank.semantic.embedder import Embedder, check_embedder, vectors_of
from recall_rank.semantic.query_vectors import AskedVector, QueryVectors

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from recall_rank.index.reader.segment_view import SegmentView
    from recall_rank.index.vectors.passages import ProsePassages
    from recall_rank.index.vectors.segment_vectors import SegmentVectors
    from recall_rank.model import VectorCount
    from recall_rank.model.progress import Progress

BATCH: Final = 16  # passages in one call; about a third of a second for a small model on one processor
CHUNK: Final = 256  # passages that are sorted by length, since a model pads the texts of a call to the longest
SAVE_SECONDS: Final = 15.0  # between two writes of a vector file: so much work is lost when the process is killed
QUIET_SECONDS: Final = 1.0  # the background waits so long after a search before it makes vectors
RETRY_SECONDS: Final = 60.0  # and so long after an error of the embedder
OTHER_SECONDS: Final = 5.0  # and so long while another process makes the vectors of this folder
LOCK_SECONDS: Final = 0.2  # embed() asks so often whether that process has ended
EXIT_SECONDS: Final = 5.0  # the end of the process waits so long for the last batch


class EmbeddingStoppedError(Exception):
    """Raised inside a pass when it was told to stop; what was made until then is kept."""


@frozen
class EmbedReport:
    """The result of making vectors: the number of passages, of those with a vector, and of vectors made."""

    model: str  # the name of the embedder
    passages: int  # that have a vector or should have one
    with_vector: int
    made: int  # one for each distinct text
    elapsed_ms: float


@mutable
class _Missing:
    """A segment with passages that have no vector."""

    view: SegmentView
    passages: ProsePassages
    at: list[int]  # indices of the passages without a vector, one for each text


class VectorIndex:
    """The vectors of one embedder for the segments of an index, in memory and beside the files of its segments.

    Vectors are made in a background thread, while no search runs, newest sessions first, and stored every SAVE_SECONDS;
    one process makes those of a folder. Searches never wait for it. A passage that is indexed again in another segment
    keeps its vector. Thread-safe.
    """

    def __init__(self, embedder: Embedder, *, background: bool = True) -> None:
        """Keep the vectors of `embedder`. Without `background`, vectors are made by embed() alone.

        Raises TypeError or ValueError for what is no embedder.
        """
        self.embedder = check_embedder(embedder)
        self.problem: str | None = None  # of the last pass in the background
        self._queries = QueryVectors(embedder)
        self._background = background
        self._readers: weakref.WeakSet[IndexReader] = weakref.WeakSet()
        self._sources: list[SegmentVectors] = []  # of segments that were replaced, until the next pass carries them
        self._target: Callable[[], IndexReader | None] = lambda: None  # a weak reference to whose vectors are made
        self._wanted = False  # whether the background has to look at the target
        self._looked: dict[int, tuple[SegmentView, ProsePassages]] = {}  # by the id of a segment of the target
        self._lock = threading.Lock()  # of these attributes
        self._busy = threading.Lock()  # held while vectors are made
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._waiting = 0  # calls of embed() and carry(), for which the background makes room
        self._carrying = 0  # calls of carry(), for which embed() makes room
        self._carried = threading.Condition(self._lock)  # told when such a call ends
        self._used = 0.0  # monotonic time of the last search or change of the index, in seconds

    @property
    def model(self) -> str:
        """The name of the embedder."""
        return self.embedder.name

    def attach(self, reader: IndexReader) -> None:
        """Give the segments of `reader` the vectors that there are, and make the missing ones in the background.

        Vectors are those of other readers of the same segments, or stored beside their files.
        """
        with self._lock:
            others = [view for other in self._readers for view in other.views if view.vectors is not None]
            known = {id(view.segment): view.vectors for view in others}
            for view in reader.views:
                if view.vectors is None:
                    view.vectors = known.get(id(view.segment)) or self._stored(view)
            if any(view.vectors is None for view in reader.views):
                here = {id(source) for source in self._sources}
                self._sources += {
                    id(view.vectors): view.vectors
                    for view in others
                    if view.vectors is not None and id(view.vectors) not in here
                }.values()
            self._readers.add(reader)
            self._target = weakref.ref(reader)
            self._used = time.monotonic()
        self._start()

    def ask(self, reader: IndexReader, text: str) -> AskedVector | None:
        """Start to make the vector of a query over `reader`, and return it without waiting.

        None when no passage has a vector yet. The background pauses, and then makes the vectors of this reader.
        """
        self._used = time.monotonic()
        if self._target() is not reader:
            self._target = weakref.ref(reader)
            self._start()
        if not any(view.vectors is not None and view.vectors.model == self.model for view in reader.views):
            return None
        return self._queries.ask(text)

    def count(self, reader: IndexReader) -> VectorCount:
        """Count the passages of a reader that have a vector."""
        from recall_rank.semantic.nearest import count_vectors

        return count_vectors(reader, self.model)

    def embed(self, newest: Callable[[], IndexReader], progress: Progress | None = None) -> EmbedReport:
        """Make all missing vectors of the reader newest() now, and return when they are stored.

        A call of carry() waits for a batch only; newest() is asked again after it. `progress` is called with the stage
        "embedding". Raises what the embedder raises, ValueError for vectors of another shape and after close(), and
        OSError when they cannot be stored; those made until then are kept.
        """
        started = time.perf_counter()
        before = made = 0  # vectors that were made when a pass began, and until now

        def note(now: int, of: int) -> None:
            nonlocal made
            made = before + now
            if progress is not None:
                progress("embedding", made, before + of)

        while True:
            with self._carried:
                self._carried.wait_for(lambda: not self._carrying)
            reader = newest()
            self.attach(reader)
            before = made
            try:
                with self._room():
                    self._pass(reader, note, wait=True)
                break
            except EmbeddingStoppedError:
                if self._stop.is_set():
                    raise ValueError("this index was closed while its vectors were made") from None
        count = self.count(reader)
        took = (time.perf_counter() - started) * 1000
        return EmbedReport(self.model, count.passages, count.with_vector, made, took)

    def carry(self, reader: IndexReader, before: IndexReader | None = None) -> None:
        """Give the segments of `reader` the vectors that passages with equal text have, and store them; make none.

        For an index that was just written anew, whose vectors may be in memory alone; `before` is the reader of what
        was written, where it stays in use. Raises OSError.
        """
        with self._carry_first(), self._room():
            views = [*reader.views, *(before.views if before is not None else ())]
            sources = [*self._sources, *(view.vectors for view in views if view.vectors is not None)]
            dimensions = {source.dimension for source in sources if source.model == self.model}
            if len(dimensions) == 1:
                for view in reader.views:
                    self._carry(view, self._prose(view), sources, *dimensions)

    def close(self) -> None:
        """Stop the background thread after its current batch; what it made is stored."""
        atexit.unregister(self.close)
        self._stop.set()
        thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join(EXIT_SECONDS)

    @contextmanager
    def _room(self) -> Iterator[None]:
        """Hold `_busy`, for which a pass in the background makes room after its current batch."""
        with self._lock:
            self._waiting += 1
        try:
            with self._busy:
                yield
        finally:
            with self._lock:
                self._waiting -= 1
            self._start()

    @contextmanager
    def _carry_first(self) -> Iterator[None]:
        """Have embed() make room after its current batch, and not go on before the end."""
        with self._carried:
            self._carrying += 1
        try:
            yield
        finally:
            with self._carried:
                self._carrying -= 1
                self._carried.notify_all()

    def _make_room(self) -> None:
        """Raise EmbeddingStoppedError in embed() when a carry() waits, or after close()."""
        if self._carrying or self._stop.is_set():
            raise EmbeddingStoppedError

    # --- the background ----------------------------------------------------------------------------------------

    def _start(self) -> None:
        if not self._background or self._stop.is_set():
            return
        with self._lock:
            self._wanted = True
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="recall_rank vectors", daemon=True)
                self._thread.start()
                atexit.register(self.close)  # a daemon thread inside of a model may end the process by a signal

    def _run(self) -> None:
        """Make passes until nothing is wanted any more. The thread then ends; _start() starts another."""
        while True:
            with self._lock:
                if not self._wanted or self._stop.is_set():
                    self._thread = None
                    atexit.unregister(self.close)
                    return
                self._wanted = False
            pause = 0.0
            try:
                self._pause()
                with self._busy:
                    reader = self._target()
                    if reader is not None and not self._pass(reader, None, wait=False):
                        pause = OTHER_SECONDS
            except EmbeddingStoppedError:
                continue
            except Exception as error:  # noqa: BLE001 - an embedder may raise anything; `problem` says it
                self.problem = f"{type(error).__name__}: {error}".removesuffix(": ")
                pause = RETRY_SECONDS
            if pause and not self._stop.wait(pause):
                with self._lock:
                    self._wanted = True

    def _pause(self) -> None:
        """Return when no search has begun for QUIET_SECONDS, or at most so long after embed() or carry() was called.

        Raises EmbeddingStoppedError after close().
        """
        while not self._waiting and (rest := self._used + QUIET_SECONDS - time.monotonic()) > 0:
            if self._stop.wait(rest):
                break
        if self._stop.is_set():
            raise EmbeddingStoppedError

    # --- one pass ----------------------------------------------------------------------------------------------

    def _pass(self, reader: IndexReader, note: Callable[[int, int], None] | None, *, wait: bool) -> bool:
        """Make the missing vectors of a reader. After each batch note(made, of) is called, with the numbers of vectors
        that this pass has made and has to make. The caller holds `_busy`.

        False without `wait` when another process makes those of its folder. A pass in the background, which is one
        without `wait`, ends when there is another target, and one with `wait` when it has to make room: both raise
        EmbeddingStoppedError.
        """
        with ExitStack() as stack:
            for folder in self._folders(reader):
                stack.enter_context(folder)
                while not folder.try_lock():
                    if not wait:
                        self._reload(reader)
                        return False
                    self._make_room()
                    self._stop.wait(LOCK_SECONDS)
            self._reload(reader)
            missing = list(self._survey(reader))
            of = sum(len(each.at) for each in missing)
            made = 0
            for each in missing:
                with closing(self._make(each, reader, background=not wait)) as batches:
                    for count in batches:
                        made += count
                        if note is not None:
                            note(made, of)
                        if wait:
                            self._make_room()
            self.problem = None
            with self._lock:
                self._sources.clear()
        return True

    @staticmethod
    def _folders(reader: IndexReader) -> Iterator[Folder]:
        """Open each folder that holds segments of a reader."""
        paths = {view.segment.path.parent for view in reader.views if isinstance(view.segment, MappedSegment)}
        for path in sorted(paths):
            try:
                yield Folder(path)
            except MissingIndexError:  # it was removed since; nothing is stored there any more
                continue

    def _reload(self, reader: IndexReader) -> None:
        """Take the vectors that another process has stored meanwhile."""
        for view in reader.views:
            stored = self._stored(view)
            if stored is not None and (view.vectors is None or len(stored) > len(view.vectors)):
                view.vectors = stored

    def _stored(self, view: SegmentView) -> SegmentVectors | None:
        """Return the vectors of this embedder that are stored for a segment, if they can be read."""
        try:
            found = load_vectors(view.segment)
        except OSError:
            return None
        return found if found is not None and found.model == self.model else None

    def _survey(self, reader: IndexReader) -> Iterator[_Missing]:
        """Yield the segments with missing vectors, newest session first, after all vectors that exist were carried."""
        dimension = self.embedder.dimension
        with self._lock:
            sources = [*self._sources, *(view.vectors for view in reader.views if view.vectors is not None)]
            kept = {id(view.segment): self._looked.get(id(view.segment)) for view in reader.views}
            self._looked = {key: found for key, found in kept.items() if found is not None}
        surveyed = []
        for view in sorted(reader.views, key=_newest, reverse=True):
            passages = self._prose(view)
            surveyed.append((view, passages, self._carry(view, passages, sources, dimension)))
        for view, passages, own in surveyed:
            if at := _missing(view, passages, own):
                yield _Missing(view, passages, at)

    def _prose(self, view: SegmentView) -> ProsePassages:
        """Return the passages of a segment that get a vector; they are looked for once."""
        from recall_rank.index.vectors.passages import prose_passages

        known = self._looked.get(id(view.segment))
        passages = prose_passages(view.segment) if known is None else known[1]
        self._looked[id(view.segment)] = view, passages
        return passages

    def _carry(
        self, view: SegmentView, passages: ProsePassages, sources: Sequence[SegmentVectors], dimension: int
    ) -> SegmentVectors:
        """Give a segment the vectors that `sources` have of its passages, store new ones, and return all it has."""
        from recall_rank.index.vectors.segment_vectors import carried

        own = view.vectors
        if own is not None and own.dimension == dimension and len(own) == len(passages.docs):
            return own
        found = carried(passages, sources, self.model, dimension)
        if own is not None and own.dimension == dimension and len(found) <= len(own):
            return own
        view.vectors = found
        if len(found):
            save_vectors(view.segment, found)
        return found

    def _make(self, missing: _Missing, reader: IndexReader, *, background: bool) -> Generator[int]:
        """Make the missing vectors of a segment in chunks, and yield how many were made after each batch."""
        import numpy as np

        from recall_rank.index.vectors.passages import passage_text
        from recall_rank.index.vectors.segment_vectors import added, carried

        view, segment = missing.view, missing.view.segment
        unsaved, saved = 0, time.monotonic()
        try:
            for first in range(0, len(missing.at), CHUNK):
                chunk = missing.at[first : first + CHUNK]
                texts = {at: passage_text(segment, int(missing.passages.docs[at])) for at in chunk}
                order = sorted(texts, key=lambda at: len(texts[at]))
                made: list[int] = []
                vectors: list[npt.NDArray[np.float32]] = []
                try:
                    for begin in range(0, len(order), BATCH):
                        if background:
                            self._pause()
                            if self._target() is not reader or self._waiting:
                                raise EmbeddingStoppedError
                        batch = order[begin : begin + BATCH]
                        vectors.append(vectors_of(self.embedder, [texts[at] for at in batch]))
                        made += batch
                        yield len(batch)
                finally:
                    if made and view.vectors is not None:
                        own = added(view.vectors, missing.passages, np.array(made), np.concatenate(vectors))
                        # passages of equal text share the vector
                        view.vectors = carried(missing.passages, (own,), own.model, own.dimension)
                        unsaved += len(made)
                if time.monotonic() - saved > SAVE_SECONDS and view.vectors is not None:
                    save_vectors(segment, view.vectors)
                    unsaved, saved = 0, time.monotonic()
        finally:
            if unsaved and view.vectors is not None:
                save_vectors(segment, view.vectors)


def _newest(view: SegmentView) -> int:
    """Return the time of the newest session of a segment, which is its first."""
    return view.segment.sessions[0].updated if len(view.segment.sessions) else 0


def _missing(view: SegmentView, passages: ProsePassages, own: SegmentVectors) -> list[int]:
    """Return the indices of the passages of live sessions without a vector, one for each distinct text."""
    import numpy as np

    wanted = ~np.isin(passages.docs, own.docs)
    live = view.docs_of(None)
    if live is not None:
        wanted &= np.frombuffer(live, np.uint8)[passages.docs] > 0
    at = np.flatnonzero(wanted)
    _, first = np.unique(passages.digests[at], return_index=True)
    return [int(each) for each in at[np.sort(first)]]
