"""Build the public Result of a page entry: where the hit is, its snippet, and the reasons for it."""

from __future__ import annotations

from functools import lru_cache

from recall_rank._core.rank.candidate import Candidate
from recall_rank._core.rank.passage_matches import PassageMatches
from recall_rank._core.rank.snippet_window import Snippet
from recall_rank._core.runtime.record_factory import RecordFactory
from recall_rank.index.reader.segment_view import SegmentView
from recall_rank.index.segment.segment import ROLES, TITLE_ROLE, Segment, SessionRow, Text
from recall_rank.model import CopyPlace, DirectoryRelevance, Flag, Result, ResultSource, Span, Why
from recall_rank.model.project_scope import DIRECTORY_BUCKETS
from recall_rank.model.record_classes import Drafts, field, mutable
from recall_rank.search.context import SearchContext
from recall_rank.search.deadline import DegradeKind
from recall_rank.search.options import Options
from recall_rank.search.results.snippet import field_name, field_names, passage_matches, snippet_at, snippet_of
from recall_rank.search.retrieval.literal import first_match
from recall_rank.search.types import PageEntry

DAY_MS = 86_400_000
RECENT_DAYS = 7
PRUNED = int(Flag.PRUNED)
RESULTS = Drafts(Result)
_why = RecordFactory(Why).make


