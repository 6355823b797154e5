"""Hints that tell, without importing an agent's loader, whether a path may be a store of that agent: file names,
places and first bytes.

Importing a loader takes a tenth of the time of a search, and hardly any machine has stores of all agents.
"""

from __future__ import annotations

import codecs
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path

from recall_rank.loaders.files.heads import head_blocks
from recall_rank.loaders.projects.working_folder import folders_above

UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)

JSONL = ".jsonl"
_EVERY_WORD: set[bytes] = set()  # of the hints of all loaders
_LONGEST_WORD = 32  # bytes; no word is longer
_SHARED: dict[frozenset[bytes], frozenset[bytes]] = {}  # few sets of words are those of all files


@dataclass(frozen=True, slots=True)
class StoreHints:
    """Conditions that every store of one agent meets. A path that meets them need not be a store: the agent's
    loader decides.
    """

    files: tuple[str, ...] = ()  # suffixes of file names
    begins: str = ""  # prefix of file names
    words: tuple[bytes, ...] = ()  # the beginning of a file of JSON lines holds one of these
    folders: tuple[str, ...] = ()  # names of folders that are stores by their name alone
    inside: tuple[str, ...] = ()  # patterns of files in other folders; files of JSON lines must have one of the words
    insists: tuple[str, ...] = ()  # suffixes of files that are opened when the caller named them
    variables: tuple[str, ...] = ()  # environment variables; one is set, or one of the homes exists
    homes: tuple[str, ...] = ()  # paths below the home folder, or below a base (see _bases)

    def __post_init__(self) -> None:
        _EVERY_WORD.update(self.words)

    def may_be_store(self, path: Path) -> bool:
        """Return whether the file or folder at `path` may be a store. Raises OSError when it cannot be read."""
        known = _KNOWN.get() or Looks()
        if known.is_folder(path):
            if path.name in self.folders:
                return True
            return any(self._says(found, known) for pattern in self.inside for found in known.inside(path, pattern))
        return path.name.endswith(self.files) and path.name.startswith(self.begins) and self._says(path, known)

    def may_be_named(self, path: Path) -> bool:
        """Return whether a file that the caller named explicitly, and that no loader recognised, may be a store."""
        return path.name.endswith(self.insists)

    def may_be_on_machine(self, environ: Mapping[str, str], home: Path) -> bool:
        """Return whether this machine may have a store of the agent, judged by environment variables and existing
        folders.
        """
        if any(environ.get(name) for name in self.variables):
            return True
        return any(os.path.lexists(path) for path in self._places(environ, home))

    def closed_places(self, environ: Mapping[str, str], home: Path) -> list[str]:
        """Return the files and folders of the agent on this machine that exist and may not be read."""
        return [place for place in self._places(environ, home) if _is_closed(place)]

    def _places(self, environ: Mapping[str, str], home: Path) -> Iterator[str]:
        for place in self.homes:
            base, slash, below = place.partition("/")
            if base.startswith("$"):
                yield from (f"{each}{slash}{below}" for each in _bases(base, environ, home))
            else:
                yield f"{home}/{place}"

    def _says(self, path: Path, known: Looks) -> bool:
        if not self.words or not path.name.endswith(JSONL):
            return True
        try:
            words = known.words(path)
        except OSError:
            return False
        return words is None or not words.isdisjoint(self.words)


class Looks:
    """A cache of facts about files and folders while stores are searched, so that all loaders together look at each
    once.
    """

    def __init__(self) -> None:
        self._words: dict[str, frozenset[bytes] | None] = {}
        self._folder: tuple[Path | None, bool] = (None, False)
        self._inside: tuple[Path | None, dict[str, list[Path]]] = (None, {})

    def is_folder(self, path: Path) -> bool:
        """Return whether `path` is a folder. The answer for the last path is kept, so that asking again costs
        nothing.
        """
        if self._folder[0] is not path:
            self._folder = path, path.is_dir()
        return self._folder[1]

    def inside(self, folder: Path, pattern: str) -> list[Path]:
        """Return the paths in `folder` that match a pattern. The answers for the last folder are kept, so that asking
        again costs nothing.
        """
        if self._inside[0] is not folder:
            self._inside = folder, {}
        found = self._inside[1]
        if pattern not in found:
            found[pattern] = list(folder.glob(pattern))
        return found[pattern]

    def words(self, path: Path) -> frozenset[bytes] | None:
        """Return the words that the hints of any loader look for and that the beginning of a file holds; None for a
        file in UTF-16, in which they are not looked for. Raises OSError when the file cannot be read.
        """
        key = str(path)
        if key not in self._words:
            self._words[key] = _words_in(path)
        return self._words[key]


@contextmanager
def looking_once() -> Iterator[None]:
    """A context manager within which the hints of all loaders share what they know of a path."""
    token = _KNOWN.set(Looks())
    try:
        yield
    finally:
        _KNOWN.reset(token)


_KNOWN: ContextVar[Looks | None] = ContextVar("looks", default=None)


def _words_in(path: Path) -> frozenset[bytes] | None:
    found: set[bytes] = set()
    before = b""
    for block in head_blocks(path):
        if not before and block.startswith(UTF16):
            return None
        text = before + block
        found.update([word for word in _EVERY_WORD if word in text])
        before = block[-_LONGEST_WORD:]
    return _SHARED.setdefault(frozenset(found), frozenset(found))


def _is_closed(path: str) -> bool:
    try:
        os.scandir(path).close()
    except PermissionError:
        return True
    except OSError:  # it is a file, which may be a database and is not opened to find out, or it is not there
        return os.path.isfile(path) and not os.access(path, os.R_OK)  # noqa: PTH113
    return False


def _bases(name: str, environ: Mapping[str, str], home: Path) -> Iterable[str]:
    """Return the folders that `name` stands for on any system: $data, $config, or $above (the working folder and the
    folders above it). Raises ValueError for any other name.
    """
    library = f"{home}/Library/Application Support"
    windows = [environ[each] for each in ("LOCALAPPDATA", "APPDATA") if environ.get(each)]
    if name == "$data":
        return (environ.get("XDG_DATA_HOME") or f"{home}/.local/share", library, *windows)
    if name == "$config":
        return (environ.get("XDG_CONFIG_HOME") or f"{home}/.config", library, *windows)
    if name == "$above":
        return (*map(str, folders_above(environ, home)), str(home))
    raise ValueError(name)
