"""Hits and sessions as short forms: one line each, columns for other programs, ids alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from recall_rank.frontends.cli.output.console import Line
from recall_rank.frontends.cli.output.display import Display
from recall_rank.frontends.cli.output.hit_layout import last_name, one_hit_line, title_line
from recall_rank.frontends.display_text import age, one_line

if TYPE_CHECKING:
    from recall_rank.model import SearchResponse


def hit_rows(response: SearchResponse, form: str, now: int, offset: int, display: Display) -> Iterator[Line]:
    """Yield a line for each hit in the form "oneline", "tsv" or "ids".

    The columns of "tsv" are session, message, time, agent, role, tool, score, folder, title and snippet; "ids" has
    session and message, with a tab between them.
    """
    for number, hit in enumerate(response.results, offset + 1):
        if form == "oneline":
            yield one_hit_line(hit, number, now, display.columns)
        elif form == "ids":
            yield _columns([hit.session_id, hit.message_id])
        else:
            values: list[str | None] = [
                hit.session_id,
                hit.message_id,
                iso_time(hit.time),
                hit.agent or hit.history,
                hit.role,
            ]
            values += [hit.tool_name, f"{hit.score:.3f}", hit.directory, hit.session_title, hit.snippet]
            yield _columns(values)


def session_rows(entries: Iterable[Mapping[str, Any]], form: str, now: int, display: Display) -> Iterator[Line]:
    """Yield a line for each session of an answer of recall_sessions in the form "oneline", "tsv" or "ids".

    The columns of "tsv" are id, time of its last change, agent, folder and title.
    """
    for number, entry in enumerate(entries, 1):
        updated = entry["time"]["updated"]
        if form == "ids":
            yield [(_cell(entry["id"]), "")]
        elif form == "tsv":
            yield _columns([entry["id"], iso_time(updated), entry.get("agent"), entry["directory"], entry["title"]])
        else:
            head: Line = [(f"{number:>2}. ", "dim"), (f"{age(updated, now):<13} ", "green")]
            title = one_line(entry["title"]) or "untitled"
            agent, folder = entry.get("agent") or "", entry["directory"]
            if display.columns is None:
                behind = "".join(f" · {one_line(each)}" for each in (agent, folder) if each)
                yield [*head, (title, "bold"), (behind, "cyan")]
            else:
                yield title_line(head, title, (agent, last_name(folder)), display.columns)


def iso_time(time: int) -> str:
    """Return a time in epoch milliseconds as "2026-05-31T14:05:00Z"; "" for an unknown one."""
    if time <= 0:
        return ""
    try:
        return f"{datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=time):%Y-%m-%dT%H:%M:%SZ}"
    except OverflowError:
        return ""


def _columns(values: Iterable[str | None]) -> Line:
    return [("\t".join(_cell(value or "") for value in values), "")]


def _cell(value: str) -> str:
    """Return a value without tabs and line ends, and escaped."""
    return one_line(value)
