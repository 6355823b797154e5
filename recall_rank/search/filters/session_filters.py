"""Filters on whole sessions: scope, project, agent, title, directory, exclusions, the largest number of sessions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final, NamedTuple

from recall_rank._core.search.column_filters import copy_marks
from recall_rank.analysis.normalize import fold
from recall_rank.index.reader.index_reader import IndexReader
from recall_rank.index.segment.segment import SessionRow
from recall_rank.model.agent_names import is_of_agent, is_written_at
from recall_rank.model.project_scope import (
    directory_rank,
    in_project,
    inside,
    is_named,
    normal_path,
)
from recall_rank.model.record_classes import frozen, replace
from recall_rank.search.filters.restrictions import Restrictions
from recall_rank.search.query import Query

ROW_REASONS: Final = ("", "role", "time", "type", "tool_name")
"""Reasons for which a message or part of a searched session is left out, by their number in mark_eligible()."""

SESSION_REASONS: Final = (
    *("session_id", "scope", "session_prefix", "project", "agent", "title", "directory", "excluded", "sessions_limit"),
    "machine",
)
"""Reasons for which a session is left out with all its messages and parts; they are numbered after ROW_REASONS."""

REASONS: Final = (*ROW_REASONS, *SESSION_REASONS)
DEAD: Final = 15  # the number that stands for deleted sessions, which count nowhere
_NUMBERS: Final = {reason: number for number, reason in enumerate(REASONS)}


@frozen
class SessionFilter:
    """The result of the filters on sessions: the reason for which each session is left out, if any."""

    reasons: bytearray  # u8[sessions]: an index into REASONS, 0 for a session that passes
    buckets: bytearray | None  # u8[sessions]: an index into DIRECTORY_BUCKETS, where a directory was asked for

    @property
    def cut_by_caller(self) -> bool:
        """Whether the option `sessions`, the largest number of sessions to search, left any out."""
        return _NUMBERS["sessions_limit"] in self.reasons

    def skipped(self) -> dict[str, int]:
        """Return a mapping from each reason for which sessions were left out to their number."""
        return {name: count for name in SESSION_REASONS if (count := self.reasons.count(_NUMBERS[name]))}


def filter_sessions(reader: IndexReader, query: Query) -> SessionFilter:
    """Apply the options that filter whole sessions: return the reason for which each session is left out, if any."""
    options = query.options
    tests = _tests(query)
    if not tests and not options.directory and options.sessions is None:
        return SessionFilter(bytearray(len(reader.sessions)), None)
    reasons, buckets = _left_out(reader, tests), None
    if options.directory:
        wanted, origins = normal_path(options.directory), reader.origins
        by_folder = None if options.context is None else replace(options.context, project=None)
        buckets = bytearray(len(reader.sessions))
        of_origin = bytes([directory_rank(row, wanted, by_folder) for row in origins.rows])
        copy_marks(of_origin, origins.numbers, buckets)
    if options.sessions is not None:
        staying = [number for number, reason in enumerate(reasons) if not reason]  # newest first
        if buckets is not None:
            staying.sort(key=buckets.__getitem__)
        for number in staying[options.sessions :]:
            reasons[number] = _NUMBERS["sessions_limit"]
    return SessionFilter(reasons, buckets)


def _left_out(reader: IndexReader, tests: Sequence[_Test]) -> bytearray:
    """Return u8[sessions]: for each session the number in REASONS of the first test that it fails, 0 for none.

    Tests of the origin run once for each origin.
    """
    passed = len(tests)
    numbers = bytes([*(_NUMBERS[test.reason] for test in tests), 0])
    of_origin = [
        next((at for at, test in enumerate(tests) if test.of_origin and not test.passes(row)), passed)
        for row in reader.origins.rows
    ]
    of_session = [(at, test.passes) for at, test in enumerate(tests) if not test.of_origin]
    reasons = bytearray()
    if not of_session:
        reasons = bytearray(len(reader.sessions))
        copy_marks(bytes([numbers[failed] for failed in of_origin]), reader.origins.numbers, reasons)
        return reasons
    for row, origin in zip(reader.sessions, reader.origins.numbers, strict=True):
        failed = of_origin[origin]
        for at, passes in of_session:
            if at >= failed:
                break
            if not passes(row):
                failed = at
                break
        reasons.append(numbers[failed])
    return reasons


def sessions_in_scope(reader: IndexReader, query: Query) -> list[SessionRow]:
    """Return the sessions that the options `scope`, `session_id` and `session_prefix` let pass, whatever the others
    are.
    """
    tests = [test for test in _tests(query) if test.reason in ("scope", "session_id", "session_prefix")]
    reasons = _left_out(reader, tests)
    return [row for row, reason in zip(reader.sessions, reasons, strict=True) if not reason]


class _Test(NamedTuple):
    """A test that a session must pass; one that fails is counted in the coverage of the response under `reason`."""

    reason: str
    passes: Callable[[SessionRow], bool]
    of_origin: bool = False  # sessions of one origin pass or fail together


def _tests(query: Query) -> list[_Test]:
    """Return the tests that a session must pass, in the order in which they are tried."""
    options, context = query.options, query.options.context
    tests: list[_Test] = []
    if options.session_id:
        wanted = options.session_id
        key, _, host = wanted.rpartition("@")  # see exact_id()
        passes = lambda row: row.id == wanted or (row.id == key and (row.host or "") == host)  # noqa: E731
        tests.append(_Test("session_id", passes))
    elif options.scope == "session" and context is not None:
        current = context.session_id
        tests.append(_Test("scope", lambda row: row.id == current))
    elif options.scope == "project" and context is not None:
        tests.append(_Test("scope", lambda row: in_project(row, context), of_origin=True))
    if options.session_prefix:
        beginning = options.session_prefix
        tests.append(_Test("session_prefix", lambda row: row.id.startswith(beginning)))
    limits = Restrictions.of(query)
    tests += [_Test("project", partial(is_named, name=name), of_origin=True) for name in limits.projects]
    tests += [_Test("agent", partial(is_of_agent, name=name), of_origin=True) for name in limits.agents]
    if options.host or options.user:
        tests.append(_Test("machine", lambda row: is_written_at(row, options.host, options.user), of_origin=True))
    if options.title:
        words = fold(options.title)
        tests.append(_Test("title", lambda row: words in fold(row.title)))
    if options.exclude_session_ids:
        excluded = frozenset(options.exclude_session_ids)
        tests.append(_Test("excluded", lambda row: row.id not in excluded))
    if options.directory and not options.fallback:
        folder = normal_path(options.directory)
        tests.append(_Test("directory", lambda row: inside(row.directory, folder), of_origin=True))
    return tests
