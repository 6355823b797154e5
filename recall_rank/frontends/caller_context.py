"""Make the context of a caller, that is, its current session, project and folder.

It is made from a folder, from the working directory, or from JSON.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, Final

from recall_rank.model import Context
from recall_rank.model.serialize import json_kind

_CONTEXT_FIELDS: Final = tuple(field.name for field in fields(Context))
_EXPECTED_TYPES: Final = {"in_context": "a list of message ids"}


def context_of_folder(folder: str | Path) -> Context:
    """Return the context of a folder: `directory` is the folder, `worktree` the root of its git repository.

    A folder outside of a repository is its own worktree.
    """
    here = Path(folder).expanduser().absolute()
    try:
        root = _repository_root(here)
    except OSError:
        root = here
    return Context(directory=str(here), worktree=str(root))


def context_of_working_directory() -> Context | None:
    """Return the context of the working directory; None when the directory is gone or cannot be read."""
    try:
        here = Path.cwd()
        return Context(directory=str(here), worktree=str(_repository_root(here)))
    except OSError:
        return None


def none_of_project(context: Context) -> str:
    """Return the sentence that no session is of the project of a context that context_of_working_directory() made."""
    return f"no session ran in {context.worktree} or below it, which is the project here"


def read_context(value: object) -> Context | None:
    """Return the context that the JSON object `value` describes; None for None. Blank strings count as absent.

    `in_context` is a list of message ids, every other field a string. Raises ValueError that names a wrong field.
    """
    if value is None:
        return None
    if not isinstance(value, Mapping):
        raise ValueError(f"context must be an object, not {json_kind(value)}")
    known: dict[str, Any] = {}
    for name, entry in value.items():
        if name not in _CONTEXT_FIELDS:
            raise ValueError(f"context takes {', '.join(_CONTEXT_FIELDS)}, not {name}")
        if name == "in_context" and isinstance(entry, list | tuple):
            if not all(isinstance(each, str) for each in entry):
                raise ValueError("context in_context must be a list of message ids")
            known[name] = tuple(entry)
        elif not isinstance(entry, str | None) or (entry and name == "in_context"):
            raise ValueError(f"context {name} must be {_EXPECTED_TYPES.get(name, 'a string')}, not {entry!r}")
        elif entry and entry.strip():
            known[name] = entry
    return Context(**known)


def _repository_root(folder: Path) -> Path:
    """Return the nearest folder at or above this one that holds `.git`; the folder itself when there is none."""
    return next((each for each in (folder, *folder.parents) if (each / ".git").exists()), folder)
