"""The files NOTES.md and PROFILE.md of a folder: read them within bounds, and append notes to the first.

NOTES.md holds notes, each below its date, with lines of three dashes between them. A note is appended under a lock
of the file, so that several writers lose none, and in one write that is taken back when it is not complete. What the
file already holds is never changed.
"""

from __future__ import annotations

import os
import re
import stat
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Final

from recall_rank.frontends.display_text import escaped, unsafe_in_lines
from recall_rank.frontends.notes.note_words import is_repeated, note_words
from recall_rank.frontends.notes.scanner import scan
from recall_rank.frontends.redaction.redact import redacted

try:
    import fcntl
except ImportError:  # no such locks on this system: each write is appended whole, but may repeat a note
    fcntl = None  # type: ignore[assignment]

NOTES: Final = "NOTES.md"
PROFILE: Final = "PROFILE.md"
FILE_BYTES: Final = 1_000_000  # a file with more is refused
NOTE_CHARS: Final = 2_000  # of one note
LOCK_SECONDS: Final = 10.0
_RETRY_SECONDS: Final = 0.02
_SEPARATOR: Final = re.compile(r"^-{3,}[ \t]*$", re.MULTILINE)
_DATE_LINE: Final = re.compile(r"\A\*\d{4}-\d{2}-\d{2}\*[ \t]*\n")
_FLAGS: Final = (
    getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)


class NotesError(Exception):
    """A file of notes cannot be read or written; the message says why and quotes nothing of the file."""


@dataclass(frozen=True, slots=True)
class AppendedNotes:
    """The notes that were appended, as they stand in the file, and those that were not, each with the reason."""

    added: tuple[str, ...]
    skipped: tuple[tuple[str, str], ...]


def read_notes_file(path: Path) -> str | None:
    """Return the text of a file of notes, None when there is no file of this name.

    Raises NotesError for a symbolic link, for what is no regular file, and for a file that is larger than FILE_BYTES,
    cannot be read, or is not text in UTF-8.
    """
    try:
        descriptor = _opened(path, os.O_RDONLY)
    except FileNotFoundError:
        return None
    try:
        content = _content(descriptor)
    finally:
        os.close(descriptor)
    return _text(content).replace("\r\n", "\n").removeprefix("\ufeff")


def _text(content: bytes) -> str:
    """Return the text of a file. Raises NotesError for what is no text in UTF-8."""
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        raise NotesError("it is not text in UTF-8") from None
    if "\0" in text:
        raise NotesError("it is not text: it has null characters")
    return text


def notes_of(text: str) -> list[str]:
    """Return the notes of a file's text, oldest first, each with its date.

    Notes are divided by lines of three dashes or, in a text that has none and begins with no date, by blank lines.
    """
    divided = _SEPARATOR.search(text) or _DATE_LINE.match(text)
    pieces = _SEPARATOR.split(text) if divided else re.split(r"\n[ \t]*\n", text)
    return [piece.strip("\n") for piece in pieces if piece.strip()]


def append_notes(folder: Path, notes: Sequence[str], *, today: date | None = None) -> AppendedNotes:
    """Append notes to NOTES.md of a folder, each with the date of `today`; a new file can be read by its owner only.

    Secrets in them are replaced. A note is skipped that is empty, longer than NOTE_CHARS, has a finding of the scanner,
    or repeats a note of the file or an earlier one of `notes` (see is_repeated). Raises NotesError when the folder or
    the file cannot be used, or another writer holds the lock for LOCK_SECONDS; then nothing was appended.
    """
    if not folder.is_dir():
        raise NotesError("there is no such folder")
    skipped: list[tuple[str, str]] = []
    wanted = []
    for note in notes:
        text = _cleaned(note)
        reason = _refusal(note, text)
        if reason is None:
            wanted.append(text)
        else:
            skipped.append((note, reason))
    if not wanted:
        return AppendedNotes((), tuple(skipped))
    added: list[str] = []
    with _locked(folder / NOTES) as descriptor:
        content = _content(descriptor)
        known = [note_words(_DATE_LINE.sub("", note)) for note in notes_of(_text(content))]
        day = (today or date.today()).isoformat()  # noqa: DTZ011 - the day of the writer's own calendar
        for text in wanted:
            words = note_words(text)
            if any(is_repeated(words, other) for other in known):
                skipped.append((text, "the file has this note already"))
                continue
            known.append(words)
            added.append(text)
        if added:
            _append(descriptor, content, [f"*{day}*\n\n{text}\n" for text in added])
    return AppendedNotes(tuple(added), tuple(skipped))


