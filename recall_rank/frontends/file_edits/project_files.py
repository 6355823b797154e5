"""Read and change the files of a project: only inside it, all of them or none, with their modes kept."""

from __future__ import annotations

import difflib
import os
import re
import secrets
import stat
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

LARGEST: Final = 1 << 20  # bytes of a file that is edited
LONG: Final = 2000  # characters of a line that is shown whole in a diff
_AROUND: Final = 100  # characters that are shown on each side of the change of a longer line
_CONTEXT: Final = 3  # lines
_HUNK: Final = re.compile(r"([-+])(\d+)")  # in a line @@ -12,7 +12,8 @@
_NEW_MODE: Final = 0o666  # less the umask
_FLAGS: Final = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


class EditError(Exception):
    """The edits of a project cannot be made. The message is one line for a person; nothing was changed."""


class ChangedMeanwhileError(EditError):
    """A file was changed by another program after it was read."""


@dataclass(frozen=True, slots=True)
class ProjectFile:
    """A file as it is now: its name in the project, its real path, its content and its mode.

    `data` is None for a file that does not exist.
    """

    name: str
    path: Path
    data: bytes | None
    mode: int | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """A file and the content that it shall have; None removes it. `mode` is that of a file that is created."""

    file: ProjectFile
    after: bytes | None
    mode: int | None = None


def project_folder(given: str | Path) -> Path:
    """Return the real path of a project's folder. Raises EditError for what is no folder, and for a home folder,
    whose .claude folder holds the settings of every project.
    """
    path = Path(os.path.realpath(given))
    if not path.is_dir():
        raise EditError(f"{given} is no folder")
    homes = {os.path.realpath(home) for home in (os.environ.get("HOME"), _home()) if home}
    configured = os.environ.get("CLAUDE_CONFIG_DIR")
    if str(path) in homes or (configured and os.path.realpath(path / ".claude") == os.path.realpath(configured)):
        raise EditError(f"{path} is no project: the .claude folder in it holds the settings of every project")
    return path


def read_project_file(project: Path, name: str, limit: int = LARGEST, where: str = "the project") -> ProjectFile:
    """Return a file of a project; `project` is a real path. A link is followed inside the project. `where` names the
    folder `project` in messages.

    Raises EditError for a link that leads out of the project or to nothing, for what is no regular file, for a file
    of more than `limit` bytes, and for one that cannot be read.
    """
    path = project / name
    real = Path(os.path.realpath(path))
    if not real.is_relative_to(project):
        raise EditError(f"{name} leads out of {where}, to {real}")
    try:
        descriptor = os.open(real, os.O_RDONLY | _FLAGS | getattr(os, "O_NONBLOCK", 0))
    except FileNotFoundError:
        if path.is_symlink():
            raise EditError(f"{name} is a link that leads to nothing") from None
        return ProjectFile(name, real, None)
    except NotADirectoryError:
        raise EditError(f"{name} cannot be there: a file stands where its folder would be") from None
    except OSError as error:
        raise EditError(f"{name} cannot be read: {error.strerror}") from error
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise EditError(f"{name} is no regular file")
        if status.st_size > limit:
            raise EditError(f"{name} has more than {limit:,} bytes")
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            return ProjectFile(name, real, file.read(), stat.S_IMODE(status.st_mode))
    finally:
        os.close(descriptor)


def apply_changes(changes: Sequence[Change]) -> tuple[Path, ...]:
    """Make all changes or none, and return the folders that had to be created.

    All contents, and copies of those that are replaced, are written under temporary names first, so that undoing needs
    no room on the disk. Raises ChangedMeanwhileError when a file is not any more as it was read, and OSError when one
    cannot be written; every file is then as it was before. Raises EditError that names those that could not be put
    back.
    """
    done: list[tuple[Change, Path | None]] = []
    temporaries: list[Path] = []
    made: list[Path] = []
    whole = False
    try:
        staged: list[tuple[Change, Path | None, Path | None]] = []
        for change in changes:
            _make_folder(change.file.path.parent, made)
            new = _staged(change, change.after, temporaries)
            staged.append((change, new, _staged(change, change.file.data, temporaries)))
        for change in changes:
            _check_unchanged(change.file)
        for change, new, old in staged:
            if new is not None:
                new.replace(change.file.path)
            elif change.file.data is not None:
                change.file.path.unlink()
            done.append((change, old))
        whole = True
    finally:
        failed = [] if whole else _undo(done)
        for path in temporaries:
            with suppress(OSError):
                path.unlink()
        for folder in [] if whole else reversed(made):
            with suppress(OSError):
                folder.rmdir()
        if failed:
            raise EditError(f"an edit failed, and these files could not be put back: {', '.join(failed)}")
    return tuple(made)


