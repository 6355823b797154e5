"""The exit status and the message of each error that can end a command line."""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

import click

from recall_rank.frontends.cli.output.console import (
    DEFECT,
    HITS,
    INTERRUPTED,
    NOT_WRITTEN,
    OUT_OF_MEMORY,
    USAGE,
    fail,
    say,
)
from recall_rank.frontends.display_text import escape_lines

_NOT_WRITABLE: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS, errno.EBADF)
_NO_MEMORY: Final = "there is not enough memory"
_NO_MEMORY_JSON: Final = f'{{"ok":false,"error":"{_NO_MEMORY}","schema_version":1}}'  # written without a library
_OWN_MODULES: Final = Path(__file__).parents[2]  # their syntax is right
# What importing an extension module and starting a thread say when memory is short; neither raises MemoryError.
_SAYS_NO_MEMORY: Final = (
    *("failed to map segment", "cannot allocate memory", "can't start new thread"),
    "error return without exception set",  # a SystemError of CPython when memory ends inside of an import
)


def exit_status(run: Callable[[], object], *, as_json: bool) -> int:
    """Return the exit status of a command line, which `run` runs; its error, if it has one, is printed.

    No error gives 1, which means that a search has no hits. With `as_json` errors are printed as JSON.
    """
    try:
        return _status(run, as_json=as_json)
    except MemoryError:
        pass  # its traceback holds what took the memory, and is released where this block ends
    stream = sys.stdout if as_json else sys.stderr
    print(_NO_MEMORY_JSON if as_json else f"recall-rank: {_NO_MEMORY}", file=stream, flush=True)
    return OUT_OF_MEMORY


def _status(run: Callable[[], object], *, as_json: bool) -> int:
    """Return the exit status of run(). Raises MemoryError when memory was short."""
    try:
        code = _ended(run)
        sys.stdout.flush()
    except (KeyboardInterrupt, click.Abort):
        return INTERRUPTED
    except click.FileError as error:
        return _failed(error.format_message(), NOT_WRITTEN, as_json=as_json)
    except click.ClickException as error:
        if as_json or not isinstance(error, click.UsageError):  # of the settings: no usage of the command is to be told
            return _failed(_unlisted(error.format_message()), USAGE, as_json=as_json)
        shown = io.StringIO()
        error.show(shown)  # with the usage of the command; what it quotes may be copied from a history
        say(escape_lines(_unlisted(shown.getvalue())).rstrip("\n"), err=True)
        return USAGE
    except BrokenPipeError:
        discard_stdout()  # the reader has closed the pipe, and has what it wanted
        return HITS
    except Exception as error:  # noqa: BLE001 - Python would end with 1
        return _unexpected(error, as_json=as_json)
    return code


def _unlisted(message: str) -> str:
    """Return a message of click with the choices of a missing argument in one line, not behind tabs."""
    return message.replace("\n\t", " ")


def _ended(run: Callable[[], object]) -> int:
    try:
        run()
    except click.exceptions.Exit as ended:
        return ended.exit_code
    return HITS


def _unexpected(error: Exception, *, as_json: bool) -> int:
    """Return the exit status of an exception that no command expects. Raises MemoryError when memory was short."""
    if _is_short_of_memory(error):
        raise MemoryError from None
    if isinstance(error, OSError) and error.filename is None and error.errno in _NOT_WRITABLE:
        discard_stdout()
        return _failed(f"the answer could not be written: {error.strerror}", NOT_WRITTEN, as_json=False)
    if isinstance(error, FileNotFoundError) and not _has_working_directory():
        said = "the working directory was removed: change to another one, or name everything by its full path"
        return _failed(said, USAGE, as_json=as_json)
    from recall_rank.histories.records.forgotten import UnreadableListError

    if isinstance(error, UnreadableListError):
        return _failed(str(error), USAGE, as_json=as_json)
    import traceback

    click.echo(escape_lines("".join(traceback.format_exception(error))), err=True, nl=False)
    return _failed(f"an error of this program: {type(error).__name__}: {error}", DEFECT, as_json=as_json)


def _has_working_directory() -> bool:
    try:
        Path.cwd()
    except OSError:
        return False
    return True


def _is_short_of_memory(error: Exception) -> bool:
    if isinstance(error, SyntaxError):  # what CPython makes of a failed allocation while it compiles a module
        return error.filename is not None and Path(error.filename).is_relative_to(_OWN_MODULES)
    if isinstance(error, MemoryError) or (isinstance(error, OSError) and error.errno == errno.ENOMEM):
        return True
    said = str(error).lower()
    return isinstance(error, ImportError | RuntimeError | SystemError) and any(
        words in said for words in _SAYS_NO_MEMORY
    )


def _failed(message: str, code: int, *, as_json: bool) -> int:
    """Print an error as fail() does and return its exit status."""
    return _ended(lambda: fail(message, code, as_json=as_json))


def discard_stdout() -> None:
    """Redirect stdout to the null device, so that flushing its buffer at exit does not fail a second time."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
