"""Stage: scope and filters, applied before anything is ranked or counted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from recall_rank._core.eligible import count_marks, keep_marks, mark, spread
from recall_rank.index.segment import ROLES, Segment, SessionRow
from recall_rank.model import Count
from recall_rank.query import Query
from recall_rank.substring import mark_literal
from recall_rank.text import fold

FOREVER = 2**62
SUBTEXT_TYPES = {"text": ("text",), "tool": ("tool",), "reasoning": ("reasoning",)}


@dataclass(slots=True)
class Eligible:
    """What may answer. The marks are None when everything may; documents and words are the eligible ones'."""

    sessions: list[bool]
    messages: bytearray | None
    parts: bytearray | None
    docs: bytearray | None
    documents: int
    words: int
    session_count: Count
    message_count: Count
    part_count: Count
    limited_by: list[str]
    buckets: dict[int, str]  # session -> directory bucket, when a directory was asked for
    cut_by_caller: bool  # the caller's `sessions` left eligible sessions out


def eligible(segment: Segment, query: Query) -> Eligible:
    """The eligible part of `segment`."""
    options = query.options
    keep, reasons, buckets = _sessions(segment, query)
    cut = "sessions_limit" in reasons.values()
    limited = _limits(query, cut=cut)
    titles_known = len(segment.sessions)
    known_messages = segment.messages - titles_known
    known_parts = segment.parts - titles_known
    if not reasons and not query.after and not query.before and _is_plain(query):
        docs, words = segment.layout.averages(None)
        return Eligible(
            keep,
            None,
            None,
            None,
            docs,
            words,
            Count(len(segment.sessions), len(segment.sessions), len(segment.sessions)),
            Count(known_messages, known_messages, known_messages),
            Count(known_parts, known_parts, known_parts),
            limited,
            buckets,
            cut,
        )
    titles = options.type == "all" and not options.tool_name
    role_keep = bytes(options.role in ("all", role) for role in ROLES)
    types = SUBTEXT_TYPES.get(options.type)
    names = segment.names.values
    type_keep = bytes(types is None or name in types for name in names)
    tool_keep = bytes(not options.tool_name or name == options.tool_name for name in names)
    message_marks, part_marks = bytearray(segment.messages), bytearray(segment.parts)
    messages, parts = mark(
        bytes(keep),
        segment.message_session,
        segment.message_role,
        role_keep,
        segment.message_time,
        query.after or -FOREVER,
        query.before or FOREVER,
        segment.part_message,
        segment.part_type,
        type_keep,
        segment.part_tool,
        tool_keep,
        titles,
        message_marks,
        part_marks,
    )
    by_words = 0
    for wanted, texts in ((True, options.must), (False, options.must_not)):
        for text in texts:
            found = bytearray(segment.parts)
            mark_literal(segment, text, part_marks, found, 0)
            keep_marks(part_marks, found, wanted)
    if options.must or options.must_not:
        left = count_marks(part_marks, segment.content_parts())
        by_words, parts = parts - left, left
    doc_marks = bytearray(segment.docs)
    spread(part_marks, segment.doc_part, doc_marks)
    docs, words = segment.layout.averages(doc_marks)
    sessions = sum(keep)
    skipped: dict[str, int] = {}
    for reason in reasons.values():
        skipped[reason] = skipped.get(reason, 0) + 1
    return Eligible(
        keep,
        message_marks,
        part_marks,
        doc_marks,
        docs,
        words,
        Count(len(segment.sessions), sessions, sessions, skipped),
        Count(known_messages, messages, messages, _skipped(filtered=known_messages - messages)),
        Count(known_parts, parts, parts, _skipped(filtered=known_parts - parts - by_words, words=by_words)),
        limited,
        buckets,
        cut,
    )


def _is_plain(query: Query) -> bool:
    o = query.options
    return o.type == "all" and o.role == "all" and not o.tool_name and not o.must and not o.must_not


def _skipped(**reasons: int) -> dict[str, int]:
    return {reason: count for reason, count in reasons.items() if count}


def _limits(query: Query, *, cut: bool) -> list[str]:
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


def _sessions(segment: Segment, query: Query) -> tuple[list[bool], dict[int, str], dict[int, str]]:
    """Which sessions stay; why the others do not; the directory bucket of those that stay."""
    options = query.options
    reasons: dict[int, str] = {}
    buckets: dict[int, str] = {}
    tests = list(_tests(query))
    if not tests and not options.directory and options.sessions is None:
        return [True] * len(segment.sessions), reasons, buckets
    wanted = normal_path(options.directory) if options.directory else ""
    for number, row in enumerate(segment.sessions):
        failed = next((reason for reason, test in tests if not test(row)), None)
        if failed is None and wanted:
            bucket = bucket_of(row, wanted, query)
            buckets[number] = bucket
            failed = "directory" if bucket != "exact" and not options.fallback else None
        if failed is not None:
            reasons[number] = failed
    if options.sessions is not None:
        rank = {"exact": 0, "project": 1, "global": 2}
        staying = [n for n in range(len(segment.sessions)) if n not in reasons]
        staying.sort(key=lambda n: (rank.get(buckets.get(n, ""), 0), n))  # the segment's order is newest first
        for number in staying[options.sessions :]:
            reasons[number] = "sessions_limit"
    return [number not in reasons for number in range(len(segment.sessions))], reasons, buckets


def _tests(query: Query) -> list[tuple[str, Callable[[SessionRow], bool]]]:
    options, context = query.options, query.options.context
    tests: list[tuple[str, Callable[[SessionRow], bool]]] = []
    if options.session_id:
        wanted = options.session_id
        tests.append(("scope", lambda row: row.id == wanted))
    elif options.scope == "session" and context is not None:
        current = context.session_id
        tests.append(("scope", lambda row: row.id == current))
    elif options.scope == "project" and context is not None:
        tests.append(("scope", lambda row: _same_project(row, context.project, context.worktree or context.directory)))
    if options.project:
        project = options.project
        tests.append(("project", lambda row: row.project == project))
    if options.title:
        words = fold(options.title)
        tests.append(("title", lambda row: words in fold(row.title)))
    if options.exclude_session_ids:
        excluded = frozenset(options.exclude_session_ids)
        tests.append(("excluded", lambda row: row.id not in excluded))
    return tests


def _same_project(row: SessionRow, project: str | None, folder: str | None) -> bool:
    if project is not None:
        return row.project == project
    return folder is not None and (
        inside(row.directory, folder) or (row.worktree is not None and normal_path(row.worktree) == normal_path(folder))
    )


def normal_path(path: str) -> str:
    """Blanks trimmed, backslashes turned, slashes single, none at the end."""
    path = path.strip().replace("\\", "/")
    while "//" in path:
        path = path.replace("//", "/")
    return path.rstrip("/") or ("/" if path else "")


def inside(path: str, folder: str) -> bool:
    """Whether `path` is `folder` or below it, on a path boundary."""
    path, folder = normal_path(path), normal_path(folder)
    return bool(folder) and (path == folder or path.startswith(folder if folder == "/" else folder + "/"))


def bucket_of(row: SessionRow, folder: str, query: Query) -> str:
    """exact: in the folder asked for; project: in the worktree of the context; global: elsewhere."""
    if inside(row.directory, folder):
        return "exact"
    context = query.options.context
    worktree = (context.worktree or context.directory) if context else None
    if worktree and (
        (row.worktree and normal_path(row.worktree) == normal_path(worktree)) or inside(row.directory, worktree)
    ):
        return "project"
    return "global"
