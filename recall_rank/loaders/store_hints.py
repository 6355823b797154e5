"""What tells from outside, without the loader itself, that something may be one agent's: names, places, first bytes.

Importing a loader takes as long as a tenth of a search, and hardly anybody has the stores of every agent.
"""

from __future__ import annotations

import codecs
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from recall_rank.loaders.files.regular_files import BLOCK, read_small
from recall_rank.loaders.projects.working_folder import folders_above

UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)

JSONL = ".jsonl"


@dataclass(frozen=True, slots=True)
class StoreHints:
    """Conditions without which nothing is recognised. That they hold says little; the loader decides."""

    files: tuple[str, ...] = ()  # how the name of a file ends
    begins: str = ""  # how the name of a file begins
    words: tuple[bytes, ...] = ()  # one of these stands in the beginning of a file of JSON lines
    folders: tuple[str, ...] = ()  # the name of a folder that is recognised by it
    inside: tuple[str, ...] = ()  # patterns of what lies in any other; a file of JSON lines has one of the words, too
    insists: tuple[str, ...] = ()  # how the name of a file ends that is looked into because the caller named it
    variables: tuple[str, ...] = ()  # one of these is set, or
    homes: tuple[str, ...] = ()  # one of these is there: a path below the home, or below a base (see _bases)

    def may_be_store(self, path: Path) -> bool:
        """Whether what lies exactly there may be a store. Raises OSError for what may not be looked at."""
        if path.is_dir():
            if path.name in self.folders:
                return True
            return any(self._says(found) for pattern in self.inside for found in path.glob(pattern))
        return path.name.endswith(self.files) and path.name.startswith(self.begins) and self._says(path)

    def may_be_named(self, path: Path) -> bool:
        """Whether a file may be a store that the caller named and that nobody recognised."""
        return path.name.endswith(self.insists)

    def may_be_on_machine(self, environ: Mapping[str, str], home: Path) -> bool:
        """Whether this machine may have such a store."""
        if any(environ.get(name) for name in self.variables):
            return True
        return any(os.path.lexists(path) for path in self._places(environ, home))

    def _places(self, environ: Mapping[str, str], home: Path) -> Iterator[str]:
        for place in self.homes:
            base, slash, below = place.partition("/")
            if base.startswith("$"):
                yield from (f"{each}{slash}{below}" for each in _bases(base, environ, home))
            else:
                yield f"{home}/{place}"

    def _says(self, path: Path) -> bool:
        if not self.words or not path.name.endswith(JSONL):
            return True
        try:
            head, _ = read_small(path, limit=BLOCK)
        except OSError:
            return False
        return head.startswith(UTF16) or any(word in head for word in self.words)


def _bases(name: str, environ: Mapping[str, str], home: Path) -> Iterable[str]:
    """The folders in which programs of the sort that `name` stands for keep what is theirs, on every system."""
    library = f"{home}/Library/Application Support"
    windows = [environ[each] for each in ("LOCALAPPDATA", "APPDATA") if environ.get(each)]
    if name == "$data":
        return (environ.get("XDG_DATA_HOME") or f"{home}/.local/share", library, *windows)
    if name == "$config":
        return (environ.get("XDG_CONFIG_HOME") or f"{home}/.config", library, *windows)
    if name == "$above":
        return (*map(str, folders_above(environ, home)), str(home))
    raise ValueError(name)
