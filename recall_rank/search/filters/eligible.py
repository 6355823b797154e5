"""The filter stage: determine the eligible set, that is, the sessions, messages, parts and documents that may be hits.

It runs before anything is ranked or counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from time import monotonic_ns

from recall_rank._core.runtime.record_factory import RecordFactory
from recall_rank._core.search.column_filters import (
    copy_marks,
    count_marks,
    keep_marks,
    mark_eligible,
    marked_indices,
)
from recall_rank.analysis.normalize import fold
from recall_rank.index.reader.index_reader import IndexReader
from recall_rank.index.reader.segment_view import SegmentView
from recall_rank.index.segment.segment import ROLES
from recall_rank.model import Count
from recall_rank.model.record_classes import frozen, mutable
from recall_rank.search.filters.in_context import leave_out, read_by_the_caller
from recall_rank.search.filters.restrictions import Restrictions, is_named_in_input, path_pattern
from recall_rank.search.filters.session_filters import DEAD, REASONS, filter_sessions
from recall_rank.search.query import Query

_count = RecordFactory(Count).make
FOREVER = 2**62  # ms; no time is later
SUBTEXT_TYPES = {"text": ("text",), "tool": ("tool",), "reasoning": ("reasoning",)}


@frozen
class UnmetText:
    """The text of the filter that left nothing to search: no part that passes the filters before it has the text."""

    text: str
    of_file: bool  # it is the path of a file that calls of tools are to name
    alone: bool  # the filters before it left nothing out


@mutable
class EligibleSet:
    """The sessions, messages, parts and documents that may be hits, and their counts for the coverage of the response.

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
    buckets: bytearray | None  # u8[sessions]: an index into DIRECTORY_BUCKETS, where a directory was asked for
    cut_by_caller: bool  # the caller's `sessions` left eligible sessions out
    parts_reached: int  # parts, from the first, whose text was read for filters before the deadline
    unmet: UnmetText | None = None  # the text that left nothing eligible

    @property
    def nobody_has(self) -> str:
        """The beginning of a sentence about a word that no eligible document has: another one may have it."""
        return "nobody wrote" if self.doc_marks is None else "nothing that the filters leave has"


def eligible_set(reader: IndexReader, query: Query, deadline_ns: int = 0) -> EligibleSet:
    """Return the sessions, messages, parts and documents of `reader` that pass the scope and every filter of `query`.

    For `must`, `must_not` and `files`, part texts are read until `deadline_ns`, a monotonic time, 0 for none; a part
    that was not read by then is not eligible.
    """
    options = query.options
    if _leaves_all(query):
        return everything(reader)
    chosen = filter_sessions(reader, query)
    cut = chosen.cut_by_caller
    limited = _limits(query, cut=cut)
    by_id = options.scope == "session" or options.session_id is not None  # then all of that session is eligible
    in_context = [] if by_id else read_by_the_caller(reader, options.context)
    if not (any(chosen.reasons) or in_context) and _is_plain(query):
        return everything(reader, limited, chosen.buckets)
    limits = Restrictions.of(query)
    message_marks, part_marks = bytearray(reader.messages), bytearray(reader.parts)
    counts = [
        _mark(view, query, limits, reasons, message_marks, part_marks)
        for view, reasons in zip(reader.views, reader.own_sessions(chosen.reasons, DEAD), strict=True)
    ]
    messages, messages_out = _by_reason([of_messages for of_messages, _ in counts])
    parts, parts_out = _by_reason([of_parts for _, of_parts in counts])
    if in_context:
        messages_read, parts_read = leave_out(reader, in_context, message_marks, part_marks)
        messages, parts = messages - messages_read, parts - parts_read
        messages_out["in_context"], parts_out["in_context"] = messages_read, parts_read
        limited.append("in_context")
    if limits.titles:
        keep_marks(part_marks, reader.content_parts(), False)
        parts_out["type"], parts = parts_out["type"] + parts, 0
    reached, unmet = reader.parts, None
    if limits.must or limits.must_not or limits.files:
        reached, left_out, unmet = _by_texts(reader, limits, part_marks, deadline_ns)
        parts_out.update(left_out)
        parts -= sum(left_out.values())
    doc_marks = bytearray(reader.docs)
    for view in reader.views:
        copy_marks(view.parts_in(part_marks), view.segment.doc_part, view.docs_in(doc_marks))
    docs, words = reader.averages(doc_marks)
    sessions = chosen.reasons.count(0)
    return EligibleSet(
        session_marks=[not reason for reason in chosen.reasons],
        message_marks=message_marks,
        part_marks=part_marks,
        doc_marks=doc_marks,
        doc_count=docs,
        word_count=words,
        session_count=Count(len(reader.sessions), sessions, sessions, chosen.skipped()),
        message_count=Count(reader.messages_without_titles, messages, messages, _above_zero(messages_out)),
        part_count=Count(reader.parts_without_titles, parts, parts, _above_zero(parts_out)),
        limited_by=limited,
        buckets=chosen.buckets,
        cut_by_caller=cut,
        parts_reached=reached,
        unmet=unmet,
    )


