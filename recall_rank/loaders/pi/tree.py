"""Find the entries of a pi session that were abandoned, those that a compaction took out of context, and the parents
of messages.

A session file is a tree: each entry names its parent, and the last line is the current end of the conversation.
Entries that are not on the path from the root to the last line belong to abandoned branches. Entries on that path that
come before the first entry kept by the last compaction are no longer sent to the model.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from recall_rank.loaders.json.parse import Record
from recall_rank.model import Flag


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of a session file after the header. An entry without a parent is the root of a tree."""

    id: str
    parent: str | None
    record: Record


def standing(entries: list[Entry]) -> dict[str, Flag]:
    """Return a mapping from entry id to its flag: ABANDONED for an entry on an abandoned branch, OUT_OF_CONTEXT for one
    that a compaction took out of the model's context. Other entries are not in it.
    """
    way = _way(entries)
    on_it = set(way)
    flags = {entry.id: Flag.ABANDONED for at, entry in enumerate(entries) if at not in on_it}
    for at in way[: _kept_from(entries, way)]:
        flags[entries[at].id] = Flag.OUT_OF_CONTEXT
    return flags


def parents(entries: list[Entry], messages: Collection[str]) -> dict[str, str | None]:
    """Return a mapping from the id of each message to the id of the nearest message above it in the tree, None for the
    first one. `messages` has the ids of the entries that are messages. An entry whose parent is missing counts as a
    child of the previous line.
    """
    found: dict[str, str | None] = {}
    nearest: dict[str, str | None] = {}  # entry -> itself when it is a message, else the nearest message above it
    previous: str | None = None
    for entry in entries:
        above = None if entry.parent is None else nearest.get(entry.parent, previous)
        if entry.id in messages:
            found[entry.id] = above
            above = entry.id
        nearest[entry.id] = previous = above
    return found


def _way(entries: list[Entry]) -> list[int]:
    """Return the path from the root to the last line, as indices of `entries`; where a parent is missing, the path
    continues with the previous line.
    """
    place = {entry.id: at for at, entry in enumerate(entries)}
    way: dict[int, None] = {}
    at = len(entries) - 1
    while at >= 0 and at not in way:
        way[at] = None
        parent = entries[at].parent
        if parent is None:
            break
        at = place.get(parent, at - 1)
    return list(way)[::-1]


def _kept_from(entries: list[Entry], way: list[int]) -> int:
    """Return the number of entries at the beginning of the path `way` that the last compaction on it took out of the
    model's context.
    """
    for position in range(len(way) - 1, -1, -1):
        record = entries[way[position]].record
        if record.get("type") == "compaction":
            return next((at for at in range(position) if _is_kept(entries, way[at], record)), position)
    return 0


def _is_kept(entries: list[Entry], at: int, compaction: Record) -> bool:
    """Return whether entries[at] is the first entry that `compaction` keeps; the oldest version of pi names its line
    instead of its id.
    """
    first = compaction.get("firstKeptEntryId")
    return entries[at].id == first if first is not None else compaction.get("firstKeptEntryIndex") == at + 1
