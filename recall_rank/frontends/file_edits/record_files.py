"""Private records of what was there before an edit: small JSON files in this user's folder of recall_rank for state."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Final

from recall_rank.frontends.file_edits.project_files import EditError
from recall_rank.histories.cache.location import user_folder
from recall_rank.index.errors import MissingIndexError, UnusableIndexError
from recall_rank.index.storage.folder import Folder

_LARGEST: Final = 1 << 20  # bytes of a record


class RecordError(ValueError):
    """A record is there and cannot be read. `path` is its file; the message is one line for a person."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"{path}, is {reason}")
        self.path = path


def record_folder(kind: str) -> Path | None:
    """Return the folder of the records of a kind, which need not exist; None without a home folder."""
    state = user_folder("XDG_STATE_HOME", ".local/state", "user_state_path")
    return None if state is None else state / kind


def record_names(kind: str) -> list[str]:
    """Return the file names of the records of a kind, sorted; none when the folder cannot be read."""
    folder = record_folder(kind)
    try:
        names = sorted(os.listdir(folder)) if folder is not None else []  # noqa: PTH208
    except OSError:
        return []
    return [name for name in names if name.endswith(".json")]


def read_record_file(kind: str, name: str) -> Any:
    """Return the JSON value of a record, None for a record that is not there. Raises RecordError."""
    folder = record_folder(kind)
    if folder is None:
        return None
    try:
        with Folder(folder) as opened:
            descriptor = opened.open(name)
        with os.fdopen(descriptor, "rb") as file:
            return json.loads(file.read(_LARGEST).decode("utf-8", "surrogatepass"))
    except (FileNotFoundError, MissingIndexError):
        return None
    except (OSError, UnusableIndexError, ValueError, RecursionError) as error:
        kind = "not private to you" if isinstance(error, UnusableIndexError) else "damaged"
        raise RecordError(folder / name, kind) from error


def write_record_file(kind: str, name: str, value: Any) -> None:
    """Write a record, replacing the one of this name by one rename. Raises EditError without a home folder, else
    OSError.
    """
    folder = record_folder(kind)
    if folder is None:
        raise EditError("there is no home folder in which to record what was there before")
    data = json.dumps(value, indent=1).encode("utf-8", "surrogatepass")

    def fill(descriptor: int) -> bytes:
        view = memoryview(data)
        while view:
            view = view[os.write(descriptor, view) :]
        os.fsync(descriptor)
        return b""

    Folder.create(folder.parent).close()
    with Folder.create(folder) as opened:
        temporary, _, _ = opened.write(fill)
        opened.replace(temporary, name)
        opened.sync()


def remove_record_file(kind: str, name: str) -> None:
    """Remove a record, if it is there. Raises OSError."""
    folder = record_folder(kind)
    if folder is None:
        return
    try:
        with Folder(folder) as opened:
            opened.unlink(name)
    except (FileNotFoundError, MissingIndexError):
        return
