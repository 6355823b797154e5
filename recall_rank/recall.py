"""The class Recall: search the stores of all coding agents on a machine, or a list of sources, as one."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Final, Literal, NoReturn, Self, SupportsIndex, TypeVar, Unpack

from recall_rank.model.record_classes import replace

if TYPE_CHECKING:
    from pathlib import Path

    from recall_rank.analysis.user_vocabulary import UserVocabulary
    from recall_rank.corpus import Index
    from recall_rank.histories.backend import Snapshot
    from recall_rank.histories.cache.state import CacheState
    from recall_rank.histories.chains.lineage import Chain
    from recall_rank.histories.ignore import Ignore
    from recall_rank.histories.open_backend import Cache, OpenedSources
    from recall_rank.histories.transcript import Excerpt, MessagePage, Turn
    from recall_rank.histories.vocabulary_file import VocabularyFile
    from recall_rank.index.reader.places import Place
    from recall_rank.index.segment.segment import Segment, SessionRow
    from recall_rank.model import (
        Context,
        RefreshReport,
        SearchResponse,
        Session,
        Source,
        SourceReport,
        Unread,
        VectorCount,
    )
    from recall_rank.model.progress import Progress
    from recall_rank.search.options import SearchOptions
    from recall_rank.semantic.embedder import Embedder
    from recall_rank.semantic.vector_index import EmbedReport, VectorIndex

MISS_SECONDS: Final = 30.0  # a look-up of a session waits so long for a refresh before it says that there is none
BUDGET_MS: Final = 2000.0  # the default budget of a search
PATIENCE_SECONDS: Final = 0.25  # a search waits so long for a refresh; most refreshes take less
_Found = TypeVar("_Found")


class Recall:
    """Searches the histories of one or several sources together.

    The sources are read and indexed on first use, in memory or in a cache folder; they are never written to.
    Thread-safe: a search that runs during a refresh keeps the state of the index it began with.
    """

    def __init__(
        self,
        sources: Iterable[Source] | OpenedSources,
        cache: Cache = None,
        context: Context | None = None,
        *,
        ignore: Ignore | None = None,
        keep_vanished: bool | None = None,
        vocabulary: UserVocabulary | Literal[True] | None = None,
        embedder: Embedder | None = None,
    ) -> None:
        """Search `sources`, which are read on first use. Without a `cache`, the index is in memory and all sources are
        read.

        A `cache` is a folder, or True for this user's cache folder; with one, only units (files, or sessions of a
        database) that changed since the last refresh are read. `context` is the caller's session and project, for
        searches that pass none. Sources and sessions that `ignore` matches are never read. `keep_vanished` says whether
        the cache keeps sessions that their source no longer has; None keeps the setting of the last refresh, which is
        False at first. `vocabulary` has the synonyms for searches that pass none; True is that of the user's file,
        which the first search reads. With an `embedder`, searches also find what is near in meaning; see embed().
        """
        from recall_rank.histories.open_backend import OpenedSources, open_backend

        self._vectors: VectorIndex | None = None
        if isinstance(sources, OpenedSources):
            opened = sources
        else:
            self._vectors = _vector_index(embedder)
            opened = open_backend(sources, _IndexFactory(self._vectors), cache, ignore, keep_vanished)
        self._sources, self._backend = opened.sources, opened.backend
        self._context = context
        self._vocabulary = vocabulary
        self._vocabulary_file: VocabularyFile | None = None

    @classmethod
    def discover(
        cls,
        cache: Cache = True,
        context: Context | None = None,
        *,
        ignore: Ignore | None = None,
        keep_vanished: bool | None = None,
        vocabulary: UserVocabulary | Literal[True] | None = True,
        embedder: Embedder | None = None,
    ) -> Self:
        """Return a Recall over the stores of all coding agents on this machine, and over the copies of stores that
        were pulled from others; its `found` is 0 when there is none.

        The index is kept in this user's cache folder unless `cache` says otherwise. Searches know the synonyms of the
        user's file, unless `vocabulary` is another one or None. With an `embedder`, they also find what is near in
        meaning; see embed().
        """
        from recall_rank.exchange.pulled import pulled_sources
        from recall_rank.histories.open_backend import open_backend
        from recall_rank.loaders import discover

        vectors = _vector_index(embedder)
        sources = [*discover(), *pulled_sources()]
        opened = open_backend(sources, _IndexFactory(vectors), cache, ignore, keep_vanished, discovered=True)
        recall = cls(opened, context=context, vocabulary=vocabulary)
        recall._vectors = vectors
        return recall

    def only(self, context: Context) -> Recall:
        """Return a Recall that shows only the sessions of the project of `context`, and the session that `context`
        names.

        No word, id, count or error of other projects is visible in it.
        """
        from recall_rank.histories.open_backend import OpenedSources
        from recall_rank.loaders.projects.repositories import name_context_repository

        own = self._backend.only(name_context_repository(context) or context)
        return Recall(OpenedSources(self._sources, own), context=context, vocabulary=self._vocabulary)

    @property
    def found(self) -> int:
        """The number of sources that are searched."""
        return len(self._sources)

    def search(self, query: str, **options: Unpack[SearchOptions]) -> SearchResponse:
        """Return the response of Index.search over all sources; its coverage also has a report on reading each source.

        A refresh that is running is waited for first, for at most a quarter of a second. Where nothing was found, or a
        word of the query was not, the sources are looked at again, and what is new is waited for until `budget_ms` has
        passed. As long as anything is unread, `limited_by` of the coverage has "not_read_yet", and `unread` says how
        much; nothing is then said to be absent, and no total is exact.
        """
        from recall_rank.histories.source_reports import as_of, denies
        from recall_rank.index.errors import UnusableIndexError
        from recall_rank.loaders.projects.repositories import name_context_repository

        options["context"] = name_context_repository(options.get("context", self._context))
        words = self._words() if "vocabulary" not in options else None
        if words is not None and words.vocabulary is not None:
            options["vocabulary"] = words.vocabulary
        began = time.monotonic()
        snapshot = self._newest(options.get("budget_ms"))
        try:
            response = snapshot.index.search(query, **options)
        except UnusableIndexError:
            self._backend.rebuild()
            snapshot = self._backend.ready()
            response = snapshot.index.search(query, **options)
        cancel = options.get("cancel")
        if denies(response) and not (cancel is not None and cancel.is_set()):
            self._backend.look(began, _seconds(options.get("budget_ms")) - (time.monotonic() - began))
            newer = self._backend.ready()
            if newer.index is not snapshot.index:
                response = newer.index.search(query, **options)
            snapshot = newer
        response = as_of(response, snapshot)
        if words is not None and words.problem is not None:
            response = replace(response, warnings=(*response.warnings, words.problem))
        return response

    async def asearch(self, query: str, **options: Unpack[SearchOptions]) -> SearchResponse:
        """Await search() in a thread; cancelling the task ends the search before its next stage."""
        from recall_rank.corpus import search_in_thread

        return await search_in_thread(self.search, query, options)

    def holds(self, places: Iterable[Place], *, project: str | None = None) -> set[Place]:
        """Return those of `places` that the index contains, over all sources; see Index.holds."""
        return self._backend.ready().index.holds(places, project=project)

    def indexed(self, ids: Iterable[str]) -> list[Session]:
        """Return the sessions with these ids as the index holds them (see Index.indexed); transcript() reads them from
        their source instead.
        """
        return self._backend.ready().index.indexed(ids)

    def sources(self, progress: Progress | None = None) -> list[SourceReport]:
        """Return a report on reading each source. Sources that were not read yet are read.

        Without a cache, they are not indexed yet: the first search does that.
        """
        return list(self._backend.prepare(progress, index=False))

    def sessions(
        self,
        *,
        scope: str = "global",
        search: str | None = None,
        agent: str | None = None,
        limit: int | None = None,
        context: Context | None = None,
    ) -> list[Session]:
        """Return the sessions without their messages, newest first, at most `limit`, all when it is None.

        `search` keeps the sessions whose title contains that text, `agent` those of an agent. Scope "project" keeps
        those of the project of `context`, by default the context of this Recall. Raises ValueError for an invalid scope
        or limit, and for scope "project" without a context.
        """
        from recall_rank.histories.catalog import select_sessions
        from recall_rank.loaders.projects.repositories import name_context_repository

        here = name_context_repository(context or self._context)
        return select_sessions(self._backend.inventory().catalog.sessions, scope, search, agent, here, limit)

    def session(self, session_id: str) -> Session:
        """Return a session without its messages, by its id or by a prefix of at least four characters that no other id
        has.

        Raises LookupError when none is found, or several, some of which the error then names.
        """
        from recall_rank.histories.transcript import find_by_id

        missing = f"no session {session_id!r}"
        return self.look_up(lambda: find_by_id(self._backend.inventory().catalog, session_id, missing))

    def look_up(self, find: Callable[[], _Found]) -> _Found:
        """Return what `find` finds in the index as it is; where it raises UnknownSession, look at the sources, wait for
        what is new, at most MISS_SECONDS, and call `find` again: the session may have been written since.

        The second error says when the refresh has not ended. An error about several sessions is raised at once.
        """
        from recall_rank.histories.transcript import AmbiguousSession, UnknownSession

        began, before = time.monotonic(), self._backend.inventory()
        try:
            return find()
        except AmbiguousSession:
            raise
        except UnknownSession as missing:
            self._backend.look(began, MISS_SECONDS)
            if self._backend.inventory() is not before:
                return find()
            checked = self._backend.ready().checked
            if self._backend.unread() is None or checked is None:
                raise
            age = f"the index is as of {max(0.0, time.time() - checked):.0f} s ago"
            raise UnknownSession(f"{missing.args[0]}; {age}, and what is newer is still being read") from None

    def transcript(self, session_id: str) -> Session:
        """Return a session with all its messages, by its id or a unique prefix of its id, read from its source now.

        If its source no longer has the session and the index kept it, on disk or in memory, it is read from the index.
        Raises LookupError for an unknown session, and OSError when the source cannot be read.
        """
        from recall_rank.histories.transcript import UnknownSession

        bare = self.session(session_id)
        loaded = self._backend.inventory()
        found = loaded.units.read(bare)
        if found is None and loaded.stored is not None:
            found = loaded.stored(bare)
        if found is None and (held := loaded.loaded(bare)) is not None:
            found = replace(bare, messages=held.messages)
        if found is None:
            raise UnknownSession(f"session {session_id!r} is no longer in its source")
        return found

    def chain(self, wanted: str, *, limit: int = 200) -> Chain:
        """Return the tree of sessions that are linked with one: what it came from, its forks, subagents, compressions.

        `wanted` is an id, a unique prefix of an id, or a title. At most `limit` sessions are shown, each with its
        rounds, tokens and cost, which are read from its source now. Raises LookupError when `wanted` names no session
        or several, and ValueError for a limit below 1.
        """
        from recall_rank.histories.chains.read_chain import read_chain

        return self.look_up(lambda: read_chain(self._backend.inventory(), wanted, limit))

    def unread(self, session_id: str) -> dict[str, int]:
        """Return the numbers of records, by the reason, that were not read from the file or database entry in which a
        session lies: records of unknown types, and malformed ones. Empty for a session that only the index has.

        Raises LookupError for an unknown session, and OSError when the source cannot be read.
        """
        return self._backend.inventory().units.unread(self.session(session_id))

    def get(self, session_id: str, message_id: str) -> Turn:
        """Return one message in full, with its session, by the ids of both. Raises LookupError for unknown ids."""
        from recall_rank.histories.transcript import turn

        return turn(self.transcript(session_id), message_id)

    def context(
        self, session_id: str, message_id: str, *, window: int = 3, before: int | None = None, after: int | None = None
    ) -> Excerpt:
        """Return a message with its neighbours: `before` messages before it and `after` messages after it, by default
        `window` each.

        Raises LookupError for unknown ids, and ValueError for negative numbers.
        """
        from recall_rank.histories.transcript import excerpt

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
        """Return a page of the messages of a session, by default of the current session of the context, oldest first.

        The page has at most `limit` messages after the first `offset` of those that pass: of the given `role`, and with
        the text `query`. With `reverse` the newest come first. Raises LookupError for an unknown session, and
        ValueError for an unknown role, negative numbers, or when there is no current session.
        """
        from recall_rank.histories.transcript import message_page

        wanted = session_id or (self._context.session_id if self._context else None)
        if not wanted:
            raise ValueError("session_id is needed: there is no current session")
        return message_page(self.transcript(wanted), offset, limit, role=role, reverse=reverse, query=query)

    def refresh(self, progress: Progress | None = None) -> RefreshReport:
        """Read the changed units of the sources, or everything without a cache; return a report with counts of what was
        read.

        Later calls use what was read.
        """
        return self._backend.refresh(progress)

    def prepare(
        self, progress: Progress | None = None, *, soon: Callable[[], None] | None = None
    ) -> list[SourceReport]:
        """Read and index the sources before the first search needs them; return a report on each source.

        With an index in the cache, the call waits about a second for a refresh of it, which then goes on in the
        background. During a large first reading, `soon` is called when the newest part of the histories can be
        searched; until all are read, searches cover that part, and their responses say so.
        """
        return list(self._backend.prepare(progress, index=True, soon=soon))

    @property
    def folder(self) -> Path | None:
        """The folder of the index; None when the index is in memory."""
        return self._backend.folder

    @property
    def checked(self) -> float | None:
        """The last time at which the index was found equal to its sources, in seconds since 1970.

        None when that is not known: without a cache, and while the histories are being read for the first time.
        """
        return self._backend.ready().checked

    def notes(self) -> list[str]:
        """Return sentences about problems with the folder of the index; empty when there are none."""
        return list(self._backend.ready().notes)

    def wait(self, seconds: float | None = None) -> bool:
        """Wait at most `seconds` for a refresh that runs in the background, without limit when None.

        Returns whether no refresh is running any more.
        """
        return self._backend.wait(seconds)

    def __reduce_ex__(self, protocol: SupportsIndex) -> NoReturn:
        """Raise TypeError: a Recall cannot be pickled or copied."""
        raise TypeError(
            "a Recall cannot be pickled or copied: let each process make its own, with one folder as `cache`, which "
            "they share"
        )

    def vectors(self) -> VectorCount | None:
        """Return the number of passages of the newest index that have a vector; None without an embedder."""
        return self._backend.ready().index.vectors

    def embed(self, progress: Progress | None = None) -> EmbedReport:
        """Make the vectors of all passages of the newest index that have none now, and return when they are stored.

        Without this call they are made in the background, while no search runs; see Index.embed. Raises ValueError
        without an embedder, what the embedder raises, and OSError when vectors cannot be stored; those made until then
        are kept.
        """
        report: EmbedReport = self._backend.ready().index.embed(progress)
        return report

    def close(self) -> None:
        """Release the index, and end a refresh in the background. Later searches raise ValueError."""
        if self._vectors is not None:
            self._vectors.close()
        self._backend.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _words(self) -> VocabularyFile | None:
        """Return the vocabulary for searches that pass none, and what is wrong with its file; None when there is no
        vocabulary.
        """
        if self._vocabulary is not None and self._vocabulary_file is None:
            from recall_rank.histories.vocabulary_file import VocabularyFile, read_vocabulary

            own = self._vocabulary
            self._vocabulary_file = read_vocabulary() if own is True else VocabularyFile(own)
        return self._vocabulary_file

    def not_read_yet(self, *, again: bool = False) -> Unread | None:
        """Return how much of the histories is not read yet, as far as that is known; None when everything is.

        A refresh that is running is waited for first, for at most a quarter of a second. With `again` the sources are
        looked at in any case, and what is new is waited for, for at most two seconds.
        """
        if again:
            self._backend.look(time.monotonic(), BUDGET_MS / 1000)
        elif self._backend.unread() is not None:
            self._backend.wait(PATIENCE_SECONDS)
        return self._backend.unread()

    def _newest(self, budget_ms: object) -> Snapshot:
        """Return the newest state of the index, after a brief wait for a running refresh.

        The wait is a quarter of `budget_ms`, at most PATIENCE_SECONDS; `budget_ms` may be anything that a caller
        passed.
        """
        snapshot = self._backend.ready()
        if snapshot.unread is None:
            return snapshot
        self._backend.wait(min(PATIENCE_SECONDS, _seconds(budget_ms) / 4))
        return self._backend.ready()


def _seconds(budget_ms: object) -> float:
    """Return the budget of a search in seconds; `budget_ms` may be anything that a caller passed."""
    given = budget_ms if isinstance(budget_ms, int | float) and not isinstance(budget_ms, bool) else BUDGET_MS
    return max(0.0, given) / 1000


def stored_recall(cache: Path, state: CacheState) -> Recall:
    """Return a Recall over the index of all stores of this machine as it is in the folder `cache`; `state` is its
    newest generation. No store is read and nothing is refreshed.
    """
    from recall_rank.histories.cache.location import MACHINE
    from recall_rank.histories.open_backend import OpenedSources
    from recall_rank.histories.stored_backend import StoredBackend

    return Recall(OpenedSources((), StoredBackend(cache / MACHINE, state, _IndexFactory())), vocabulary=True)


def _vector_index(embedder: Embedder | None) -> VectorIndex | None:
    if embedder is None:
        return None
    from recall_rank.semantic.vector_index import VectorIndex

    return VectorIndex(embedder)


class _IndexFactory:
    """Makes the Index objects for the backend that holds the index of a Recall; the search engine is imported with the
    first. All of them share the vectors.
    """

    def __init__(self, vectors: VectorIndex | None = None) -> None:
        self._vectors = vectors

    def build(self, sessions: Iterable[Session]) -> Index:
        from recall_rank.corpus import Index, index_of_segments

        if self._vectors is None:
            return Index.build(sessions)
        from recall_rank.index.segment.build import build

        return index_of_segments([build(sessions)], None, self._vectors)

    def of_some(self, index: Index, shown: Callable[[SessionRow], bool]) -> Index:
        from recall_rank.corpus import index_of_some

        return index_of_some(index, shown, self._vectors)

    def of_segments(self, segments: Sequence[Segment], dead: Sequence[Collection[int]]) -> Index:
        from recall_rank.corpus import index_of_segments

        return index_of_segments(segments, dead, self._vectors)