@mutable
class ResultMaker:
    """Makes the Result of each page entry of one search; keeps the values that all of them need."""

    search: SearchContext
    options: Options
    written: list[str | None]  # the query's words as written, None for one that does not count or is unknown
    forms: list[str]  # the folded words that count
    recent: int  # the time from which on a message is recent, in ms: a midnight, so that it holds all day
    named: dict[str, bool] = field(default_factory=dict)  # by tool or author: whether the query names it

    @classmethod
    def of(cls, search: SearchContext) -> ResultMaker:
        query, unknown = search.query, search.expansion.unknown
        return cls(
            search,
            query.options,
            [word.written if word.counts and word.written not in unknown else None for word in query.words],
            [word.form.decode("utf-8", "replace") for word in query.words if word.counts],
            (query.now // DAY_MS - RECENT_DAYS) * DAY_MS,
        )

    def result(self, entry: PageEntry) -> Result:  # noqa: PLR0915 - one statement sets one field
        """Return the Result of a page entry.

        After the deadline, the snippet is the beginning of the passage. The result for a title of a session has the id,
        role, time and author of the newest message of that session.
        """
        search, options, candidate, session = self.search, self.options, entry.candidate, entry.session
        view, part, doc = search.reader.local(candidate.part, candidate.doc)
        segment, columns = view.segment, view.part_columns
        message, flags = columns.part_message[part], columns.part_flags[part]
        role, time = columns.message_role[message], columns.message_time[message]
        row = columns.sessions[columns.message_session[message]]
        names = columns.names.values
        kind, tool = names[columns.part_type[part]] or "", names[columns.part_tool[part]]
        author = names[columns.message_author[message]]
        message_id = own_message_id = columns.message_ids.with_owner(message, row.id)
        shown_author = author
        title = role == TITLE_ROLE
        if title:  # a title leads to the newest message of its session
            newest = self._newest_message(session, segment, row)
            role, time = columns.message_role[newest], columns.message_time[newest]
            shown_author = names[columns.message_author[newest]]
            message_id = columns.message_ids.with_owner(newest, row.id)

        text, found, snippet = self._passage(view, part, doc, candidate)
        terms = found.words(self.written) if options.match != "regex" else _marked(snippet)
        shown = field_name(snippet.field)
        matched = self._other_reason(candidate) or _matched_fields(
            kind, title, found.fields, shown if snippet.spans else ""
        )
        if tool and self._names(tool):
            matched = (*matched, "tool_name")
        if author and self._names(author):
            matched = (*matched, "author")
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
        result = RESULTS.draft()
        result.session_id = row.id
        result.session_title = row.title
        result.directory = row.directory
        result.project = row.project or ""
        result.message_id = message_id
        result.role = ROLES[role]
        result.time = time
        result.part_id = columns.part_ids.with_owner(part, own_message_id)
        result.part_type = kind
        result.pruned = bool(flags & PRUNED)
        result.snippet = snippet.text
        result.spans = snippet.spans
        result.field = "title" if title else _field_of(kind, shown)
        result.source = "title" if title else SOURCES.get(kind, "message")
        result.history = row.source
        result.agent = row.agent
        result.score = candidate.score
        result.stage = candidate.stage
        result.match_mode = options.match
        result.matched_terms = terms
        result.why = why
        result.directory_relevance = relevance
        result.flags = _flags(flags)
        result.tool_name = tool
        result.author = shown_author
        result.title_match = row.title if title or entry.title_match or candidate.part in search.titled else None
        result.hit_count = (search.sessions.hits_of(session) or 1) if options.group == "session" else None
        result.hit_count_exact = search.total_exact
        result.explain = explain
        result.match_reasons = None if explain is None else _reasons(explain)
        result.also_in = self._also_in(candidate.part) if search.copies or search.near_duplicates else ()
        result.host, result.user = row.host, row.user
        return RESULTS.freeze(result)

    def _passage(
        self, view: SegmentView, part: int, doc: int, candidate: Candidate
    ) -> tuple[Text, PassageMatches, Snippet[Span]]:
        """Return the text of a part, the matches of the query's words in its passage `doc`, and the snippet.

        After the deadline no match is looked for. In literal and regex mode the snippet shows the place that the text
        scan found.
        """
        search, options, columns = self.search, self.options, view.part_columns
        first_field, last_field = columns.part_first_field[part], columns.part_first_field[part + 1]
        fields = columns.field_start[first_field : last_field + 1]
        start, end = columns.doc_start[doc], columns.doc_start[doc + 1]
        text = columns.text_for(((fields[0], fields[-1]),))
        if search.deadline.passed():
            search.degraded.add(DegradeKind.TIME)
            found = PassageMatches(text, start)
            return text, found, snippet_of(found, fields, NO_WEIGHTS, options.width, options.redact)
        found = passage_matches(search.expansion.matcher, text, fields, start, end, options.width)
        if search.text_marks is not None and search.text_marks[candidate.part]:
            place = self._scanned_match(view.segment, part, found)
            if place is not None:
                return text, found, snippet_at(text, fields, *place, options.width, options.redact)
        return text, found, snippet_of(found, fields, search.expansion.word_weights, options.width, options.redact)

    def _other_reason(self, candidate: Candidate) -> tuple[str, ...]:
        """Return what alone makes a candidate without evidence a hit: the caller's score or its meaning; else ()."""
        if candidate.evidence:
            return ()
        if self.search.scored_marks is not None and self.search.scored_marks[candidate.part]:
            return ("extra_scores",)
        return ("meaning",) if candidate.meaning else ()

    def _also_in(self, part: int) -> tuple[CopyPlace, ...]:
        """Return the places of the parts that were folded into a part: its copies, then each near duplicate, followed
        by the copies of that.
        """
        reader, copies = self.search.reader, self.search.copies
        found = []
        for shown in (part, *self.search.near_duplicates.get(part, ())):
            for folded in (*(() if shown == part else (shown,)), *copies.get(shown, ())):
                row = reader.session_of_part(folded)
                message_id = reader.message_ids[reader.part_message[folded]]
                found.append(CopyPlace(row.source, row.id, message_id, reader.part_ids[folded]))
        return tuple(found)

    def _newest_message(self, session: int, segment: Segment, row: SessionRow) -> int:
        """Return the segment's number of the newest eligible message of the session `row`; that of its title when none
        is eligible.

        `session` is the reader's number of the session.
        """
        marks = self.search.eligible.message_marks
        offset = self.search.reader.span_of(session)[0] - row.first_message  # marks cover all segments
        best = row.first_message
        for message in range(row.first_message + 1, row.last_message):
            time = segment.message_time[message]
            passes = marks is None or marks[message + offset]
            if passes and (best == row.first_message or time >= segment.message_time[best]):
                best = message
        return best

    def _scanned_match(self, segment: Segment, part: int, found: PassageMatches) -> tuple[int, int] | None:
        """Return (start, end), in bytes of the segment's text, of the first place in a part where the whole query
        occurs as a literal or, in regex mode, as a pattern.

        None when there is no such place or the deadline passed, and outside of literal and regex mode when `found`, the
        word matches of the passage, is not empty: the snippet then shows those.
        """
        if self.options.match not in ("literal", "regex") and found.slots:
            return None
        return first_match(segment, self.search.query, part, self.search.deadline)

    def _matched_forms(self, text: Text, found: PassageMatches, snippet: str) -> dict[str, tuple[str, ...]]:
        """Return a mapping from each matching query word, as written, to the distinct texts that match it in or near
        the snippet.

        Other spellings of a word are left out in literal and regex mode, where they make no hit.
        """
        words, redacted = self.search.query.words, self.options.redact is not None
        least = 1.0 if self.search.text_decides else 0.0
        forms: dict[str, dict[str, None]] = {}
        for match in found.matches:
            matched = words[match.slot : match.slot + match.span]
            if match.similarity >= least and any(word.counts for word in matched):
                written = " ".join(word.written for word in matched)
                form = bytes(text[match.start : match.end]).decode("utf-8", "replace")
                if not redacted or form in snippet:  # else it may be a part of a secret
                    forms.setdefault(written, {})[form] = None
        return {written: tuple(found_as) for written, found_as in forms.items()}

    def _names(self, value: str) -> bool:
        """Return whether `value`, the name of a tool or an author, contains a word of the query."""
        names = self.named.get(value)
        if names is None:
            names = self.named[value] = any(map(value.lower().__contains__, self.forms))
        return names

    def _directory_relevance(self, session: int) -> DirectoryRelevance:
        buckets = self.search.eligible.buckets
        return "unknown" if buckets is None else DIRECTORY_BUCKETS[buckets[session]]


NO_WEIGHTS: list[float] = []
SOURCES: dict[str, ResultSource] = {"tool": "tool", "reasoning": "reasoning"}  # by kind of part; any other is a message
_flags = lru_cache(maxsize=1024)(Flag)  # a new Flag costs more than the rest of a result's columns


@lru_cache(maxsize=1024)
def _matched_fields(kind: str, title: bool, found: int, shown: str) -> tuple[str, ...]:
    """Return the public names of the fields in the bit set `found`; bit k stands for field number k.

    When `found` is empty, the field `shown` in the snippet is returned, unless `shown` is empty too. A title has only
    the field "title". `kind` is the type of the part.
    """
    fields = field_names(found) or ((shown,) if shown else ())
    return tuple(dict.fromkeys("title" if title else _field_of(kind, name) for name in fields))


def _field_of(kind: str, field: str) -> str:
    """Return the public name of a field in a part of type `kind`: the text of a reasoning part is called reasoning."""
    return "reasoning" if kind == "reasoning" and field == "text" else field


def _marked(snippet: Snippet[Span]) -> tuple[str, ...]:
    """Return the distinct texts that the snippet marks as matches, in their order."""
    return tuple(dict.fromkeys(snippet.text[span.start : span.end] for span in snippet.spans))


def _reasons(explain: dict[str, float]) -> tuple[str, ...]:
    """Return each summand of a score as text, the largest absolute value first; `explain` is name -> value."""
    return tuple(
        f"{name} {value:+.3f}" for name, value in sorted(explain.items(), key=lambda item: -abs(item[1])) if value
    )