def everything(reader: IndexReader, limited: Sequence[str] = (), buckets: bytearray | None = None) -> EligibleSet:
    """Return the eligible set that includes all live sessions with their messages, parts and documents.

    `limited` names the options that were set, although they excluded nothing. `buckets`, u8[sessions], are those of the
    EligibleSet.
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
        limited_by=list(limited),
        buckets=buckets,
        cut_by_caller=False,
        parts_reached=reader.parts,
    )


def parts_of_sessions(reader: IndexReader, wanted: bytearray) -> bytearray:
    """Return marks u8[parts] of all parts of the sessions that `wanted`, u8[sessions], marks."""
    parts = bytearray(reader.parts)
    for view, own in zip(reader.views, reader.own_sessions(wanted, 0), strict=True):
        messages = bytearray(view.segment.messages)
        copy_marks(own, view.segment.message_session, messages)
        copy_marks(messages, view.segment.part_message, view.parts_in(parts))
    return parts


def _by_texts(
    reader: IndexReader, limits: Restrictions, part_marks: bytearray, deadline_ns: int
) -> tuple[int, dict[str, int], UnmetText | None]:
    """Apply the restrictions that read texts: clear the marks of parts that fail them.

    The marks of parts that were not read before `deadline_ns`, a monotonic time, are cleared, too. Returns the number
    of parts that were read, always the first ones of the index; the parts among them, titles excluded, that were left
    out, by the reason for it; and the text that nothing has, if all parts were read.
    """
    reached, unmet = reader.parts, None
    stages = [bytes(part_marks)]
    for texts, wanted, mark in (
        (limits.must, True, _mark_holding),
        (limits.must_not, False, _mark_holding),
        (limits.files, True, _mark_naming),
    ):
        for text in texts:
            found = bytearray(reader.parts)
            reached = min(reached, mark(reader, text, part_marks, found, deadline_ns))
            if wanted and 1 in part_marks and 1 not in found:
                alone = count_marks(part_marks, reader.content_parts()) == reader.parts_without_titles
                unmet = UnmetText(text, of_file=mark is _mark_naming, alone=alone)
            keep_marks(part_marks, found, wanted)
        stages.append(bytes(part_marks))
    part_marks[reached:] = bytes(reader.parts - reached)
    stages[-1] = bytes(part_marks)
    said = memoryview(reader.content_parts())[:reached]
    counts = [count_marks(memoryview(marks)[:reached], said) for marks in stages]
    left_out = {name: counts[at] - counts[at + 1] for at, name in enumerate(("must", "must_not", "file"))}
    return reached, left_out, unmet if reached == reader.parts else None


def _mark_holding(reader: IndexReader, text: str, keep: bytearray, found: bytearray, deadline_ns: int) -> int:
    """Mark in `found`, u8[parts], the parts among those marked in `keep` that hold a text; return the first part that
    was not read before `deadline_ns`.
    """
    return reader.mark_text(text, keep, found, deadline_ns)


def _mark_naming(reader: IndexReader, path: str, keep: bytearray, found: bytearray, deadline_ns: int) -> int:
    """Mark in `found`, u8[parts], the parts among those marked in `keep` whose tool input names a path; return the
    first part that was not read before `deadline_ns`.
    """
    path = path.removeprefix("./").rstrip("/") or path
    pattern = path_pattern(path)
    reached = reader.mark_text(path, keep, found, deadline_ns)
    for view in reader.views:
        marks = view.parts_in(found)
        for part in marked_indices(marks):
            if deadline_ns and monotonic_ns() >= deadline_ns:
                return min(reached, view.first_part + part)
            marks[part] = is_named_in_input(view.segment, part, pattern)
    return reached


def _mark(
    view: SegmentView,
    query: Query,
    limits: Restrictions,
    reasons: bytes,
    message_marks: bytearray,
    part_marks: bytearray,
) -> tuple[Sequence[int], Sequence[int]]:
    """Mark, in place, the messages and parts of one segment that pass the filters.

    `reasons` has a byte for each session of the segment: the index in REASONS of what leaves it out, 0 for none.
    Returns two lists that count the messages and the parts, titles excluded, for each index in REASONS; the rows
    counted under 0 are those marked.
    """
    options, segment = query.options, view.segment
    types, names = SUBTEXT_TYPES.get(options.type), segment.names.values
    tools = set(map(fold, limits.tools))
    return mark_eligible(
        segment,
        reasons,
        bytes(all(wanted == role for wanted in limits.roles) for role in ROLES),
        query.after or -FOREVER,
        query.before or FOREVER,
        bytes(types is None or name in types for name in names),
        bytes(all(tool == fold(name or "") for tool in tools) for name in names),
        options.type == "all" and not tools,
        view.messages_in(message_marks),
        view.parts_in(part_marks),
    )


def _is_plain(query: Query) -> bool:
    """Return whether no option filters messages or parts; options that filter whole sessions may be set."""
    o = query.options
    everything = o.type == "all" and o.role == "all" and not (o.tool_name or o.must or o.must_not or o.files)
    return everything and query.syntax is None and not (query.after or query.before)


def _leaves_all(query: Query) -> bool:
    """Return whether no option filters sessions, messages or parts."""
    o = query.options
    anywhere = o.scope == "global" and o.context is None and o.sessions is None and not o.exclude_session_ids
    named = any((o.session_id, o.session_prefix, o.project, o.agent, o.host, o.user, o.title, o.directory))
    return anywhere and not named and _is_plain(query)


def _by_reason(of_segments: Sequence[Sequence[int]]) -> tuple[int, dict[str, int]]:
    """Sum counts over all segments: return the rows that pass, and a mapping from reason to the rows left out for it.

    Each of `of_segments` has a count for each index in REASONS; index 0 counts the rows that pass.
    """
    passed, *left_out = [sum(counts) for counts in zip(*of_segments, strict=True)]
    return passed, dict(zip(REASONS[1:], left_out, strict=False))


def _above_zero(counts: dict[str, int]) -> dict[str, int]:
    """Return the counts without those that are 0."""
    return {reason: count for reason, count in counts.items() if count}


def _limits(query: Query, *, cut: bool) -> list[str]:
    """Return the names of the options that limited a search, for its coverage.

    `cut` tells whether the option `sessions`, the largest number of sessions to search, left any out.
    """
    o = query.options
    found = []
    if o.session_id:
        found.append("session_id")
    elif o.scope != "global":
        found.append("scope")
    named = Restrictions.of(query)
    found += [name for name, values in (("project", named.projects), ("agent", named.agents)) if values]
    found += [name for name in ("host", "user", "session_prefix", "title", "directory") if getattr(o, name)]
    if query.after or query.before:
        found.append("time")
    if cut:
        found.append("sessions_limit")
    return found
