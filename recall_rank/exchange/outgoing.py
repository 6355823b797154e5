"""The sessions that may leave this machine: those of allowed projects, without secrets, with its name."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from fnmatch import fnmatchcase

from recall_rank.histories.ignore import Ignore
from recall_rank.index.segment.segment import SessionRow
from recall_rank.model import Reading, Session, Source, Unit
from recall_rank.model.project_scope import is_named, place_of, short_name
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


class AllowedProjects:
    """The projects whose sessions may leave a machine, by names or shell patterns.

    A pattern is compared with the folder of a session, with every folder above it, with the last name of the folder,
    with the repository, and with what the agent calls the project. A session of which none of these is known may not
    leave.
    """

    def __init__(self, patterns: Sequence[str]) -> None:
        """Raise ValueError when there is no pattern, or an empty one."""
        if not patterns or not all(each.strip() for each in patterns):
            raise ValueError("name the projects that may leave this machine: nothing is pushed by default")
        self._patterns = tuple(patterns)
        self._places = Ignore(projects=self._patterns)

    def allow(self, session: Session | SessionRow) -> bool:
        """Return whether a session may leave."""
        name = short_name(place_of(session))
        return self._places.session(session) or any(
            is_named(session, each) or (bool(name) and fnmatchcase(name, each)) for each in self._patterns
        )

    def unmatched(self, sessions: Collection[Session | SessionRow]) -> tuple[str, ...]:
        """Return the patterns that none of the sessions has, in their order."""
        each_alone = {pattern: AllowedProjects([pattern]) for pattern in self._patterns}
        return tuple(pattern for pattern, alone in each_alone.items() if not any(map(alone.allow, sessions)))


class SourceOfMachine(SourceWrapper):
    """A source whose sessions have the name of their machine."""

    def __init__(self, source: Source, machine: MachineName) -> None:
        super().__init__(source)
        self._machine = machine

    def read(self, unit: Unit, since: bytes | None = None) -> Reading:
        reading = super().read(unit, since)
        named = [replace(each, host=self._machine.host, user=self._machine.user) for each in reading.sessions]
        return replace(reading, sessions=named)


class Outgoing:
    """Makes of a session the one that may leave a machine: None unless its project is allowed, else the session without
    secrets.

    It is called with sessions whose copies and references were resolved: only then a subagent has the folder of its
    caller, and a folder its repository.
    """

    def __init__(self, allowed: AllowedProjects, redact: Redact) -> None:
        self._allowed = allowed
        self._redact = redact

    def __call__(self, session: Session) -> Session | None:
        return self._redact(session) if self._allowed.allow(session) else None
