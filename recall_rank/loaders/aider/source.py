"""aider: one Markdown file for each repository, .aider.chat.history.md, holds all its chats.

Implemented from aider's source code and compared with published files; not checked against a store of our own.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from recall_rank.loaders.aider.chats import AGENT, HEADER, chats
from recall_rank.loaders.files.blocks import read_blocks
from recall_rank.loaders.files.regular_files import file_signature, open_file, read_small
from recall_rank.loaders.files.text_lines import TextLines
from recall_rank.loaders.malformed import bounded_malformed
from recall_rank.loaders.projects.working_folder import folders_above
from recall_rank.loaders.store_places import resolve_store
from recall_rank.model import BaseSource, Malformed, Reading, Source, Unit

NAME = AGENT
FILE = ".aider.chat.history.md"
SUFFIX = ".md"
HEAD = 4096  # bytes by which a file is recognised


class Aider(BaseSource):
    """A source for one history file, which is read as one unit."""

    def __init__(self, path: Path, name: str | None = None) -> None:
        self.name = name or NAME
        self.location = str(path)
        self._path = resolve_store(path)

    def units(self) -> Iterable[Unit]:
        return [Unit(self._path.name, self.location)]

    def signature(self, unit: Unit) -> bytes:
        return file_signature(self._path)

    def read(self, unit: Unit, since: bytes | None = None) -> Reading:
        # A file with aider's name is in the repository of its chats; for any other file the repository is unknown.
        directory = str(self._path.parent) if self._path.name == FILE else None
        problems: list[tuple[int, str]] = []
        with open_file(self._path, self._path.parent) as file:
            lines = TextLines(read_blocks(file))
            sessions = chats(lines, directory, self.name, problems)
        found = [Malformed(self.location, f"line {line}", reason) for line, reason in lines.problems + problems]
        return Reading(sessions, bounded_malformed(found))


# --- recognition -----------------------------------------------------------------------------------


def recognise(path: Path) -> Source | None:
    """Return a source for a file with the name of aider's history file; None for any other path."""
    return Aider(path) if path.name == FILE and path.is_file() else None


def named(path: Path) -> Source | None:
    """Return a source for a file with any name whose content begins with an aider chat; None for any other file."""
    if not path.name.endswith(SUFFIX) or not path.is_file():
        return None
    try:
        head = read_small(path, limit=HEAD)[0].decode("utf-8", "replace")
    except OSError:
        return None
    return Aider(path) if any(HEADER.fullmatch(line.rstrip("\r")) for line in head.split("\n")) else None


def stores(environ: Mapping[str, str], home: Path) -> Iterable[Source]:
    """Yield a source for each of aider's history files that exists: the one that $AIDER_CHAT_HISTORY_FILE names, those
    in the working folder and in the folders above it, and the one in the home folder.
    """
    configured = environ.get("AIDER_CHAT_HISTORY_FILE")
    paths = [Path(configured)] if configured and Path(configured).is_absolute() else []
    paths += [folder / (configured or FILE) for folder in [*folders_above(environ, home), home]]
    seen = set()
    for path in paths:
        real = os.path.realpath(path)
        if real not in seen and path.is_file():
            seen.add(real)
            yield Aider(path)
