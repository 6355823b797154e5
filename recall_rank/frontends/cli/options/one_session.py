"""Read the session that a command names, alone or with the sessions of its subagents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recall_rank.frontends.cli.options.histories import open_recall, read_with_progress
from recall_rank.frontends.cli.options.targets import target_of
from recall_rank.frontends.cli.output.console import NO_HISTORY, NOT_THERE, fail, fail_without_history

if TYPE_CHECKING:
    from recall_rank.frontends.transcripts.render import SessionTranscript
    from recall_rank.model import Session


def whole_session(session: str, histories: tuple[str, ...]) -> Session:
    """Return the session that a number of the last search, an id or a beginning of one names, with all its messages.
    Ends the command where there is no such session, and where it cannot be read.
    """
    target = target_of(session, None, histories)
    with open_recall(target.histories) as recall:
        fail_without_history(read_with_progress(recall, index=False), as_json=False)
        try:
            return recall.transcript(target.session_id)
        except LookupError as error:
            fail(str(error.args[0]), NOT_THERE, as_json=False)
        except OSError as error:
            fail(f"session {session} cannot be read: {error.strerror or error}", NO_HISTORY, as_json=False)


def read_session(
    session: str, histories: tuple[str, ...], *, subagents: bool = True, redact: bool = False
) -> SessionTranscript:
    """Return the transcript of the session that a number of the last search, an id, a beginning of it or a title names;
    with `redact`, without keys and passwords. Ends the command where there is no such session, and where it cannot be
    read.
    """
    from recall_rank.frontends.redaction.redacted_answers import session_without_secrets
    from recall_rank.frontends.transcripts.gather import find_session, read_transcript

    target = target_of(session, None, histories)
    with open_recall(target.histories) as recall:
        fail_without_history(read_with_progress(recall, index=False), as_json=False)
        try:
            found = find_session(recall, target.session_id)
            return read_transcript(
                recall, found, subagents=subagents, changed=session_without_secrets if redact else None
            )
        except LookupError as error:
            fail(str(error.args[0]), NOT_THERE, as_json=False)
        except OSError as error:
            fail(f"session {session} cannot be read: {error.strerror or error}", NO_HISTORY, as_json=False)