def _cleaned(note: str) -> str:
    """Return a note without secrets, blanks at its ends, and lines that would divide it; control characters, and
    characters that no display shows, are written as escapes.
    """
    lines = unsafe_in_lines().sub(escaped, redacted(note.replace("\r\n", "\n").replace("\r", "\n").strip())).split("\n")
    return "\n".join(f" {line}" if _SEPARATOR.match(line) else line.rstrip() for line in lines)


def _refusal(note: str, text: str) -> str | None:
    """Return why a note is not appended, None when it may be; `text` is how it would stand in the file."""
    if not text:
        return "it is empty"
    if len(note) > NOTE_CHARS or len(text) > NOTE_CHARS:
        return f"it has more than {NOTE_CHARS:,} characters"
    if "\0" in note or any("\ud800" <= each <= "\udfff" for each in note):
        return "it is not text"
    found = [*scan(note), *scan(text)]
    return f"it seems to hold injected instructions: {found[0].rule}" if found else None


def _opened(path: Path, flags: int) -> int:
    """Return a descriptor of a regular file. Raises FileNotFoundError and NotesError."""
    try:
        if path.is_symlink():  # also where the system cannot refuse one by O_NOFOLLOW
            raise NotesError("it is a symbolic link")
        descriptor = os.open(path, flags | _FLAGS, 0o600)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise NotesError(error.strerror or str(error)) from error
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise NotesError("it is no regular file")
    return descriptor


def _content(descriptor: int) -> bytes:
    """Return the bytes of an open file. Raises NotesError for more than FILE_BYTES."""
    pieces = []
    size = 0
    try:
        os.lseek(descriptor, 0, os.SEEK_SET)
        while piece := os.read(descriptor, 1 << 16):
            size += len(piece)
            if size > FILE_BYTES:
                raise NotesError(f"it has more than {FILE_BYTES:,} bytes")
            pieces.append(piece)
    except OSError as error:
        raise NotesError(error.strerror or str(error)) from error
    return b"".join(pieces)


@contextmanager
def _locked(path: Path) -> Iterator[int]:
    """Open a file to append to, made when it is not there, and hold its lock. Raises NotesError.

    A file that was replaced while the lock was awaited is opened anew.
    """
    until = time.monotonic() + LOCK_SECONDS
    while True:
        try:
            descriptor = _opened(path, os.O_RDWR | os.O_APPEND | os.O_CREAT)
        except FileNotFoundError:
            raise NotesError("there is no such folder") from None
        try:
            _lock(descriptor, until)
            if _still_there(path, descriptor):
                yield descriptor
                return
        finally:
            os.close(descriptor)  # releases the lock


def _lock(descriptor: int, until: float) -> None:
    """Wait for the lock of a file up to the time `until`. Raises NotesError when it is not free by then."""
    while fcntl is not None:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= until:
                raise NotesError("another program holds its lock") from None
            time.sleep(_RETRY_SECONDS)
        except OSError as error:
            raise NotesError(f"it cannot be locked: {error.strerror or error}") from error
        else:
            return


def _still_there(path: Path, descriptor: int) -> bool:
    """Return whether a path still leads to the open file."""
    try:
        there, opened = os.lstat(path), os.fstat(descriptor)
    except FileNotFoundError:
        return False
    return (there.st_dev, there.st_ino) == (opened.st_dev, opened.st_ino)


def _append(descriptor: int, content: bytes, notes: list[str]) -> None:
    """Append notes behind what the file has, `content`, in one write; a write that fails is taken back."""
    first = "" if not content.strip() else "\n---\n\n" if content.endswith(b"\n") else "\n\n---\n\n"
    written = (first + "\n---\n\n".join(notes)).encode("utf-8")
    if len(content) + len(written) > FILE_BYTES:
        raise NotesError(f"it would have more than {FILE_BYTES:,} bytes")
    try:
        complete = os.write(descriptor, written) == len(written)
        os.fsync(descriptor)
    except OSError as error:
        _take_back(descriptor, len(content))
        raise NotesError(error.strerror or str(error)) from error
    if not complete:
        _take_back(descriptor, len(content))
        raise NotesError("it could not be written whole")


def _take_back(descriptor: int, size: int) -> None:
    with suppress(OSError):  # the error that led here is told
        os.ftruncate(descriptor, size)
