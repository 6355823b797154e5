"""Resolve copied messages and sessions found twice, among changed sessions and the sessions that depend on them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from recall_rank.histories.cache.dependency_keys import dependency_keys
from recall_rank.histories.records.table import SessionEntry
from recall_rank.loaders.projects.repositories import name_repositories
from recall_rank.loaders.read_all import (
    LoadedSource,
    failure_reason,
    merge_duplicates,
    resolve_across,
    resolve_sessions,
)
from recall_rank.model import BaseSource, Notice, Session


@dataclass(slots=True)
class ReadSession:
    """A session as it was read from its unit, before copies are resolved, with its table entry and its dependency
    keys.
    """

    at: int  # index of the source
    session: Session
    held: SessionEntry
    dependency_keys: set[int]
    problem: str | None = None  # why its source could not say on what it depends, or resolve copies in its group


@dataclass(slots=True)
class ResolvedCopies:
    """The sessions that remain after copies were resolved, and the notices about the copies."""

    sessions: dict[int, Session] = field(default_factory=dict)  # the sessions to index, by serial
    notices: list[tuple[int, int, list[Notice]]] = field(default_factory=list)  # index of the source, group, notices


def read_session(at: int, source: BaseSource, session: Session, serial: int) -> ReadSession:
    """Return a record of a session that was just read from the source with the index `at`; whether it is a copy is
    decided later, by resolve_copies().
    """
    problem = None
    try:
        keys = dependency_keys(source, session, source.related_ids)
    except Exception as error:  # noqa: BLE001 - a source that fails, however, must not hide the others
        keys = dependency_keys(source, session, partial(BaseSource.related_ids, source))
        problem = failure_reason(error)
    return ReadSession(at, session, SessionEntry(replace(session, messages=()), serial, serial), keys, problem)


def resolve_copies(sources: Sequence[BaseSource], read_sessions: Sequence[ReadSession]) -> ResolvedCopies:
    """Return the sessions that remain after copies among `read_sessions` are resolved.

    `read_sessions` must hold complete groups (all sessions connected by shared ids), in the order of a full reading.
    Each group is resolved for itself. The group and counts of each session are written to its table entry. Where a
    source fails, the sessions of the group stay as they are, and the `problem` of one of them says why.
    """
    done = ResolvedCopies()
    for members in _groups(read_sessions):
        group = min(each.held.serial for each in members)
        for each in members:
            each.held.group = group
        first = members[0]
        if len(members) == 1 and not sources[first.at].resolves:
            done.sessions[first.held.serial] = first.session
        else:
            _settle_group(sources, members, group, done)
    named = name_repositories(done.sessions.values())
    done.sessions = dict(zip(done.sessions, named, strict=True))
    for each in read_sessions:
        _describe(each.held, done.sessions.get(each.held.serial))
    return done


def _settle_group(
    sources: Sequence[BaseSource], members: Sequence[ReadSession], group: int, done: ResolvedCopies
) -> None:
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
        if one.failures:  # one unit tells it; all of the group are read again when that is
            next(each for each in members if each.at == at).problem = one.failures[0].reason


def _describe(held: SessionEntry, session: Session | None) -> None:
    held.messages = held.parts = held.newest = 0
    if session is None:
        return
    held.session = replace(session, messages=())
    held.messages = len(session.messages)
    held.parts = sum(len(message.parts) for message in session.messages)
    held.newest = max((message.time for message in session.messages), default=0)


def _groups(read_sessions: Sequence[ReadSession]) -> Iterator[list[ReadSession]]:
    """Yield the connected components of the graph in which sessions are joined when they share a dependency key;
    each keeps the order of `read_sessions`.
    """
    above = list(range(len(read_sessions)))

    def top(at: int) -> int:
        while above[at] != at:
            above[at] = above[above[at]]
            at = above[at]
        return at

    first: dict[int, int] = {}
    for at, each in enumerate(read_sessions):
        for link in each.dependency_keys:
            other = first.setdefault(link, at)
            if other != at:
                one, two = top(at), top(other)
                above[max(one, two)] = min(one, two)
    found: dict[int, list[ReadSession]] = defaultdict(list)
    for at, each in enumerate(read_sessions):
        found[top(at)].append(each)
    yield from found.values()


def all_links(read_sessions: Iterable[ReadSession]) -> Iterator[int]:
    """Yield the dependency keys of these sessions, each with the serial number of its session in the low 24 bits."""
    for each in read_sessions:
        for link in each.dependency_keys:
            yield link | each.held.serial
