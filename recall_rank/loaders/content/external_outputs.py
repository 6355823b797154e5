"""Tool outputs too large for their record, which an agent wrote to a file in its store or in the temporary folder.

A record may name any path, so the path itself is never followed. In the folders of its own store an output is found by
its name alone. Outside of the store it is read only if it is directly in the system's temporary folder, has a name of
the form that the agent uses, is a regular file and no link, and has the transcript's owner.
"""

from __future__ import annotations

import os
import re
import tempfile
from pathlib import Path
from typing import Any

from recall_rank.loaders.files.regular_files import open_file, read_small
from recall_rank.loaders.payloads import strip_text

LIMIT = 1 << 23  # bytes of one output that are read: more takes too long in one step


class ExternalOutputs:
    """Reads large tool outputs by file name from the folders of a store; the folder that a record names is ignored."""

    def __init__(self, root: Path, folders: list[Path]) -> None:
        self._root = root
        self._folders = folders
        self._missing: list[str] = []
        self._closed: list[str] = []
        self._cut: list[str] = []

    def read(self, recorded: str) -> str | None:
        """Return the text of the output whose path was `recorded`, found by the file name in that path; None when the
        file is gone or cannot be read.
        """
        name = re.split(r"[\\/]", recorded)[-1]
        unread = self._missing
        for folder in self._folders:
            try:
                data, whole = read_small(folder / name, self._root, LIMIT)
            except (FileNotFoundError, NotADirectoryError):
                continue
            except (OSError, ValueError):
                unread = self._closed
                continue
            if not whole:
                self._cut.append(name)
            return strip_text(data.decode("utf-8", "replace"))
        unread.append(name)
        return None

    def warnings(self) -> list[str]:
        """Return one warning for each reason why outputs were not read in full."""
        found = []
        if self._missing:
            found.append(f"spilled outputs are gone, their previews are kept: {_some(self._missing)}")
        if self._closed:
            found.append(f"spilled outputs cannot be read, their previews are kept: {_some(self._closed)}")
        if self._cut:
            found.append(f"of spilled outputs only the first {LIMIT >> 20} MiB were read: {_some(self._cut)}")
        return found


class TemporaryOutputs:
    """Reads large tool outputs that an agent wrote to the system's temporary folder under names that match a
    pattern.
    """

    def __init__(self, names: re.Pattern[str], owner: int) -> None:
        self._names = names
        self._owner = owner

    def read(self, recorded: Any) -> str | None:
        """Return the text of the output at the path `recorded`; None when the file is gone or must not be read. A file
        is read only if it lies directly in the system's temporary folder, has a name that matches the pattern, is a
        regular file and belongs to the owner of the transcript.
        """
        if type(recorded) is not str or not self._names.fullmatch(name := re.split(r"[\\/]", recorded)[-1]):
            return None
        try:
            folder = Path(os.path.realpath(Path(recorded).parent))
            if not Path(recorded).is_absolute() or folder not in _temporary():
                return None
            with open_file(folder / name, folder) as file:
                if os.fstat(file.fileno()).st_uid != self._owner:
                    return None
            return strip_text(read_small(folder / name, folder, LIMIT)[0].decode("utf-8", "replace"))
        except (OSError, ValueError):
            return None


def _temporary() -> set[Path]:
    folders = [tempfile.gettempdir(), *(["/tmp"] if os.name == "posix" else [])]  # noqa: S108 - only read from
    return {Path(os.path.realpath(folder)) for folder in folders}


def _some(names: list[str]) -> str:
    more = len(names) - 1
    return names[0] + (f" and {more} more" if more else "")
