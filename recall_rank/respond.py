"""The last stage: a page of candidates becomes a response, with what was searched and why each hit is here."""

from __future__ import annotations

from collections.abc import Sequence

from recall_rank.budget import DegradeKind
from recall_rank.coverage import coverage
from recall_rank.group import Grouped, is_title
from recall_rank.index.segment import ROLES, Segment, SessionRow
from recall_rank.literal import first_match
from recall_rank.model import (
    DirectoryRelevance,
    Flag,
    Recency,
    Result,
    ResultSource,
    SearchResponse,
    Why,
)
from recall_rank.snippet import Snippet, Spot, show, show_at, spot
from recall_rank.state import Search

DAY_MS = 86_400_000
RECENT_DAYS = 7


def respond(search: Search, cpu_ms: float) -> SearchResponse:
    """The response to one search."""
    options = search.query.options
    results = [_result(search, entry) for entry in search.page]
    kinds = [kind for kind in (DegradeKind.TIME, DegradeKind.BUDGET, DegradeKind.FALLBACK) if kind in search.degraded]
    return SearchResponse(
        results=results,
        query=search.query.text,
        match_mode=options.match,
        group=options.group,
        total=search.total,
        total_exact=search.total_exact and DegradeKind.TIME not in search.degraded,
        truncated=search.total > options.offset + len(results),
        coverage=coverage(search, results),
        degrade_kind=kinds[0] if kinds else DegradeKind.NONE,
        degrade_kinds=kinds,
        stages_run=tuple(search.stages),
        answerable=search.answerable,
        warnings=(*search.query.warnings, *search.warnings),
        suggestions=_suggestions(search, results),
        near_misses=search.near_misses,
        elapsed_ms=search.deadline.elapsed_ms(),
        cpu_ms=cpu_ms,
    )


def _result(search: Search, entry: Grouped) -> Result:
    query, candidate = search.query, entry.candidate
    segment, part, doc = search.segment.local(candidate.part, candidate.doc)
    message = segment.part_message[part]
    row = segment.session_of_part(part)
    title = is_title(search.segment, candidate)
    shown_message = _representative(search, entry.session, segment, row) if title else message
    if search.deadline.passed():  # what is left of the work is to show where the hits are
        found = Spot(0, (), segment.doc_start[doc], segment.doc_start[doc], ())
        cut = show(segment, part, found, (), query.options.width, query.options.redact)
    else:
        found = spot(segment, search.expansion.matcher, part, doc, query.options.width)
        in_text = search.text_marks is not None and bool(search.text_marks[candidate.part])
        cut = _snippet(search, segment, part, found, in_text=in_text)
    kind = segment.names.values[segment.part_type[part]] or ""
    flags = Flag(segment.part_flags[part])
    terms = _matched_terms(search, found, cut)
    why = Why(
        matched_fields=_matched_fields(search, segment, part, title, found, cut),
        matched_terms=terms,
        directory_relevance=_directory_relevance(search, entry.session),
        recency=_recency(segment.message_time[shown_message], query.now),
        confidence=candidate.confidence,
        matched_forms=_matched_forms(search, segment, found, cut) if query.options.explain else None,
    )
    return Result(
        session_id=row.id,
        session_title=row.title,
        directory=row.directory,
        project=row.project or "",
        message_id=segment.message_ids[shown_message],
        role=ROLES[segment.message_role[shown_message]],
        time=segment.message_time[shown_message],
        part_id=segment.part_ids[part],
        part_type=kind,
        pruned=Flag.PRUNED in flags,
        snippet=cut.text,
        spans=cut.spans,
        field=_field_name(kind, cut.field, title=title),
        source=_source(kind, title=title),
        history=row.source,
        agent=row.agent,
        score=candidate.score,
        stage=candidate.stage,
        match_mode=query.options.match,
        matched_terms=terms,
        why=why,
        directory_relevance=why.directory_relevance,
        flags=flags,
        tool_name=segment.names.values[segment.part_tool[part]],
        author=segment.names.values[segment.message_author[shown_message]],
        title_match=row.title if title or entry.title_match else None,
        hit_count=search.hits_of_session.get(entry.session, 1) if query.options.group == "session" else None,
        hit_count_exact=search.total_exact,
        explain=candidate.explain() if query.options.explain else None,
        match_reasons=_reasons(candidate.explain()) if query.options.explain else None,
    )


def _representative(search: Search, session: int, segment: Segment, row: SessionRow) -> int:
    """The newest eligible message of the session: where a title hit leads."""
    marks = search.allowed.messages
    moved = search.segment.span_of(session)[0] - row.first_message  # marks are of all segments' messages
    best = row.first_message
    for message in range(row.first_message + 1, row.last_message):
        time = segment.message_time[message]
        passes = marks is None or marks[message + moved]
        if passes and (best == row.first_message or time >= segment.message_time[best]):
            best = message
    return best


