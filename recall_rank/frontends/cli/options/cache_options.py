"""The options --cache, --no-cache, --keep-vanished and --ignore, and their combination with the settings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

import click

from recall_rank.frontends.cli.output.sources_hint import CACHE

if TYPE_CHECKING:
    from recall_rank.histories.ignore import Ignore

_KINDS: Final = {"store": "stores", "project": "projects", "path": "paths", "session": "sessions"}


def not_empty(context: click.Context, option: click.Parameter, value: Any) -> Any:
    """Return the value of an option; refuse an empty one. A click callback.

    An unset shell variable gives an empty value, which would mean the working directory.
    """
    if any(not each.strip() for each in ((value,) if isinstance(value, str) else value or ())):
        raise click.BadParameter("must not be empty", context, option)
    return value


def _note(name: str) -> Callable[[click.Context, click.Parameter, Any], None]:
    """Return a click callback that stores the value of an option under `name` in the context of the command."""

    def note(context: click.Context, option: click.Parameter, value: Any) -> None:
        if name == "cache":
            not_empty(context, option, value)
        if value or (value is False and name == "keep_vanished"):
            context.meta.setdefault(CACHE, {})[name] = value

    return note


# --cache alone, for a command that reads no history
cache_folder_option: Final = click.option(
    "--cache",
    metavar="DIR",
    expose_value=False,
    callback=_note("cache"),
    help="Keep the index in this folder. Default: this user's folder for caches.",
)
_no_cache_option: Final = click.option(
    "--no-cache",
    is_flag=True,
    expose_value=False,
    callback=_note("no_cache"),
    help="Keep the index in memory and read everything again.",
)
_keep_vanished_option: Final = click.option(
    "--keep-vanished/--no-keep-vanished",
    default=None,
    expose_value=False,
    callback=_note("keep_vanished"),
    help="Keep sessions in the cache that their agent deletes. Holds until the other is said.",
)
_ignore_option: Final = click.option(
    "--ignore",
    multiple=True,
    metavar="KIND:PATTERN",
    expose_value=False,
    callback=_note("ignore"),
    help="Never read this store, project, path or session; repeatable. The index is kept in memory then.",
)


def cache_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --cache, --no-cache, --keep-vanished and --ignore to a command; CacheOptions.given() returns their values."""
    return cache_folder_option(_no_cache_option(_keep_vanished_option(_ignore_option(command))))


def stored_cache_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --cache and --keep-vanished to a command that has nothing to do without a cache on disk."""
    return cache_folder_option(_keep_vanished_option(command))


@dataclass(frozen=True, slots=True)
class CacheOptions:
    """The place of the index, and patterns of the stores, projects, paths and sessions that are never read."""

    cache: str | Literal[True] | None = True  # True: the default folder; None: in memory
    keep_vanished: bool | None = None
    ignore: Ignore | None = None
    problem: str | None = None  # why the settings are not known
    embedder: str | None = None  # the name of the model for searches by meaning
    told: frozenset[str] | None = None  # without a cache: the digests by which other machines know what was forgotten

    @classmethod
    def given(cls) -> CacheOptions:
        """Return the options of the running command; an option that is absent has the value of the settings.

        Raises ValueError for options that contradict each other.
        """
        from recall_rank.histories.settings import settings

        context = click.get_current_context(silent=True)
        given: dict[str, Any] = context.meta.get(CACHE, {}) if context is not None else {}
        known = settings()
        cache: str | Literal[True] | None = known.cache or None
        if given.get("cache") and given.get("no_cache"):
            raise ValueError("--cache and --no-cache exclude each other")
        if given.get("cache"):
            try:
                cache = str(Path(given["cache"]).expanduser())
            except RuntimeError as error:  # of a path such as ~name whose home is unknown
                raise ValueError(f"--cache {given['cache']}: {error}") from error
        patterns = _patterns(given.get("ignore") or ())
        kept = given.get("keep_vanished")
        kept = known.keep_vanished if kept is None else kept
        found = cls(cache, kept, known.ignore.also(patterns), known.problem, known.embedder)
        # an index with other contents would be rebuilt by the next command
        return found.in_memory() if given.get("no_cache") or patterns or cache is None else found

    @classmethod
    def known(cls) -> CacheOptions:
        """Return given(), for what keeps or sends text. Raises ValueError also for settings that are not known: they
        may say that it is never read.
        """
        found = cls.given()
        if found.problem is not None:
            raise ValueError(found.problem)
        return found

    def in_memory(self) -> CacheOptions:
        """Return these options without a cache; the sessions that its list says were forgotten, or that of the default
        folder, are ignored. Raises UnreadableListError, unless `problem` tells already that what is never read is not
        known.
        """
        from recall_rank.histories.ignore import Ignore
        from recall_rank.histories.records.forgotten import forgotten, forgotten_elsewhere

        place = _folder(True if self.cache is None else self.cache)
        ignore = (self.ignore or Ignore()).also(Ignore(forgotten=self._digests(place, forgotten)))
        return replace(self, cache=None, ignore=ignore, told=self._digests(place, forgotten_elsewhere))

    def folder(self) -> Path | None:
        """Return the folder of the cache; None when the index is kept in memory."""
        return None if self.cache is None else _folder(self.cache)

    def _digests(self, place: Path | None, read: Callable[[Path], frozenset[str]]) -> frozenset[str]:
        """Return the digests that `read` takes from the list of forgotten sessions in the folder `place`; none without
        one.
        """
        from recall_rank.histories.records.forgotten import UnreadableListError

        try:
            return frozenset() if place is None else read(place)
        except UnreadableListError:
            if self.problem is None:
                raise
            return frozenset()


def default_to_cache(folder: str | None) -> None:
    """Use this folder for the cache of the running command, unless its own options name a cache or none."""
    given = click.get_current_context().meta.setdefault(CACHE, {})
    if folder is not None and not given.get("no_cache"):
        given.setdefault("cache", folder)


def leaves_traces() -> bool:
    """Return whether the running command may keep what it read on disk: it has no --no-cache, and the settings do not
    say that nothing is kept. Raises ValueError for settings that cannot be read.
    """
    from recall_rank.histories.settings import settings

    given = click.get_current_context().meta.get(CACHE, {})
    return not given.get("no_cache") and (bool(given.get("cache")) or settings().cache is not False)


def given_cache() -> str | None:
    """Return the full path of the folder that --cache of the running command names; None without that option."""
    given = click.get_current_context().meta.get(CACHE, {}).get("cache")
    return None if given is None else str(Path(given).expanduser().absolute())


def _folder(cache: str | Literal[True]) -> Path | None:
    from recall_rank.histories.cache.location import default_cache

    return default_cache() if cache is True else Path(cache)


def _patterns(given: tuple[str, ...] | list[str]) -> Ignore:
    """Return the patterns of --ignore, each written KIND:PATTERN. Raises ValueError for any other text."""
    from recall_rank.histories.ignore import Ignore

    found = Ignore()
    for each in given:
        kind, colon, pattern = each.partition(":")
        if kind not in _KINDS or not colon or not pattern:
            raise ValueError(f"--ignore takes {', '.join(f'{name}:PATTERN' for name in _KINDS)}, not {each!r}")
        more: dict[str, Any] = {_KINDS[kind]: (*getattr(found, _KINDS[kind]), pattern)}
        found = replace(found, **more)
    return found