def diff_lines(changes: Sequence[Change]) -> Iterator[str]:
    """Yield the changes as a unified diff. A line end of two characters, CR and LF, is shown as one; of a line with
    more than LONG characters, what is around its change is shown.
    """
    for change in changes:
        before, after = (_lines(data or b"") for data in (change.file.data, change.after))
        old = "/dev/null" if change.file.data is None else f"a/{change.file.name}"
        new = "/dev/null" if change.after is None else f"b/{change.file.name}"
        shown = False
        for line in _unified(before, after, old, new):
            shown = True
            body, end = line.removesuffix("\n").removesuffix("\r"), line.endswith("\n")
            yield body
            if not end and line[:1] in "+- " and not line.startswith(("--- ", "+++ ")):
                yield "\\ No newline at end of file"
        if not shown:  # an empty file appears or goes
            yield from (f"--- {old}", f"+++ {new}")


def _unified(before: list[str], after: list[str], old: str, new: str) -> Iterator[str]:
    """Yield the lines of a unified diff. What two texts have in common at their ends is not compared by difflib, whose
    time grows faster than the text.
    """
    first = _common(before, after)
    last = _common(before[first:][::-1], after[first:][::-1])
    skipped = max(0, first - _CONTEXT)
    one, other = (lines[skipped : len(lines) - max(0, last - _CONTEXT)] for lines in (before, after))
    equal = _equal_ends(one, other)
    one, other = ([_shortened(line, *equal) for line in lines] for lines in (one, other))
    for line in difflib.unified_diff(one, other, old, new, lineterm="", n=_CONTEXT):
        yield _HUNK.sub(lambda found: f"{found[1]}{int(found[2]) + skipped}", line) if line.startswith("@@") else line


def _equal_ends(before: list[str], after: list[str]) -> tuple[int, int]:
    """Return how many characters of the first long lines of two texts are equal at the beginning and at the end."""
    one, other = (next((line for line in lines if len(line) > LONG), "") for lines in (before, after))
    start = _common(one, other)
    return start, _common(one[start:][::-1], other[start:][::-1])


def _shortened(line: str, equal_start: int, equal_end: int) -> str:
    """Return a line, of a long one the stretch between its equal ends, with what is around that."""
    if len(line) <= LONG:
        return line
    start, end = max(0, equal_start - _AROUND), len(line) - max(0, equal_end - _AROUND)
    end = min(max(end, start + 2 * _AROUND), start + LONG, len(line))
    return f"[{start:,} characters]{line[start:end]}[{len(line) - end:,} characters]\n"


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """Return how many elements at the beginning of two sequences are equal."""
    most = min(len(one), len(other))
    return next((at for at in range(most) if one[at] != other[at]), most)


def _lines(data: bytes) -> list[str]:
    return [line.decode("utf-8", "replace") for line in data.splitlines(keepends=True)]


def _home() -> str | None:
    with suppress(RuntimeError):
        return str(Path.home())
    return None


def missing_folders(folder: Path) -> list[Path]:
    """Return a folder and those above it that do not exist, the highest first."""
    missing: list[Path] = []
    while not os.path.lexists(folder):
        missing.insert(0, folder)
        folder = folder.parent
    return missing


def _make_folder(folder: Path, made: list[Path]) -> None:
    """Create a folder, and those above it that do not exist; each is put into `made` when it is there."""
    for each in missing_folders(folder):
        with suppress(FileExistsError):  # another program was faster
            each.mkdir()
            made.append(each)


def _staged(change: Change, data: bytes | None, temporaries: list[Path]) -> Path | None:
    """Write a content beside the file of a change, with the mode that the file has or shall have; None for None."""
    if data is None:
        return None
    path = change.file.path
    temporary = path.parent / f"{path.name}.{secrets.token_hex(6)}.tmp"
    mode = change.file.mode if change.file.mode is not None else change.mode
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _FLAGS, _NEW_MODE if mode is None else 0o600)
    temporaries.append(temporary)
    try:
        if mode is not None and hasattr(os, "fchmod"):
            os.fchmod(descriptor, mode)
        view = memoryview(data)
        while view:
            view = view[os.write(descriptor, view) :]
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    return temporary


def _check_unchanged(file: ProjectFile) -> None:
    try:
        now: bytes | None = file.path.read_bytes()
    except FileNotFoundError:
        now = None
    if now != file.data:
        raise ChangedMeanwhileError(f"{file.name} was changed by another program meanwhile: try again")


def _undo(done: Sequence[tuple[Change, Path | None]]) -> list[str]:
    """Put the files of changes back as they were; return the names of those where this fails, with the reason."""
    failed = []
    for change, old in reversed(done):
        try:
            if old is not None:
                old.replace(change.file.path)
            elif change.after is not None:
                change.file.path.unlink()
        except OSError as error:
            failed.append(f"{change.file.name} ({error.strerror})")
    return failed
