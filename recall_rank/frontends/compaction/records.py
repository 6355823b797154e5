"""Records of what was in a project before `compact on`: a private file for each project, outside of it.

It holds digests of contents and the project's path, no text of the project's files.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from recall_rank.frontends.file_edits.project_files import EditError
from recall_rank.frontends.file_edits.record_files import (
    RecordError,
    read_record_file,
    record_folder,
    record_names,
    remove_record_file,
    write_record_file,
)
from recall_rank.model.option_errors import error_text

RECORDS: Final = "compaction"  # the folder of the records, in this user's folder of recall_rank for state
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
    try:
        return _read(_name(project)), ""
    except EditError as error:
        return None, error_text(error)


def is_recorded(project: Path) -> bool:
    """Return whether `compact on` was run for a project on this machine. Files of a project alone turn nothing on:
    anybody who writes to its repository could put them there.
    """
    return read_record(project)[0] is not None


def write_record(record: ProjectRecord) -> None:
    """Record a project, replacing what was recorded. Raises EditError without a home folder, else OSError."""
    write_record_file(RECORDS, _name(Path(record.project)), {"version": _VERSION, **asdict(record)})


def remove_record(project: Path) -> None:
    """Remove what was recorded for a project, if anything was. Raises OSError."""
    remove_record_file(RECORDS, _name(project))


def recorded_projects() -> Iterator[Path]:
    """Yield the folders of the projects that are recorded and still there."""
    for name in record_names(RECORDS):
        try:
            record = _read(name)
        except EditError:
            continue
        if record is not None and Path(record.project).is_dir():
            yield Path(record.project)


def _name(project: Path) -> str:
    return f"{hashlib.sha256(os.fsencode(project)).hexdigest()[:32]}.json"


def _read(name: str) -> ProjectRecord | None:
    try:
        found = read_record_file(RECORDS, name)
        return None if found is None else _checked(found)
    except RecordError as error:
        raise EditError(f"the record of the project, {error} and not used") from error
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        where = (record_folder(RECORDS) or Path()) / name
        raise EditError(f"the record of the project, {where}, is damaged and not used") from error


def _checked(given: Any) -> ProjectRecord:
    if given["version"] != _VERSION:
        raise ValueError("another version of recall-rank wrote it")
    edits = {name: EditRecord(**{**edit, "made": tuple(edit["made"])}) for name, edit in given["edits"].items()}
    return ProjectRecord(str(given["project"]), bool(given["folder_made"]), edits)
