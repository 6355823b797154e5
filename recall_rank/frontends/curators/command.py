"""CommandModel: a command that reads a prompt on stdin and prints the answer, such as an agent without a terminal."""

from __future__ import annotations

import os
import selectors
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import IO, Any, Final, Self

from recall_rank.analysis.normalize import encode
from recall_rank.frontends.curators.answer_check import ANSWER_CHARS
from recall_rank.frontends.curators.curator import (
    CuratorCancelledError,
    CuratorError,
    CuratorTimeoutError,
    NoCuratorError,
)
from recall_rank.frontends.curators.prompt import ERROR_CHARS, error_line
from recall_rank.frontends.display_text import one_line
from recall_rank.model.option_errors import error_text

READ_BYTES: Final = 4 * ANSWER_CHARS  # of stdout; the longest answer in UTF-8
CURATING: Final = "RECALL_RANK_CURATING"  # set for a command, so that it cannot ask for a curator in turn
_STDERR_BYTES: Final = 8_192
_POLL_SECONDS: Final = 0.05
_LAST_OUTPUT_SECONDS: Final = 0.5  # for output that is still in the pipe when the command has ended
_PIPE_BYTES: Final = 65_536
# Its stdin closes when this process is gone, however that ended; until then it waits in `read`.
_WATCH: Final = """
IFS= read -r group
while IFS= read -r ignored; do :; done
if [ -n "$group" ]; then kill -s KILL -- "-$group"; fi
command -p rm -rf -- "$1"
"""


class CommandModel:
    """Runs a command for each prompt in an empty folder and in a process group of its own.

    `argv` is the program and its arguments; the prompt is written to stdin, in UTF-8, instructions first. Without a
    shell. `name` is shown in answers, by default "command " and the name of the program. Raises NoCuratorError for an
    `argv` without a program.
    """

    def __init__(self, argv: Sequence[str], *, name: str | None = None, environ: Mapping[str, str] | None = None):
        if not argv or not argv[0]:
            raise NoCuratorError("a command needs a program")
        self._argv = tuple(argv)
        self._environ = environ
        self._name = name or f"command {one_line(Path(argv[0]).name)[:60]}"

    @property
    def name(self) -> str:
        """The name that an answer shows."""
        return self._name

    def answer(self, system: str, text: str, *, seconds: float, cancelled: Callable[[], bool]) -> str:
        """Return what the command prints for a prompt.

        The whole process group is ended when the command is done, prints more than READ_BYTES, does not end within
        `seconds` or is cancelled, and when this process ends, even by a signal. Raises NoCuratorError for a program
        that is not there and on Windows, CuratorError for an exit status that is not 0, with the first line of stderr
        unless that repeats the prompt, and for too much output.
        """
        prompt = f"{system}\n\n{text}"
        return run_command(self._argv, prompt, self._name, seconds, cancelled, environ=self._environ)


def run_command(
    argv: Sequence[str],
    text: str,
    name: str,
    seconds: float,
    cancelled: Callable[[], bool],
    *,
    environ: Mapping[str, str] | None = None,
) -> str:
    """Return the stdout of a command that gets `text` on stdin, as CommandModel.answer() says; invalid UTF-8 is
    replaced.
    """
    environ = os.environ if environ is None else environ
    if not hasattr(os, "killpg"):
        raise NoCuratorError(f"the {name} is not started: this system has no process groups to end it with")
    program = shutil.which(argv[0], path=environ.get("PATH"))
    if program is None:
        raise NoCuratorError(f"the program of the {name} is not there: {one_line(argv[0])[:ERROR_CHARS]}")
    command = [str(Path(program).absolute()), *argv[1:]]
    room = tempfile.TemporaryDirectory(prefix="recall-rank-", ignore_cleanup_errors=True)
    with room as folder, ExitStack() as ending:
        try:
            watcher = ending.enter_context(_Watcher(folder))
            ending.callback(room.cleanup)  # this process may end before its threads do: the watcher is there until then
            selector, prompt = ending.enter_context(selectors.DefaultSelector()), encode(text)
            process = _piped(command, folder, {**environ, CURATING: "1"}, errors=subprocess.PIPE)
        except (OSError, ValueError) as error:
            why = one_line(error_text(error))[:ERROR_CHARS]
            raise NoCuratorError(f"the {name} cannot be started: {why}") from error
        running = _RunningCommand(process, name, prompt, selector)  # which does nothing that can fail
        ending.callback(running.end)
        watcher.watch(process.pid)
        return running.answer(time.monotonic() + seconds, seconds, cancelled)


def _piped(
    argv: Sequence[str], folder: str, environ: Mapping[str, str] | None, *, errors: int
) -> subprocess.Popen[bytes]:
    """Start a command in a folder and in a process group of its own, with pipes for stdin and stdout."""
    return subprocess.Popen(  # noqa: S603 - the command is the user's own setting, or the script of the watcher
        argv,
        bufsize=0,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=errors,
        cwd=folder,
        env=environ,
        start_new_session=True,
    )


