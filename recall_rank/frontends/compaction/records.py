"""Records of what was in a project before `compact on`: a private file for each project, outside of it.

It holds digests of contents and the project's path, no text of the project's files.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from recall_rank.frontends.compaction.project_files import CompactError
from recall_rank.histories.cache.location import user_folder
from recall_rank.index.errors import MissingIndexError, UnusableIndexError
from recall_rank.index.storage.folder import Folder

RECORDS: Final = "compaction"  # the folder of the records, in this user's folder of recall_rank for state
_LARGEST: Final = 1 << 16
_VERSION: Final = 1


@dataclass(frozen=True, slots=True)
class EditRecord:
    """One of the four edits: whether its file was there, whether the edit was, and digests of the file's content.

    `made` are the keys that were added to settings.json for our hooks; `before` and `after` are SHA-256 digests, "" for
    no file.
    """

    existed: bool
    added: bool
    before: str
    after: str
    made: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ProjectRecord:
    """The edits of a project by the name of their file, and whether its folder .claude had to be made."""

    project: str
    folder_made: bool = False
    edits: Mapping[str, EditRecord] = field(default_factory=dict)


def digest_of(data: bytes | None) -> str:
    """Return the digest of a content, "" for None."""
    return "" if data is None else hashlib.sha256(data).hexdigest()


def read_record(project: Path) -> tuple[ProjectRecord | None, str]:
    """Return what was recorded for a project, None when nothing was, and "" or, for a record that cannot be used, one
    line that says so.
    """
    folder = _folder()
    try:
        return (None if folder is None else _read(folder, _name(project))), ""
    except CompactError as error:
        return None, str(error)


def write_record(record: ProjectRecord) -> None:
    """Record a project, replacing what was recorded. Raises CompactError without a home folder, else OSError."""
    folder = _folder()
    if folder is None:
        raise CompactError("there is no home folder in which to record what was there before")
    data = json.dumps({"version": _VERSION, **asdict(record)}, indent=1).encode("utf-8", "surrogatepass")

    def fill(descriptor: int) -> bytes:
        view = memoryview(data)
        while view:
            view = view[os.write(descriptor, view) :]
        os.fsync(descriptor)
        return b""

    Folder.create(folder.parent).close()
    with Folder.create(folder) as opened:
        temporary, _, _ = opened.write(fill)
        opened.replace(temporary, _name(Path(record.project)))
        opened.sync()


def remove_record(project: Path) -> None:
    """Remove what was recorded for a project, if anything was. Raises OSError."""
    folder = _folder()
    if folder is None:
        return
    try:
        with Folder(folder) as opened:
            opened.unlink(_name(project))
    except FileNotFoundError:
        return


def recorded_projects() -> Iterator[Path]:
    """Yield the folders of the projects that are recorded and still there."""
    folder = _folder()
    try:
        names = sorted(os.listdir(folder)) if folder is not None else []  # noqa: PTH208
    except OSError:
        return
    for name in names:
        try:
            record = _read(folder, name) if folder is not None and name.endswith(".json") else None
        except CompactError:
            continue
        if record is not None and Path(record.project).is_dir():
            yield Path(record.project)


def _folder() -> Path | None:
    state = user_folder("XDG_STATE_HOME", ".local/state", "user_state_path")
    return None if state is None else state / RECORDS


def _name(project: Path) -> str:
    return f"{hashlib.sha256(os.fsencode(project)).hexdigest()[:32]}.json"


def _read(folder: Path, name: str) -> ProjectRecord | None:
    try:
        with Folder(folder) as opened:
            descriptor = opened.open(name)
        with os.fdopen(descriptor, "rb") as file:
            return _checked(json.loads(file.read(_LARGEST).decode("utf-8", "surrogatepass")))
    except (FileNotFoundError, MissingIndexError):
        return None
    except (OSError, UnusableIndexError, ValueError, TypeError, KeyError, AttributeError) as error:
        kind = "not private to you" if isinstance(error, UnusableIndexError) else "damaged"
        raise CompactError(f"the record of the project, {folder / name}, is {kind} and not used") from error


def _checked(given: Any) -> ProjectRecord:
    if given["version"] != _VERSION:
        raise ValueError("another version of recall-rank wrote it")
    edits = {name: EditRecord(**{**edit, "made": tuple(edit["made"])}) for name, edit in given["edits"].items()}
    return ProjectRecord(str(given["project"]), bool(given["folder_made"]), edits)
