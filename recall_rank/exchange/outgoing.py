"""Sources of the sessions that may leave this machine: those of allowed projects, without secrets, with its name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from recall_rank.histories.ignore import Ignore
from recall_rank.model import Reading, Session, Source, Unit
from recall_rank.model.record_classes import frozen, replace
from recall_rank.model.source_wrapper import SourceWrapper

Redact = Callable[[Session], Session]


@frozen
class MachineName:
    """The machine and the account there by which pushed sessions are told apart."""

    host: str
    user: str

    def __post_init__(self) -> None:
        """Raise ValueError for a name that is empty, has control characters or more than 100 characters."""
        for field, name in (("host", self.host), ("user", self.user)):
            if not name.strip() or not name.isprintable() or len(name) > 100:
                raise ValueError(f"{field} must be a name of at most 100 printable characters, not {name!r:.120}")

    def __str__(self) -> str:
        return f"{self.user}@{self.host}"


class OutgoingSource(SourceWrapper):
    """A source of which only the sessions of allowed projects are read, each without secrets and with the name of this
    machine.
    """

    def __init__(self, source: Source, machine: MachineName, projects: Sequence[str], redact: Redact) -> None:
        """Wrap a source. `projects` are patterns as those of the setting `ignore.projects`: ids, repositories or
        folders of projects.
        """
        super().__init__(source)
        self._machine = machine
        self._allowed = Ignore(projects=tuple(projects))
        self._redact = redact

    def read(self, unit: Unit, since: bytes | None = None) -> Reading:
        reading = super().read(unit, since)
        sessions = [
            self._named(self._redact(session)) for session in reading.sessions if self._allowed.session(session)
        ]
        return replace(reading, sessions=sessions, left_out=reading.left_out + len(reading.sessions) - len(sessions))

    def _named(self, session: Session) -> Session:
        return replace(session, host=self._machine.host, user=self._machine.user)


def outgoing_sources(
    sources: Iterable[Source], machine: MachineName, projects: Sequence[str], redact: Redact
) -> list[OutgoingSource]:
    """Return the sources as OutgoingSources. Raises ValueError when no project is allowed."""
    if not projects or not all(each.strip() for each in projects):
        raise ValueError("name the projects that may leave this machine: nothing is pushed by default")
    return [OutgoingSource(source, machine, projects, redact) for source in sources]
