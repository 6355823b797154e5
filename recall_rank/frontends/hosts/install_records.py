"""Records of installs: for each host and place a private file that tells what was put where, by which version.

It holds digests of contents, our own entry and paths, no text of others.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from recall_rank.frontends.file_edits.project_files import EditError
from recall_rank.frontends.file_edits.record_files import (
    RecordError,
    read_record_file,
    remove_record_file,
    write_record_file,
)

_KIND: Final = "installs"
_VERSION: Final = 1


@dataclass(frozen=True, slots=True)
class FileRecord:
    """One file of an install: whether it was there before, digests of the content before and after ("" for no file),
    the keys that were added above our entry or hooks, and which of these two were there before.
    """

    existed: bool
    before: str
    after: str
    made: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class InstallRecord:
    """An install of a host in a folder: its version and program, our entry, folders that were made, files by name."""

    host: str
    folder: str
    version: str
    program: tuple[str, ...]
    entry: dict[str, Any] | None = None
    folders: tuple[str, ...] = ()
    files: Mapping[str, FileRecord] = field(default_factory=dict)


def read_install(host: str, folder: str) -> InstallRecord | None:
    """Return the record of an install, None when there is none. Raises EditError for one that cannot be read."""
    try:
        found = read_record_file(_KIND, _name(host, folder))
        return None if found is None else _checked(found)
    except RecordError as error:
        raise EditError(f"the record of the install, {error}") from error
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise EditError(f"the record of the install of {host} in {folder} cannot be read: {error}") from error


def write_install(record: InstallRecord) -> None:
    """Record an install, replacing what was recorded. Raises EditError without a home folder, else OSError."""
    write_record_file(_KIND, _name(record.host, record.folder), {"version_of_record": _VERSION, **asdict(record)})


def remove_install(host: str, folder: str) -> None:
    """Remove the record of an install, if it is there. Raises OSError."""
    remove_record_file(_KIND, _name(host, folder))


def _name(host: str, folder: str) -> str:
    of = f"{host}\0{folder}".encode("utf-8", "surrogatepass")
    return f"{hashlib.sha256(of).hexdigest()[:32]}.json"


def _checked(given: dict[str, Any]) -> InstallRecord:
    if given.pop("version_of_record") != _VERSION:
        raise ValueError("another version of recall-rank wrote it")
    files = {
        name: FileRecord(**{**each, "made": tuple(each["made"]), "kept": tuple(each.get("kept", ()))})
        for name, each in given["files"].items()
    }
    program, folders = tuple(given["program"]), tuple(given["folders"])
    return InstallRecord(**{**given, "files": files, "program": program, "folders": folders})
