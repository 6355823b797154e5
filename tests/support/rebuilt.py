"""Whether an index that was refreshed is the one that would be built anew."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from recall_rank.corpus import Index
from recall_rank.histories.cache.refresh import NO_RULES, Refreshed, refresh
from recall_rank.histories.cache.rules import Rules
from recall_rank.histories.cache.state import State
from recall_rank.index.segment.build import build
from recall_rank.index.segment.segment import Segment
from recall_rank.index.segment.stored_sessions import retold
from recall_rank.loaders import read_all
from recall_rank.model import Session, Source
from tests.support.index_history import told
from tests.support.search_samples import ENOUGH_MS, NOW

ASKED = ("lantern", "the lamp gull", "horn tide amber")
Key = tuple[str | None, str]


def refreshed(folder: Path, sources: Sequence[Source], rules: Rules = NO_RULES) -> Refreshed:
    """A refresh that could be written."""
    done = refresh(folder, sources, rules)
    assert done.problem is None
    return done


def check(done: Refreshed, sources: Sequence[Source], *, search: bool = False) -> None:
    """Sessions, reports and rankings are those of a full reading."""
    sessions, reports = read_all(sources)
    assert list(done.report.sources) == reports
    built = build(sessions)
    assert retold_of(done.state) == retold_of(State([built], [frozenset()]))
    bare = {(session.agent, session.id): replace(session, messages=()) for session in sessions}
    assert {held.key: held.session for _, held in done.state.view.table().live()} == bare
    if search:
        one, two = Index._of(done.state.segments, done.state.dead), Index(built)
        assert answers(one) == answers(two)


def retold_of(state: State) -> dict[Key, Session]:
    """Every session that lives, as it is indexed; each lies in one segment only."""
    found: dict[Key, Session] = {}
    for segment, dead in zip(state.segments, state.dead, strict=True):
        for at, row in enumerate(segment.sessions):
            if at not in dead:
                assert (row.agent, row.id) not in found
                found[row.agent, row.id] = retold(segment, at)
    return found


def answers(index: Index) -> list[dict[str, Any]]:
    return [told(index.search(text, now=NOW, budget_ms=ENOUGH_MS, explain=True, results=30)) for text in ASKED]


def ids(state: State) -> set[str]:
    return {key for _, key in retold_of(state)}


def everything(segments: Sequence[Segment]) -> bytes:
    return b"".join(bytes(segment.text) for segment in segments)