class _Watcher:
    """A shell that kills a process group and removes a folder once this process is gone, even when it was killed."""

    def __init__(self, folder: str) -> None:
        self._process = _piped(["/bin/sh", "-c", _WATCH, "sh", folder], "/", None, errors=subprocess.DEVNULL)

    def __enter__(self) -> Self:
        return self

    def watch(self, group: int) -> None:
        """Name the process group that is killed when this process is gone."""
        if self._process.stdin is not None:
            self._process.stdin.write(b"%d\n" % group)

    def __exit__(self, *_: object) -> None:
        """End the shell, which kills and removes nothing then."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()


class _RunningCommand:
    """A command whose pipes are read and written without blocking, until it ends, runs out of time or is cancelled.

    `prompt` is in UTF-8; `selector` is an empty one.
    """

    def __init__(
        self, process: subprocess.Popen[bytes], name: str, prompt: bytes, selector: selectors.BaseSelector
    ) -> None:
        self._process = process
        self._name = name
        self._prompt = prompt
        self._selector = selector
        self._rest = memoryview(prompt)
        self._output = bytearray()
        self._errors = bytearray()
        self._killed = False

    def answer(self, until: float, seconds: float, cancelled: Callable[[], bool]) -> str:
        """Return the output of the command; `until` is a monotonic time, `seconds` is named in the error."""
        for pipe in self._pipes():
            os.set_blocking(pipe.fileno(), False)
            writes = pipe is self._process.stdin
            self._selector.register(pipe, selectors.EVENT_WRITE if writes else selectors.EVENT_READ)
        ended_at: float | None = None
        while self._process.stdout in self._open() or ended_at is None:
            now = time.monotonic()
            if cancelled():
                raise CuratorCancelledError(f"the {self._name} was ended, because the call was cancelled")
            if now >= until:
                raise CuratorTimeoutError(f"the {self._name} did not answer within {seconds:g} seconds and was ended")
            if ended_at is None and self._process.poll() is not None:
                ended_at = now
                self._kill()  # what the command left behind; its output so far is still in the pipe
            if ended_at is not None and now > ended_at + _LAST_OUTPUT_SECONDS:
                break  # a process that has left the group holds the pipe
            if self._selector.get_map():
                for key, _ in self._selector.select(_POLL_SECONDS):
                    self._move(key.fileobj)
            else:
                time.sleep(_POLL_SECONDS)
            if len(self._output) > READ_BYTES:
                raise CuratorError(f"the {self._name} printed more than {READ_BYTES} bytes and was ended")
        return self._checked()

    def end(self) -> None:
        """Kill every process of the group and close the pipes."""
        self._kill()
        self._process.wait()
        for pipe in self._pipes():
            with suppress(OSError):  # stdin may have text that the command never read
                pipe.close()

    def _kill(self) -> None:
        """Kill every process of the group, once: afterwards its number may belong to others."""
        if not self._killed:
            self._killed = True
            if hasattr(os, "killpg"):  # else run_command() has started nothing
                with suppress(ProcessLookupError, PermissionError):  # there is none left, or only zombies (macOS)
                    os.killpg(self._process.pid, signal.SIGKILL)

    def _pipes(self) -> list[IO[bytes]]:
        """Return stdin, stdout and stderr of the command."""
        process = self._process
        return [pipe for pipe in (process.stdin, process.stdout, process.stderr) if pipe is not None]

    def _open(self) -> list[Any]:
        return [key.fileobj for key in self._selector.get_map().values()]

    def _move(self, pipe: Any) -> None:
        """Write a piece of the prompt to stdin, or read a piece from stdout or stderr."""
        if pipe is self._process.stdin:
            self._write(pipe)
            return
        try:
            data = os.read(pipe.fileno(), _PIPE_BYTES)
        except BlockingIOError:
            return
        if not data:
            self._selector.unregister(pipe)
        elif pipe is self._process.stdout:
            self._output += data
        elif len(self._errors) < _STDERR_BYTES:
            self._errors += data[:_STDERR_BYTES]

    def _write(self, pipe: Any) -> None:
        try:
            self._rest = self._rest[os.write(pipe.fileno(), self._rest[:_PIPE_BYTES]) :]
        except BlockingIOError:
            return
        except BrokenPipeError:  # the command does not read all of its prompt; its answer decides
            self._rest = self._rest[:0]
        if not self._rest:
            self._selector.unregister(pipe)
            with suppress(OSError):
                pipe.close()

    def _checked(self) -> str:
        """Return the output; raises CuratorError for an exit status that is not 0."""
        status = self._process.wait()
        if status:
            how = f"ended with status {status}" if status > 0 else f"was ended by signal {-status}"
            said = error_line(self._errors.decode("utf-8", "replace"), self._prompt.decode("utf-8", "replace"))
            raise CuratorError(f"the {self._name} {how}{': ' if said else ''}{said}")
        return self._output.decode("utf-8", "replace")
