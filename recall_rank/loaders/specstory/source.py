"""SpecStory: sessions of other agents, exported to .specstory/history in the project, one Markdown page for each
session.

Implemented from SpecStory's documented format and compared with published pages; not checked against a store of our
own.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from recall_rank.loaders.files.blocks import read_blocks
from recall_rank.loaders.files.regular_files import open_file, read_small
from recall_rank.loaders.files.session_files import SessionFiles
from recall_rank.loaders.files.text_lines import TextLines
from recall_rank.loaders.malformed import bounded_malformed
from recall_rank.loaders.projects.working_folder import folders_above
from recall_rank.loaders.specstory.page import AGENT, SESSION, TURN, Page
from recall_rank.model import Malformed, Reading, Source, Unit

NAME = AGENT
HOME = ".specstory"
FOLDER = "history"
SUFFIX = ".md"
HEAD = 4096  # bytes by which a file is recognised
PEEKED = 20  # files of a folder, to tell whether they are exports


class SpecStory(SessionFiles):
    """A source for a folder of exported pages, or for one page. Each page is one unit, read on its own."""

    def __init__(self, path: Path, name: str | None = None) -> None:
        super().__init__(path, name or NAME)

    @staticmethod
    def wanted(name: str) -> bool:
        return name.endswith(SUFFIX)

    def read(self, unit: Unit, since: bytes | None = None) -> Reading:
        path = self.path_of(unit)
        project = next((above.parent for above in path.parents if above.name == HOME), None)
        with open_file(path, self._root) as file:
            lines = TextLines(read_blocks(file))
            page = Page(lines, path.stem)
        sessions = page.sessions(str(project) if project else None, self.name)
        malformed = [
            Malformed(unit.location, f"line {line}", problem) for line, problem in lines.problems + page.problems
        ]
        return Reading(sessions, bounded_malformed(malformed))


# --- recognition -----------------------------------------------------------------------------------


def recognise(path: Path) -> Source | None:
    """Return a source for an exported page, the folder of such pages, or the .specstory folder of a project; None for
    any other path.
    """
    if path.is_file():
        return SpecStory(path) if path.name.endswith(SUFFIX) and _wrote(path) else None
    if path.name == HOME and (path / FOLDER).is_dir():
        return SpecStory(path / FOLDER)
    return SpecStory(path) if path.name == FOLDER and _holds_pages(path) else None


def _holds_pages(folder: Path) -> bool:
    return any(map(_wrote, sorted(folder.glob(f"*{SUFFIX}"))[:PEEKED]))


def _wrote(path: Path) -> bool:
    """Return whether the beginning of the page has marks that only SpecStory writes, and not only a matching file
    name.
    """
    try:
        lines = [line.rstrip("\r") for line in read_small(path, limit=HEAD)[0].decode("utf-8", "replace").split("\n")]
    except OSError:
        return False
    ours = any("SpecStory" in line and line.startswith(("<!--", "#")) for line in lines)
    return ours and any(SESSION.fullmatch(line) or TURN.fullmatch(line) for line in lines)


def stores(environ: Mapping[str, str], home: Path) -> Iterable[Source]:
    """Yield a source for each folder of exported pages in the working folder, in the folders above it up to the home
    folder, and in the home folder.
    """
    seen = set()
    for folder in [*folders_above(environ, home), home]:
        history = folder / HOME / FOLDER
        real = os.path.realpath(history)
        if real not in seen and history.is_dir():
            seen.add(real)
            yield SpecStory(history)
