"""Recall: the histories of a machine or of a list of sources, read once and searched as one."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol, Self

if TYPE_CHECKING:
    import asyncio

    from recall_rank.catalogue import Catalogue, Units
    from recall_rank.model import Context, SearchResponse, Session, Source, SourceReport
    from recall_rank.places import Place
    from recall_rank.progress import Progress
    from recall_rank.transcript import Excerpt, MessagePage, Turn


class _Searchable(Protocol):
    def search(self, query: str, **options: Any) -> SearchResponse: ...

    def holds(self, places: Iterable[Place], *, project: str | None = None) -> set[Place]: ...


@dataclass(slots=True)
class _Loaded:
    """What was read: the sessions, until an index has taken them over, and what is known of them without."""

    sessions: list[Session] | None
    reports: list[SourceReport]
    catalogue: Catalogue
    units: Units


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
        self._loaded: _Loaded | None = None
        self._answering: tuple[_Searchable, list[SourceReport]] | None = None
        self._closed = False
        self._only: Context | None = None

    @classmethod
    def discover(cls, cache: None = None, context: Context | None = None) -> Self:
        """Every agent's store found on this machine; none at all is not an error (see `found`)."""
        from recall_rank.loaders import discover

        return cls(discover(), cache=cache, context=context)

    def only(self, context: Context) -> Recall:
        """A Recall over the same sources that knows nothing but the context's project and its own session.

        What belongs to another project is not in it at all: neither words nor ids, counts nor errors show through.
        """
        restricted = Recall(self._sources, context=context)
        restricted._only = context
        return restricted

    @property
    def found(self) -> int:
        """How many sources there are to search."""
        return len(self._sources)

    def search(self, query: str, **options: Any) -> SearchResponse:
        """Index.search over all sources; the answer also says what each source gave and failed to give."""
        from recall_rank.reports import with_reports

        index, reports = self._ready()
        options.setdefault("context", self._context)
        return with_reports(index.search(query, **options), reports)

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
            return list(self._load(progress).reports)

    def sessions(
        self,
        *,
        scope: str = "global",
        search: str | None = None,
        limit: int | None = None,
        context: Context | None = None,
    ) -> list[Session]:
        """Sessions, newest first, without their messages; `search` is looked for in their titles.

        Scope project keeps those of the project of `context`, which is the Recall's own unless given.
        """
        from recall_rank.catalogue import chosen

        return chosen(self._catalogue().sessions, scope, search, context or self._context)[:limit]

    def session(self, session_id: str) -> Session:
        """A session without its messages, by its id or a beginning of it that no other has. Raises LookupError."""
        from recall_rank.transcript import UnknownSession

        found = self._catalogue().find(session_id)
        if found is None:
            raise UnknownSession(f"no session {session_id!r}, or several whose ids begin so")
        return found

    def transcript(self, session_id: str) -> Session:
        """A session with all its messages, read from its source again. Raises LookupError or OSError."""
        from recall_rank.transcript import UnknownSession

        bare = self.session(session_id)
        with self._lock:
            loaded = self._load(None)
            held = loaded.sessions or ()
        for session in held:
            if (session.agent, session.id, session.source) == (bare.agent, bare.id, bare.source):
                return replace(bare, messages=session.messages)
        found = loaded.units.read(bare)
        if found is None:
            raise UnknownSession(f"session {session_id!r} is no longer in its source")
        return found

    def get(self, session_id: str, message_id: str) -> Turn:
        """One message in full. Raises LookupError for ids that are none."""
        from recall_rank.transcript import turn

        return turn(self.transcript(session_id), message_id)

    def context(
        self, session_id: str, message_id: str, *, window: int = 3, before: int | None = None, after: int | None = None
    ) -> Excerpt:
        """A message and `window` messages on each side, or `before` and `after` it. Raises LookupError."""
        from recall_rank.transcript import excerpt

        before, after = (window if given is None else given for given in (before, after))
        return excerpt(self.transcript(session_id), message_id, before, after)

    def messages(
        self,
        session_id: str | None = None,
        *,
        offset: int = 0,
        limit: int = 10,
        role: str = "all",
        reverse: bool = False,
        query: str | None = None,
    ) -> MessagePage:
        """A page of a session's messages, by default of the session of the context. Raises LookupError."""
        from recall_rank.transcript import message_page

        wanted = session_id or (self._context.session_id if self._context else None)
        if not wanted:
            raise ValueError("session_id is needed: there is no current session")
        return message_page(self.transcript(wanted), offset, limit, role=role, reverse=reverse, query=query)

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

    def _catalogue(self) -> Catalogue:
        with self._lock:
            return self._load(None).catalogue

    def _load(self, progress: Progress | None) -> _Loaded:
        """What the sources hold, read when that has not been done. Needs the lock."""
        if self._closed:
            raise ValueError("this Recall is closed")
        if self._loaded is None:
            from recall_rank.catalogue import Catalogue, Units, noting, of_project
            from recall_rank.loaders import read_all
            from recall_rank.progress import reading

            units = Units()
            sessions, reports = read_all(noting(self._sources, units), progress=reading(progress))
            only = self._only
            if only is not None:
                sessions = [each for each in sessions if of_project(each, only) or each.id == only.session_id]
                reports = []  # they count and name what lies elsewhere
            self._loaded = _Loaded(sessions, reports, Catalogue(sessions), units)
        return self._loaded

    def _build(self, progress: Progress | None) -> tuple[_Searchable, list[SourceReport]]:
        """A new generation from what was loaded. Needs the lock."""
        from recall_rank import Index
        from recall_rank.progress import counted

        loaded = self._load(progress)
        self._answering = (Index.build(counted(loaded.sessions or [], progress)), loaded.reports)
        loaded.sessions = None  # the index holds the text now; keeping it twice would double the memory
        return self._answering


def _retrieve(work: asyncio.Future[Any]) -> None:
    """Takes the outcome nobody waits for any more, so that it is not logged as forgotten."""
    if not work.cancelled():
        work.exception()
