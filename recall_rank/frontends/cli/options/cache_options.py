"""What a command line says about the cache and about what is never read; where it is silent, the settings speak."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

import click

if TYPE_CHECKING:
    from recall_rank.histories.ignore import Ignore

_META: Final = "recall_rank.histories.cache"
_KINDS: Final = {"store": "stores", "project": "projects", "path": "paths", "session": "sessions"}


def not_empty(context: click.Context, option: click.Parameter, value: Any) -> Any:
    """A callback: an empty value is a variable of the shell that is not set, not the folder one is in."""
    if any(not each.strip() for each in ((value,) if isinstance(value, str) else value or ())):
        raise click.BadParameter("must not be empty", context, option)
    return value


def cache_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds --cache, --no-cache, --keep-vanished and --ignore; CacheOptions.given() tells what was said."""
    for option in reversed(
        (
            click.option(
                "--cache", metavar="DIR", expose_value=False, callback=_note("cache"),
                help="Keep the index in this folder. Default: this user's folder for caches.",
            ),
            click.option(
                "--no-cache", is_flag=True, expose_value=False, callback=_note("no_cache"),
                help="Keep the index in memory and read everything again.",
            ),
            click.option(
                "--keep-vanished/--no-keep-vanished", default=None, expose_value=False, callback=_note("keep_vanished"),
                help="Keep sessions in the cache that their agent deletes. Holds until the other is said.",
            ),
            click.option(
                "--ignore", multiple=True, metavar="KIND:PATTERN", expose_value=False, callback=_note("ignore"),
                help="Never read this store, project, path or session; repeatable. The index is kept in memory then.",
            ),
        )
    ):  # fmt: skip
        command = option(command)
    return command


@dataclass(frozen=True, slots=True)
class CacheOptions:
    """Where the index lies, and what is left out of it."""

    cache: str | Literal[True] | None = True
    keep_vanished: bool | None = None
    ignore: Ignore | None = None

    @classmethod
    def given(cls) -> CacheOptions:
        """What the command under way was told. Raises ValueError for what cannot be meant."""
        from recall_rank.histories.settings import settings

        context = click.get_current_context(silent=True)
        said: dict[str, Any] = context.meta.get(_META, {}) if context is not None else {}
        known = settings()
        cache: str | Literal[True] | None = known.cache or None
        if said.get("cache") and said.get("no_cache"):
            raise ValueError("--cache and --no-cache exclude each other")
        if said.get("cache"):
            try:
                cache = str(Path(said["cache"]).expanduser())
            except RuntimeError as error:  # ~somebody without a home
                raise ValueError(f"--cache {said['cache']}: {error}") from error
        patterns = _patterns(said.get("ignore") or ())
        if said.get("no_cache") or patterns:  # a cache without what is ignored once would be made anew the next time
            cache = None
        kept = said.get("keep_vanished")
        return cls(cache, known.keep_vanished if kept is None else kept, known.ignore.also(patterns))

    def folder(self) -> Path | None:
        """The folder of the cache; None where there is none."""
        if self.cache is True:
            from recall_rank.histories.cache.location import default_cache

            return default_cache()
        return None if self.cache is None else Path(self.cache)


def _patterns(given: tuple[str, ...] | list[str]) -> Ignore:
    from recall_rank.histories.ignore import Ignore

    found = Ignore()
    for each in given:
        kind, colon, pattern = each.partition(":")
        if kind not in _KINDS or not colon or not pattern:
            raise ValueError(f"--ignore takes {', '.join(f'{name}:PATTERN' for name in _KINDS)}, not {each!r}")
        more: dict[str, Any] = {_KINDS[kind]: (*getattr(found, _KINDS[kind]), pattern)}
        found = replace(found, **more)
    return found


def _note(name: str) -> Callable[[click.Context, click.Parameter, Any], None]:
    def note(context: click.Context, option: click.Parameter, value: Any) -> None:
        if name == "cache":
            not_empty(context, option, value)
        if value or (value is False and name == "keep_vanished"):
            context.meta.setdefault(_META, {})[name] = value

    return note
