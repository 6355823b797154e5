"""Plan the segments of the next generation: add new sessions, drop deleted ones, and keep the number of segments
small.
"""

from __future__ import annotations

from collections.abc import Sequence

from recall_rank.histories.cache import source_accounts as account
from recall_rank.histories.cache.changes import Changes
from recall_rank.histories.cache.segment_plan import (
    PlannedSegment,
    merged,
    planned_segments,
    rows,
    still_says,
    to_merge,
)
from recall_rank.histories.cache.state import CacheState, MemoryTable, NextState
from recall_rank.histories.records.left_out import has_link, unlinked_row
from recall_rank.histories.records.table import SessionEntry, SessionKey, SessionLocation
from recall_rank.index.segment.build import build
from recall_rank.index.segment.segment import Segment
from recall_rank.model import RefreshReport
from recall_rank.model.progress import Progress, counted


def plan_segments(segments: Sequence[Segment], changes: Changes, progress: Progress | None) -> NextState:
    """Return the next state of the index: its segments, the segment and row of every session, and what has to be
    written. The sessions to index, those to delete and the next table are in `changes`.
    """
    table = changes.table
    live = [held for _, held in table.live()]
    planned = planned_segments(segments, live)
    for segment_plan in planned:
        segment_plan.urgent = has_link(segment_plan.segment, changes.forgotten)
    fresh = build(counted(changes.sessions, progress)) if changes.sessions else None
    removed = _mark_urgent(planned, changes.dead, fresh)
    chosen = to_merge(planned, fresh.messages_without_titles + 1 if fresh is not None else 0)
    kept = [at for at, segment_plan in enumerate(planned) if segment_plan.live and at not in chosen]
    added = fresh
    if chosen:
        together = [planned[at] for at in chosen]
        if fresh is not None:
            together.append(PlannedSegment(fresh, set(range(len(fresh.sessions)))))
        added = merged(together, lambda row: unlinked_row(row, changes.forgotten))
    if added is None and not kept:
        added = build(())
    _place(live, changes.fresh, kept, {} if added is None else rows(added))
    lie = [*(planned[at].segment for at in kept), *([] if added is None else [added])]
    dead = [*(planned[at].dead for at in kept), *([] if added is None else [frozenset[int]()])]
    told = account.reports(table)
    report = RefreshReport(tuple(told), True, changes.units, len(changes.sessions), removed)
    settled = bool(chosen) or not kept
    return NextState(report, CacheState(lie, dead, MemoryTable(table, told)), kept, added, settled, table)


def _mark_urgent(
    planned: Sequence[PlannedSegment], dead: Sequence[tuple[SessionKey, SessionLocation]], fresh: Segment | None
) -> int:
    """Mark as urgent, that is to be rewritten at once, each segment with a deleted session whose text is not in a newer
    copy of the session in the segment `fresh`.

    Returns the number of sessions that were removed from the index without a newer copy.
    """
    known = rows(fresh) if fresh is not None else {}
    gone = 0
    for key, (at, row) in dead:
        now = known.get(key)
        gone += now is None
        if fresh is None or now is None or not still_says(planned[at].segment, row, fresh, now):
            planned[at].urgent = True
    return gone


def _place(
    live: Sequence[SessionEntry], fresh: Sequence[SessionEntry], kept: Sequence[int], last: dict[SessionKey, int]
) -> None:
    """Set the segment and row of every session in the next generation. `kept` has the numbers of the segments that
    stay; `last` maps sessions to rows of the segment after them.
    """
    moved = {at: number for number, at in enumerate(kept)}
    for held in live:
        at, row = held.place or (-1, -1)
        held.place = SessionLocation(moved[at], row) if at in moved else SessionLocation(len(kept), last[held.key])
    for held in fresh:
        held.place = SessionLocation(len(kept), last[held.key])
