"""What a caller may try next, and what came close where nothing was found."""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from typing import Any, Final

from recall_rank.frontends.tools.request import Question
from recall_rank.frontends.tools.selection import titled
from recall_rank.frontends.tools.warnings import Remarks
from recall_rank.model import SearchResponse, Session
from recall_rank.model.serialize import repaired
from recall_rank.search.results.respond import few

NEAR: Final = 3
FEW_SESSIONS: Final = 4
_PATTERN_MARKS: Final = re.compile(
    r"\\[dDwWsSbB]"  # classes of characters, word borders
    r"|\[[^\]]+\]"
    r"|[)\]][*+?]"
    r"|[A-Za-z0-9][*+?][A-Za-z(\[\\]"
    r"|\{\d+(?:,\d*)?\}"
    r"|\S\|\S"
    r"|^\^"
    r"|\$$"
)


def looks_like_regex(query: str) -> bool:
    """Whether the query compiles as a pattern and shows signs of being meant as one."""
    if _PATTERN_MARKS.search(query) is None:
        return False
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            re.compile(query)
    except (re.error, OverflowError, RecursionError):
        return False
    return True


def suggestions(question: Question, response: SearchResponse, fallback: bool) -> Remarks:
    """What to try next, the most likely first."""
    found, given, results = Remarks(), question.given, response.results
    if given["match"] != "regex" and looks_like_regex(question.query):
        found.add("try_regex", 'This looks like a regular expression: try match "regex"')
    if results and len(results) == response.total and all(result.source == "title" for result in results):
        found.add("title_only", "Only titles match: read the session with recall_messages, or try other words")
    if not response.total and "time" not in response.degrade_kinds:  # what was not searched may hold what was not found
        if given["directory"] and not question.options["fallback"]:
            found.add("try_directory_fallback", "No hit in this directory: try fallback true to look elsewhere too")
        if given["match"] == "literal":
            found.add("try_smart", 'No part holds this exact text: try match "smart"')
        if given["type"] != "all":
            found.add("try_type_all", 'No hit of this type: try type "all"')
        searched = response.coverage.sessions
        if searched.known and searched.eligible <= FEW_SESSIONS:
            found.add("few_sessions", few(searched).capitalize())
    if results and not fallback:
        for text in response.suggestions:
            if text.startswith("nobody wrote"):
                found.add("words_repaired", text)
    return found


def near_misses(response: SearchResponse, sessions: Sequence[Session]) -> list[dict[str, Any]]:
    """What nearly matches; then, up to three, sessions that were searched in vain, newest first, and said to be so."""
    found: list[dict[str, Any]] = []
    for miss in response.near_misses:
        entry: dict[str, Any] = {"kind": miss.kind, "text": repaired(miss.text), "reason": repaired(miss.reason)}
        if miss.session_id is not None:
            entry["session_id"] = repaired(miss.session_id)
        found.append(entry)
    named = {entry.get("session_id") for entry in found}
    by_id = {session.id: session for session in sessions}
    for session in sessions:
        if len(found) >= NEAR:
            break
        if titled(session) and session.id not in named:
            text = repaired(session.title or session.directory or "")
            reason = "searched without a hit; among the newest there are"
            found.append({"kind": "session", "text": text, "session_id": repaired(session.id), "reason": reason})
    for entry in found:
        known = by_id.get(entry.get("session_id", ""))
        if known is not None:
            entry["session_title"] = repaired(known.title or "")
            entry["directory"] = repaired(known.directory or "")
    return found
