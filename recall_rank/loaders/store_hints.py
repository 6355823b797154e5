"""Hints that tell, without importing an agent's loader, whether a path may be a store of that agent: file names,
places and first bytes.

Importing a loader takes a tenth of the time of a search, and hardly any machine has stores of all agents.
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

    def may_be_store(self, path: Path) -> bool:
        """Whether the file or folder at `path` may be a store. Raises OSError when it cannot be read."""
        if path.is_dir():
            if path.name in self.folders:
                return True
            return any(self._says(found) for pattern in self.inside for found in path.glob(pattern))
        return path.name.endswith(self.files) and path.name.startswith(self.begins) and self._says(path)

    def may_be_named(self, path: Path) -> bool:
        """Whether a file that the caller named explicitly, and that no loader recognised, may be a store."""
        return path.name.endswith(self.insists)

    def may_be_on_machine(self, environ: Mapping[str, str], home: Path) -> bool:
        """Whether this machine may have a store of the agent, judged by environment variables and existing folders."""
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
    """The folders that `name` stands for on any system: $data, $config, or $above (the working folder and the
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
