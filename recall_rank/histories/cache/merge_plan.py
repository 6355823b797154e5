"""The segments that follow from changes: what is new is built, what is dead is left out, few files stay."""

from __future__ import annotations

from collections.abc import Sequence

from recall_rank.histories.cache import source_accounts as account
from recall_rank.histories.cache.changes import Changes
from recall_rank.histories.cache.segment_plan import Piece, merged, pieces_of, rows, still_says, to_merge
from recall_rank.histories.cache.state import Next, State, TableInMemory
from recall_rank.histories.cache.table import Held, Key, Place
from recall_rank.index.segment.build import build
from recall_rank.index.segment.segment import Segment
from recall_rank.model import RefreshReport
from recall_rank.model.progress import Progress, counted


def arranged(segments: Sequence[Segment], changes: Changes, progress: Progress | None) -> Next:
    """The segments of the next state, and where every session lies in them."""
    table = changes.table
    live = [held for _, held in table.live()]
    pieces = pieces_of(segments, live)
    fresh = build(counted(changes.sessions, progress)) if changes.sessions else None
    removed = _mark_urgent(pieces, changes.dead, fresh)
    chosen = to_merge(pieces, fresh.said_messages + 1 if fresh is not None else 0)
    kept = [at for at, piece in enumerate(pieces) if piece.live and at not in chosen]
    added = fresh
    if chosen:
        together = [pieces[at] for at in chosen]
        if fresh is not None:
            together.append(Piece(fresh, set(range(len(fresh.sessions)))))
        added = merged(together)
    if added is None and not kept:
        added = build(())
    _place(live, changes.fresh, kept, {} if added is None else rows(added))
    lie = [*(pieces[at].segment for at in kept), *([] if added is None else [added])]
    dead = [*(pieces[at].dead for at in kept), *([] if added is None else [frozenset[int]()])]
    told = account.reports(table)
    report = RefreshReport(tuple(told), True, changes.units, len(changes.sessions), removed)
    return Next(report, State(lie, dead, TableInMemory(table, told)), kept, added, table)


def _mark_urgent(pieces: Sequence[Piece], dead: Sequence[tuple[Key, Place]], fresh: Segment | None) -> int:
    """Marks the pieces with sessions that say what nobody says any more; how many sessions are gone altogether."""
    known = rows(fresh) if fresh is not None else {}
    gone = 0
    for key, (at, row) in dead:
        now = known.get(key)
        gone += now is None
        if fresh is None or now is None or not still_says(pieces[at].segment, row, fresh, now):
            pieces[at].urgent = True
    return gone


def _place(live: Sequence[Held], fresh: Sequence[Held], kept: Sequence[int], last: dict[Key, int]) -> None:
    """Says of every session where it lies in the next state."""
    moved = {at: number for number, at in enumerate(kept)}
    for held in live:
        at, row = held.place or (-1, -1)
        held.place = (moved[at], row) if at in moved else (len(kept), last[held.key])
    for held in fresh:
        held.place = len(kept), last[held.key]
