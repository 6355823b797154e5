"""Answers of recall-rank's session_search in the form of Hermes' own tool (put here by `recall-rank install`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def in_hermes_form(answer: Mapping[str, Any], session: str, limit: int) -> dict[str, Any]:
    """Return an answer with the names of Hermes: messages have ids, which are their numbers in the session.

    Of a search, hits in `session`, the one that asks, are left out, and at most `limit` others are given.
    """
    mode = answer["mode"]
    rest = {name: answer[name] for name in ("warnings", "partial") if name in answer}
    if mode == "scroll":
        messages = [_message(each) for each in answer["messages"]]
        told = {name: answer[name] for name in ("session_id", "around_message_id")}
        return {"success": True, "mode": mode, **told, "messages": messages, **rest}
    found = [each for each in answer["results"] if mode != "discovery" or each["session_id"] != session]
    if mode == "browse":
        return {"success": True, "mode": mode, "results": found, "count": len(found), **rest}
    results = [_hit(each) for each in found[:limit]]
    return {
        "success": True,
        "mode": "discover",
        "query": answer["query"],
        "results": results,
        "count": len(results),
        **rest,
    }


def _hit(entry: Mapping[str, Any]) -> dict[str, Any]:
    anchor, messages = entry["anchor_index"], entry["messages"]
    ends = {name: [_message(each) for each in found] for name, found in entry.get("bookends", {}).items()}
    first, last = (messages[0]["index"], messages[-1]["index"]) if messages else (anchor, anchor)
    told = {name: entry[name] for name in ("session_id", "title", "when", "snippet", "score")}
    return {
        **told,
        "match_message_id": anchor,
        "bookend_start": [each for each in ends.get("opening", ()) if each["id"] < first],
        "messages": [{**_message(each), **({"anchor": True} if each["index"] == anchor else {})} for each in messages],
        "bookend_end": [each for each in ends.get("closing", ()) if each["id"] > last],
        "messages_before": anchor - first,
        "messages_after": last - anchor,
    }


def _message(message: Mapping[str, Any]) -> dict[str, Any]:
    return {"id": message["index"], **{name: value for name, value in message.items() if name != "index"}}
