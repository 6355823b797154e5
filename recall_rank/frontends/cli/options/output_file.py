"""Files that a command writes where its user says: complete or not at all, never over another file, never in a store.

The content is written beside the file and renamed. A device or a pipe, such as `/dev/stdout`, is written to as it is.
"""

from __future__ import annotations

import os
import secrets
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final

import click

from recall_rank.frontends.cli.output.console import say
from recall_rank.frontends.display_text import one_line

FORMATS: Final[dict[str, str]] = {  # ending of a file's name -> format
    **dict.fromkeys((".md", ".markdown", ".txt"), "markdown"),
    **dict.fromkeys((".html", ".htm"), "html"),
    ".jsonl": "jsonl",
    ".svg": "svg",
}
EXPORTED: Final = ("markdown", "jsonl", "html")  # the formats of `export`
REPLACES: Final = "; --force replaces it"  # the end of a message, in a command
_FORCE: Final = "recall_rank.force"
_FLAGS: Final = os.O_WRONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


class OutputError(click.FileError):
    """A file is not written. The message is one line for a person; an existing file is unchanged."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(str(path), f"nothing was written: {reason}")

    def format_message(self) -> str:
        return self.message


@dataclass(frozen=True, slots=True)
class OutputFile:
    """The place where a command writes: a file, or stdout for None. With `replaced`, an existing file is replaced."""

    path: Path | None = None
    replaced: bool = False

    def format(self, formats: Sequence[str]) -> str:
        """Return which of the formats that a command writes the ending of the name stands for; the first for stdout, a
        device and a name without an ending. Raises OutputError for the ending of any other format.
        """
        if self.path is None or not self.path.suffix or _is_special(self.path):
            return formats[0]
        form = FORMATS.get(self.path.suffix.lower(), "")
        if form in formats:
            return form
        endings = [ending for ending, each in FORMATS.items() if each in formats]
        raise OutputError(self.path, f"{self.path} must end in {' or '.join(endings)}")

    def check(self, stores: Iterable[str]) -> None:
        """Raise OutputError where the file lies in one of the stores, given by their locations, and where there is a
        file already that is not to be replaced. An empty file may be replaced: nothing of it is lost.
        """
        if self.path is None or _is_special(self.path):
            return
        refuse_in_store(self.path, stores)
        with _no_file(self.path):
            if self.path.is_dir():
                raise OutputError(self.path, f"{self.path} is a folder")
            if not self.path.exists() or not self.path.stat().st_size:
                return
            if not self.replaced:
                raise OutputError(self.path, f"there is a file already, {self.path}{REPLACES}")
            if (agent := _agent_of(self.path)) is not None:
                raise OutputError(self.path, f"{self.path} is a history of {agent}, which is never written to")

    @contextmanager
    def open(self, stores: Iterable[str], *, growing: bool = False, quiet: bool = False) -> Iterator[IO[bytes]]:
        """A context manager that gives a file to write to. It has its name once the content is complete, with `growing`
        from the beginning on; where the block ends with an error before that, it is removed.

        Unless it is `quiet`, a line on stderr says that it was written. Raises OutputError as check() does, and where
        the file cannot be made.
        """
        if self.path is None:
            stdout = sys.stdout.buffer
            yield stdout
            stdout.flush()
            return
        self.check(stores)
        if _is_special(self.path):
            with _no_file(self.path):
                device = self.path.open("wb")
            with device:
                yield device
            return
        real = Path(os.path.realpath(self.path))
        with _no_file(self.path):
            temporary = real.parent / f".{secrets.token_hex(8)}.tmp"
            file = os.fdopen(_created(temporary, real), "wb")
        try:
            if growing:
                self._put(temporary, real)
            with file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            if not growing:
                self._put(temporary, real)
            if not quiet:
                say(f"wrote {one_line(str(self.path))}", err=True)
        finally:
            with suppress(FileNotFoundError):
                temporary.unlink()

    def _put(self, temporary: Path, real: Path) -> None:
        """Give the file its name. A file that appeared there meanwhile is not replaced unless that is wanted."""
        with _no_file(real):
            self.check(())
            temporary.replace(real)


def refuse_in_store(path: str | os.PathLike[str], stores: Iterable[str]) -> None:
    """Raise OutputError where a path lies in one of the stores, given by their locations."""
    from recall_rank.loaders.store_places import store_around

    store = store_around(path, stores)
    if store is not None:
        raise OutputError(Path(path), f"{path} lies in the history {store}, which is never written to")


def _agent_of(path: Path) -> str | None:
    """Return the agent whose program wrote a file, None for a file that is no history or one that `export` writes: a
    copy of a store, which no command names, is no less a history.
    """
    from recall_rank.loaders import open_sources
    from recall_rank.loaders.history_jsonl import NAME as EXPORTED_NAME
    from recall_rank.loaders.unrecognised import NAME as UNRECOGNISED

    names = (source.name for source in open_sources(path))
    return next((name for name in names if name not in (EXPORTED_NAME, UNRECOGNISED)), None)


@contextmanager
def _no_file(path: Path) -> Iterator[None]:
    """A context manager that raises an OSError about a file as OutputError."""
    try:
        yield
    except OSError as error:
        raise OutputError(path, f"{path}: {error.strerror or error}") from error


def _created(temporary: Path, real: Path) -> int:
    """Return a descriptor of a new file, with the mode of the file that it is to replace."""
    descriptor = os.open(temporary, _FLAGS | os.O_CREAT | os.O_EXCL, 0o666)
    if hasattr(os, "fchmod") and real.exists():
        os.fchmod(descriptor, stat.S_IMODE(real.stat().st_mode))
    return descriptor


def _is_special(path: Path) -> bool:
    """Return whether a device or a pipe is there."""
    try:
        mode = path.stat().st_mode
    except OSError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def output_options(*names: str, **more: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator that adds an option for a file with these names, and --force. The function of the command gets
    an OutputFile, None without the option.
    """

    def note(context: click.Context, _: click.Parameter, value: bool) -> None:
        context.meta[_FORCE] = value

    def given(context: click.Context, _: click.Parameter, value: str | None) -> OutputFile | None:
        if value is None or context.resilient_parsing:
            return None
        if value == "-":
            return OutputFile()
        try:
            return OutputFile(Path(value).expanduser(), bool(context.meta.get(_FORCE)))
        except RuntimeError as error:  # of a path such as ~name whose home is unknown
            raise click.BadParameter(str(error), context) from error

    def add(command: Callable[..., Any]) -> Callable[..., Any]:
        force = click.option(
            "--force",
            is_flag=True,
            is_eager=True,  # its value is known when that of the file is read
            expose_value=False,
            callback=note,
            help="Replace the file if it exists.",
        )
        return click.option(*names, type=click.Path(allow_dash=True), callback=given, **more)(force(command))

    return add
