"""From what a caller says about a cache to a holder that keeps the index there."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from recall_rank.model import Source

if TYPE_CHECKING:
    from recall_rank.histories.backend import Holder
    from recall_rank.histories.ignore import Ignore

Cache = str | PathLike[str] | Literal[True] | None
"""A folder, True for this user's own, None for memory alone."""


@dataclass(frozen=True, slots=True)
class Kept:
    """Sources, without what is ignored, and what holds them."""

    sources: tuple[Source, ...]
    holder: Holder


def kept(
    sources: Iterable[Source],
    cache: Cache,
    ignore: Ignore | None,
    keep_vanished: bool | None,
    *,
    discovered: bool = False,
) -> Kept:
    """Sources held in memory or in a cache. Raises TypeError for a cache that is none, and what are no sources."""
    if isinstance(sources, str | bytes | PathLike | Source) or not isinstance(sources, Iterable):
        raise TypeError(f"sources must be a list of sources, such as open_sources(path) gives, not {sources!r}")
    given = tuple(sources)
    for each in given:
        if not isinstance(each, Source):
            raise TypeError(
                f"a source has name, location, units(), signature() and read(); {each!r} has not all of them"
            )
    if cache is None:
        from recall_rank.histories.memory_backend import InMemory

        if ignore:
            from recall_rank.histories.ignore import heeding

            given = tuple(heeding(given, ignore))
        return Kept(given, InMemory(given))
    if cache is not True and not isinstance(cache, str | PathLike):
        raise TypeError(f"cache must be a folder, True for this user's own or None for memory, not {cache!r}")
    return _on_disk(given, None if cache is True else Path(fspath(cache)), ignore, keep_vanished, discovered)


def _on_disk(
    sources: tuple[Source, ...], place: Path | None, ignore: Ignore | None, keep_vanished: bool | None, discovered: bool
) -> Kept:
    from recall_rank.histories.cache.forgotten import forgotten
    from recall_rank.histories.cache.location import default_cache, index_folder
    from recall_rank.histories.cache.rules import Rules
    from recall_rank.histories.cached_backend import OnDisk
    from recall_rank.histories.ignore import Ignore, heeding

    rule = ignore or Ignore()
    note = folder = None
    place = place or default_cache()
    if place is None:
        note = "there is no home to keep an index in; it is made anew each time"
    else:
        folder = index_folder(place, sources, discovered=discovered)
        try:
            rule = rule.also(Ignore(forgotten=forgotten(place)))
        except (OSError, ValueError) as error:
            folder, note = None, f"the index is not kept in {place}: {error}; it is made anew each time"
    left = tuple(heeding(sources, rule))
    return Kept(left, OnDisk(left, folder, Rules(rule.digest(), rule.session if rule else None, keep_vanished), note))
