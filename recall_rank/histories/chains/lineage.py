"""Build the chain of a session: the tree of all sessions that are linked with it, each below the one it came from.

No recursion is used, so that a chain may be as deep as it likes; what is returned is bounded by the caller's limit.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final, Literal

from recall_rank.analysis.normalize import fold
from recall_rank.histories.catalog import MIN_PREFIX
from recall_rank.histories.chains.figures import SessionFigures, figures_of, recorded_figures
from recall_rank.histories.records.table import SessionKey, session_key
from recall_rank.histories.transcript import UnknownSession
from recall_rank.model import Flag, Session

Relation = Literal["root", "subagent", "compression", "fork", "child"]
"""How a session came from the session above it; "root" where no session is above it."""

SHOWN: Final = 200  # sessions of a chain, unless a caller says otherwise
_NAMED: Final = 5  # sessions that a note or an error names; it counts the others


@dataclass(frozen=True, slots=True)
class ChainNode:
    """One session of a chain, and its place in the tree."""

    session: Session  # without its messages
    relation: Relation
    depth: int  # 0 for the first node of the chain
    above: int | None  # index in Chain.nodes of the session it came from; None for the first node
    figures: SessionFigures
    missing: str | None = None  # the id of the session it came from, where the histories do not have that one
    left_out: int = 0  # sessions that came directly from this one and are not among the nodes


@dataclass(frozen=True, slots=True)
class Chain:
    """A tree of sessions as a list: each node stands behind the node above it, and before its siblings that are newer.

    `total` counts all sessions of the tree, also those that the limit left out.
    """

    nodes: tuple[ChainNode, ...]
    wanted: int  # index in `nodes` of the session that was asked for
    total: int
    notes: tuple[str, ...] = ()  # what is odd about the links, one sentence each


def chain_of(sessions: Iterable[Session], wanted: str, *, limit: int = SHOWN) -> Chain:
    """Return the chain of one of the `sessions`, which `wanted` names: an id, `id@machine`, a unique prefix of an
    id, or a title.

    Sessions that are given without messages get only the figures that their store records for the whole session. At
    most `limit` sessions are returned: the wanted one, what it came from, what came from it, then the rest of the tree.
    Takes time in proportion to the number of sessions. Raises UnknownSession, a LookupError, when `wanted` names none
    or several, and ValueError for a limit below 1.
    """
    lineage = Lineage(sessions)
    at, notes = lineage.find(wanted)
    return lineage.chain(at, limit, notes)


def link_of(session: Session) -> tuple[Relation, str | None]:
    """Return how a session came from another one, and the id of that one; ("root", None) when it names none."""
    if session.flags & Flag.SUBAGENT and session.parent:
        return "subagent", session.parent
    if session.continues:
        return "compression", session.continues
    if session.forked_from:
        return "fork", session.forked_from
    if session.parent:
        return "child", session.parent
    return "root", None


class Lineage:
    """The links between sessions. Sessions are known by their index in `sessions`."""

    def __init__(self, sessions: Iterable[Session]) -> None:
        """Resolve the link of each session. Of several sessions with one key, the first one counts."""
        kept: dict[SessionKey, Session] = {}
        self._twice: set[SessionKey] = set()
        for session in sessions:
            key = session_key(session)
            if kept.setdefault(key, session) is not session:
                self._twice.add(key)
        self.sessions: Sequence[Session] = tuple(kept.values())
        self._by_id: dict[str, list[int]] = {}
        for at, session in enumerate(self.sessions):
            self._by_id.setdefault(session.id, []).append(at)
        self._above = [self._resolved(session) for session in self.sessions]
        self._below: dict[int, list[int]] = {}
        for at, above in enumerate(self._above):
            if above is not None and above != at:
                self._below.setdefault(above, []).append(at)
        for children in self._below.values():
            children.sort(key=self._age)

    def find(self, wanted: str) -> tuple[int, list[str]]:
        """Return the index of the session that `wanted` names, and notes on how it was chosen.

        An id, or `id@machine`, comes before a prefix of an id, a whole title before a part of one. When all sessions
        with a title belong to one chain, the newest one is taken. Raises UnknownSession.
        """
        key, _, host = wanted.rpartition("@")  # of `id@machine`, or `id@` for this machine
        named = [at for at in self._by_id.get(key, ()) if (self.sessions[at].host or "") == host]
        exact = self._by_id.get(wanted) or named
        if exact:
            chosen = max(exact, key=lambda at: (not self.sessions[at].host, self.sessions[at].updated, -at))
            others = [_written_by(self.sessions[at]) for at in exact if at != chosen]
            own = _written_by(self.sessions[chosen])
            note = f"other sessions have this id ({_names(others)}); this is the one of {own}"
            return chosen, [note] if others else []
        words = fold(wanted.strip())
        if not words:
            raise UnknownSession("the id or title of a session is needed")
        if len(wanted) >= MIN_PREFIX:
            begun = [at for at, session in enumerate(self.sessions) if session.id.startswith(wanted)]
            if len({self.sessions[at].id for at in begun}) == 1:
                return self.find(self.sessions[begun[0]].id)
            if begun:
                ids = _names([self.sessions[at].id for at in begun])
                raise UnknownSession(f"several sessions have ids that begin with {wanted!r}: {ids}")
        titles = [fold(session.title or "") for session in self.sessions]
        found = [at for at, title in enumerate(titles) if title == words]
        found = found or [at for at, title in enumerate(titles) if words in title]
        if not found:
            raise UnknownSession(f"no session has an id or title like {wanted!r}")
        newest = max(found, key=lambda at: (self.sessions[at].updated, -at))
        if len(found) > 1:
            tops = {self._top(at)[0] for at in islice(found, SHOWN)}
            if len(tops) > 1 or len(found) > SHOWN:
                ids = _names([self.sessions[at].id for at in found])
                raise UnknownSession(f"{len(found):,} sessions have a title like {wanted!r}: {ids}")
            return newest, [f"{len(found):,} sessions of this chain have such a title; the newest one is marked"]
        return newest, []

    def subagents(self, session: Session) -> list[Session]:
        """Return the sessions of the subagents that a session called, oldest first."""
        key = session_key(session)
        known = [at for at in self._by_id.get(session.id, ()) if session_key(self.sessions[at]) == key]
        below = [self.sessions[each] for at in known for each in self._below.get(at, ())]
        return [each for each in below if link_of(each)[0] == "subagent"]

    def chain(self, wanted: int, limit: int = SHOWN, notes: Iterable[str] = ()) -> Chain:
        """Return the chain of the session at an index, at most `limit` of its sessions. Raises ValueError for a limit
        below 1.
        """
        if limit < 1:
            raise ValueError(f"limit must be 1 or more, not {limit!r}")
        top, circle = self._top(wanted)
        below = self._tree(top)
        remarks = [*notes, *self._odd(top, circle)]
        path = self._path(wanted, top)
        shown = dict.fromkeys(path[:limit])
        for at in _breadth_first(wanted, below):
            if len(shown) >= limit:
                break
            shown[at] = None
        first = path[min(limit, len(path)) - 1]
        if first != top:
            remarks.append(f"{len(path) - len(shown):,} sessions further up are left out")
        else:
            for at in _breadth_first(top, below):
                if len(shown) >= limit:
                    break
                shown[at] = None
        nodes = self._nodes(first, below, shown, top if circle else None)
        members = list(_breadth_first(top, below))
        twice = [
            session.id for session in map(self.sessions.__getitem__, members) if session_key(session) in self._twice
        ]
        if twice:
            remarks.append(f"sessions that were given more than once count once: {_names(twice)}")
        place = next(index for index, (at, _) in enumerate(nodes) if at == wanted)
        return Chain(tuple(node for _, node in nodes), place, len(members), tuple(remarks))

    def _nodes(
        self, first: int, below: dict[int, list[int]], shown: dict[int, None], cut: int | None
    ) -> list[tuple[int, ChainNode]]:
        """Return the nodes of the shown sessions below `first`, itself included, each with the index of its session.

        `cut` is the session at which a circle was cut, None when there is no circle.
        """
        nodes: list[tuple[int, ChainNode]] = []
        waiting: list[tuple[int, int | None, int]] = [(first, None, 0)]
        while waiting:
            at, above, depth = waiting.pop()
            children = below.get(at, ())
            following = [child for child in children if child in shown]
            session = self.sessions[at]
            relation, origin = link_of(session)
            missing = origin if self._above[at] is None else None
            node = ChainNode(
                replace(session, messages=()),
                "root" if at == cut else relation,
                depth,
                above,
                figures_of(session) if session.messages else recorded_figures(session),
                missing,
                len(children) - len(following),
            )
            waiting += [(child, len(nodes), depth + 1) for child in reversed(following)]
            nodes.append((at, node))
        return nodes

    def _resolved(self, session: Session) -> int | None:
        """Return the index of the session that this one came from: one of its agent, of its machine if there is one,
        else one of its source.
        """
        _, origin = link_of(session)
        known = self._by_id.get(origin or "", ())
        same = [at for at in known if self.sessions[at].agent == session.agent]
        same.sort(key=lambda at: self.sessions[at].host != session.host)
        return next(iter(same or [at for at in known if self.sessions[at].source == session.source]), None)

    def _top(self, at: int) -> tuple[int, list[int]]:
        """Return the root of the tree of a session, and the sessions of the circle that its links run into.

        Of a circle, the oldest session counts as the root; without a circle the list is empty.
        """
        path: dict[int, None] = {}
        place = at
        while place not in path:
            path[place] = None
            above = self._above[place]
            if above is None:
                return place, []
            place = above
        walked = list(path)
        circle = walked[walked.index(place) :]
        return min(circle, key=self._age), circle

    def _path(self, at: int, top: int) -> list[int]:
        """Return the indices from a session up to the root `top` of its tree, both included."""
        path = [at]
        while path[-1] != top and (above := self._above[path[-1]]) is not None:
            path.append(above)
        return path

    def _tree(self, top: int) -> dict[int, list[int]]:
        """Return the children of each session as a mapping by index, without `top` as a child of another one."""
        above = self._above[top]
        if above is None or above == top:
            return self._below
        return {**self._below, above: [child for child in self._below[above] if child != top]}

    def _odd(self, top: int, circle: Sequence[int]) -> Iterator[str]:
        """Yield a note for links that run in a circle, and for a root that came from a session that is not there."""
        if circle:
            ids = _names([self.sessions[at].id for at in circle])
            yield f"the links of {len(circle):,} sessions run in a circle ({ids}); the oldest of them is the root here"
        _, origin = link_of(self.sessions[top])
        if origin and self._above[top] is None:
            yield f"session {origin}, from which the first one came, is not in these histories"

    def _age(self, at: int) -> tuple[int, str, str]:
        """Return the key by which sessions are sorted, oldest first."""
        session = self.sessions[at]
        return session.created or session.updated, session.id, session.agent or ""


def _breadth_first(first: int, below: dict[int, list[int]]) -> Iterator[int]:
    """Yield the sessions of the tree below `first`, itself included, those nearest to it first."""
    waiting = deque((first,))
    while waiting:
        at = waiting.popleft()
        yield at
        waiting += below.get(at, ())


def _written_by(session: Session) -> str:
    return f"{session.agent or 'unknown'} on {session.host}" if session.host else session.agent or "unknown"


def _names(ids: Sequence[str]) -> str:
    more = len(ids) - _NAMED
    return ", ".join(ids[:_NAMED]) + (f" and {more:,} more" if more > 0 else "")
