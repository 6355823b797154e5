"""The metadata of a Codex rollout, kept between two readings of a growing file."""

from __future__ import annotations

from typing import Any

from recall_rank.loaders.content.times import millis
from recall_rank.loaders.content.values import mapping, text_of
from recall_rank.loaders.json.parse import Record

RolloutMeta = dict[str, Any]


def nothing_yet() -> RolloutMeta:
    """Return the metadata of a rollout, that is a session file, before its first record is read."""
    names = ("id", "parent", "cwd", "model", "words", "name", "agent", "forked", "total", "url")
    return dict.fromkeys(names) | {"subagent": False, "answering": False, "created": 0, "updated": 0}


def take(kept: RolloutMeta, meta: Record) -> None:
    """Add a `session_meta` record to `kept`. A second such record describes the session from which the session of
    this file was forked.
    """
    key = text_of(meta.get("id"))
    if kept["id"] is not None:
        origin = key if key != kept["id"] else None
        kept["parent"], kept["forked"] = kept["parent"] or origin, kept["forked"] or origin
        return
    kept["id"] = key
    kept["cwd"] = kept["cwd"] or text_of(meta.get("cwd"))
    kept["created"] = millis(meta.get("timestamp")) or kept["created"]
    source = meta.get("source")
    spawned = mapping(mapping(mapping(source).get("subagent")).get("thread_spawn"))
    kept["agent"] = text_of(meta.get("agent_role")) or text_of(meta.get("agent_nickname"))
    kept["subagent"] = "subagent" in mapping(source) or meta.get("thread_source") == "subagent"
    parents = (spawned.get("parent_thread_id"), meta.get("parent_thread_id"), meta.get("forked_from_id"))
    kept["parent"] = next((parent for parent in map(text_of, parents) if parent), None)
    kept["forked"] = text_of(meta.get("forked_from_id"))
    kept["url"] = text_of(mapping(meta.get("git")).get("repository_url"))
