"""The list of sessions, newest first, and look-ups in it by id, title and project."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import takewhile

from recall_rank.analysis.normalize import fold, fold_cached
from recall_rank.model import Context, Session
from recall_rank.model.agent_names import is_of_agent
from recall_rank.model.project_scope import in_project

MIN_PREFIX = 4  # a shorter beginning of an id is more likely a mistake than an abbreviation


class Catalog:
    """The sessions of one generation (published version of the index), without their messages."""

    __slots__ = ("_by_id", "_ids", "_more", "sessions")

    def __init__(self, sessions: Iterable[Session]) -> None:
        bare = [replace(session, messages=(), updated=session.updated or _newest(session)) for session in sessions]
        bare.sort(key=lambda session: (-session.updated, session.source or "", session.id))
        self.sessions: tuple[Session, ...] = tuple(bare)
        self._by_id: dict[str, Session] = {}
        for session in sorted(self.sessions, key=lambda session: bool(session.host)):
            self._by_id.setdefault(session.id, session)  # of several with one id: this machine's, then the newest
        self._ids = sorted(self._by_id)
        self._more: dict[str, list[Session]] = {}
        for session in self.sessions if len(self._ids) < len(self.sessions) else ():
            self._more.setdefault(session.id, []).append(session)

    def find(self, session_id: str) -> Session | None:
        """Return the session with this id, where several have it the newest of this machine, else the newest, or the
        newest that has it among its full_names(); else the only session whose id begins with it. None when there is
        none or there are several.
        """
        found = self._by_id.get(session_id)
        if found is not None:
            return found
        for at in (at for at, letter in enumerate(session_id) if letter == "@"):
            for each in self.with_id(session_id[:at]):
                if session_id in full_names(each):
                    return each
        known = only_prefix(session_id, self._ids)
        return None if known is None else self._by_id[known]

    def with_id(self, session_id: str) -> list[Session]:
        """Return all sessions with this id, newest first."""
        return self._more.get(session_id) or [each for each in (self._by_id.get(session_id),) if each is not None]

    def ids_with(self, prefix: str) -> list[str]:
        """Return the ids that begin with `prefix`, sorted."""
        first = bisect_left(self._ids, prefix)
        return list(takewhile(lambda known: known.startswith(prefix), self._ids[first:]))


def full_names(session: Session) -> list[str]:
    """Return the names that tell a session from others with its id, the shortest first: `id@machine`, with nothing
    behind the @ for this machine, then names that have the account, the agent or both before the machine.
    """
    agent, account = [session.agent or session.source or ""], [session.user or ""]
    telling: tuple[list[str], ...] = ([], account, agent, agent + account)
    return ["@".join((session.id, *filter(None, each), session.host or "")) for each in telling]


def only_prefix(wanted: str, ids: Sequence[str]) -> str | None:
    """Return the only one of the sorted `ids` that begins with `wanted`; None for none, for several, and when `wanted`
    has fewer than 4 characters.
    """
    if len(wanted) < MIN_PREFIX:
        return None
    at = bisect_left(ids, wanted)
    found = ids[at : at + 2]
    matching = [known for known in found if known.startswith(wanted)]
    return matching[0] if len(matching) == 1 else None


def select_sessions(
    sessions: Sequence[Session],
    scope: str,
    search: str | None,
    agent: str | None,
    context: Context | None,
    limit: int | None,
) -> list[Session]:
    """Return the first `limit` sessions of `agent` in a scope whose title contains `search`, ignoring case.

    None for `agent` is every agent, None for `limit` no limit.

    Raises ValueError for a negative limit, an unknown scope, or the scope "project" without a context.
    """
    if limit is not None and limit < 0:
        raise ValueError(f"limit must be 0 or more, not {limit!r}")
    if scope not in ("global", "project"):
        raise ValueError(f"scope must be 'project' or 'global', not {scope!r}")
    if scope == "project" and context is None:
        raise ValueError("scope 'project' needs a context")
    words = fold(search or "")
    found = [
        session
        for session in sessions
        if words in fold_cached(session.title or "")
        and (not agent or is_of_agent(session, agent))
        and (scope == "global" or context is None or in_project(session, context))
    ]
    return found[:limit]


def confined(sessions: Sequence[Session]) -> list[Session]:
    """Return the sessions without what they tell of others: ids of sessions that are not among them (parent, fork
    origin, continued session) are removed, and all places but the first.
    """
    ids = {session.id for session in sessions}
    return [
        replace(
            session,
            parent=session.parent if session.parent in ids else None,
            forked_from=session.forked_from if session.forked_from in ids else None,
            continues=session.continues if session.continues in ids else None,
            places=tuple(session.places[:1]),
        )
        for session in sessions
    ]


def _newest(session: Session) -> int:
    return max((message.time for message in session.messages), default=0)
