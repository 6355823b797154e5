"""What Windows does not have is used only where the code has asked for it, and stores are found where Windows has them.

Nothing here runs on Windows: RECALL_RANK_SIMULATE_WINDOWS=1 takes away what Windows lacks, and runs the suite.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.support.simulated_windows import MODULES, NAMES

ROOT: Final = Path(__file__).resolve().parents[2]
SOURCES: Final = sorted((ROOT / "recall_rank").rglob("*.py"))
OS: Final = {
    *NAMES,
    *("mkfifo", "getuid", "getgid", "getpgrp", "getsid", "chroot", "openpty", "pipe2", "register_at_fork"),
} | {
    *("POSIX_SPAWN_OPEN", "POSIX_SPAWN_CLOSE", "POSIX_SPAWN_DUP2", "WNOHANG", "WIFEXITED", "setuid", "setgid"),
    *("sched_setaffinity", "getloadavg", "ctermid", "ttyname", "tcgetpgrp", "O_SYNC", "O_DSYNC", "copy_file_range"),
}
SIGNALS: Final = {
    *("SIGALRM", "SIGCHLD", "SIGCONT", "SIGHUP", "SIGKILL", "SIGPIPE", "SIGQUIT", "SIGSTOP", "SIGTSTP", "SIGUSR1"),
    *("SIGUSR2", "SIGWINCH", "ITIMER_REAL", "alarm", "setitimer", "pthread_kill", "pthread_sigmask", "sigwait"),
}
_GUARD: Final = re.compile(r"hasattr\((?:os|signal), |\bos\.name\b|\bsys\.platform\b|\bos\.supports_")
_HANDLED: Final = {"ImportError", "AttributeError", "ModuleNotFoundError"}


def unguarded(tree: ast.AST) -> Iterator[str]:
    """Yield "LINE: NAME" for each use of what Windows lacks that no question about the system stands before.

    A question is a test such as hasattr(os, "fork"), os.name or sys.platform around the use, or before it in the
    function where that then ends, or a handler of ImportError or AttributeError.
    """
    aliases = {
        alias.asname or alias.name: alias.name.removeprefix("_")
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for alias in node.names
    }
    yield from _found(tree, aliases)


def _found(node: ast.AST, aliases: dict[str, str]) -> Iterator[str]:
    match node:
        case ast.Import(names=names):
            yield from (f"{node.lineno}: {each.name}" for each in names if each.name in MODULES)
        case ast.ImportFrom(module=module) if module in MODULES:
            yield f"{node.lineno}: {module}"
        case ast.Attribute(value=ast.Name(id=name), attr=attr):
            missing = {"os": OS, "signal": SIGNALS}.get(aliases.get(name, ""), set())
            if attr in missing:
                yield f"{node.lineno}: {name}.{attr}"
        case ast.If(test=test) | ast.IfExp(test=test) if _asks(test):
            return
        case ast.BoolOp() if _asks(node):
            return
        case ast.Try(handlers=handlers) if any(_handles(each) for each in handlers):
            return
        case ast.keyword(arg="preexec_fn"):
            yield f"{node.lineno}: preexec_fn"
    for _, value in ast.iter_fields(node):
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield from _found(child, aliases)
                if isinstance(child, ast.If) and _asks(child.test) and _leaves(child.body[-1]):
                    break  # the rest of the block runs only where it can


def _leaves(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Return | ast.Raise)


def _asks(test: ast.AST) -> bool:
    return _GUARD.search(ast.unparse(test).replace("'", '"')) is not None


def _handles(handler: ast.ExceptHandler) -> bool:
    return handler.type is not None and bool(_HANDLED & set(re.findall(r"\w+", ast.unparse(handler.type))))


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_what_windows_lacks_is_asked_for(path: Path) -> None:
    assert list(unguarded(ast.parse(path.read_text(encoding="utf-8")))) == []


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("import os\nos.fork()", ["2: os.fork"]),
        ("import os\nFLAGS = os.O_RDONLY | os.O_NOFOLLOW", ["2: os.O_NOFOLLOW"]),
        ("import _signal as signal\nsignal.alarm(1)", ["2: signal.alarm"]),
        ("import fcntl", ["1: fcntl"]),
        ("from pwd import getpwuid", ["1: pwd"]),
        ("import subprocess\nsubprocess.run([], preexec_fn=print)", ["2: preexec_fn"]),
        ("import os\ndef f():\n    if hasattr(os, 'link'):\n        print()\n    os.link('a', 'b')", ["5: os.link"]),
        ("import os\nif hasattr(os, 'fork'):\n    os.fork()", []),
        ("import os\ndef f():\n    if not hasattr(os, 'link'):\n        return\n    os.link('a', 'b')", []),
        ("try:\n    import fcntl\nexcept ImportError:\n    fcntl = None", []),
        ("try:\n    import fcntl\nexcept OSError:\n    fcntl = None", ["2: fcntl"]),
        ("import os\nX = os.uname() if os.name == 'posix' else None", []),
    ],
)
def test_a_use_without_a_question_is_found(source: str, found: list[str]) -> None:
    assert list(unguarded(ast.parse(source))) == found


def test_every_module_is_imported_without_what_windows_lacks() -> None:
    names = [
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        for path in SOURCES
        if path.name != "__main__.py" and "hosts/files/" not in path.as_posix()  # plugins of other programs
    ]
    code = (
        "import contextlib, importlib, sys\n"
        "with contextlib.suppress(ImportError):\n"
        "    import mcp.server.stdio\n"  # which knows by sys.platform, that is not simulated, where fcntl is
        "from tests.support.simulated_windows import simulate\n"
        "simulate()\n"
        "for name in sys.argv[1:]:\n"
        "    importlib.import_module(name)\n"
    )
    done = subprocess.run([sys.executable, "-c", code, *names], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
