"""Write sessions to new files. A file that is there stays as it is, and no file is put among those of a history."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from recall_rank.frontends.display_text import counted

if TYPE_CHECKING:
    from recall_rank.model import Session
    from recall_rank.recall import Recall

FORMATS: Final = {".md": "markdown", ".html": "html", ".jsonl": "jsonl"}
_NO_NAME: Final = re.compile(r"[^A-Za-z0-9._-]+")
_LONGEST: Final = 80  # characters of a name that is made from an id


class ExportError(Exception):
    """Nothing, or not everything, was written. The message is one line for a person."""


def file_name(session_id: str) -> str:
    """Return the name of a Markdown file for a session, made from its id."""
    return f"{_NO_NAME.sub('-', session_id).strip('.-')[:_LONGEST] or 'session'}.md"


def export_sessions(recall: Recall, session_ids: Sequence[str], named: str, *, redact: bool = False) -> str:
    """Write one session to the file `named`, in the format that its ending names, or several into the folder `named`,
    as Markdown; with `redact` without keys and passwords. Return what was written, as a sentence. Raises ExportError.
    """
    target = Path(named).expanduser()
    try:
        if len(session_ids) == 1:
            _write(recall, session_ids[0], target, redact=redact)
            return f"wrote {target}"
        target.mkdir(parents=True, exist_ok=True)
        for session_id in session_ids:
            _write(recall, session_id, target / file_name(session_id), redact=redact)
    except LookupError as error:
        raise ExportError(str(error.args[0])) from error
    except FileExistsError as error:
        raise ExportError(f"nothing was written: there is a file already, {error.filename}") from error
    except OSError as error:
        raise ExportError(f"{error.filename or named}: {error.strerror or error}") from error
    return f"wrote {counted(len(session_ids), 'session', 'sessions')} into {target}"


def _write(recall: Recall, session_id: str, target: Path, *, redact: bool) -> None:
    from recall_rank.frontends.cli.output.export_formats import export_lines
    from recall_rank.frontends.redaction.redacted_answers import session_without_secrets

    form = FORMATS.get(target.suffix.lower())
    if form is None:
        raise ExportError(f"the name must end in {', '.join(FORMATS)}, not {target.suffix!r}")
    if _is_of_history(target, recall.sessions()):
        raise ExportError(f"nothing was written: a history lies in this folder, {target.parent}")
    session = recall.transcript(session_id)
    lines = export_lines(session_without_secrets(session) if redact else session, form)
    with target.open("xb") as file:  # fails where there is a file
        file.writelines(line + b"\n" for line in lines)


def _is_of_history(target: Path, sessions: Iterable[Session]) -> bool:
    """Return whether sessions were read from files in the folder of `target`, unless that is the folder in which they
    ran: some agents keep their history in a file of the project.
    """
    folder = target.parent.resolve()
    for session in sessions:
        for place in session.places:
            of_place = Path(place).parent.resolve()
            if folder == of_place and str(of_place) not in (session.directory, session.worktree):
                return True
    return False
