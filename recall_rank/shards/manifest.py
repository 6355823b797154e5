"""The file that names the shards below a folder, which `recall-rank build` writes and Shards.open() reads."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import orjson

from recall_rank.index.errors import IndexFormatError, MissingIndexError
from recall_rank.index.storage.folder import Folder

NAME: Final = "shards.json"
FORMAT: Final = 1


@dataclass(frozen=True, slots=True)
class ListedShard:
    """A shard: its name, its folder below that of the manifest, and what it holds."""

    name: str
    folder: str
    sessions: int
    parts: int


def read_manifest(folder: str | os.PathLike[str]) -> list[ListedShard]:
    """Return the shards below a folder. Raises MissingIndexError where no manifest is, and IndexFormatError for one
    that cannot be read.
    """
    path = Path(folder) / NAME
    try:
        data = path.read_bytes()
    except FileNotFoundError as error:
        raise MissingIndexError(error.errno, f"no {NAME}, which recall-rank build writes", str(folder)) from None
    try:
        return _shards_of(orjson.loads(data))
    except (ValueError, TypeError, KeyError) as error:
        raise IndexFormatError(f"{path} is no list of shards: {error}") from error


def _shards_of(told: dict[str, Any]) -> list[ListedShard]:
    if told["format"] != FORMAT:
        raise ValueError(f"its format is {told['format']!r}, not {FORMAT}")
    found = [_listed(each) for each in told["shards"]]
    if not found:
        raise ValueError("it names none")
    return found


def _listed(told: dict[str, Any]) -> ListedShard:
    folder = str(told["folder"])
    if folder != Path(folder).name or folder in (".", ".."):
        raise ValueError(f"the folder {folder!r} is not below it")
    return ListedShard(str(told["name"]), folder, int(told["sessions"]), int(told["parts"]))


def write_manifest(folder: str | Path, shards: Sequence[ListedShard]) -> None:
    """Make `shards` those of a folder: a reader finds the earlier manifest or this one. Raises OSError."""
    rows = [{"name": s.name, "folder": s.folder, "sessions": s.sessions, "parts": s.parts} for s in shards]
    told = {"format": FORMAT, "shards": rows}
    with Folder.create(folder) as opened:
        opened.put(NAME, orjson.dumps(told, option=orjson.OPT_INDENT_2))