def _snippet(search: Search, segment: Segment, part: int, found: Spot, *, in_text: bool) -> Snippet:
    options = search.query.options
    if options.match in ("literal", "regex") or not found.events:
        place = first_match(segment, search.query, part, search.deadline) if in_text else None
        if place is not None:
            return show_at(segment, part, place[0], place[1], options.width, options.redact)
    return show(segment, part, found, search.expansion.word_weights, options.width, options.redact)


def _matched_terms(search: Search, found: Spot, cut: Snippet) -> tuple[str, ...]:
    """The words of the query that were found, as the query wrote them, in its order."""
    if search.query.options.match == "regex":
        return tuple(dict.fromkeys(cut.text[span.start : span.end] for span in cut.spans))
    words = search.query.words
    return tuple(dict.fromkeys(w.written for slot, w in enumerate(words) if found.slots >> slot & 1 and w.counts))


def _matched_forms(search: Search, segment: Segment, found: Spot, cut: Snippet) -> dict[str, tuple[str, ...]]:
    """What stands there for the words of the query around the snippet: inflected, joined, split or repaired."""
    words, text = search.query.words, segment.text
    forms: dict[str, dict[str, None]] = {}
    for start, end, slot, span, _ in found.events:
        if any(word.counts for word in words[slot : slot + span]):
            written = " ".join(word.written for word in words[slot : slot + span])
            form = bytes(text[start:end]).decode("utf-8", "replace")
            if search.query.options.redact is None or form in cut.text:  # it may be a piece of what is not shown
                forms.setdefault(written, {})[form] = None
    return {written: tuple(found_as) for written, found_as in forms.items()}


def _matched_fields(
    search: Search, segment: Segment, part: int, title: bool, found: Spot, cut: Snippet
) -> tuple[str, ...]:
    kind = segment.names.values[segment.part_type[part]] or ""
    fields = [_field_name(kind, name, title=title) for name in found.fields]
    if cut.spans and not fields:
        fields.append(_field_name(kind, cut.field, title=title))
    tool = segment.names.values[segment.part_tool[part]]
    author = segment.names.values[segment.message_author[segment.part_message[part]]]
    for name, value in (("tool_name", tool), ("author", author)):
        if value and any(w.counts and w.form.decode("utf-8", "replace") in value.lower() for w in search.query.words):
            fields.append(name)
    if title and not fields:
        fields.append("directory")
    return tuple(dict.fromkeys(fields))


def _field_name(kind: str, field: str, *, title: bool) -> str:
    if title:
        return "title"
    return "reasoning" if kind == "reasoning" and field == "text" else field


def _source(kind: str, *, title: bool) -> ResultSource:
    if title:
        return "title"
    return "tool" if kind == "tool" else "reasoning" if kind == "reasoning" else "message"


def _directory_relevance(search: Search, session: int) -> DirectoryRelevance:
    bucket = search.allowed.buckets.get(session)
    return bucket if bucket in ("exact", "project", "global") else "unknown"  # type: ignore[return-value]


def _recency(time: int, now: int) -> Recency:
    if not time:
        return "unknown"
    return "recent" if now - time <= RECENT_DAYS * DAY_MS else "older"


def _reasons(explain: dict[str, float]) -> tuple[str, ...]:
    return tuple(
        f"{name} {value:+.3f}" for name, value in sorted(explain.items(), key=lambda item: -abs(item[1])) if value
    )


def _suggestions(search: Search, results: Sequence[Result]) -> tuple[str, ...]:
    options = search.query.options
    found: list[str] = []
    for written, forms in search.expansion.repaired.items():
        if results and options.match != "regex":
            found.append(
                f"nobody wrote {written!r}; {', '.join(repr(form) for form in forms[:3])} was searched instead"
            )
    if DegradeKind.TIME in search.degraded:
        return tuple(found[:3])  # what was not searched may hold what was not found
    if not results:
        if options.directory and not options.fallback:
            found.append("no hit in this directory: try fallback to search elsewhere too")
        if options.match == "literal":
            found.append("no part holds this exact text: try match 'smart'")
        if options.type != "all":
            found.append("no hit of this type: try type 'all'")
        if search.allowed.session_count.eligible <= 4:
            found.append(f"only {search.allowed.session_count.eligible} sessions were searched: widen scope or filters")
    elif all(result.source == "title" for result in results):
        found.append("only titles match: read the session, or try other words")
    return tuple(found[:3])
