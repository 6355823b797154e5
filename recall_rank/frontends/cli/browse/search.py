"""One search of the picker over a Recall, and what the status line says of it."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from recall_rank.analysis.time_filters import resolve_window
from recall_rank.frontends.cli.browse.entries import ListEntry, entry_of_hit, entry_of_session
from recall_rank.frontends.cli.browse.state import KEY_BUDGET_MS, SearchState
from recall_rank.frontends.cli.output.sources_hint import with_sources_command
from recall_rank.frontends.display_text import counted, no_hits_text, one_line
from recall_rank.frontends.redaction.redacted_answers import response_without_secrets, session_without_secrets
from recall_rank.model.project_scope import is_named, place_of, short_name
from recall_rank.model.serialize import repaired

if TYPE_CHECKING:
    from pathlib import Path

    from recall_rank.model import SearchResponse
    from recall_rank.recall import Recall

_REMARKS: Final = 2  # that fit beside the figures


@dataclass(frozen=True, slots=True)
class ListAnswer:
    """The entries that answer a state, and how they were found."""

    state: SearchState
    entries: tuple[ListEntry, ...]
    figures: str  # how many, and in what time
    remarks: tuple[str, ...] = ()  # escaped: why the answer may not be what was meant
    is_cut: bool = False  # the time budget ended before all was read or ranked
    has_more: bool = False


def find(
    recall: Recall,
    state: SearchState,
    cancel: threading.Event | None = None,
    *,
    budget_ms: float = KEY_BUDGET_MS,
    now: int | None = None,
    sources: str | None = None,
) -> ListAnswer:
    """Search, or list the newest sessions where the query is blank. `sources` is the command that lists the sources of
    `recall`. Raises ValueError for a query that cannot be searched, and the errors of the index.
    """
    now = int(time.time() * 1000) if now is None else now
    if not state.query.strip():
        return _newest(recall, state, now)
    options = state.options(budget_ms)
    if cancel is not None:
        options["cancel"] = cancel
    options["now"] = now
    response = recall.search(repaired(state.query), **options)
    if state.redact:
        response = response_without_secrets(response)
    return ListAnswer(
        state,
        tuple(map(entry_of_hit, response.results)),
        _figures(response),
        tuple(map(one_line, _remarks(response, sources))),
        "time" in response.degrade_kinds,
        response.truncated,
    )


def has_index(folder: Path | None) -> bool:
    """Return whether the folder of an index has a generation, so that a search need not wait for the histories."""
    return folder is not None and any(folder.glob("manifest-*"))


def choices_of(recall: Recall, name: str) -> list[str]:
    """Return the values that the filter "agent" or "project" can take, by name."""
    sessions = recall.sessions()
    if name == "agent":
        return sorted({each.agent or each.source or "" for each in sessions} - {""})
    return sorted({short_name(place) for each in sessions if (place := place_of(each))})


def _newest(recall: Recall, state: SearchState, now: int) -> ListAnswer:
    """Return the newest sessions. Of the filters those count that concern whole sessions."""
    window = resolve_window(now, last=state.last or None)
    sessions = recall.sessions(agent=state.agent or None)
    kept = [
        session
        for session in sessions
        if session.updated in window and (not state.project or is_named(session, state.project))
    ]
    shown = kept[: state.limit]
    entries = tuple(map(entry_of_session, map(session_without_secrets, shown) if state.redact else shown))
    figures = f"{counted(len(kept), 'session', 'sessions')}, newest first"
    return ListAnswer(state, entries, figures, has_more=len(kept) > len(entries))


def _figures(response: SearchResponse) -> str:
    noun = "session" if response.group == "session" else "hit"
    about = "" if response.total_exact else "at least "
    parts = response.coverage.parts
    known = counted(parts.known, "part", "parts")
    of = known if parts.searched == parts.known else f"{parts.searched:,} of {known}"
    limited_by = response.coverage.limited_by
    total = f"{about}{counted(response.total, noun, f'{noun}s')}" if response.total else no_hits_text(limited_by)
    return f"{total}{' in' if response.total else ':'} {of}, {response.elapsed_ms:.0f} ms"


def _remarks(response: SearchResponse, sources: str | None) -> list[str]:
    said = [*with_sources_command(response.warnings, response.coverage.per_source, sources), *response.load_errors]
    if not response.results:
        said += [*response.suggestions]
    return said[:_REMARKS]
