"""The three kinds of answers of session_search over a Recall: sessions found by a query (discovery), messages around
one of a session (scroll), and the sessions that were changed last (browse).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

from recall_rank.frontends.redaction.redacted_answers import hidden
from recall_rank.frontends.tools.call_context import CallContext
from recall_rank.frontends.tools.sessions.praisonai_scan import FileScan
from recall_rank.frontends.tools.sessions.praisonai_scores import (
    SNIPPET_CHARS,
    Generation,
    ScoredChat,
    anchor_of,
    around,
    best_first,
    bookends,
    hit,
    is_scheduled,
    numbered,
    scored,
)
from recall_rank.frontends.tools.sessions.session_windows import (
    NumberedSession,
    chat_of,
    iso_time,
    located,
    numbered_session,
    snippet_of,
)
from recall_rank.frontends.tools.sessions.source_warnings import places_of_prefix, warn_of_response, warn_of_sources
from recall_rank.frontends.tools.warnings import Warnings
from recall_rank.loaders.praisonai import NAME
from recall_rank.model import Result, SearchResponse, Session
from recall_rank.model.agent_names import exact_id, named_id
from recall_rank.model.option_errors import error_text
from recall_rank.weights import DEFAULT

if TYPE_CHECKING:
    from recall_rank.recall import Recall

Scoring = Literal["recall", "praisonai"]
MAX_PAGE: Final = 1_000  # results of one search
_DIGITS: Final = 18  # of a number of a message
SPARE: Final = 8  # results beyond the limit that are asked for, since continuations of a conversation are left out


@dataclass(frozen=True, slots=True)
class SessionQuery:
    """The arguments of one call of session_search, checked.

    `prefix` limits everything to sessions whose id begins with it.
    """

    query: str = ""
    session_id: str = ""
    around: object = ""
    limit: int = 5
    window: int = 5
    scoring: Scoring = "recall"
    generation: Generation = "g3"
    prefix: str = ""
    budget_ms: float | None = None


def discovery(call: CallContext, asked: SessionQuery, warnings: Warnings) -> dict[str, Any]:
    """Return the answer with the sessions that match the query, or with the matches in the one session that is named.

    Raises ValueError for a query that the engine refuses.
    """
    answer: dict[str, Any] = {"mode": "discovery", "query": asked.query}
    if asked.scoring == "praisonai":
        return {**answer, **_by_original_scores(call, asked, warnings)}
    if not asked.query.strip():
        warnings.add("query_required", "query is blank: name words to look for, or leave it out to browse")
        return {**answer, "total_found": 0, "total_exact": True, "results": []}
    options: dict[str, Any] = {"group": "session", "results": min(2 * asked.limit + SPARE, MAX_PAGE)}
    if asked.session_id:
        session = find_session(call.histories, asked.session_id, asked.prefix)
        answer["session_id"] = asked.session_id
        if session is None:
            _warn_of_unknown(asked, warnings)
            return {**answer, "total_found": 0, "total_exact": True, "results": []}
        options.update(group="part", session_id=exact_id(session.id, session.host))
    if asked.budget_ms is not None:
        options["budget_ms"] = asked.budget_ms
    if asked.prefix:
        options["session_prefix"] = asked.prefix
    if call.options.redact:
        options["redact"] = hidden
    response = call.histories.search(
        asked.query, width=SNIPPET_CHARS, now=call.now, context=call.context, cancel=call.cancel, **options
    )
    return {**answer, **_found(call, asked, response, warnings)}


def scroll(call: CallContext, asked: SessionQuery, warnings: Warnings) -> dict[str, Any]:
    """Return the answer with the messages around one message of a session, by default around the last.

    A message is named by its number or by its id; some stores have numbers as ids, and then the number counts.
    """
    answer = {"mode": "scroll", "session_id": asked.session_id, "around_message_id": asked.around}
    session = find_session(call.histories, asked.session_id, asked.prefix)
    if session is None:
        _warn_of_unknown(asked, warnings)
        return {**answer, "messages": []}
    wanted = asked.around
    if asked.scoring == "praisonai":
        messages: Sequence[Any] = numbered(chat_of(call.histories, session), asked.generation)
    else:
        known = numbered_session(call.histories, session)
        messages = known.messages
        if not _is_number(wanted, len(messages)):
            wanted = known.numbers.get(str(wanted), wanted)
    anchor = anchor_of(wanted, len(messages))
    _warn_of_anchor(wanted, anchor, len(messages), warnings)
    return {**answer, "messages": around(messages, anchor, asked.window)}


def _is_number(wanted: object, count: int) -> bool:
    """Return whether `wanted` is the number of one of `count` messages."""
    text = str(wanted).strip()
    return text.isdecimal() and len(text) <= _DIGITS and int(text) < count


def _warn_of_anchor(wanted: object, anchor: int, count: int, warnings: Warnings) -> None:
    """Add a warning when the message to read around is not the one that a call has named as `wanted`."""
    text, name = str(wanted).strip(), warnings.written("around_message_id")
    if text and not text.removeprefix("-").isdecimal():
        warnings.add("anchor_ignored", f"{name} is neither the number nor the id of a message: the last ones")
    elif text and count and (len(text) > _DIGITS or int(text) != anchor):
        warnings.add("anchor_clamped", f"{name} must be from 0 to {count - 1} in this session: {anchor} is used")


def browse(call: CallContext, asked: SessionQuery, warnings: Warnings) -> dict[str, Any]:
    """Return the answer with the sessions that were changed last."""
    unread = call.histories.not_read_yet()
    warnings.add_unread(unread)
    listed = call.histories.sessions()
    sessions = [each for each in listed if each.id.startswith(asked.prefix)]
    warn_of_sources(call.histories.sources(), warnings, places_of_prefix(listed, asked.prefix))
    original = asked.scoring == "praisonai"
    results = []
    for session in sessions[: max(0, asked.limit)]:
        known = _numbered(call, session, warnings)
        agent = known.chat.head.get("agent_name") if original and known is not None and known.chat is not None else None
        results.append({
            "session_id": named_id(session.id, session.host),
            "title": str(agent or session.id) if original else session.title or session.id,
            "when": iso_time(session.updated) if known is None else known.when,
            "message_count": 0 if known is None else known.active,
        })  # fmt: skip
    total = len(results) if original else len(sessions)
    return {"mode": "browse", "total_found": total, "total_exact": unread is None, "results": results}


def find_session(histories: Recall, session_id: str, prefix: str = "") -> Session | None:
    """Return the session with this id, or the only one whose id begins with it; None when there is none, and for one
    whose id does not begin with `prefix`. With a prefix, a beginning of an id must be longer than that: whether a
    shorter one is unique would depend on the sessions of others.
    """
    if not session_id.startswith(prefix):
        return None
    try:
        return histories.session(session_id)
    except LookupError:
        return None


def _found(call: CallContext, asked: SessionQuery, response: SearchResponse, warnings: Warnings) -> dict[str, Any]:
    """Return the part of an answer that comes from the response of a search: its hits, their number, and whether the
    search was cut short.
    """
    kept: list[dict[str, Any]] = []
    lineages: set[str] = set()
    anchors: set[int] = set()
    left_out = 0
    for result in response.results:
        if sum(entry["score"] >= result.score for entry in kept) >= asked.limit:
            break  # nothing that follows can be among the best
        known = located(result, response) or _numbered(call, _session_of(call.histories, result), warnings)
        if known is None:
            left_out += 1
            continue
        anchor = known.anchor(result)
        again = anchor in anchors if asked.session_id else known.lineage in lineages
        if again:
            left_out += 1
            continue
        anchors.add(anchor)
        lineages.update(each for each in (known.lineage,) if each is not None)
        scheduled = not asked.session_id and known.chat is not None and is_scheduled(known.chat)
        score = result.score * (DEFAULT.scheduled if scheduled else 1.0)
        kept.append(_entry(known, result, score, anchor, asked.window))
    results = sorted(kept, key=lambda entry: -entry["score"])[: asked.limit]
    listed = call.histories.sessions() if asked.prefix else ()
    partial = warn_of_response(response, warnings, places_of_prefix(listed, asked.prefix))
    total = {"total_found": response.total - left_out, "total_exact": response.total_exact, "results": results}
    return {**total, "partial": True} if partial else total


def _entry(known: NumberedSession, result: Result, score: float, anchor: int, window: int) -> dict[str, Any]:
    content = known.messages[anchor]["content"] if anchor < len(known.messages) else ""
    entry = {
        "session_id": named_id(known.session.id, known.session.host),
        "title": known.title,
        "when": known.when,
        "snippet": snippet_of(result, content),
        "score": score,
        "anchor_index": anchor,
        "messages": around(known.messages, anchor, window),
    }
    ends = bookends(known.messages)
    return {**entry, "bookends": ends} if ends else entry


def _session_of(histories: Recall, result: Result) -> Session:
    """Return the session of a result. Two agents of a machine may use one id: then the one from the result's store."""
    session = histories.session(named_id(result.session_id, result.host))
    if session.source == result.history:
        return session
    wanted = (result.session_id, result.host, result.history)
    return next((each for each in histories.sessions() if (each.id, each.host, each.source) == wanted), session)


