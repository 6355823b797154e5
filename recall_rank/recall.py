"""Recall: the histories of a machine or of a list of sources, read once and searched as one."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol, Self

if TYPE_CHECKING:
    import asyncio

    from recall_rank.model import Context, SearchResponse, Session, Source, SourceReport
    from recall_rank.places import Place

MAX_WARNINGS_PER_SOURCE = 3  # an answer names the problem; `sources` lists every case

Progress = Callable[[str, int, "int | None"], None]
"""Called with the stage ("reading" or "indexing"), how much is done, and of how much when that is known."""


class _Searchable(Protocol):
    def search(self, query: str, **options: Any) -> SearchResponse: ...

    def holds(self, places: Iterable[Place], *, project: str | None = None) -> set[Place]: ...


class Recall:
    """Searches sources. They are read and indexed, in memory, on first use or by refresh(); never written to.

    Thread-safe: a search running during a refresh answers from the generation it began with.
    """

    def __init__(self, sources: Iterable[Source], cache: None = None, context: Context | None = None) -> None:
        if cache is not None:
            raise ValueError(f"cache must be None (this version keeps its index in memory), not {cache!r}")
        self._sources = tuple(sources)
        self._context = context
        self._lock = threading.Lock()  # held while reading and indexing, never while searching
        self._loaded: tuple[list[Session] | None, list[SourceReport]] | None = None
        self._answering: tuple[_Searchable, list[SourceReport]] | None = None
        self._closed = False

    @classmethod
    def discover(cls, cache: None = None, context: Context | None = None) -> Self:
        """Every agent's store found on this machine; none at all is not an error (see `found`)."""
        from recall_rank.loaders import discover

        return cls(discover(), cache=cache, context=context)

    @property
    def found(self) -> int:
        """How many sources there are to search."""
        return len(self._sources)

    def search(self, query: str, **options: Any) -> SearchResponse:
        """Index.search over all sources; the answer also says what each source gave and failed to give."""
        index, reports = self._ready()
        options.setdefault("context", self._context)
        return _with_reports(index.search(query, **options), reports)

    async def asearch(self, query: str, **options: Any) -> SearchResponse:
        """search() in a thread. Cancelling the task ends the search within its next look at the clock."""
        import asyncio

        cancel = options.get("cancel")
        if cancel is None:
            cancel = options["cancel"] = threading.Event()
        work = asyncio.ensure_future(asyncio.to_thread(self.search, query, **options))
        try:
            return await asyncio.shield(work)
        except asyncio.CancelledError:
            cancel.set()
            work.add_done_callback(_retrieve)
            raise

    def holds(self, places: Iterable[Place], *, project: str | None = None) -> set[Place]:
        """Index.holds over all sources."""
        return self._ready()[0].holds(places, project=project)

    def sources(self, progress: Progress | None = None) -> list[SourceReport]:
        """What each source gave; reads them when that has not been done, without building an index."""
        with self._lock:
            return list(self._load(progress)[1])

    def refresh(self, progress: Progress | None = None) -> list[SourceReport]:
        """Reads everything again and answers from it once it is complete."""
        with self._lock:
            self._loaded = None
            return list(self._build(progress)[1])

    def prepare(self, progress: Progress | None = None) -> list[SourceReport]:
        """Reads and indexes what has not been yet, so that the next search does not have to."""
        with self._lock:
            return list(self._build(progress)[1] if self._answering is None else self._answering[1])

    def close(self) -> None:
        """Lets go of the index. Searching afterwards is a ValueError."""
        with self._lock:
            self._closed = True
            self._loaded = self._answering = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _ready(self) -> tuple[_Searchable, list[SourceReport]]:
        answering = self._answering
        if answering is not None:
            return answering
        with self._lock:
            return self._answering or self._build(None)

    def _load(self, progress: Progress | None) -> tuple[list[Session] | None, list[SourceReport]]:
        """Sessions and reports; the sessions are None once an index has taken them over. Needs the lock."""
        if self._closed:
            raise ValueError("this Recall is closed")
        if self._loaded is None:
            from recall_rank.loaders import read_all

            self._loaded = read_all(self._sources, progress=_reading(progress))
        return self._loaded

    def _build(self, progress: Progress | None) -> tuple[_Searchable, list[SourceReport]]:
        """A new generation from what was loaded. Needs the lock."""
        from recall_rank import Index

        sessions, reports = self._load(progress)
        self._answering = (Index.build(_counted(sessions or [], progress)), reports)
        self._loaded = (None, reports)  # the index holds the text now; keeping it twice would double the memory
        return self._answering


def _with_reports(response: SearchResponse, reports: Sequence[SourceReport]) -> SearchResponse:
    """The response with what loading had to say put before what searching had to say."""
    errors = [f"{report.agent}: {error}" for report in reports for error in report.errors]
    warnings = [warning for report in reports for warning in _report_warnings(report)]
    coverage = replace(response.coverage, per_source=tuple(reports))
    if errors and "load_error" not in coverage.limited_by:
        coverage = replace(coverage, limited_by=(*coverage.limited_by, "load_error"))
    return replace(
        response,
        coverage=coverage,
        load_errors=(*errors, *response.load_errors),
        warnings=(*warnings, *response.warnings),
    )


def _report_warnings(report: SourceReport) -> Iterator[str]:
    for warning in report.warnings[:MAX_WARNINGS_PER_SOURCE]:
        yield f"{report.agent}: {warning}"
    more = len(report.warnings) - MAX_WARNINGS_PER_SOURCE
    if more > 0:
        yield f"{report.agent}: {more} more warnings while reading {report.location}"
    bad = len(report.malformed)
    if bad:
        yield f"{report.agent}: {bad} malformed {'record' if bad == 1 else 'records'} skipped in {report.location}"


def _counted(sessions: Sequence[Session], progress: Progress | None) -> Iterator[Session]:
    for done, session in enumerate(sessions):
        if progress is not None:
            progress("indexing", done, len(sessions))
        yield session
    if progress is not None:
        progress("indexing", len(sessions), len(sessions))


def _reading(progress: Progress | None) -> Any:
    if progress is None:
        return None
    return lambda done, total: progress("reading", done, total)


def _retrieve(work: asyncio.Future[Any]) -> None:
    """Takes the outcome nobody waits for any more, so that it is not logged as forgotten."""
    if not work.cancelled():
        work.exception()
