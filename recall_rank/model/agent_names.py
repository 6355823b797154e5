"""Names of agents and machines, by which filters find their sessions, and names of sessions among several machines."""

from __future__ import annotations

from functools import lru_cache
from typing import Protocol


class Written(Protocol):
    """The fields that tell which agent wrote a session, and where; the records Session and SessionRow have them."""

    @property
    def agent(self) -> str | None: ...
    @property
    def source(self) -> str | None: ...
    @property
    def host(self) -> str | None: ...
    @property
    def user(self) -> str | None: ...


def agent_names(session: Written) -> list[str]:
    """Return the names of a session's agent: the program that wrote it, then the store that it was read from."""
    return [name for name in dict.fromkeys((session.agent, session.source)) if name]


def is_of_agent(session: Written, name: str) -> bool:
    """Return whether a filter for the agent `name` lets a session pass: `name` is that of its program or of its store,
    in any case and with any punctuation.
    """
    wanted = agent_key(name)
    return bool(wanted) and any(agent_key(each) == wanted for each in agent_names(session))


def is_written_at(session: Written, host: str | None, user: str | None) -> bool:
    """Return whether filters for a machine and for an account let a session pass, in any case; None lets all pass."""
    wanted = ((host, session.host), (user, session.user))
    return all(not name or (found or "").casefold() == name.casefold() for name, found in wanted)


def named_id(session_id: str, host: str | None) -> str:
    """Return what names a session where several machines may have its id: the id, for one of another machine `host`
    with "@" and the name of the machine behind it.
    """
    return f"{session_id}@{host}" if host else session_id


def exact_id(session_id: str, host: str | None) -> str:
    """Return what names a session and no other machine's with its id: as named_id(), of this machine with "@" alone."""
    return f"{session_id}@{host or ''}"


@lru_cache(maxsize=256)  # filters ask for each session
def agent_key(name: str) -> str:
    """Return the letters and digits of an agent's name in lower case: claude-code and Claude Code are one name."""
    return "".join(filter(str.isalnum, name.casefold()))
