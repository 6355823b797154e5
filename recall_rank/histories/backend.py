"""What a Recall holds of its sources: an index to search, and what is known of every session besides."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from recall_rank.model import Context, RefreshReport, SearchResponse, Session, SourceReport

if TYPE_CHECKING:
    from recall_rank.histories.catalog import Catalogue, Units
    from recall_rank.index.reader.places import Place
    from recall_rank.model.progress import Progress


class Searchable(Protocol):
    """As much of an Index as a Recall needs."""

    def search(self, query: str, **options: Any) -> SearchResponse: ...

    def holds(self, places: Iterable[Place], *, project: str | None = None) -> set[Place]: ...


@dataclass(frozen=True, slots=True)
class Answering:
    """What answers, as of some moment. Never changes."""

    index: Searchable
    reports: Sequence[SourceReport]
    missing: frozenset[tuple[str | None, str]] = frozenset()  # source and id of sessions their source has no longer
    checked: float | None = None  # when it was what the sources hold, seconds since 1970; None: it was read just now
    notes: Sequence[str] = ()  # what is wrong with where it is kept
    reading: str | None = None  # while it is a part of what the sources hold: how much of it


@dataclass(slots=True)
class Contents:
    """The sessions of some moment, and where each can be read again."""

    reports: Sequence[SourceReport]
    catalogue: Catalogue
    units: Units
    retell: Callable[[Session], Session | None] | None = None  # sessions that only the index has any more
    sessions: list[Session] | None = None  # with their messages, as long as no index has taken them over


class Holder(Protocol):
    """In memory or on disk. Thread-safe."""

    @property
    def folder(self) -> Path | None:
        """Where the index lies; None in memory."""
        ...

    def ready(self) -> Answering:
        """What can be searched now, read when there is nothing yet."""
        ...

    def contents(self) -> Contents:
        """What is known of the sessions now, read when there is nothing yet; an index need not be there."""
        ...

    def prepare(
        self, progress: Progress | None, *, index: bool, soon: Callable[[], None] | None = None
    ) -> Sequence[SourceReport]:
        """Make ready, with an index or without; as new as it can be in about a second when it is there already.

        `soon` is called where a part of it can be searched before all of it can.
        """
        ...

    def refresh(self, progress: Progress | None) -> RefreshReport:
        """Bring up to what the sources hold now, whatever time it takes."""
        ...

    def rebuild(self) -> None:
        """Read everything anew: what there is turned out to be damaged."""
        ...

    def wait(self, seconds: float | None) -> bool:
        """Wait for a refresh under way, if there is one; whether none is under way now."""
        ...

    def only(self, context: Context) -> Holder:
        """The same with nothing but one project."""
        ...

    def close(self) -> None:
        """Let go of everything."""
        ...
