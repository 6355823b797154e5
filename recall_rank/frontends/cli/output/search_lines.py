"""Format the response to a search as lines for people: about three for each hit, then the coverage.

A terminal gets numbers that its next commands take, short ids and folders, and local times; a pipe gets whole ids and
folders, times in UTC and the commands that reopen the sessions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from recall_rank.frontends.cli.output.console import Line, note_line
from recall_rank.frontends.cli.output.display import Display
from recall_rank.frontends.cli.output.id_prefixes import IdPrefixes
from recall_rank.frontends.cli.output.sources_hint import sources_command, with_sources_command
from recall_rank.frontends.cli.output.word_marks import MATCH_STYLE
from recall_rank.frontends.display_text import (
    age,
    alike_text,
    confidence_text,
    machine_name,
    no_hits_text,
    one_line,
    synonyms_text,
)
from recall_rank.frontends.transcripts.reopen import reopen
from recall_rank.model import Flag

if TYPE_CHECKING:
    from recall_rank.model import Count, Result, SearchResponse, Span
    from recall_rank.model.query_syntax import QuerySyntax

PIPE: Final = Display()
MAX_LOAD_ERRORS: Final = 8  # hits must not be pushed off the screen
READ_ON: Final = "get, context, open, copy, reopen"  # the commands that take the number of a hit
MAX_PLACES: Final = 2  # of the hits that were folded into one
MUST_OR_FILE: Final = "must_or_file"  # the reason where --file, which requires a text, stands beside --must
_INDENT: Final = "    "
_REASONS: Final[Mapping[str, str]] = {  # other reasons are shown by their names
    "session_id": "session",
    "tool_name": "tool",
    "must": "required text",
    "must_not": "unwanted text",
    MUST_OR_FILE: "required text or file",
    "in_context": "messages that are still in context",
}
_DEGRADED: Final[Mapping[str, str]] = {
    "time": "the time budget was used up: the answer came late, or is not complete",
    "budget": "a limit cut what was searched",
    "fallback": "no word matched; these contain the text as it stands",
}


def answer_lines(
    response: SearchResponse, now: int, offset: int = 0, display: Display = PIPE, ids: IdPrefixes | None = None
) -> Iterator[Line]:
    """Yield a whole response as lines. `offset` is the number of hits on earlier pages, `now` is in epoch
    milliseconds, `ids` shortens the ids of the hits.
    """
    for number, result in enumerate(response.results, offset + 1):
        yield from hit_lines(result, number, now, display, ids)
        yield []
    yield from closing_lines(response, offset, display)


def hit_lines(
    result: Result, number: int, now: int, display: Display = PIPE, ids: IdPrefixes | None = None
) -> Iterator[Line]:
    """Yield the lines of hit `number`: place and time; snippet with marked matches, unless it is the title, in which
    they are marked then; reason; in a pipe the command that reopens the session.

    There is a further line for an explained score, and one for each query word that was found in another form. Other
    hits show no score: it is the chance that the hit itself is relevant, the confidence is that of its session, and
    the two side by side read as a contradiction.
    """
    minute = display.minute(result.time)
    yield [
        (f"{number:>2}. ", "dim"),
        *title_pieces(result),
        (" · ", "dim"),
        (one_line(_speaker(result)), "cyan"),
        (" · ", "dim"),
        (age(result.time, now), "green"),
        (f" ({minute})" if minute else "", "dim"),
        (one_line(_place(result, display)), "dim"),
    ]
    if not is_shown_by_title(result):
        yield [(_INDENT, ""), *marked(result.snippet, result.spans)]
    yield [(_INDENT + one_line(_why(result, ids)), "dim")]
    for copy in result.also_in[:MAX_PLACES]:
        yield [
            (_INDENT + "also in: ", "dim"),
            (one_line(f"{copy.source} · {copy.session_id} · {copy.message_id}"), "dim"),
        ]
    if further := alike_text(len(result.also_in[MAX_PLACES:])):
        yield [(_INDENT + further, "dim")]
    again = None if display.is_terminal else reopen(result.history, result.session_id, result.directory, result.flags)
    if again:
        yield [(_INDENT + "reopen: ", "dim"), (again, "")]
    if result.explain:
        parts = ", ".join(f"{name} {value:+.3f}" for name, value in result.explain.items())
        yield [(_INDENT + one_line(f"score {result.score:.3f} = {parts}"), "dim")]
    for word, forms in (result.why.matched_forms or {}).items():
        if any(form.lower() != word.lower() for form in forms):
            yield [(_INDENT + one_line(f"{word} found as {', '.join(forms)}"), "dim")]


def marked(snippet: str, spans: Sequence[Span]) -> Line:
    """Return the snippet as one line in which the matches, given by `spans`, are styled. Spans may overlap and have
    any order.
    """
    return marked_at(snippet, [(span.start, span.end) for span in spans])


def marked_at(text: str, places: Sequence[tuple[int, int]]) -> Line:
    """Return the text as one line in which the characters [start, end) of each place are styled as matches."""
    line: Line = []
    at = 0
    for start, end in sorted(places):
        start, end = max(start, at), min(end, len(text))
        if start < end:
            line += [(one_line(text[at:start]), ""), (one_line(text[start:end]), MATCH_STYLE)]
            at = end
    line.append((one_line(text[at:]), ""))
    return [piece for piece in line if piece[0]]


def is_shown_by_title(result: Result) -> bool:
    """Return whether the title of its session shows the whole text of a hit: it is on the title, or on that text."""
    title = one_line(result.session_title).strip()
    return bool(title) and (result.source == "title" or one_line(result.snippet).strip() == title)


def title_pieces(result: Result) -> Line:
    """Return the title of the session of a hit; if it shows the hit, with the matches styled."""
    title = result.session_title or result.session_id
    if not is_shown_by_title(result):
        return [(one_line(title) or "untitled", "bold")]
    line = (
        marked_at(title, [(span.text_start, span.text_end) for span in result.spans])
        if result.source == "title"
        else marked(result.snippet, result.spans)
    )
    return [(text, style or "bold") for text, style in line]


def closing_lines(response: SearchResponse, offset: int = 0, display: Display = PIPE) -> Iterator[Line]:
    """Yield the lines after the hits: totals, coverage, how the query was read, warnings, the trace where the search is
    explained, near misses, suggestions; on a terminal also the commands that read on.

    `offset` is the number of hits on earlier pages.
    """
    coverage = response.coverage
    searched = [_searched(coverage.sessions, "session"), _searched(coverage.parts, "part")]
    if _titles_only(response):
        searched = [f"the titles of {searched[0]}"]
    working = sum(not report.failed for report in coverage.per_source)
    if coverage.per_source:
        searched.append(_of(working, len(coverage.per_source), "source"))
    is_whole = working == len(coverage.per_source) and coverage.parts.searched == coverage.parts.known
    if display.is_terminal and is_whole and not _titles_only(response):
        del searched[1:]  # all was searched: one figure tells how much, and the line is short
    yield [
        (_shown(response, offset), "bold"),
        (f" · searched {', '.join(searched)} in {response.elapsed_ms:.1f} ms", ""),
    ]
    for sentence in _left_out(response):
        yield [(one_line(sentence), "dim")]
    if response.syntax is not None:
        yield [("read as: ", "cyan"), (one_line(_reading(response.syntax)), "")]
    if response.synonyms:
        yield [("also searched: ", "cyan"), (one_line(synonyms_text(response.synonyms)), "")]
    yield from remark_lines(response)
    for line in response.trace:
        yield [("trace: ", "cyan"), (one_line(line), "dim")]
    for miss in response.near_misses:
        yield [("close: ", "yellow"), (one_line(f"{miss.text} ({miss.reason})"), "")]
    for suggestion in response.suggestions:
        yield [("try: ", "green"), (one_line(suggestion), "")]
    if display.is_terminal and response.results:
        yield [("read on: ", "green"), (f"recall-rank get {offset + 1}", ""), (f"; also {READ_ON[5:]}", "dim")]


def remark_lines(response: SearchResponse) -> Iterator[Line]:
    """Yield what keeps a search from being whole: what degraded it, errors of reading, warnings."""
    for kind in response.degrade_kinds:
        if kind != "none":
            yield [(one_line(_DEGRADED.get(kind, kind)), "dim")]
    yield from unread_lines(response.load_errors)
    yield from map(note_line, with_sources_command(response.warnings, response.coverage.per_source))


def _reading(syntax: QuerySyntax) -> str:
    """Return how a query with operators was read, such as: lantern · tool bash · without "dry run"."""
    said = [syntax.text]
    said += [f"{name} {value}" for name, values in syntax.filters.items() for value in values]
    said += [f'with "{text}"' for text in syntax.must] + [f'without "{text}"' for text in syntax.must_not]
    return " · ".join(said)


def unread_lines(errors: Sequence[str]) -> Iterator[Line]:
    """Yield the first errors of reading as lines, then, if there are more, a line with the number of the others."""
    for error in errors[:MAX_LOAD_ERRORS]:
        yield [("not read: ", "red"), (one_line(error), "")]
    if len(errors) > MAX_LOAD_ERRORS:
        more = f"and {len(errors) - MAX_LOAD_ERRORS:,} more: {sources_command()} says all"
        yield [("not read: ", "red"), (more, "")]


def _speaker(result: Result) -> str:
    """Return who said a hit, with the tool or the kind of its part; "title" for a hit on a title, which nobody says."""
    if result.source == "title":
        return "title"
    kind = "" if result.part_type in ("text", "tool") else result.part_type
    return " · ".join(filter(None, (result.author, result.role, result.tool_name, kind)))


def _place(result: Result, display: Display) -> str:
    folder = display.folder(result.directory) if result.directory else result.project
    place = " · ".join(filter(None, (folder, result.agent or result.history, machine_name(result.host, result.user))))
    return f" · {place}" if place else ""


def _why(result: Result, ids: IdPrefixes | None) -> str:
    """Return a line with the matched terms, confidence, counts, flags and ids of a hit."""
    why = result.why
    terms, fields = ", ".join(why.matched_terms), ", ".join(why.matched_fields)
    reasons = [" in ".join(filter(None, (terms, fields))), confidence_text(result)]
    if result.hit_count is not None and (result.hit_count_exact or result.hit_count > 1):
        at_least = "" if result.hit_count_exact else "at least "
        reasons.append(f"{at_least}{_plural(result.hit_count, 'hit')} in this session")
    if result.pruned:
        reasons.append("no longer in the agent's context")
    if result.flags & Flag.SOURCE_MISSING:
        reasons.append("gone at its source")
    reasons += (
        [result.session_id, result.message_id]
        if ids is None
        else [f"{ids.session(result.session_id)} {ids.message(result.session_id, result.message_id)}"]
    )
    return " · ".join(filter(None, reasons))


def _shown(response: SearchResponse, offset: int) -> str:
    """Return a text with the number of hits, the range of hits on this page, and the offset of the next page."""
    noun = "session" if response.group == "session" else "hit"
    if not response.total:
        return no_hits_text(response.coverage.limited_by)
    total = f"{'' if response.total_exact else 'at least '}{_plural(response.total, noun)}"
    shown = len(response.results)
    if not offset and not response.truncated:
        return total
    more = f" (next: --offset {offset + shown})" if response.truncated and shown else ""
    return f"{offset + 1}-{offset + shown} of {total}{more}" if shown else f"None left of {total}"


def _left_out(response: SearchResponse) -> Iterator[str]:
    """Yield what was not searched: one sentence with the number of sessions and parts for each reason, one with further
    limits, and one with the parts that were not reached.
    """
    coverage = response.coverage
    counts: dict[str, list[str]] = {}
    for noun, count in (("session", coverage.sessions), ("part", coverage.parts)):
        for name, left in count.skipped.items():
            if left and not (noun == "part" and _titles_only(response)):
                counts.setdefault(name, []).append(_plural(left, noun))
    if counts:
        reasons = [f"by {_REASONS.get(name, name)}: {', '.join(left)}" for name, left in counts.items()]
        yield f"left out {'; '.join(reasons)}".replace("_", " ")
    if limits := [name for name in coverage.limited_by if name not in counts]:
        yield f"limited by {', '.join(limits)}".replace("_", " ")
    if coverage.parts.not_reached:
        yield f"not reached: {_plural(coverage.parts.not_reached, 'part')}"


def _titles_only(response: SearchResponse) -> bool:
    """Return whether the query asks for titles, so that no part was looked at."""
    return response.syntax is not None and bool(response.syntax.given("in"))


def _searched(count: Count, noun: str) -> str:
    return _of(count.searched, count.known, noun)


def _of(part: int, whole: int, noun: str) -> str:
    return _plural(whole, noun) if part == whole else f"{part:,} of {_plural(whole, noun)}"


def _plural(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
