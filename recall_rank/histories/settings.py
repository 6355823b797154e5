"""The user's settings: a small TOML file in the settings folder, which every start of the program reads."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Final

from recall_rank.histories.cache.location import default_settings
from recall_rank.histories.ignore import Ignore

FILE: Final = "config.toml"
LARGEST: Final = 1 << 20  # bytes; a longer file is no settings file
_LISTS: Final = tuple(each.name for each in fields(Ignore) if each.name != "forgotten")


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
    problem: str | None = None


def settings_file() -> Path | None:
    """The path of the settings file, which need not exist; None when the user has no home folder."""
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
        with path.open("rb") as file:
            data = file.read(LARGEST)
    except (FileNotFoundError, NotADirectoryError):
        return Settings()
    except OSError as error:
        if isinstance(error, PermissionError) and _is_home_closed():
            return Settings(cache=False, problem=f"the home folder cannot be read: {error.strerror}")
        raise ValueError(f"{path} cannot be read: {error.strerror or error}") from error
    import tomllib  # which most have no use for

    try:
        return _checked(tomllib.loads(data.decode()))
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error


def _is_home_closed() -> bool:
    """Whether nothing in the home folder can be opened, so that none of the histories in it can be read either."""
    return not os.access(Path.home(), os.X_OK)


def _checked(given: dict[str, Any]) -> Settings:
    accepted = {"cache": (str, bool), "keep_vanished": (bool,), "ignore": (dict,), "other_languages": (bool,)}
    for name, value in given.items():
        if name not in accepted:
            raise ValueError(f"there is no setting {name!r}: there are {', '.join(accepted)}")
        if not isinstance(value, accepted[name]):
            raise ValueError(f"{name} must not be {value!r}")
    lists = given.get("ignore", {})
    for name, value in lists.items():
        if name not in _LISTS:
            raise ValueError(f"ignore has no {name!r}: it has {', '.join(_LISTS)}")
        if not isinstance(value, list) or not all(isinstance(each, str) and each for each in value):
            raise ValueError(f"ignore.{name} must be a list of patterns, not {value!r}")
    patterns: dict[str, Any] = {name: tuple(value) for name, value in lists.items()}
    ignore = Ignore(**patterns)
    cache = given.get("cache", True)
    folder = _folder(cache) if isinstance(cache, str) else cache
    return Settings(folder, given.get("keep_vanished"), ignore, given.get("other_languages", True))


def _folder(cache: str) -> str:
    """The absolute path of a cache folder. Raises ValueError for a relative path."""
    try:
        place = Path(cache).expanduser()
    except RuntimeError as error:  # ~somebody without a home
        raise ValueError(f"cache: {error}") from error
    if not place.is_absolute():
        raise ValueError(f"cache must be true, false or the full path of a folder, not {cache!r}")
    return str(place)
