"""The context of an MCP client (session, project, folder), from the command line, the client or the process."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from recall_rank.frontends.caller_context import context_of_folder, context_of_working_directory
from recall_rank.model import Context, Session
from recall_rank.model.project_scope import is_named, projects_of

_ESCAPE: Final = re.compile(rb"%([0-9A-Fa-f]{2})")


def context_of_command(session: str | None, project: str | None, directory: str | None) -> Context:
    """Return a context of the values of the command options; None is an option that was not given."""
    here = context_of_folder(directory) if directory else Context()
    return replace(here, session_id=session or None, project=project or None)


def context_with_roots(command: Context, roots: Iterable[str], folder: str | None = None) -> Context:
    """Return the context of the command, its folder completed by the first of the client's `roots`, which are URIs.

    A directory given to the command is kept. Without roots, `folder` is used, which the host names in the environment,
    and without that the working directory, unless it is not a project, as the home folder is.
    """
    if command.directory:
        return command
    folders = [path for path in map(path_of, roots) if path]
    folders += [folder] if folder else []
    found = context_of_folder(folders[0]) if folders else context_of_working_directory()
    if found is None or (not folders and _is_no_project(found.directory)):
        return command
    return replace(command, directory=found.directory, worktree=found.worktree)


def with_named_project(context: Context, sessions: Sequence[Session]) -> Context:
    """Return the context with the folder of its project, if its `project` is the folder or the short name of one
    project of `sessions`.

    A name that an agent gave stays, and so does one that several projects or none have.
    """
    name = context.project
    if name is None or any(name in (session.project, session.repository) for session in sessions):
        return context
    folders = projects_of(session for session in sessions if is_named(session, name))
    return replace(context, project=None, directory=folders[0], worktree=folders[0]) if len(folders) == 1 else context


def path_of(uri: str) -> str | None:
    """Return the path of a file: URI; None for a URI with another scheme or another host."""
    if not uri.startswith("file://"):
        return None
    path = percent_decoded(uri.removeprefix("file://").removeprefix("localhost"))
    return path.rstrip("/") or "/" if path.startswith("/") else None


def percent_decoded(text: str) -> str:
    """Return the text with percent escapes such as %20 replaced by their characters (UTF-8)."""
    return _ESCAPE.sub(lambda found: bytes.fromhex(found[1].decode()), text.encode()).decode("utf-8", "replace")


def percent_encoded(text: str) -> str:
    """Return the text with all characters percent-encoded (UTF-8) except the unreserved ones of URIs."""
    return "".join(
        chr(byte) if (chr(byte).isalnum() and byte < 128) or chr(byte) in "-._~" else f"%{byte:02X}"
        for byte in text.encode("utf-8", "replace")
    )


def _is_no_project(directory: str | None) -> bool:
    """Return whether a directory cannot be a project: it is unknown, the root or the home folder."""
    if directory is None:
        return True
    try:
        return directory == "/" or Path(directory) == Path.home()
    except RuntimeError:  # there is no home folder
        return False
