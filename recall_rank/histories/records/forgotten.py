"""The list of forgotten sessions, which are never read again: on each line of a private file in the cache folder the
digest of one session id, the day and the agent where they were told, and the digest of the session itself, which is
what other machines are told. Where another session had the id, the line begins with the digest of the session and ends
with that of the id. The ids themselves are not kept: an id can be a file name that quotes the first prompt.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from recall_rank.histories.records.left_out import link_digest, session_digest
from recall_rank.histories.user_files import is_missing
from recall_rank.index.errors import MissingIndexError, UnusableIndexError
from recall_rank.index.storage.folder import Folder, read_at
from recall_rank.model.option_errors import error_text

FORGOTTEN: Final = "forgotten"  # the file of the list, in the cache folder
LARGEST: Final = 1 << 24  # bytes of the list
LEAST: Final = 8  # digits of a digest that may stand for it
_AGENT: Final = r"[a-z0-9][a-z0-9._-]{0,39}"
_LINE: Final = re.compile(
    rf"blake2b:([0-9a-f]{{32}})(?: ([0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}})(?: ({_AGENT}))?)?(?: session:([0-9a-f]{{32}}))?"
    r"(?: id:([0-9a-f]{32}))?"
)


@dataclass(frozen=True, slots=True)
class ForgottenSession:
    """An entry of the list: the digest of a session's id, the day it was forgotten (UTC), its agent, and the digest of
    the session itself; "" for what was not told. Where another session had the id, the first digest is of the session,
    too, and the last one is that of the id.
    """

    digest: str
    day: str = ""
    agent: str = ""
    named: str = ""
    shared_id: str = ""

    @property
    def id_digest(self) -> str:
        """The digest of the session's id."""
        return self.shared_id or self.digest

    @property
    def line(self) -> str:
        named = f"session:{self.named}" if self.named else ""
        shared = f"id:{self.shared_id}" if self.shared_id else ""
        agent = self.agent if self.day else ""
        return " ".join(filter(None, (f"blake2b:{self.digest}", self.day, agent, named, shared)))


class UnreadableListError(OSError):
    """A list of forgotten sessions cannot be read, or it cannot be told that there is none. It never counts as empty:
    what it may name would be kept, shown or sent.
    """


def forgotten(cache: Path) -> frozenset[str]:
    """Return the digests by which sessions are left out here; empty when there is no list. Raises
    UnreadableListError.
    """
    return frozenset(each.digest for each in forgotten_sessions(cache))


def forgotten_ids(cache: Path) -> frozenset[str]:
    """Return the digests of the ids of all forgotten sessions, for what is known by an id alone: it may be of one of
    them even where another session has the id. Raises UnreadableListError.
    """
    return frozenset(each.id_digest for each in forgotten_sessions(cache))


def forgotten_elsewhere(cache: Path) -> frozenset[str]:
    """Return the digests that tell other machines what was forgotten here: of each session itself and of links to it,
    of its id where no more is known. Raises UnreadableListError.
    """
    found = set[str]()
    for each in forgotten_sessions(cache):
        found |= {each.named, link_digest(each.id_digest)} if each.named else {each.digest}
    return frozenset(found)


def forgotten_sessions(cache: Path) -> list[ForgottenSession]:
    """Return the list of forgotten sessions, in the order in which they were forgotten. Raises UnreadableListError."""
    try:
        with Folder(cache) as folder:
            return _entries(folder)
    except (OSError, UnusableIndexError, UnicodeDecodeError) as error:
        if is_missing(cache / FORGOTTEN):
            return []
        told = f"the list of forgotten sessions in {cache} cannot be read: {error_text(error)}"
        raise UnreadableListError(told) from error


def list_state(cache: Path) -> tuple[int, int, int] | None:
    """Inode, size and modification time of the list of forgotten sessions, which differ after each change; None when
    there is no list. The list is not read.
    """
    with suppress(OSError):
        found = os.stat(cache / FORGOTTEN, follow_symlinks=False)  # noqa: PTH116 - asked before every search
        return found.st_ino, found.st_size, found.st_mtime_ns
    return None


def forget(
    cache: Path, session_id: str, *, day: str = "", agent: str = "", named: str = "", alone: bool = True
) -> None:
    """Add a session id to the list of forgotten sessions, with the day, the agent and the digest `named` of the session
    itself, and make the list durable. Unless the session is `alone` in having the id, other sessions with it stay.

    Raises ValueError for an id that is empty or has several lines. Raises OSError when the list cannot be written; the
    list is then unchanged.
    """
    if "\n" in session_id or not session_id:
        raise ValueError(f"session_id must be one line of text, not {session_id!r}")
    with Folder.create(cache) as folder:
        known = _entries(folder)
        of_id = session_digest(session_id)
        new = of_id if alone or not named else named
        if all(each.digest != new for each in known):
            agent = agent if re.fullmatch(_AGENT, agent) else ""
            _write(folder, [*known, ForgottenSession(new, day, agent, named, "" if new == of_id else of_id)])


def take_back(cache: Path, wanted: str) -> ForgottenSession | None:
    """Take a session off the list of forgotten sessions, so that it is read again, and return what the list had of it.

    `wanted` is the whole id of the session, also followed by @ and its machine, or the beginning of its digest, LEAST
    digits or more. None when nothing on the list, or more than one entry, is meant: no machine is on the list. Raises
    OSError when the list cannot be read or written.
    """
    ids = [wanted, *(wanted[:at] for at, letter in enumerate(wanted) if letter == "@")]
    digests = [session_digest(each) for each in ids]
    try:
        with Folder(cache) as folder:
            known = _entries(folder)
            meant = [each for each in known if each.id_digest in digests]
            if not meant and len(wanted) >= LEAST:
                meant = [each for each in known if each.digest.startswith(wanted)]
            if len(meant) != 1:
                return None
            _write(folder, [each for each in known if each != meant[0]])
            return meant[0]
    except MissingIndexError:
        return None


def _write(folder: Folder, entries: list[ForgottenSession]) -> None:
    """Replace the list by one rename."""
    data = "".join(f"{each.line}\n" for each in entries).encode()

    def fill(descriptor: int) -> bytes:
        view = memoryview(data)
        while view:
            view = view[os.write(descriptor, view) :]
        os.fsync(descriptor)
        return b""

    temporary, _, _ = folder.write(fill)
    folder.replace(temporary, FORGOTTEN)
    folder.sync()


def _entries(folder: Folder) -> list[ForgottenSession]:
    """Return the entries of the list of forgotten sessions. A line that is none counts as a session's id, of which the
    digest is returned.
    """
    try:
        descriptor = folder.open(FORGOTTEN)
    except FileNotFoundError:
        return []
    try:
        data = read_at(descriptor, LARGEST + 1, 0)
    finally:
        os.close(descriptor)
    if len(data) > LARGEST:
        raise OSError(f"it has more than {LARGEST:,} bytes")
    known: dict[str, ForgottenSession] = {}
    for line in data.decode("utf-8", "surrogatepass").splitlines():
        found = _LINE.fullmatch(line)
        entry = ForgottenSession(*found.groups(default="")) if found else ForgottenSession(session_digest(line))
        if line:
            known.setdefault(entry.digest, entry)
    return list(known.values())
