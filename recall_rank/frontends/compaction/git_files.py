"""Whether git could take a file of a project into its history, where what a conversation quotes must not get."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Final

SECONDS: Final = 10.0  # of one call of git
_NOT_IGNORED: Final = 1  # status of check-ignore; others than 0 and this one are errors


def why_exposed(project: Path, name: str) -> str:
    """Return why a file of a project must not hold a conversation: git tracks it, or does not ignore it and would add
    it. "" where git ignores it, and outside of repositories. Where git cannot say so, that is a reason, too.
    """
    reason = why_tracked(project, name)
    if reason or not _is_in_repository(project):
        return reason
    status = _git(project, "check-ignore", "-q", "--", name).returncode
    if status == _NOT_IGNORED:
        return f"{name} is not ignored by git, and no conversation is written into such a file: recall-rank compact on"
    return _unknown(name) if status else ""


def why_tracked(project: Path, name: str) -> str:
    """Return why git tracks a file of a project, or cannot say whether it does; "" where it does not."""
    if not _is_in_repository(project):
        return ""
    # in any case of letters: on some file systems that is the same file
    found = _git(project, "ls-files", "-z", "--", f":(icase){name}")
    if found.returncode:
        return _unknown(name)
    if found.stdout:
        return f"{name} is tracked by git, and no conversation is written into such a file: git rm --cached {name}"
    return ""


def _unknown(name: str) -> str:
    return f"git does not say whether it tracks {name}, and no conversation is written into such a file"


def _is_in_repository(project: Path) -> bool:
    return any(os.path.lexists(folder / ".git") for folder in (project, *project.parents))


def _git(project: Path, *words: str) -> subprocess.CompletedProcess[bytes]:
    """Run git in a project, without the variables that would lead it to another repository. Status 127 stands for a git
    that is absent, takes longer than SECONDS, or lies in the project itself, where some systems look first.
    """
    program = shutil.which("git")
    failed = subprocess.CompletedProcess(words, 127, b"", b"")
    if program is None or Path(os.path.realpath(program)).is_relative_to(project):
        return failed
    environ = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    # a monitor of the file system would be a program that the repository's settings name
    command = [program, "-C", str(project), "-c", "core.fsmonitor=false", *words]
    try:
        return subprocess.run(  # noqa: S603
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env={**environ, "GIT_OPTIONAL_LOCKS": "0"},
            timeout=SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return failed
