"""Write the sessions that are chosen in the picker to new files."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from recall_rank.frontends.cli.options.named_sources import every_store
from recall_rank.frontends.cli.options.output_file import EXPORTED, REPLACES, OutputError, OutputFile
from recall_rank.frontends.display_text import counted
from recall_rank.model.option_errors import error_text

if TYPE_CHECKING:
    from recall_rank.recall import Recall

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
    try:
        target = Path(named).expanduser()
        if len(session_ids) == 1:
            _write(recall, session_ids[0], target, redact=redact)
            return f"wrote {target}"
        if not target.is_dir():
            OutputFile(target).check(_stores(recall))
            target.mkdir(parents=True, exist_ok=True)
        for session_id in session_ids:
            _write(recall, session_id, target / file_name(session_id), redact=redact)
    except LookupError as error:
        raise ExportError(str(error.args[0])) from error
    except OutputError as error:
        raise ExportError(error.message.removesuffix(REPLACES)) from error
    except (OSError, RuntimeError) as error:
        raise ExportError(f"{named}: {error_text(error)}") from error
    return f"wrote {counted(len(session_ids), 'session', 'sessions')} into {target}"


def _write(recall: Recall, session_id: str, target: Path, *, redact: bool) -> None:
    from recall_rank.frontends.cli.output.export_formats import export_lines
    from recall_rank.frontends.redaction.redacted_answers import session_without_secrets

    out = OutputFile(target)
    form = out.format(EXPORTED)
    with out.open(_stores(recall), quiet=True) as file:
        session = recall.transcript(session_id)
        lines = export_lines(session_without_secrets(session) if redact else session, form)
        file.writelines(line + b"\n" for line in lines)


def _stores(recall: Recall) -> list[str]:
    return [*(report.location for report in recall.sources()), *every_store(())]
