"""Suggestions for the next search, and near misses of a search that has no hits."""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from typing import Any, Final

from recall_rank.analysis.normalize import fold
from recall_rank.frontends.tools.recall_request import RecallRequest
from recall_rank.frontends.tools.warnings import Suggestions
from recall_rank.model import SearchResponse, Session, Suggestion
from recall_rank.model.serialize import repaired
from recall_rank.search.results.respond import few

MAX_NEAR_MISSES: Final = 3
FEW_SESSIONS: Final = 4
_PATTERN_MARKS: Final = re.compile(
    r"\\[dDwWsSbB]"  # character classes, word boundaries
    r"|\[[^\]]+\]"
    r"|[)\]][*+?]"
    r"|[A-Za-z0-9][*+?][A-Za-z(\[\\]"
    r"|\{\d+(?:,\d*)?\}"
    r"|\S\|\S"
    r"|^\^"
    r"|\$$"
)


def looks_like_regex(query: str) -> bool:
    """Return whether a query is probably meant as a regular expression.

    It compiles as one, and contains a construct that is rare in prose, such as a character class.
    """
    if _PATTERN_MARKS.search(query) is None:
        return False
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            re.compile(query)
    except (re.error, OverflowError, RecursionError):
        return False
    return True


def suggestions(request: RecallRequest, response: SearchResponse, fallback: bool) -> Suggestions:
    """Return suggestions for the next search, the most promising first.

    `fallback` tells that the hits are those of a literal text scan, since no term of the query matched.
    """
    found, given, results = Suggestions(), request.given, response.results
    for suggestion in response.suggestions:
        if isinstance(suggestion, Suggestion) and suggestion.category.startswith("unknown_"):
            wide = suggestion.category == "unknown_context" and request.can_widen
            found.add(suggestion.category, f'{suggestion}: try scope "global"' if wide else suggestion)
    if found:
        return found  # another way of matching would find nothing either
    if given["match"] != "regex" and looks_like_regex(request.query):
        found.add("try_regex", 'This looks like a regular expression: try match "regex"')
    complete = response.coverage.unread is None and "time" not in response.degrade_kinds
    if complete and results and len(results) == response.total and all(result.source == "title" for result in results):
        found.add("title_only", "Only titles match: read the session with recall_messages, or try other words")
    if complete and not response.total:  # else what was not searched may contain hits
        _for_no_hits(found, request, response)
    if results and not fallback:
        for suggestion in response.suggestions:
            if isinstance(suggestion, Suggestion) and suggestion.category in ("words_repaired", "words_unknown"):
                found.add(suggestion.category, suggestion)
    return found


def _for_no_hits(found: Suggestions, request: RecallRequest, response: SearchResponse) -> None:
    """Add suggestions for a search without hits. They say so when the filters left nothing to search."""
    given, searched, parts = request.given, response.coverage.sessions, response.coverage.parts
    nothing = "" if parts.eligible or not parts.known else _left_nothing(request)
    if given["directory"] and not request.options["fallback"]:
        found.add("try_directory_fallback", "No hit in this directory: try fallback true to look elsewhere too")
    if given["match"] == "literal":
        text = f"{nothing}, then" if nothing else "No part holds this exact text:"
        found.add("try_smart", f'{text} try match "smart"')
    elif nothing:
        found.add("nothing_to_search", nothing)
    if given["type"] != "all":
        found.add("try_type_all", 'No hit of this type: try type "all"')
    if searched.known and searched.eligible <= FEW_SESSIONS:
        text = few(searched).capitalize()
        join = ", or" if ":" in text else ":"
        found.add("few_sessions", f'{text}{join} try scope "global"' if request.can_widen else text)


def _left_nothing(request: RecallRequest) -> str:
    """Return a sentence on the arguments of a request that left nothing to search; "" when it has none."""
    if request.unknown:
        return "Nothing was searched: take a session from recall_sessions"
    names = ", ".join(request.warnings.written(name) for name in request.filters)
    return f"Nothing is left to search by {names}: leave that out or widen it" if names else ""


def near_misses(response: SearchResponse, sessions: Sequence[Session]) -> list[dict[str, Any]]:
    """Return the near misses of a search without hits as JSON objects.

    Those of the response come first. If there are fewer than MAX_NEAR_MISSES, the first of `sessions`, the newest that
    were searched, are added.
    """
    found: list[dict[str, Any]] = []
    for miss in response.near_misses:
        entry: dict[str, Any] = {"kind": miss.kind, "text": repaired(miss.text), "reason": repaired(miss.reason)}
        if miss.session_id is not None:
            entry["session_id"] = repaired(miss.session_id)
        found.append(entry)
    named = {entry.get("session_id") for entry in found}
    by_id = {session.id: session for session in sessions}
    for session in sessions:
        if len(found) >= MAX_NEAR_MISSES:
            break
        if _has_name(session) and session.id not in named:
            text = repaired(session.title or session.directory or "")
            reason = "has no hit; it is one of the newest sessions that were searched"
            found.append({"kind": "session", "text": text, "session_id": repaired(session.id), "reason": reason})
    for entry in found:
        known = by_id.get(entry.get("session_id", ""))
        if known is not None:
            entry["session_title"] = repaired(known.title or "")
            entry["directory"] = repaired(known.directory or "")
    return found


def _has_name(session: Session) -> bool:
    """Return whether the session has a title that is not blank, or a directory."""
    return bool(fold(session.title or "").strip() or session.directory)
