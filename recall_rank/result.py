"""One hit as its reader sees it: where it stands, what it shows, and why it is here."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

from recall_rank._core.frozen import Maker
from recall_rank._core.spot import Spot
from recall_rank.group import Grouped
from recall_rank.index.segment import ROLES, TITLE_ROLE, Segment, SessionRow
from recall_rank.literal import first_match
from recall_rank.model import DirectoryRelevance, Flag, Recency, Result, ResultSource, Why
from recall_rank.snippet import Snippet, field_names, show, show_at, spot
from recall_rank.state import Search

DAY_MS = 86_400_000
RECENT_DAYS = 7
PRUNED = int(Flag.PRUNED)
_result, _why = Maker(Result).make, Maker(Why).make


@dataclass(slots=True)
class Asked:
    """A search, and what of its query every result is told by."""

    search: Search
    counted: list[tuple[int, str]]  # bit and spelling of every word that counts, in the query's order
    forms: list[str]  # as they are compared
    terms: dict[int, tuple[str, ...]] = field(default_factory=dict)  # of words that were found together
    fields: dict[tuple[object, ...], tuple[str, ...]] = field(default_factory=dict)  # of what they depend on

    @classmethod
    def of(cls, search: Search) -> Asked:
        words = [(at, word) for at, word in enumerate(search.query.words) if word.counts]
        return cls(
            search,
            [(1 << at, word.written) for at, word in words],
            [word.form.decode("utf-8", "replace") for _, word in words],
        )

    def result(self, entry: Grouped) -> Result:
        search, candidate = self.search, entry.candidate
        query, options = search.query, search.query.options
        segment, part, doc = search.segment.local(candidate.part, candidate.doc)
        message = segment.part_message[part]
        row = segment.sessions[segment.message_session[message]]
        title = segment.message_role[message] == TITLE_ROLE
        shown_message = self._representative(entry.session, segment, row) if title else message
        if search.deadline.passed():  # what is left of the work is to show where the hits are
            found = Spot(segment.doc_start[doc])
            cut = show(segment, part, found, [], options.width, options.redact)
        else:
            found = spot(segment, search.expansion.matcher, part, doc, options.width)
            in_text = search.text_marks is not None and bool(search.text_marks[candidate.part])
            cut = self._snippet(segment, part, found, in_text=in_text)
        names = segment.names.values
        kind = names[segment.part_type[part]] or ""
        tool, author = names[segment.part_tool[part]], names[segment.message_author[shown_message]]
        flags = segment.part_flags[part]
        time = segment.message_time[shown_message]
        terms = self._matched_terms(found, cut)
        relevance = self._directory_relevance(entry.session)
        told = (kind, tool, names[segment.message_author[message]], title, found.fields, cut.field if cut.spans else "")
        fields = self.fields.get(told)
        if fields is None:
            fields = self.fields[told] = self._matched_fields(*told)
        message_id = segment.message_ids.held(shown_message, row.id)
        held_by = message_id if shown_message == message else segment.message_ids.held(message, row.id)
        explain = candidate.explain() if options.explain else None
        why = _why(
            matched_fields=fields,
            matched_terms=terms,
            directory_relevance=relevance,
            recency=_recency(time, query.now),
            confidence=candidate.confidence,
            matched_forms=self._matched_forms(segment, found, cut) if options.explain else None,
        )
        return _result(
            session_id=row.id,
            session_title=row.title,
            directory=row.directory,
            project=row.project or "",
            message_id=message_id,
            role=ROLES[segment.message_role[shown_message]],
            time=time,
            part_id=segment.part_ids.held(part, held_by),
            part_type=kind,
            pruned=bool(flags & PRUNED),
            snippet=cut.text,
            spans=cut.spans,
            field=_field_name(kind, cut.field, title=title),
            source=_source(kind, title=title),
            history=row.source,
            agent=row.agent,
            score=candidate.score,
            stage=candidate.stage,
            match_mode=options.match,
            matched_terms=terms,
            why=why,
            directory_relevance=relevance,
            flags=_flags(flags),
            tool_name=tool,
            author=author,
            title_match=row.title if title or entry.title_match else None,
            hit_count=search.hits_of_session.get(entry.session, 1) if options.group == "session" else None,
            hit_count_exact=search.total_exact,
            explain=explain,
            match_reasons=None if explain is None else _reasons(explain),
        )

    def _representative(self, session: int, segment: Segment, row: SessionRow) -> int:
        """The newest eligible message of the session: where a title hit leads."""
        marks = self.search.allowed.messages
        moved = self.search.segment.span_of(session)[0] - row.first_message  # marks are of all segments' messages
        best = row.first_message
        for message in range(row.first_message + 1, row.last_message):
            time = segment.message_time[message]
            passes = marks is None or marks[message + moved]
            if passes and (best == row.first_message or time >= segment.message_time[best]):
                best = message
        return best

    def _snippet(self, segment: Segment, part: int, found: Spot, *, in_text: bool) -> Snippet:
        search, options = self.search, self.search.query.options
        if in_text and (options.match in ("literal", "regex") or not found.events):
            place = first_match(segment, search.query, part, search.deadline)
            if place is not None:
                return show_at(segment, part, place[0], place[1], options.width, options.redact)
        return show(segment, part, found, search.expansion.word_weights, options.width, options.redact)

    def _matched_terms(self, found: Spot, cut: Snippet) -> tuple[str, ...]:
        """The words of the query that were found, as the query wrote them, in its order."""
        if self.search.query.options.match == "regex":
            return tuple(dict.fromkeys(cut.text[span.start : span.end] for span in cut.spans))
        slots = found.slots
        terms = self.terms.get(slots)
        if terms is None:
            terms = self.terms[slots] = tuple(dict.fromkeys([word for bit, word in self.counted if slots & bit]))
        return terms

    def _matched_forms(self, segment: Segment, found: Spot, cut: Snippet) -> dict[str, tuple[str, ...]]:
        """What stands there for the words of the query around the snippet: inflected, joined, split or repaired."""
        words, redacted = self.search.query.words, self.search.query.options.redact is not None
        text = segment.text_for((start, end) for start, end, *_ in found.events)
        forms: dict[str, dict[str, None]] = {}
        for start, end, slot, span, _ in found.events:
            if any(word.counts for word in words[slot : slot + span]):
                written = " ".join(word.written for word in words[slot : slot + span])
                form = bytes(text[start:end]).decode("utf-8", "replace")
                if not redacted or form in cut.text:  # it may be a piece of what is not shown
                    forms.setdefault(written, {})[form] = None
        return {written: tuple(found_as) for written, found_as in forms.items()}

    def _matched_fields(
        self, kind: str, tool: str | None, author: str | None, title: bool, found: int, shown: str
    ) -> tuple[str, ...]:
        fields = [_field_name(kind, name, title=title) for name in field_names(found)]
        if shown and not fields:
            fields.append(_field_name(kind, shown, title=title))
        for name, value in (("tool_name", tool), ("author", author)):
            if value and any(map(value.lower().__contains__, self.forms)):
                fields.append(name)
        if title and not fields:
            fields.append("directory")
        return tuple(dict.fromkeys(fields))

    def _directory_relevance(self, session: int) -> DirectoryRelevance:
        bucket = self.search.allowed.buckets.get(session)
        return bucket if bucket in ("exact", "project", "global") else "unknown"  # type: ignore[return-value]


_flags = lru_cache(maxsize=1024)(Flag)  # making one anew takes longer than all else that is read of a part


def _field_name(kind: str, field: str, *, title: bool) -> str:
    if title:
        return "title"
    return "reasoning" if kind == "reasoning" and field == "text" else field


def _source(kind: str, *, title: bool) -> ResultSource:
    if title:
        return "title"
    return "tool" if kind == "tool" else "reasoning" if kind == "reasoning" else "message"


def _recency(time: int, now: int) -> Recency:
    if not time:
        return "unknown"
    return "recent" if now - time <= RECENT_DAYS * DAY_MS else "older"


def _reasons(explain: dict[str, float]) -> tuple[str, ...]:
    return tuple(
        f"{name} {value:+.3f}" for name, value in sorted(explain.items(), key=lambda item: -abs(item[1])) if value
    )
