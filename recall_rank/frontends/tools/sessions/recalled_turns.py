"""recalled_turns: the turns of past conversations that match a query best, each with the turns around it.

A search finds parts; those of one turn are one result. Sessions are read from their stores when their turns are cut,
and only read.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from recall_rank.analysis.day_ranges import day_window
from recall_rank.frontends.curators.curator import RecalledTurn
from recall_rank.frontends.redaction.redact import redacted
from recall_rank.frontends.redaction.redacted_answers import hidden
from recall_rank.frontends.tools.sessions.source_warnings import warn_of_response
from recall_rank.frontends.tools.sessions.turns import branch_of, turn_text, turns_of
from recall_rank.frontends.tools.warnings import Warnings
from recall_rank.model import Context, Flag, Message, Result, Session
from recall_rank.model.option_errors import error_text
from recall_rank.model.project_scope import place_of, short_name
from recall_rank.model.serialize import repaired

if TYPE_CHECKING:
    from recall_rank.recall import Recall

TURNS: Final = 15
EVERYWHERE: Final = "*"  # a project by this name is every project
_PAGE: Final = 60  # parts of one search; several of them may be of one turn
_MAX_PAGES: Final = 4
_PASSAGE_CHARS: Final = 600  # of a passage that is no prose, such as the output of a tool
_UNDATED: Final = "undated"


@dataclass(frozen=True, slots=True)
class TurnQuery:
    """The words to recall, and the sessions and times they may come from.

    `after` and `before` are exclusive bounds in epoch milliseconds. Without a `project`, all are searched.
    """

    query: str
    project: str | None = None
    after: int | None = None
    before: int | None = None
    limit: int = TURNS
    redact: bool = True
    budget_ms: float | None = None


@dataclass(frozen=True, slots=True)
class FoundTurns:
    """The recalled turns in rank order. `partial` tells that the search ended before it had seen everything."""

    turns: tuple[RecalledTurn, ...]
    partial: bool = False

    @property
    def sessions(self) -> int:
        """The number of sessions that the turns come from."""
        return len({turn.session_id for turn in self.turns})


def recalled_turns(
    histories: Recall,
    query: str,
    *,
    project: str | None = None,
    date_from: object = None,
    date_to: object = None,
    leave_out: Context | None = None,
    limit: int = TURNS,
    redact: bool = True,
    now: int | None = None,
) -> tuple[RecalledTurn, ...]:
    """Return the `limit` turns that match `query` best, in rank order; none for a blank query.

    `project` is a folder or the last component of one; None and "*" search all projects. `date_from` and `date_to` are
    days, both inclusive (see analysis.day_ranges). The session that `leave_out` names is left out, except what a
    compaction took out of its model's context. Secrets are replaced unless `redact` is false. `now` is in epoch
    milliseconds. Raises ValueError for days that cannot be parsed or exclude every day.
    """
    now = int(time.time() * 1000) if now is None else now
    window = day_window(now, date_from, date_to)
    asked = TurnQuery(query, project, window.after, window.before, limit, redact)
    return find_turns(histories, asked, Warnings(), leave_out=leave_out, now=now).turns


def find_turns(
    histories: Recall,
    asked: TurnQuery,
    warnings: Warnings,
    *,
    leave_out: Context | None = None,
    now: int | None = None,
    cancel: Any = None,
) -> FoundTurns:
    """Return the best turns for a query. `warnings` gets a sentence for each store that could not be read.

    `cancel` has is_set(), as threading.Event has; once it is set, the turns that were cut so far are returned. Raises
    ValueError for a query that the engine refuses.
    """
    if not asked.query.strip():
        return FoundTurns(())
    cutter = _Cutter(histories, asked, warnings, leave_out)
    options = _search_options(asked, cutter.context, now, cancel)
    partial = False
    for page in range(_MAX_PAGES):
        response = histories.search(asked.query, results=_PAGE, offset=page * _PAGE, **options)
        partial = warn_of_response(response, warnings) or partial
        for hit in response.results:
            if len(cutter.turns) >= asked.limit or (cancel is not None and cancel.is_set()):
                break
            cutter.take(hit)
        if len(cutter.turns) >= asked.limit or len(response.results) < _PAGE or (cancel and cancel.is_set()):
            break
    return FoundTurns(tuple(cutter.turns), partial)


def _search_options(asked: TurnQuery, context: Context | None, now: int | None, cancel: Any) -> dict[str, Any]:
    options: dict[str, Any] = {
        "width": _PASSAGE_CHARS,
        "context": context,
        "now": now,
        "cancel": cancel,
        "after": asked.after,
        "before": asked.before,
        "budget_ms": asked.budget_ms,
        "redact": hidden if asked.redact else None,
    }
    if asked.project and asked.project != EVERYWHERE:
        options["project"] = asked.project
    return {name: value for name, value in options.items() if value is not None}


@dataclass(slots=True)
class _Cutter:
    """Cuts the turns of hits, in the order of the hits; each turn once, also where a fork repeats it."""

    histories: Recall
    asked: TurnQuery
    warnings: Warnings
    caller: Context | None
    context: Context | None = None
    turns: list[RecalledTurn] = field(default_factory=list)
    _read: frozenset[str] = frozenset()  # of the caller's session, the messages that its model still reads
    _compacted: frozenset[str] = frozenset()  # and the others, which may be recalled
    _sessions: dict[tuple[str, str], Session | None] = field(default_factory=dict)
    _seen: set[tuple[str, ...]] = field(default_factory=set)
    _seen_texts: set[tuple[str, str]] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.context = self.caller
        if self.caller is not None and self.caller.session_id:
            self._leave_out(self.caller)

    def _leave_out(self, caller: Context) -> None:
        """Set the context so that a search leaves out the caller's session, except its compacted messages."""
        session_id = caller.session_id or ""
        self.histories.indexed([session_id])  # from then on, transcripts have the messages that a fork repeats
        try:
            messages = self.histories.transcript(session_id).messages
        except (LookupError, OSError):
            messages = ()  # not stored yet: then a search does not find it either
        if caller.in_context or caller.in_context_since:
            read = _read_by_model(messages, caller)
        else:
            read = {message.id for message in messages if not message.flags & Flag.OUT_OF_CONTEXT}
        self._read = frozenset(read)
        self._compacted = frozenset(message.id for message in messages if message.id not in read)
        self.context = replace(caller, in_context=tuple(sorted(read)), in_context_since=None)

    def take(self, hit: Result) -> None:
        """Add the turn of a hit, unless it is there already or may not be recalled."""
        session = self._session(hit)
        if session is None or self._is_in_context(session, hit):
            return
        messages: Sequence[Message] = session.messages
        if self._is_callers(session):
            messages = [message for message in messages if message.id in self._compacted]
        at = next((place for place, message in enumerate(messages) if message.id == hit.message_id), None)
        if at is None:
            return
        branch = branch_of(messages, at)
        own = [messages[place] for place in branch]
        place = branch.index(at)
        spans = turns_of(own)
        number = next(number for number, span in enumerate(spans) if span.first <= place < span.end)
        cut = [own[span.first : span.end] for span in spans]
        key = (session.agent or "", session.id, cut[number][0].id, cut[number][-1].id)
        if key in self._seen:
            return
        self._seen.add(key)
        matched = turn_text(cut[number], self._clean, hit)
        repeated = self._root(session), matched
        if not matched or repeated in self._seen_texts:
            return
        self._seen_texts.add(repeated)
        self.turns.append(
            RecalledTurn(
                project=self._clean(short_name(place_of(session))),
                date=_day(messages[at].time or session.updated),
                topic=self._clean(session.title or ""),
                before=turn_text(cut[number - 1], self._clean) if number else "",
                matched=matched,
                after=turn_text(cut[number + 1], self._clean) if number + 1 < len(cut) else "",
                session_id=repaired(session.id),
                message_id=repaired(hit.message_id),
            )
        )

    def _clean(self, text: str) -> str:
        text = repaired(text)
        return redacted(text) if self.asked.redact else text

    def _is_callers(self, session: Session) -> bool:
        return self.caller is not None and session.id == self.caller.session_id

    def _is_in_context(self, session: Session, hit: Result) -> bool:
        """Return whether the caller's session is a fork that repeats the message of a hit to its model."""
        if self.caller is None or hit.message_id not in self._read or self._is_callers(session):
            return False
        try:
            own = self.histories.session(self.caller.session_id or "")
        except LookupError:
            return False
        return self._root(own) == self._root(session)

    def _session(self, hit: Result) -> Session | None:
        """Return the session of a hit with its messages; None, with a warning, when they cannot be read."""
        key = hit.history, hit.session_id
        if key not in self._sessions:
            try:
                self._sessions[key] = self.histories.transcript(hit.session_id)
            except (LookupError, OSError) as error:
                self.warnings.add("source", f"{hit.session_id}: its messages cannot be read: {error_text(error)}")
                self._sessions[key] = None
        return self._sessions[key]

    def _root(self, session: Session) -> str:
        """Return the id of the session that this one is a fork of, over all generations of forks; else its own."""
        seen = {session.id}
        root, origin = session.id, session.forked_from
        while origin and origin not in seen:
            seen.add(origin)
            root = origin
            try:
                origin = self.histories.session(origin).forked_from
            except LookupError:
                break
        return root


def _read_by_model(messages: Sequence[Message], caller: Context) -> set[str]:
    """Return the ids of the messages that the caller's model still reads, as its host reports them."""
    named = set(caller.in_context)
    since = False
    for message in messages:
        since = since or message.id == caller.in_context_since
        if since:
            named.add(message.id)
    return named


def _day(milliseconds: int) -> str:
    try:
        return datetime.fromtimestamp(milliseconds / 1000, UTC).date().isoformat() if milliseconds > 0 else _UNDATED
    except (OverflowError, OSError, ValueError):
        return _UNDATED
