"""Answers of `recall` and `recall_sessions` in few tokens: what a model acts on, each thing once, the rest if odd."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from recall_rank.frontends.display_text import utc_minute
from recall_rank.frontends.tools.warnings import SOURCE_NOTES
from recall_rank.frontends.transcripts.reopen import put_reopen, reopen
from recall_rank.model import Flag, Session

SURE: Final = 0.5  # `answerable` is sent below it: that the answer is here is then less likely than not
MAX_NEAR_MISSES: Final = 2
TITLE_CHARS: Final = 60
# The fields of a hit that are said of every hit, and those of a session, which its first hit in an answer has.
_OF_HIT: Final = ("session_id", "message_id", "time", "role", "author", "tool_name")
_IF_THERE: Final = ("flags", "explain", "match_reasons", "also_in")
MAX_PLACES: Final = 2  # of the hits that were folded into one
_FOLDERS: Final = re.compile(r"^.*[/\\](?=[^/\\])")  # all of a path but its last component
_ABOUT: Final = ("query", "match_mode", "group", "scanned", "elapsed_ms", "cpu_ms", "stages_run", "degrade_kinds")
_OF_MISS: Final = ("text", "session_id", "reason")
_COUNTED: Final = ("sessions", "messages", "parts")
_ODD: Final = ("limited_by", "unread", "directory_buckets_searched", "directory_bucket_counts")


def compact(answer: Mapping[str, Any]) -> dict[str, Any]:
    """Return an answer of `recall` without what its caller knows or can do nothing with; an error is unchanged.

    A hit keeps its ids, time, role, confidence and snippet. It has no score: beside the confidence, which is that of
    its session, the chance of the hit itself would read as a second opinion. The first hit of each session also has the
    session's title, project, agent and the command that reopens it. `coverage` is there when something that could hold
    hits was not searched, `answerable` when it is below SURE, `degrade_kind` when the search was cut short. Warnings
    and suggestions have no categories.
    """
    if not answer.get("ok") or "results" not in answer:
        return dict(answer)
    kept = {name: value for name, value in answer.items() if name not in _ABOUT}
    known: set[str] = set()
    kept["results"] = [_hit(each, known) for each in answer["results"]]
    if answer.get("match_mode") == "literal" and answer.get("degrade_kind") == "fallback":
        kept["match_mode"] = "literal"  # not what the caller asked for
    for name, usual in (("truncated", False), ("total_exact", True), ("degrade_kind", "none")):
        if kept.get(name) == usual:
            del kept[name]
    chance = kept.pop("answerable", None)
    if chance is not None and chance < SURE and kept["results"]:
        kept["answerable"] = round(chance, 2)
    odd = _odd_coverage(kept.pop("coverage", None) or {})
    if odd:
        kept["coverage"] = odd
    _put_advice(kept)
    return kept


def compact_sessions(answer: Mapping[str, Any], session_of: Callable[[str], Session]) -> dict[str, Any]:
    """Return an answer of `recall_sessions` without the files of sessions and what is usual, and with the commands that
    reopen them on this machine; an error is unchanged. `session_of` returns a session by its id and raises LookupError.
    """
    return (
        {**answer, "sessions": [_listed(each, session_of) for each in answer["sessions"]]}
        if answer["ok"]
        else dict(answer)
    )


def _listed(entry: Mapping[str, Any], session_of: Callable[[str], Session]) -> dict[str, Any]:
    kept = {name: value for name, value in entry.items() if name != "places" and (name != "archived" or value)}
    if kept.get("project", {}).get("name") in (kept["directory"], _FOLDERS.sub("", kept["directory"])):
        del kept["project"]
    try:
        session = session_of(entry["id"])
    except LookupError:  # it is gone since it was listed
        return kept
    put_reopen(kept, session.source, session.id, session.directory, session.flags, session.places)
    return kept


def _put_advice(kept: dict[str, Any]) -> None:
    """Reduce warnings, suggestions and near misses to their sentences; notes on sources are for a person. Where no term
    is near, one session is named.
    """
    for name in ("warning", "suggestion"):
        categories = kept.pop(f"{name}_categories", ())
        texts = [text for text, of in zip(kept.pop(f"{name}s", ()), categories, strict=True) if of != SOURCE_NOTES]
        if texts:
            kept[f"{name}s"] = texts
    if "near_misses" in kept:
        terms = [each for each in kept["near_misses"] if each["kind"] == "term"]
        nearest = terms[:MAX_NEAR_MISSES] or kept["near_misses"][:1]
        kept["near_misses"] = [{name: each[name] for name in _OF_MISS if name in each} for each in nearest]


def _short(text: str) -> str:
    return text if len(text) <= TITLE_CHARS else f"{text[: TITLE_CHARS - 1]}\N{HORIZONTAL ELLIPSIS}"


def _hit(entry: Mapping[str, Any], known: set[str]) -> dict[str, Any]:
    """Return one hit; `known` has the ids of sessions whose title, project and agent a hit before it has."""
    hit = {name: entry[name] for name in _OF_HIT if entry.get(name)}
    hit["time"] = utc_minute(entry["time"])
    if entry["source"] == "title":
        hit["source"] = "title"
    elif entry["field"] != "text":
        hit["field"] = entry["field"]
    hit["confidence"] = entry["why"]["confidence"]
    hit["snippet"] = entry["snippet"]
    hit.update((name, entry[name]) for name in _IF_THERE if name in entry)
    if len(entry.get("also_in", ())) > MAX_PLACES:
        hit["also_in"] = entry["also_in"][:MAX_PLACES]
        hit["more_like_this"] = len(entry["also_in"]) - MAX_PLACES
    if entry.get("hit_count", 1) > 1:
        hit["hit_count" if entry["hit_count_exact"] else "hit_count_at_least"] = entry["hit_count"]
    if "matched_forms" in entry["why"]:
        hit["matched_forms"] = entry["why"]["matched_forms"]
    if entry["session_id"] not in known:
        known.add(entry["session_id"])
        hit["session_title"] = _short(entry["session_title"])
        hit["project"] = _FOLDERS.sub("", entry["project"] or entry["directory"])
        if entry.get("agent"):
            hit["agent"] = entry["agent"]
        again = reopen(entry.get("history"), entry["session_id"], entry["directory"], _flags(entry))
        if again:
            hit["reopen"] = again
    return hit


def _flags(entry: Mapping[str, Any]) -> Flag:
    flags = Flag.NONE
    for name in entry.get("flags") or ():
        flags |= Flag[name.upper()]
    return flags


def _odd_coverage(coverage: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a coverage says of limits, of what they left unsearched, and of folders that the caller named.

    It is nothing when all that is eligible was searched.
    """
    odd = {name: coverage[name] for name in _ODD if coverage.get(name)}
    left = {name: coverage[name]["not_reached"] for name in _COUNTED if coverage.get(name, {}).get("not_reached")}
    if left:
        odd["not_reached"] = left
    return {"sessions_searched": coverage.get("sessions_searched"), **odd} if odd else {}
