"""The outcome of a picker, the functions it needs from its terminal, and the choice as lines for a script."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from recall_rank.frontends.display_text import escape
from recall_rank.frontends.transcripts.reopen import ReopenCommand, reopen_command, why_not_reopened
from recall_rank.model.agent_names import named_id

if TYPE_CHECKING:
    from recall_rank.frontends.cli.browse.entries import ListEntry
    from recall_rank.model import Session
    from recall_rank.recall import Recall

PrintForm = Literal["id", "path", "command"]


@dataclass(frozen=True, slots=True)
class Picked:
    """The entries that were picked for a script."""

    entries: tuple[ListEntry, ...]


@dataclass(frozen=True, slots=True)
class Reopening:
    """The command that a person confirmed."""

    command: ReopenCommand


Outcome = Picked | Reopening | None


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The functions by which the picker acts outside of its screen.

    `copy` puts a text on the clipboard by a program and returns its name, None where there is none. `page` shows lines
    in the pager and returns why it could not, "" when it did.
    """

    copy: Callable[[str], str | None]
    page: Callable[[Sequence[str]], str]


def command_of(session: Session) -> ReopenCommand | None:
    """Return the command that reopens a session; None when there is none."""
    return reopen_command(session.source, session.id, session.directory, session.flags, session.places)


def printed(recall: Recall, entries: Sequence[ListEntry], form: PrintForm) -> Iterator[str]:
    """Yield a line for each session that was picked, in the order of the entries: its id, the file it was read from, or
    the command that reopens it.

    Raises ValueError for a session that has none, and for a value that cannot stand on one line.
    """
    for session_id in dict.fromkeys(entry.session_id for entry in entries):
        session = recall.session(session_id)
        value = _value(session, form)
        if value is None and form == "command":
            raise ValueError(f"no command reopens {session_id}: {why_not_reopened(session)}")
        if value is None:
            raise ValueError(f"session {session_id} has no {form}")
        if escape(value) != value:
            raise ValueError(f"the {form} of session {session_id} has control characters: {value}")
        yield value


def _value(session: Session, form: PrintForm) -> str | None:
    if form == "id":
        return named_id(session.id, session.host)
    if form == "path":
        return session.places[0] if session.places else None
    command = command_of(session)
    return None if command is None else command.line
