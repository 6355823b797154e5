"""Checks that a refreshed index equals an index that is built anew."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from recall_rank.corpus import Index, index_of_segments
from recall_rank.histories.cache.refresh import NO_RULES, RefreshOutcome, refresh
from recall_rank.histories.cache.rules import RefreshRules
from recall_rank.histories.cache.state import CacheState
from recall_rank.histories.records.table import session_key
from recall_rank.index.segment.build import build
from recall_rank.index.segment.segment import Segment
from recall_rank.index.segment.stored_sessions import stored_session
from recall_rank.loaders import read_all
from recall_rank.model import Session, Source
from tests.support.index.history import told
from tests.support.search.samples import ENOUGH_MS, NOW

ASKED = ("lantern", "the lamp gull", "horn tide amber")
Key = tuple[str | None, str]


def refreshed(folder: Path, sources: Sequence[Source], rules: RefreshRules = NO_RULES) -> RefreshOutcome:
    """Refresh the index; the refresh must be able to write."""
    done = refresh(folder, sources, rules)
    assert done.problem is None
    return done


def check(done: RefreshOutcome, sources: Sequence[Source], *, search: bool = False) -> None:
    """Check that sessions, reports and rankings equal those of a full reading."""
    sessions, reports = read_all(sources)
    assert list(done.report.sources) == reports
    built = build(sessions)
    assert stored_sessions_of(done.state) == stored_sessions_of(CacheState([built], [frozenset()]))
    bare = {session_key(session): replace(session, messages=()) for session in sessions}
    assert {held.key: held.session for _, held in done.state.view.table().live()} == bare
    if search:
        one, two = index_of_segments(done.state.segments, done.state.dead), index_of_segments([built])
        assert answers(one) == answers(two)


def stored_sessions_of(state: CacheState) -> dict[Key, Session]:
    """Return every live session as it is indexed; each must lie in one segment only."""
    found: dict[Key, Session] = {}
    for segment, dead in zip(state.segments, state.dead, strict=True):
        for at, row in enumerate(segment.sessions):
            if at not in dead:
                assert (row.agent, row.id) not in found
                found[row.agent, row.id] = stored_session(segment, at)
    return found


def answers(index: Index) -> list[dict[str, Any]]:
    return [told(index.search(text, now=NOW, budget_ms=ENOUGH_MS, explain=True, results=30)) for text in ASKED]


def ids(state: CacheState) -> set[str]:
    return {key for _, key in stored_sessions_of(state)}


def everything(segments: Sequence[Segment]) -> bytes:
    return b"".join(bytes(segment.text) for segment in segments)
