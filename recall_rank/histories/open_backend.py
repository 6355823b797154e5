"""Choose the backend for a list of sources: an index in memory or in a cache folder."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from recall_rank.loaders.store_places import store_around
from recall_rank.loaders.unrecognised import NAME as UNRECOGNISED
from recall_rank.model import Source
from recall_rank.model.option_errors import error_text

if TYPE_CHECKING:
    from recall_rank.histories.backend import Backend, IndexFactory
    from recall_rank.histories.ignore import Ignore

Cache = str | PathLike[str] | Literal[True] | None
"""A folder, True for this user's cache folder, or None for an index in memory alone."""


@dataclass(frozen=True, slots=True)
class OpenedSources:
    """The sources without the ignored ones, and the backend that holds their index."""

    sources: tuple[Source, ...]
    backend: Backend


def open_backend(
    sources: Iterable[Source],
    factory: IndexFactory,
    cache: Cache,
    ignore: Ignore | None,
    keep_vanished: bool | None,
    *,
    discovered: bool = False,
) -> OpenedSources:
    """Return the sources that are not ignored and a backend for them, with its index in memory or in a cache; nothing
    is read yet. With `discovered`, which says that these are all stores of this machine, the cache has one fixed index
    for them.

    Raises TypeError for a cache that is neither a folder, True nor None, and for objects that are not sources, and
    ValueError for a cache in the store of a source.
    """
    if isinstance(sources, str | bytes | PathLike | Source) or not isinstance(sources, Iterable):
        raise TypeError(f"sources must be a list of sources, such as open_sources(path) gives, not {sources!r}")
    given = tuple(sources)
    for each in given:
        if not isinstance(each, Source):
            raise TypeError(
                f"a source has name, location, units(), signature() and read(); {each!r} has not all of them"
            )
    check_cache(cache)
    if cache is None:
        from recall_rank.histories.memory_backend import MemoryBackend

        if ignore:
            from recall_rank.histories.ignore import without_ignored

            given = tuple(without_ignored(given, ignore))
        return OpenedSources(given, MemoryBackend(given, factory))
    place = None if cache is True else Path(fspath(cache))
    store = (
        None
        if place is None
        else store_around(
            place,
            (source.location for source in given if source.name != UNRECOGNISED),  # a folder of files is no store
        )
    )
    if store is not None:
        raise ValueError(f"the cache {place} lies in the history {store}, which is never written to")
    return open_cached(given, factory, place, ignore, keep_vanished, discovered=discovered)


def check_cache(cache: object) -> None:
    """Raise TypeError for a cache that is neither a folder, True nor None."""
    if cache is not None and cache is not True and not isinstance(cache, str | PathLike):
        raise TypeError(f"cache must be a folder, True for this user's own or None for memory, not {cache!r}")


def open_cached(
    sources: tuple[Source, ...],
    factory: IndexFactory,
    cache: Path | None,
    ignore: Ignore | None,
    keep_vanished: bool | None,
    *,
    discovered: bool,
) -> OpenedSources:
    """Return the sources that are not ignored and a backend for them, whose index is in a folder inside `cache`; None
    stands for the current user's cache folder.

    With `discovered`, the sources are all stores of this machine, which have one fixed index. `keep_vanished` says
    whether sessions that their source no longer has are kept; None keeps the setting of the last refresh. When there is
    no home, or the cache is no private folder, the index stays in memory and its snapshots carry a note that states the
    reason; the list of forgotten sessions in the cache holds, or is an error, in any case.
    """
    from recall_rank.histories.cache.location import default_cache, index_folder
    from recall_rank.histories.cache.rules import RefreshRules
    from recall_rank.histories.cached_backend import CachedBackend
    from recall_rank.histories.ignore import Ignore
    from recall_rank.index.errors import MissingIndexError
    from recall_rank.index.storage.folder import Folder

    ignored = ignore or Ignore()
    note = folder = None
    place = cache or default_cache()
    if place is None:
        note = "there is no home to keep an index in; it is made anew each time"
    else:
        folder = index_folder(place, sources, discovered=discovered)
        try:
            with suppress(MissingIndexError):
                Folder(place).close()
        except OSError as error:
            note = f"the index is not kept in {place}: {error_text(error)}; it is made anew each time"
            folder = None
    read = tuple(source for source in sources if not ignored.store(source))
    rules = RefreshRules(ignored, keep_vanished, place)
    return OpenedSources(read, CachedBackend(read, factory, folder, rules, note))
