"""The hits of the last search of each terminal, so that later commands can name them by their numbers.

Each terminal has a private file in this user's folder of recall_rank for state. It holds ids, the words of the query
and the histories that were named, and no recalled text. It counts for DAYS and is then removed. A session that is
forgotten leaves every such file.
"""

from __future__ import annotations

import hashlib
import os
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final

from recall_rank.frontends.file_edits.record_files import (
    RecordError,
    read_record_file,
    record_folder,
    record_names,
    remove_record_file,
    write_record_file,
)

KIND: Final = "last-searches"  # the folder of the files
DAYS: Final = 7
MOST: Final = 999  # the last number: a longer one is the beginning of an id
_DAY_MS: Final = 86_400_000
_VERSION: Final = 2


@dataclass(frozen=True, slots=True)
class ShownHit:
    """The ids of one hit: that of the session as named_id() gives it; message and part are "" in a list of sessions."""

    session_id: str
    message_id: str = ""
    part_id: str = ""


@dataclass(frozen=True, slots=True)
class LastSearch:
    """The hits that the last search of a terminal showed. `hits[0]` has the number `first`; a hit of a forgotten
    session is None. `histories` and `cache` are those of the command.
    """

    first: int
    hits: tuple[ShownHit | None, ...]
    query: str = ""
    match: str = "smart"
    histories: tuple[str, ...] = ()
    cache: str | None = None
    time: int = 0  # epoch milliseconds


def terminal_name() -> str | None:
    """Return the name of this terminal's file: a digest of the device and of the process that leads its session, with
    the time at which that began. None when neither stdin, stdout nor stderr is a terminal, and on Windows.
    """
    if not hasattr(os, "ttyname"):
        return None
    for descriptor in (2, 0, 1):
        with suppress(OSError):
            device, leader = os.ttyname(descriptor), os.getsid(0)
            known = f"{device}\0{leader}\0{_began(leader)}"
            return f"{hashlib.sha256(known.encode()).hexdigest()[:32]}.json"
    return None


def remember(search: LastSearch) -> None:
    """Keep a search as the last one of this terminal, if there is one, and remove the files that no longer count.

    Raises OSError when the file cannot be written, also where there is no home folder for it.
    """
    name = terminal_name()
    if name is None:
        return
    if record_folder(KIND) is None:
        raise OSError("there is no home folder")
    now = _now()
    for other in record_names(KIND):
        if other != name and _usable(other, now) is None:
            remove_record_file(KIND, other)
    first = search.first
    kept = search.hits[: max(0, MOST - first + 1)]
    write_record_file(KIND, name, {"version": _VERSION, **asdict(replace(search, hits=kept, time=now))})


def last_search() -> LastSearch | None:
    """Return the last search of this terminal; None when there was none in the last days, or no terminal."""
    name = terminal_name()
    return None if name is None else _usable(name, _now())


def drop_last_search() -> None:
    """Remove the file of this terminal, as after a search that may leave no trace. Raises OSError."""
    name = terminal_name()
    if name is not None:
        remove_record_file(KIND, name)


def forget_in_searches(session_id: str) -> None:
    """Take a session, named as in ShownHit, out of the files of all terminals, and the query of each search that had
    found it. A file that cannot be read is removed. Raises OSError.
    """
    _change_all(lambda search: _without(search, session_id))


def remove_searches() -> int:
    """Remove the files of all terminals; return how many there were. Raises OSError."""
    names = record_names(KIND)
    for name in names:
        remove_record_file(KIND, name)
    return len(names)


def absolute_histories(histories: Sequence[str]) -> tuple[str, ...]:
    """Return what --history names so that it means the same thing in every folder: a path that is there is made
    absolute, the name of an agent and "demo" stay.
    """
    return tuple(
        str(path.absolute()) if history != "demo" and (path := Path(history).expanduser()).exists() else history
        for history in histories
    )


def _without(search: LastSearch, session_id: str) -> LastSearch:
    left = tuple(None if hit is None or hit.session_id == session_id else hit for hit in search.hits)
    return search if left == search.hits else replace(search, hits=left, query="")


def _change_all(change: Callable[[LastSearch], LastSearch]) -> None:
    for name in record_names(KIND):
        found = _usable(name, 0)
        if found is None:
            remove_record_file(KIND, name)
        elif (changed := change(found)) != found:
            write_record_file(KIND, name, {"version": _VERSION, **asdict(changed)})


def _usable(name: str, now: int) -> LastSearch | None:
    """Return what a file holds; None when it is not there, cannot be used, or is older than DAYS at `now`."""
    try:
        found = _read(read_record_file(KIND, name))
    except (RecordError, ValueError, TypeError, KeyError, AttributeError):
        return None  # it is of another version, damaged, or not private: nothing in it is worth an error
    return found if found is not None and now - found.time < DAYS * _DAY_MS else None


def _read(data: Any) -> LastSearch | None:
    if data is None or data["version"] != _VERSION:
        return None
    hits = tuple(
        None if hit is None else ShownHit(**{key: str(value) for key, value in hit.items()}) for hit in data["hits"]
    )
    histories = tuple(str(each) for each in data["histories"])
    cache = None if data["cache"] is None else str(data["cache"])
    return LastSearch(
        int(data["first"]), hits, str(data["query"]), str(data["match"]), histories, cache, int(data["time"])
    )


def _now() -> int:
    return int(time.time() * 1000)


def _began(process: int) -> str:
    """Return the time at which a process began, in ticks since the start of the machine; "" where that is not known."""
    if sys.platform == "linux":
        with suppress(OSError):
            return (
                Path(f"/proc/{process}/stat")
                .read_text(encoding="utf-8", errors="replace")
                .rpartition(")")[2]
                .split()[19]
            )
    return ""
