"""One hit as its reader sees it: where it stands, what it shows, and why it is here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from recall_rank._core.index.part_facts import Facts
from recall_rank._core.rank.passage_matches import PassageMatches
from recall_rank._core.runtime.record_factory import Maker
from recall_rank.index.segment.segment import ROLES, TITLE_ROLE, Segment, SessionRow, Text
from recall_rank.index.segment.strings import Strings
from recall_rank.model import DirectoryRelevance, Flag, Result, ResultSource, Why
from recall_rank.search.context import SearchContext
from recall_rank.search.options import Options
from recall_rank.search.results.snippet import Snippet, field_names, passage_matches, snippet_at, snippet_of
from recall_rank.search.retrieval.literal import first_match
from recall_rank.search.types import PageEntry

DAY_MS = 86_400_000
RECENT_DAYS = 7
PRUNED = int(Flag.PRUNED)
_result, _why = Maker(Result).make, Maker(Why).make


@dataclass(slots=True)
class Columns:
    """What results read of a segment: a mapped one takes longer to find a column than to read in it."""

    sessions: Sequence[SessionRow]
    facts: Facts
    message_ids: Strings
    part_ids: Strings
    names: list[str | None]
    text_for: Callable[[Iterable[tuple[int, int]]], Text]

    @classmethod
    def of(cls, segment: Segment) -> Columns:
        return cls(
            segment.sessions,
            segment.facts,
            segment.message_ids,
            segment.part_ids,
            segment.names.values,
            segment.text_for,
        )


@dataclass(slots=True)
class Asked:
    """A search, and what of it every result is told by."""

    search: SearchContext
    options: Options
    written: list[str | None]  # the query's words, None for one that does not count
    forms: list[str]  # those that count, as they are compared
    recent: int  # the first time that is recent, ms
    named: dict[str, bool] = field(default_factory=dict)  # of a tool or an author, whether the query names it
    columns: dict[int, Columns] = field(default_factory=dict)  # of every segment with results, by its identity

    @classmethod
    def of(cls, search: SearchContext) -> Asked:
        query = search.query
        return cls(
            search,
            query.options,
            [word.written if word.counts else None for word in query.words],
            [word.form.decode("utf-8", "replace") for word in query.words if word.counts],
            query.now - RECENT_DAYS * DAY_MS,
        )

    def result(self, entry: PageEntry) -> Result:
        search, options, candidate, session = self.search, self.options, entry.candidate, entry.session
        segment, part, doc = search.segment.local(candidate.part, candidate.doc)
        columns = self.columns.get(id(segment))
        if columns is None:
            columns = self.columns[id(segment)] = Columns.of(segment)
        facts = columns.facts.of(part, doc)
        message, own_session, role, author_at, time, kind_at, tool_at, flags, fields, start, end = facts
        row = columns.sessions[own_session]
        names = columns.names
        kind, tool, author = names[kind_at] or "", names[tool_at], names[author_at]
        message_id = held_by = columns.message_ids.held(message, row.id)
        author_told = author
        title = role == TITLE_ROLE
        if title:  # a session's newest message is where its title leads
            said = self._representative(session, segment, row)
            role, author_at, time = columns.facts.said(said)
            author_told, message_id = names[author_at], columns.message_ids.held(said, row.id)

        text = columns.text_for(((fields[0], fields[-1]),))  # read within that part alone
        place = None
        if search.deadline.passed():  # what is left of the work is to show where the hits are
            found, weights = PassageMatches(text, start), NO_WEIGHTS
        else:
            found = passage_matches(search.expansion.matcher, text, fields, start, end, options.width)
            weights = search.expansion.word_weights
            if search.text_marks is not None and search.text_marks[candidate.part]:
                place = self._place(segment, part, found)
        if place is None:
            snippet = snippet_of(found, fields, weights, options.width, options.redact)
        else:
            snippet = snippet_at(text, fields, *place, options.width, options.redact)

        terms = found.words(self.written) if options.match != "regex" else _marked(snippet)
        matched = _fields_told(kind, title, found.fields, snippet.field if snippet.spans else "")
        if tool and self._names(tool):
            matched = (*matched, "tool_name")
        if author and self._names(author):
            matched = (*matched, "author")
        relevance: DirectoryRelevance = "unknown"
        if search.eligible.buckets:
            relevance = self._directory_relevance(session)
        explain = candidate.explain() if options.explain else None
        why = _why(
            matched_fields=matched if matched or not title else ("directory",),
            matched_terms=terms,
            directory_relevance=relevance,
            recency="unknown" if not time else "recent" if time >= self.recent else "older",
            confidence=candidate.confidence,
            matched_forms=self._matched_forms(text, found, snippet.text) if options.explain else None,
        )
        return _result(  # by place: for more than fifteen names Python makes a dict first
            row.id,  # session_id
            row.title,  # session_title
            row.directory,  # directory
            row.project or "",  # project
            message_id,  # message_id
            ROLES[role],  # role
            time,  # time
            columns.part_ids.held(part, held_by),  # part_id
            kind,  # part_type
            bool(flags & PRUNED),  # pruned
            snippet.text,  # snippet
            snippet.spans,  # spans
            "title" if title else _field_name(kind, snippet.field),  # field
            "title" if title else SOURCES.get(kind, "message"),  # source
            row.source,  # history
            row.agent,  # agent
            candidate.score,  # score
            candidate.stage,  # stage
            options.match,  # match_mode
            terms,  # matched_terms
            why,  # why
            relevance,  # directory_relevance
            _flags(flags),  # flags
            tool,  # tool_name
            author_told,  # author
            row.title if title or entry.title_match else None,  # title_match
            search.hits_of_session.get(session, 1) if options.group == "session" else None,  # hit_count
            search.total_exact,  # hit_count_exact
            explain,  # explain
            None if explain is None else _reasons(explain),  # match_reasons
        )

    def _representative(self, session: int, segment: Segment, row: SessionRow) -> int:
        """The newest eligible message of the session: where a title hit leads."""
        marks = self.search.eligible.message_marks
        moved = self.search.segment.span_of(session)[0] - row.first_message  # marks are of all segments' messages
        best = row.first_message
        for message in range(row.first_message + 1, row.last_message):
            time = segment.message_time[message]
            passes = marks is None or marks[message + moved]
            if passes and (best == row.first_message or time >= segment.message_time[best]):
                best = message
        return best

    def _place(self, segment: Segment, part: int, found: PassageMatches) -> tuple[int, int] | None:
        """The bytes of a part that the text scan found, where they tell more than the words do."""
        if self.options.match not in ("literal", "regex") and found.slots:
            return None
        return first_match(segment, self.search.query, part, self.search.deadline)

    def _matched_forms(self, text: Text, found: PassageMatches, snippet: str) -> dict[str, tuple[str, ...]]:
        """What stands there for the words of the query around the snippet: inflected, joined, split or repaired."""
        words, redacted = self.search.query.words, self.options.redact is not None
        forms: dict[str, dict[str, None]] = {}
        for match in found.matches:
            matched = words[match.slot : match.slot + match.span]
            if any(word.counts for word in matched):
                written = " ".join(word.written for word in matched)
                form = bytes(text[match.start : match.end]).decode("utf-8", "replace")
                if not redacted or form in snippet:  # it may be a piece of what is not shown
                    forms.setdefault(written, {})[form] = None
        return {written: tuple(found_as) for written, found_as in forms.items()}

    def _names(self, value: str) -> bool:
        """Whether a word of the query stands in the name of a tool or an author."""
        names = self.named.get(value)
        if names is None:
            names = self.named[value] = any(map(value.lower().__contains__, self.forms))
        return names

    def _directory_relevance(self, session: int) -> DirectoryRelevance:
        bucket = self.search.eligible.buckets.get(session)
        return bucket if bucket in ("exact", "project", "global") else "unknown"  # type: ignore[return-value]


NO_WEIGHTS: list[float] = []
SOURCES: dict[str, ResultSource] = {"tool": "tool", "reasoning": "reasoning"}  # of kinds of parts; others are messages
_flags = lru_cache(maxsize=1024)(Flag)  # making one anew takes longer than all else that is read of a part


@lru_cache(maxsize=1024)
def _fields_told(kind: str, title: bool, found: int, shown: str) -> tuple[str, ...]:
    """The names of a set of fields, or the one that is `shown`, if any."""
    fields = field_names(found) or ((shown,) if shown else ())
    return tuple(dict.fromkeys("title" if title else _field_name(kind, name) for name in fields))


def _field_name(kind: str, field: str) -> str:
    return "reasoning" if kind == "reasoning" and field == "text" else field


def _marked(snippet: Snippet) -> tuple[str, ...]:
    """The different texts that are marked in a snippet."""
    return tuple(dict.fromkeys(snippet.text[span.start : span.end] for span in snippet.spans))


def _reasons(explain: dict[str, float]) -> tuple[str, ...]:
    return tuple(
        f"{name} {value:+.3f}" for name, value in sorted(explain.items(), key=lambda item: -abs(item[1])) if value
    )
