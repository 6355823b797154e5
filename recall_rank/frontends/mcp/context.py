"""Where an MCP client is: the session, project and folder that "current" means."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Final

from recall_rank.frontends.cli.options.histories import context_of_working_directory
from recall_rank.model import Context

_ESCAPE: Final = re.compile(rb"%([0-9A-Fa-f]{2})")


def context_of_command(session: str | None, project: str | None, directory: str | None) -> Context:
    """What the command was told, and what of it is left open."""
    here = context_at(directory) if directory else Context()
    return replace(here, session_id=session or None, project=project or None)


def context_with_roots(command: Context, roots: Iterable[str]) -> Context:
    """The command's own context where it names a place; else the client's first folder, else the working directory.

    A working directory that is no project, such as the home folder, says nothing.
    """
    if command.directory:
        return command
    folders = [path for path in map(path_of, roots) if path]
    found = context_at(folders[0]) if folders else context_of_working_directory()
    if found is None or (not folders and _nowhere(found.directory)):
        return command
    return replace(command, directory=found.directory, worktree=found.worktree)


def context_at(directory: str) -> Context:
    """A folder as context, its repository as worktree."""
    here = Path(directory).expanduser().absolute()
    try:
        root = next((folder for folder in (here, *here.parents) if (folder / ".git").exists()), here)
    except OSError:
        root = here
    return Context(directory=str(here), worktree=str(root))


def path_of(uri: str) -> str | None:
    """The folder of a file: URI; None for one that lies elsewhere."""
    if not uri.startswith("file://"):
        return None
    path = decoded(uri.removeprefix("file://").removeprefix("localhost"))
    return path.rstrip("/") or "/" if path.startswith("/") else None


def decoded(text: str) -> str:
    """The text with %20 and the like as what they stand for."""
    return _ESCAPE.sub(lambda found: bytes.fromhex(found[1].decode()), text.encode()).decode("utf-8", "replace")


def encoded(text: str) -> str:
    """The text as it can stand in one place of a URI."""
    return "".join(
        chr(byte) if (chr(byte).isalnum() and byte < 128) or chr(byte) in "-._~" else f"%{byte:02X}"
        for byte in text.encode("utf-8", "replace")
    )


def _nowhere(directory: str | None) -> bool:
    if directory is None:
        return True
    try:
        return directory == "/" or Path(directory) == Path.home()
    except RuntimeError:  # nobody's home
        return False