def _numbered(call: CallContext, session: Session, warnings: Warnings) -> NumberedSession | None:
    """Return the session with its messages; None, with a warning, when they cannot be read."""
    try:
        return numbered_session(call.histories, session)
    except (LookupError, OSError) as error:
        warnings.add("source", f"{session.id}: its messages cannot be read: {error_text(error)}")
        return None


def _warn_of_unknown(asked: SessionQuery, warnings: Warnings) -> None:
    warnings.add("unknown_session", f"no session has the id {asked.session_id[:60]!r}, or several begin with it")


# --- PraisonAI's own scores ------------------------------------------------------------------------


def _by_original_scores(call: CallContext, asked: SessionQuery, warnings: Warnings) -> dict[str, Any]:
    """Return the hits that PraisonAI's own rule finds in all sessions, with its scores and in its order."""
    listed = call.histories.sessions()
    sessions = [each for each in listed if each.id.startswith(asked.prefix)]
    scan = FileScan(sorted({str(each.places[0]) for each in sessions if each.agent == NAME and each.places}))
    matching = [*scan.matches(asked.query, asked.generation, asked.prefix), *_of_others(call, sessions, asked)]
    for problem in scan.problems.values():
        warnings.add("source", problem)
    places = places_of_prefix(listed, asked.prefix)
    warn_of_sources(call.histories.sources(), warnings, places, read=scan.problems)
    return original_hits(matching, asked)


def original_hits(matching: Iterable[ScoredChat], asked: SessionQuery) -> dict[str, Any]:
    """Return the best of the matching sessions as the fields of an answer: `total_found` counts those returned."""
    best = best_first(matching, asked.limit, asked.generation)
    results = [hit(each, asked.query, asked.window, asked.generation) for each in best]
    return {"total_found": len(results), "total_exact": True, "results": results}


def _of_others(call: CallContext, sessions: Sequence[Session], asked: SessionQuery) -> Iterator[ScoredChat]:
    """Yield the sessions that match by PraisonAI's rule and that no file of PraisonAI holds, such as those of other
    agents.
    """
    for session in sessions:
        if session.agent != NAME or not session.places:
            found = scored(session.id, chat_of(call.histories, session), asked.query, asked.generation)
            if found is not None:
                yield found
