"""Make an index equal to its sources: read the units that changed and write the next generation of the index."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from recall_rank.histories.cache import source_accounts as account
from recall_rank.histories.cache.change_scan import bytes_to_read, scan_sources, unchanged, unread
from recall_rank.histories.cache.rules import RefreshRules
from recall_rank.histories.cache.state import CacheState, NextState
from recall_rank.histories.cache.store import FoundGeneration, SupersededError, find, touch, write
from recall_rank.histories.cache.table_codec import sections
from recall_rank.histories.ignore import without_ignored
from recall_rank.histories.records.table import Table
from recall_rank.index.errors import UnusableIndexError
from recall_rank.index.segment.segment import Segment
from recall_rank.model import RefreshReport, Source, Unread
from recall_rank.model.progress import Progress, watching
from recall_rank.model.source_wrapper import complete_source

NO_RULES: Final = RefreshRules()
LAST_SERIAL: Final = 1 << 23
FoundUnread = Callable[[Unread, float], None]
"""Called with what a refresh found to be unread, and with the bytes of the files that it reads for that."""
TRIES: Final = 5  # attempts to publish before the state stays in memory; each repeats little work


@dataclass(frozen=True, slots=True)
class RefreshOutcome:
    """The report of a refresh, and the state of the index to search after it."""

    report: RefreshReport
    state: CacheState
    problem: OSError | None = None  # why it could not be written; the state is then in memory only


def refresh(
    folder: Path | None,
    sources: Sequence[Source],
    rules: RefreshRules = NO_RULES,
    progress: Progress | None = None,
    *,
    anew: bool = False,
    held: CacheState | None = None,
    found_unread: FoundUnread | None = None,
) -> RefreshOutcome:
    """Make the newest generation of the index in `folder` equal to the sources and return its state; create the first
    generation where none exists.

    With `anew` every unit is read again. Searches in any process continue meanwhile. Segments that the state `held`
    has open are not opened again. The new state stays in memory when `folder` is None or cannot be written.
    `found_unread` is called once it is known what is to be read; what it raises ends the refresh.
    """
    started, cpu = time.perf_counter(), time.process_time()
    problem: OSError | None = None
    tries = 0
    while True:
        tries += 1
        found = FoundGeneration(held)
        if folder is not None and problem is None and tries <= TRIES:
            try:
                found = find(folder, held)
            except OSError as error:
                problem = error
        before = None if anew else found.state
        heeded = rules.list_state()
        try:
            with watching(progress):
                made = _next(before, sources, rules.current(), progress, found_unread)
        except UnusableIndexError:
            if anew:
                raise
            anew = True  # merging read a damaged segment
            continue
        state = made.state
        if folder is not None and problem is None and tries <= TRIES:
            try:
                state = _write(folder, replace(found, state=before), made)
            except SupersededError:
                continue
            except OSError as error:
                problem = error
            if rules.list_state() != heeded:
                continue  # a session that was forgotten meanwhile may be in what was just written
        took, used = time.perf_counter() - started, time.process_time() - cpu
        return RefreshOutcome(replace(made.report, elapsed_ms=took * 1000, cpu_ms=used * 1000), state, problem)


def _write(folder: Path, before: FoundGeneration, made: NextState) -> CacheState:
    """Publish the state `made` as the next generation; returns the state as it was read back from the folder."""
    if made.table is None:
        touch(folder, made.state)
        return made.state
    told = made.report.sources
    write(folder, before, made, sections(made.table, made.state.dead, told))
    return find(folder, before.state).state or made.state


def _next(
    before: CacheState | None,
    sources: Sequence[Source],
    rules: RefreshRules,
    progress: Progress | None,
    found_unread: FoundUnread | None,
) -> NextState:
    """Return the state of the index after a refresh from the state `before`, None for a new index. `rules` must contain
    the forgotten sessions already.
    """
    known = before.view.units() if before is not None else Table()
    anew = known.rules != rules.digest
    every = list(map(complete_source, without_ignored(sources, rules.ignore)))
    looks = scan_sources(every, Table() if anew else known)
    if before is not None and not anew and rules.keep_vanished in (None, known.keeping) and unchanged(looks, known):
        told = account.resized(before.view.reports(), [each.entry.size for each in looks])
        return NextState(RefreshReport(tuple(told)), before)
    if found_unread is not None:
        found_unread(unread(looks, known), bytes_to_read(looks))
    from recall_rank.histories.cache.changes import read_changes
    from recall_rank.histories.cache.merge_plan import plan_segments  # imported late: most refreshes find no change

    old = Table()
    segments: Sequence[Segment] = ()
    if before is not None:
        old, segments = before.view.table(), before.segments
    if old.serial > LAST_SERIAL:
        old, segments = Table(), ()  # serials are 24 bits: index everything again before they run out
    if anew:
        for unit in (unit for source in old.sources for unit in source.units.values()):
            unit.resume = None  # ignored sessions may be read now: read whole units
    changes = read_changes(every, looks, old, segments, rules, progress)
    return plan_segments(segments, changes, progress)
