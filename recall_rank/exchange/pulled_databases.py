"""The databases of a pulled copy: only their tables with sessions are kept, since agents keep keys in the others."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Final, Self

from recall_rank.index.storage.folder import Folder
from recall_rank.loaders.sqlite.copied_tables import copy_tables

STAGED: Final = "transfer"  # the folder beside a copy for databases as they come; removed before a pull ends
LISTED: Final = "databases"  # the file beside a copy with the sizes and times of its databases on their machine
_DAMAGED: Final = b"damaged"  # stands in that file in place of a listing, and equals none
LOG: Final = "-wal"  # behind the name of a database: its write-ahead log

_CURSOR: Final = {
    "cursorDiskKV": "key >= 'composerData:' AND key < 'composerData;' OR key >= 'bubbleId:' AND key < 'bubbleId;'",
    "ItemTable": "key = 'composer.composerData'",
}
_OPENCODE: Final = dict.fromkeys(("session", "message", "part", "session_message", "project"), "")
_CODEX: Final = dict.fromkeys(("threads", "thread_spawn_edges"), "")
_TALK: Final = dict.fromkeys(("sessions", "messages", "schema_version"), "")
_DATA: Final = ("/.local/share", "/Library/Application Support", "/AppData/Local", "/AppData/Roaming")
_GOOSE: Final = ("goose", "Block/goose/data", "Block.goose")
_CONFIG: Final = ("/.config", "/Library/Application Support", "/AppData/Roaming")

# Columns of Goose that are not read here: settings of extensions with their environment, and values given to recipes.
_EMPTY: Final = ("extension_data", "recipe_json", "user_recipe_values_json")

# The databases of agents below a home folder, as patterns of rsync, and their tables that are read here, as
# copy_tables() takes them.
DATABASES: Final[Mapping[str, Mapping[str, str]]] = {
    "/.codex/state_*.sqlite": _CODEX,
    **{
        f"{base}/{place}state.db": _TALK
        for base in ("/.hermes", "/AppData/Local/hermes")
        for place in ("", "profiles/*/")
    },
    **{f"/.memo-agent/{place}sessions.db": _TALK for place in ("", "profiles/*/")},
    **{
        f"{base}/Cursor/User/{place}/state.vscdb": _CURSOR
        for base in _CONFIG
        for place in ("globalStorage", "workspaceStorage/*")
    },
    **{f"{base}/opencode/opencode*.db": _OPENCODE for base in _DATA},
    **{f"{base}/{folder}/sessions/sessions.db": _TALK for base in _DATA for folder in _GOOSE},
}


class PulledDatabases:
    """The databases of one copy while it is pulled. Inside `with`, `staged` is an empty folder for them; it is removed
    at the end, and one that a killed pull has left at the beginning.
    """

    def __init__(self, home: Path) -> None:
        self._home = home
        self.staged = home.parent / STAGED
        self.damaged: list[str] = []

    def __enter__(self) -> Self:
        remove_staged(self._home)
        Folder.create(self.staged).close()
        return self

    def __exit__(self, *_: object) -> None:
        remove_staged(self._home)

    def are_listed(self, listing: bytes) -> bool:
        """Return whether a listing of the databases there is that of the last pull that put all of them in place."""
        try:
            return (self._home.parent / LISTED).read_bytes() == listing
        except FileNotFoundError:
            return False

    def clean(self) -> None:
        """Make a database with nothing but sessions of each staged one; `damaged` tells those that cannot be read."""
        for path, tables in _found(self.staged):
            try:
                copy_tables(path, _clean(path), tables, _EMPTY)
            except OSError as error:
                _clean(path).unlink(missing_ok=True)
                self.damaged.append(f"{path.relative_to(self.staged)}: {error.strerror}")

    def put(self, listing: bytes, *, complete: bool) -> None:
        """Put the clean databases in place. If the transfer was `complete`, those that are gone there are deleted here,
        and `listing` is noted unless a database was damaged, so that the next pull tries again. Those that came here
        before listings were noted, with all that was in them, go.
        """
        there = {self._home / path.relative_to(self.staged): _clean(path) for path, _ in _found(self.staged)}
        known = (self._home.parent / LISTED).exists()
        for path in [path for path, _ in _found(self._home)]:
            if (complete and path not in there) or not known:
                _log(path).unlink(missing_ok=True)
                path.unlink()
        for path, clean in there.items():
            if clean.exists():
                for folder in reversed([each for each in path.parents if each.is_relative_to(self._home)]):
                    folder.mkdir(mode=0o700, exist_ok=True)
                clean.chmod(0o600)
                clean.replace(path)
        if complete:
            with Folder(self._home.parent) as beside:
                beside.put(LISTED, _DAMAGED if self.damaged else listing)


def remove_staged(home: Path) -> None:
    """Remove what a pull of the copy in `home` has left of its transfer of databases."""
    staged = home.parent / STAGED
    if staged.is_dir() and not staged.is_symlink():
        shutil.rmtree(staged)


def is_database(line: bytes) -> bool:
    """Return whether a line of rsync's listing names a database, or the log of one."""
    name = os.fsdecode(line.split(maxsplit=4)[4]).removesuffix(LOG)
    return any(PurePosixPath("/" + name).match(pattern) for pattern in DATABASES)


def _found(folder: Path) -> Iterator[tuple[Path, Mapping[str, str]]]:
    for pattern, tables in DATABASES.items():
        for path in folder.glob(pattern.removeprefix("/")):
            if path.is_file() and not path.is_symlink():
                yield path, tables


def _clean(staged: Path) -> Path:
    return staged.with_name(staged.name + ".sessions")


def _log(database: Path) -> Path:
    return database.with_name(database.name + LOG)
