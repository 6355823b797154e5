"""The user's settings: a small TOML file in the settings folder, which every start of the program reads."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Final

from recall_rank.histories.cache.location import default_settings
from recall_rank.histories.ignore import Ignore
from recall_rank.histories.user_files import read_user_file

FILE: Final = "config.toml"
LARGEST: Final = 1 << 20  # bytes; a longer file is no settings file
MOST_RESULTS: Final = 1000  # what the engine returns at once
_LISTS: Final = tuple(each.name for each in fields(Ignore) if each.name != "forgotten")
_CHOICES: Final = {"match": ("literal", "smart", "fuzzy", "regex"), "color": ("auto", "always", "never")}


@dataclass(frozen=True, slots=True)
class ShellDefaults:
    """Defaults of the shell's commands that a person has chosen, None where nothing is said. No host or library call
    reads them, and no tool but those of `batch`, which are redacted where a person wants that.
    """

    results: int | None = None  # how many hits a search shows
    match: str | None = None
    redact: bool | None = None
    time_zone: str | None = None  # a name of the zone database, or "local" or "UTC"
    color: str | None = None  # auto, always or never


@dataclass(frozen=True, slots=True)
class Settings:
    """The content of the settings file. The defaults ignore nothing and use the standard cache folder.

    `problem` tells why the settings are not known although there may be a file; then no cache may be used, since it
    would keep what the settings may ignore.
    """

    cache: str | bool = True  # a folder, or whether there is one at all
    keep_vanished: bool | None = None
    ignore: Ignore = field(default_factory=Ignore)
    other_languages: bool = True  # hooks also react to phrases in languages other than English
    defaults: ShellDefaults = field(default_factory=ShellDefaults)
    embedder: str | None = None  # the name of the model for searches by meaning, as open_embedder() takes it
    push_projects: tuple[str, ...] = ()  # patterns of the projects that may leave this machine
    problem: str | None = None


def settings_file() -> Path | None:
    """Return the path of the settings file, which need not exist; None when the user has no home folder."""
    folder = default_settings()
    return folder / FILE if folder is not None else None


def settings(path: Path | None = None) -> Settings:
    """Return the content of the settings file; the defaults when the file does not exist. When the whole home folder is
    closed to this process, return settings without a cache. Raises ValueError, naming the file, for other problems.
    """
    path = path or settings_file()
    if path is None:
        return Settings()
    try:
        data = read_user_file(path, LARGEST)
    except OSError as error:
        if isinstance(error, PermissionError) and _is_home_closed():
            return Settings(cache=False, problem=f"the home folder cannot be read: {error.strerror}")
        raise ValueError(f"{path} cannot be read: {error.strerror or error}") from error
    if data is None:
        return Settings()
    import tomllib  # which most have no use for

    try:
        return _checked(tomllib.loads(data.decode()))
    except RecursionError as error:
        raise ValueError(f"{path}: it is nested too deeply") from error
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error


def _is_home_closed() -> bool:
    """Return whether nothing in the home folder can be opened, so that none of the histories in it can be read
    either.
    """
    return not os.access(Path.home(), os.X_OK)


def _checked(given: dict[str, Any]) -> Settings:
    accepted = {"cache": (str, bool), "keep_vanished": (bool,), "ignore": (dict,), "other_languages": (bool,)}
    accepted["defaults"], accepted["embedder"], accepted["push"] = (dict,), (str,), (dict,)
    for name, value in given.items():
        if name not in accepted:
            raise ValueError(f"there is no setting {name!r}: there are {', '.join(accepted)}")
        if not isinstance(value, accepted[name]):
            raise ValueError(f"{name} must not be {value!r}")
    patterns: dict[str, Any] = _patterns("ignore", given.get("ignore", {}), _LISTS)
    ignore = Ignore(**patterns)
    push = _patterns("push", given.get("push", {}), ("projects",))
    cache = given.get("cache", True)
    folder = _folder(cache) if isinstance(cache, str) else cache
    defaults, embedder = _defaults(given.get("defaults", {})), given.get("embedder")
    if embedder is not None:
        from recall_rank.semantic.adapters.choose import open_embedder

        open_embedder(embedder)  # raises ValueError for what is none
    languages = given.get("other_languages", True)
    allowed = push.get("projects", ())
    return Settings(folder, given.get("keep_vanished"), ignore, languages, defaults, embedder, allowed)


def _patterns(section: str, given: dict[str, Any], names: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """Return a section of lists of patterns. Raises ValueError for a name that it has not, and for what is no such
    list.
    """
    for name, value in given.items():
        if name not in names:
            raise ValueError(f"{section} has no {name!r}: it has {', '.join(names)}")
        if not isinstance(value, list) or not all(isinstance(each, str) and each for each in value):
            raise ValueError(f"{section}.{name} must be a list of patterns, not {value!r}")
    return {name: tuple(value) for name, value in given.items()}


def _defaults(given: dict[str, Any]) -> ShellDefaults:
    """Return the section "defaults". Raises ValueError for a name that it has not, and for a value that nothing
    accepts.
    """
    names = tuple(each.name for each in fields(ShellDefaults))
    for name, value in given.items():
        if name not in names:
            raise ValueError(f"defaults has no {name!r}: it has {', '.join(names)}")
        if name in _CHOICES and value not in _CHOICES[name]:
            raise ValueError(f"defaults.{name} must be one of {', '.join(_CHOICES[name])}, not {value!r}")
        if name == "redact" and not isinstance(value, bool):
            raise ValueError(f"defaults.redact must be true or false, not {value!r}")
        if name == "results" and (isinstance(value, bool) or not isinstance(value, int)):
            raise ValueError(f"defaults.results must be a whole number, not {value!r}")
        if name == "results" and not 1 <= value <= MOST_RESULTS:
            raise ValueError(f"defaults.results must be from 1 to {MOST_RESULTS}, not {value!r}")
        if name == "time_zone" and not is_time_zone(value):
            raise ValueError(f"defaults.time_zone must be local, UTC or a name such as Europe/Berlin, not {value!r}")
    return ShellDefaults(**given)


def is_time_zone(name: Any) -> bool:
    """Return whether a value is "local", "UTC", or the name of a zone that this machine knows."""
    if name in ("local", "UTC"):
        return True
    from zoneinfo import ZoneInfo

    try:
        return isinstance(name, str) and ZoneInfo(name) is not None
    except (ValueError, OSError, LookupError):  # a path, a folder of zones, a zone that is not known
        return False


def _folder(cache: str) -> str:
    """Return the absolute path of a cache folder. Raises ValueError for a relative path."""
    try:
        place = Path(cache).expanduser()
    except RuntimeError as error:  # ~somebody without a home
        raise ValueError(f"cache: {error}") from error
    if not place.is_absolute():
        raise ValueError(f"cache must be true, false or the full path of a folder, not {cache!r}")
    return str(place)
