"""Interactive shells on a terminal, in which the completion scripts are tried as a person would."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import shutil
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path
from typing import Final, Self

import pytest

from tests.support.frontends.process import ROOT

PROMPT: Final = "ready> "
SECONDS: Final = 60.0
_TAB, _SHOW, _CLEAR = b"\t", b"\x0f", b"\x15"  # Ctrl-O is bound to write the line into a file, Ctrl-U clears it
_SCRIPTS: Final = {  # shell -> what reads the completion script at its start, as the help of `completion` says
    "bash": 'eval "$(recall-rank completion bash)"',
    "zsh": 'eval "$(recall-rank completion zsh)"',
}
_STARTS: Final = {  # shell -> its file of settings, and what it holds
    "bash": (
        ".bashrc",
        """PS1='{prompt}'
bind 'set show-all-if-ambiguous on'
bind 'set bell-style none'
bind 'set enable-bracketed-paste off'
bind -x '"\\C-o": printf %s "$READLINE_LINE" > "{line}.new"; mv "{line}.new" "{line}"'
{script}
""",
    ),
    "zsh": (
        ".zshrc",
        """PS1='{prompt}'
unsetopt beep
show-line() {{ print -rn -- "$BUFFER" > "{line}.new"; mv "{line}.new" "{line}" }}
zle -N show-line
bindkey '^O' show-line
bindkey '^U' kill-whole-line
{script}
""",
    ),
    "fish": (
        ".config/fish/config.fish",
        """function fish_prompt; echo -n '{prompt}'; end
set -g fish_greeting
set -g fish_autosuggestion_enabled 0
function show_line; commandline > "{line}.new"; mv "{line}.new" "{line}"; end
bind \\co show_line
bind \\cu 'commandline ""'
{script}
""",
    ),
}
_COMMANDS: Final = {
    "bash": ("bash", "--rcfile", ".bashrc", "-i"),
    "zsh": ("zsh", "-i"),
    "fish": ("fish", "-i"),
}
_ESCAPES: Final = re.compile(
    r"\x1b(?:\[[0-9;?<>=]*[a-zA-Z]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[()][A-Z0-9]|[=>78])|[\x07\x0f]"
)


class InteractiveShell:
    """A shell on a terminal with the completion of `recall-rank`, whose home is a folder. Where the shell is not
    installed, the test is skipped with that reason. `script` replaces what reads the completion script.
    """

    def __init__(self, name: str, home: Path, *, script: str | None = None, columns: int = 150) -> None:
        if shutil.which(name) is None:
            pytest.skip(f"{name} is not installed")
        self.name, self._home, self._line = name, home, home / "line"
        self.env = shell_environment(home)
        start, content = _STARTS[name]
        (home / start).parent.mkdir(parents=True, exist_ok=True)
        loads = _SCRIPTS.get(name, "") if script is None else script
        (home / start).write_text(content.format(prompt=PROMPT, line=self._line, script=loads))
        self._control, self._side = pty.openpty()
        fcntl.ioctl(self._side, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))

    def __enter__(self) -> Self:
        if self.name == "fish":
            script = self.run("completion", "fish")
            place = self._home / ".config" / "fish" / "completions" / "recall-rank.fish"
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(script)
        self._process = subprocess.Popen(
            _COMMANDS[self.name],
            stdin=self._side,
            stdout=self._side,
            stderr=self._side,
            env=self.env,
            cwd=self._home,
            start_new_session=True,
            preexec_fn=_take_terminal,  # noqa: PLW1509 - these tests have one thread
        )
        self.start = self._until(lambda written: PROMPT in written)
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._side)
        os.close(self._control)

    def run(self, *words: object) -> str:
        """Return what `recall-rank WORDS` prints in the environment of the shell."""
        command = [str(self._home / "bin" / "recall-rank"), *map(str, words)]
        return subprocess.run(command, check=True, capture_output=True, text=True, env=self.env).stdout

    def complete(self, line: str) -> tuple[str, str]:
        """Type `recall-rank LINE` and a tab; return the line that then stands there, and what was drawn meanwhile."""
        self._line.unlink(missing_ok=True)
        os.write(self._control, f"recall-rank {line}".encode() + _TAB + _SHOW)
        drawn = self._until(lambda _: self._line.exists())
        os.write(self._control, _CLEAR)
        return self._line.read_text().rstrip("\n"), drawn

    def _until(self, done: object) -> str:
        """Return what the shell draws until done(what it has drawn), without escape sequences."""
        assert callable(done)
        written, end = b"", time.monotonic() + SECONDS
        while not done(shown := _ESCAPES.sub("", written.decode(errors="replace"))):
            if time.monotonic() > end:
                raise TimeoutError(f"{self.name} drew only {shown[-2000:]!r}")
            if select.select([self._control], [], [], 0.05)[0]:
                written += os.read(self._control, 65536)
        while select.select([self._control], [], [], 0.05)[0]:
            written += os.read(self._control, 65536)
        return _ESCAPES.sub("", written.decode(errors="replace"))


def shell_environment(home: Path) -> dict[str, str]:
    """Return the environment of a shell whose home is a folder, with the program on its path."""
    program = home / "bin" / "recall-rank"
    program.parent.mkdir(exist_ok=True)
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m recall_rank "$@"\n')
    program.chmod(0o755)
    own = {"HOME": str(home), "ZDOTDIR": str(home), "TERM": "xterm", "LC_ALL": "C.UTF-8", "PYTHONPATH": str(ROOT)}
    return {**own, "PATH": f"{program.parent}:/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin"}


def _take_terminal() -> None:
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
