"""What only several sessions together can tell, for those that changed and those that are linked to them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from recall_rank.histories.cache.dependency_keys import links
from recall_rank.histories.cache.table import Held
from recall_rank.loaders.projects.repositories import identified
from recall_rank.loaders.read_all import LoadedSource, merge_duplicates, resolve_across, resolve_sessions
from recall_rank.model import BaseSource, Notice, Session


@dataclass(slots=True)
class Raw:
    """A session as its unit gave it."""

    at: int  # which source
    session: Session
    held: Held
    links: set[int]


@dataclass(slots=True)
class Settled:
    """What became of sessions that were settled together."""

    sessions: dict[int, Session] = field(default_factory=dict)  # by serial, those that count
    notices: list[tuple[int, int, list[Notice]]] = field(default_factory=list)  # source, group


def raw(at: int, source: BaseSource, session: Session, serial: int) -> Raw:
    """A session that was just read; what becomes of it, settle() says."""
    return Raw(at, session, Held(replace(session, messages=()), serial, serial), links(source, session))


def settle(sources: Sequence[BaseSource], raws: Sequence[Raw]) -> Settled:
    """Settle `raws`, which must be all of their groups, in the order in which a full reading meets them.

    Each group is settled by itself: what has nothing in common cannot bear on each other. Marks the group in `held`.
    """
    done = Settled()
    for members in _groups(raws):
        group = min(each.held.serial for each in members)
        for each in members:
            each.held.group = group
        first = members[0]
        if len(members) == 1 and not sources[first.at].resolves:
            done.sessions[first.held.serial] = first.session
        else:
            _settle_group(sources, members, group, done)
    named = identified(done.sessions.values())
    done.sessions = dict(zip(done.sessions, named, strict=True))
    for each in raws:
        _describe(each.held, done.sessions.get(each.held.serial))
    return done


def _settle_group(sources: Sequence[BaseSource], members: Sequence[Raw], group: int, done: Settled) -> None:
    loaded: dict[int, LoadedSource] = {}
    serials: dict[int, list[int]] = defaultdict(list)
    for each in sorted(members, key=lambda member: member.at):  # stable: units stay in order
        loaded.setdefault(each.at, LoadedSource(sources[each.at])).sessions.append(each.session)
        serials[each.at].append(each.held.serial)
    for one in loaded.values():
        resolve_sessions(one)
    if len(members) > 1:
        merge_duplicates(list(loaded.values()))
        resolve_across(list(loaded.values()))
    for at, one in loaded.items():
        for serial, session in zip(serials[at], one.sessions, strict=True):
            if session is not None:
                done.sessions[serial] = session
        if one.notices:
            done.notices.append((at, group, one.notices))


def _describe(held: Held, session: Session | None) -> None:
    held.messages = held.parts = held.newest = 0
    if session is None:
        return
    held.session = replace(session, messages=())
    held.messages = len(session.messages)
    held.parts = sum(len(message.parts) for message in session.messages)
    held.newest = max((message.time for message in session.messages), default=0)


def _groups(raws: Sequence[Raw]) -> Iterator[list[Raw]]:
    """The sessions that share links, directly or not, each group in the order of `raws`."""
    above = list(range(len(raws)))

    def top(at: int) -> int:
        while above[at] != at:
            above[at] = above[above[at]]
            at = above[at]
        return at

    first: dict[int, int] = {}
    for at, each in enumerate(raws):
        for link in each.links:
            other = first.setdefault(link, at)
            if other != at:
                one, two = top(at), top(other)
                above[max(one, two)] = min(one, two)
    found: dict[int, list[Raw]] = defaultdict(list)
    for at, each in enumerate(raws):
        found[top(at)].append(each)
    yield from found.values()


def all_links(raws: Iterable[Raw]) -> Iterator[int]:
    """The keys by which these sessions are found from others."""
    for each in raws:
        for link in each.links:
            yield link | each.held.serial
