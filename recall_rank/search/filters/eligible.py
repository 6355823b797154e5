"""The filter stage: determine the eligible set, that is, the sessions, messages, parts and documents that may be hits.

It runs before anything is ranked or counted.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from recall_rank._core.runtime.record_factory import RecordFactory
from recall_rank._core.search.column_filters import count_marks, keep_marks, mark_documents_of_parts, mark_eligible
from recall_rank.analysis.normalize import fold
from recall_rank.index.reader.index_reader import IndexReader
from recall_rank.index.reader.literal_scan import mark_literal
from recall_rank.index.reader.segment_view import SegmentView
from recall_rank.index.segment.segment import ROLES, SessionRow
from recall_rank.model import Count
from recall_rank.model.project_scope import in_project, inside, normal_path
from recall_rank.search.filters.in_context import leave_out, read_by_the_caller
from recall_rank.search.query import Query

_count = RecordFactory(Count).make
FOREVER = 2**62  # ms; no time is later
SUBTEXT_TYPES = {"text": ("text",), "tool": ("tool",), "reasoning": ("reasoning",)}


@dataclass(slots=True)
class EligibleSet:
    """The sessions, messages, parts and documents that may be hits, and their counts for the coverage.

    Marks are arrays with one entry for each row, true or 1 when it may be a hit. For messages, parts and documents,
    None means that all are eligible.
    """

    session_marks: list[bool]
    message_marks: bytearray | None
    part_marks: bytearray | None
    doc_marks: bytearray | None
    doc_count: int  # eligible documents
    word_count: int  # words of the eligible documents
    session_count: Count
    message_count: Count
    part_count: Count
    limited_by: list[str]
    buckets: dict[int, str]  # session -> directory bucket, when a directory was asked for
    cut_by_caller: bool  # the caller's `sessions` left eligible sessions out
    parts_reached: int  # parts, from the first, whose text was read for `must` and `must_not` before the deadline


def eligible_set(reader: IndexReader, query: Query, deadline_ns: int = 0) -> EligibleSet:
    """The rows of `reader` that pass the scope and every filter of `query`.

    With the options `must` or `must_not`, part texts are read until `deadline_ns`, a monotonic time; a part that was
    not read by then is not eligible.
    """
    options = query.options
    if _leaves_all(query):
        return _everything(reader, [], {})
    chosen = _filter_sessions(reader, query)
    keep, reasons, buckets = chosen.marks, chosen.reasons, chosen.buckets
    cut = "sessions_limit" in reasons.values()
    limited = _limits(query, cut=cut)
    by_id = options.scope == "session" or options.session_id is not None  # then all of that session is eligible
    in_context = [] if by_id else read_by_the_caller(reader, options.context)
    known_messages, known_parts = reader.messages_without_titles, reader.parts_without_titles
    if not (reasons or in_context) and _is_plain(query):
        return _everything(reader, limited, buckets)
    message_marks, part_marks = bytearray(reader.messages), bytearray(reader.parts)
    messages = parts = 0
    for view, sessions_kept in zip(reader.views, reader.own_sessions(keep), strict=True):
        passed = _mark(view, query, sessions_kept, message_marks, part_marks)
        messages, parts = messages + passed[0], parts + passed[1]
    messages_read = parts_read = 0
    if in_context:
        messages_read, parts_read = leave_out(reader, in_context, message_marks, part_marks)
        messages, parts = messages - messages_read, parts - parts_read
        limited.append("in_context")
    reached, by_words = reader.parts, 0
    if options.must or options.must_not:
        reached, left = _by_words(reader, query, part_marks, deadline_ns)
        by_words, parts = parts - left, left
    doc_marks = bytearray(reader.docs)
    for view in reader.views:
        mark_documents_of_parts(view.parts_in(part_marks), view.segment.doc_part, view.docs_in(doc_marks))
    docs, words = reader.averages(doc_marks)
    sessions = sum(keep)
    skipped: dict[str, int] = {}
    for reason in reasons.values():
        skipped[reason] = skipped.get(reason, 0) + 1
    return EligibleSet(
        session_marks=keep,
        message_marks=message_marks,
        part_marks=part_marks,
        doc_marks=doc_marks,
        doc_count=docs,
        word_count=words,
        session_count=Count(len(reader.sessions), sessions, sessions, skipped),
        message_count=Count(
            known_messages,
            messages,
            messages,
            _skipped(filtered=known_messages - messages - messages_read, in_context=messages_read),
        ),
        part_count=Count(
            known_parts,
            parts,
            parts,
            _skipped(filtered=known_parts - parts - by_words - parts_read, words=by_words, in_context=parts_read),
        ),
        limited_by=limited,
        buckets=buckets,
        cut_by_caller=cut,
        parts_reached=reached,
    )


def _everything(reader: IndexReader, limited: list[str], buckets: dict[int, str]) -> EligibleSet:
    """The eligible set that includes all rows. `limited` names the limits that were set, although they excluded no
    row.

    `buckets` maps the number of a session to its directory bucket.
    """
    sessions, messages, parts = len(reader.sessions), reader.messages_without_titles, reader.parts_without_titles
    docs, words = reader.averages()
    return EligibleSet(
        session_marks=[True] * sessions,
        message_marks=None,
        part_marks=None,
        doc_marks=None,
        doc_count=docs,
        word_count=words,
        session_count=_count(sessions, sessions, sessions, {}),
        message_count=_count(messages, messages, messages, {}),
        part_count=_count(parts, parts, parts, {}),
        limited_by=limited,
        buckets=buckets,
        cut_by_caller=False,
        parts_reached=reader.parts,
    )


def _by_words(reader: IndexReader, query: Query, part_marks: bytearray, deadline_ns: int) -> tuple[int, int]:
    """Apply the options `must` and `must_not`: clear the marks of parts whose text fails them.

    The marks of parts that were not read before `deadline_ns`, a monotonic time, are cleared, too. Returns two counts:
    the parts that were read, always the first ones of the index, and the parts that passed or were not read.
    """
    said, before, reached = reader.content_parts(), bytes(part_marks), reader.parts
    for wanted, texts in ((True, query.options.must), (False, query.options.must_not)):
        for text in texts:
            found = bytearray(reader.parts)
            reached = min(reached, mark_literal(reader, text, part_marks, found, deadline_ns))
            keep_marks(part_marks, found, wanted)
    part_marks[reached:] = bytes(reader.parts - reached)
    unread = count_marks(memoryview(before)[reached:], memoryview(said)[reached:])
    return reached, count_marks(part_marks, said) + unread


def _mark(
    view: SegmentView, query: Query, sessions: bytes, message_marks: bytearray, part_marks: bytearray
) -> tuple[int, int]:
    """Mark, in place, the messages and parts of one segment that pass the filters.

    `sessions` has a byte for each session of the segment, 1 when it passes. Returns the number of marked messages and
    of marked parts, titles excluded.
    """
    options, segment = query.options, view.segment
    types, names = SUBTEXT_TYPES.get(options.type), segment.names.values
    return mark_eligible(
        segment,
        sessions,
        bytes(options.role in ("all", role) for role in ROLES),
        query.after or -FOREVER,
        query.before or FOREVER,
        bytes(types is None or name in types for name in names),
        bytes(not options.tool_name or name == options.tool_name for name in names),
        options.type == "all" and not options.tool_name,
        view.messages_in(message_marks),
        view.parts_in(part_marks),
    )


def _is_plain(query: Query) -> bool:
    """Whether no option filters messages or parts; options that filter whole sessions may be set."""
    o = query.options
    everything = o.type == "all" and o.role == "all" and not (o.tool_name or o.must or o.must_not)
    return everything and not (query.after or query.before)


def _leaves_all(query: Query) -> bool:
    """Whether no option filters sessions, messages or parts."""
    o = query.options
    anywhere = o.scope == "global" and o.context is None and o.sessions is None and not o.exclude_session_ids
    return anywhere and not (o.session_id or o.project or o.title or o.directory) and _is_plain(query)


def _skipped(**reasons: int) -> dict[str, int]:
    """Reason -> count, without the reasons whose count is 0."""
    return {reason: count for reason, count in reasons.items() if count}


def _limits(query: Query, *, cut: bool) -> list[str]:
    """The names of the options that limited a search, for its coverage.

    `cut` tells whether the option `sessions`, the largest number of sessions to search, left any out.
    """
    o = query.options
    found = []
    if o.session_id:
        found.append("session_id")
    elif o.scope != "global":
        found.append("scope")
    if o.project:
        found.append("project")
    found += [name for name in ("title", "directory") if getattr(o, name)]
    if query.after or query.before:
        found.append("time")
    if cut:
        found.append("sessions_limit")
    return found


@dataclass(frozen=True, slots=True)
class _SessionFilter:
    """The result of the filters on sessions: which of them pass, and the reason for each one that fails."""

    marks: list[bool]  # whether each session passes
    reasons: dict[int, str]  # why each other session does not
    buckets: dict[int, str]  # the directory bucket of those that pass, where a directory was asked for


def _filter_sessions(reader: IndexReader, query: Query) -> _SessionFilter:
    """Apply the options that filter whole sessions: scope, project, title, directory, exclusions, number of
    sessions.
    """
    options = query.options
    reasons: dict[int, str] = {}
    buckets: dict[int, str] = {}
    tests = list(_tests(query))
    if not tests and not options.directory and options.sessions is None:
        return _SessionFilter([True] * len(reader.sessions), reasons, buckets)
    wanted = normal_path(options.directory) if options.directory else ""
    for number, row in enumerate(reader.sessions):
        failed = next((reason for reason, test in tests if not test(row)), None)
        if failed is None and wanted:
            bucket = bucket_of(row, wanted, query)
            buckets[number] = bucket
            failed = "directory" if bucket != "exact" and not options.fallback else None
        if failed is not None:
            reasons[number] = failed
    if options.sessions is not None:
        rank = {"exact": 0, "project": 1, "global": 2}
        staying = [n for n in range(len(reader.sessions)) if n not in reasons]
        staying.sort(key=lambda n: (rank.get(buckets.get(n, ""), 0), n))  # sessions are ordered newest first
        for number in staying[options.sessions :]:
            reasons[number] = "sessions_limit"
    return _SessionFilter([number not in reasons for number in range(len(reader.sessions))], reasons, buckets)


def _tests(query: Query) -> list[tuple[str, Callable[[SessionRow], bool]]]:
    """The tests that a session must pass, each as (reason, test); coverage names the reason when the test fails."""
    options, context = query.options, query.options.context
    tests: list[tuple[str, Callable[[SessionRow], bool]]] = []
    if options.session_id:
        wanted = options.session_id
        tests.append(("scope", lambda row: row.id == wanted))
    elif options.scope == "session" and context is not None:
        current = context.session_id
        tests.append(("scope", lambda row: row.id == current))
    elif options.scope == "project" and context is not None:
        tests.append(("scope", lambda row: in_project(row, context)))
    if options.project:
        project = options.project
        tests.append(("project", lambda row: project in (row.project, row.repository)))
    if options.title:
        words = fold(options.title)
        tests.append(("title", lambda row: words in fold(row.title)))
    if options.exclude_session_ids:
        excluded = frozenset(options.exclude_session_ids)
        tests.append(("excluded", lambda row: row.id not in excluded))
    return tests


def bucket_of(row: SessionRow, folder: str, query: Query) -> str:
    """The directory bucket of a session: "exact" inside of `folder`, "project" in the project of the caller, else
    "global".
    """
    if inside(row.directory, folder):
        return "exact"
    context = query.options.context
    return "project" if context is not None and in_project(row, replace(context, project=None)) else "global"
