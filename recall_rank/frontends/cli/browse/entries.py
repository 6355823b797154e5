"""The entries of the list: hits of a search, or, without a query, the newest sessions. Their text is escaped."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from recall_rank.frontends.cli.output.hit_layout import cut, cut_line, last_name, width
from recall_rank.frontends.cli.output.search_lines import is_shown_by_title, marked, title_pieces
from recall_rank.frontends.display_text import age, alike_text, confidence_text, one_line
from recall_rank.model import Flag
from recall_rank.model.agent_names import named_id
from recall_rank.model.project_scope import place_of, short_name

if TYPE_CHECKING:
    from recall_rank.frontends.cli.output.console import Line
    from recall_rank.model import Result, Session

_LEAD: Final = 20  # columns that may stand before the first match of a snippet
_AGE: Final = 13  # columns of an age
_MARK: Final = "● "
_UNMARKED: Final = "  "


@dataclass(frozen=True, slots=True)
class ListEntry:
    """One entry of the list. Ids are as the history has them; `title` and `snippet` are escaped pieces of one line."""

    session_id: str  # with the machine of one of another machine; see named_id()
    message_id: str  # "" for a session that no query found
    part_id: str
    history: str  # the name of the store
    directory: str
    time: int
    flags: Flag
    title: Line
    snippet: Line
    about: str  # who said it, agent and folder
    text_start: int = 0  # of the first match in the field it was found in
    confidence: str = ""  # of a hit, for people
    alike: str = ""  # how many hits were folded into it

    @property
    def key(self) -> tuple[str, str, str]:
        """The ids that tell this entry from others, also after the next search."""
        return self.session_id, self.message_id, self.part_id


def entry_of_hit(result: Result) -> ListEntry:
    """Return the entry of a hit of a search."""
    speaker = "title" if result.source == "title" else result.tool_name or result.author or result.role
    counted = f"{result.hit_count:,} hits" if result.hit_count and result.hit_count > 1 else ""
    return ListEntry(
        named_id(result.session_id, result.host),
        result.message_id,
        result.part_id,
        result.history,
        result.directory,
        result.time,
        result.flags,
        title_pieces(result),
        [] if is_shown_by_title(result) else marked(result.snippet, result.spans),
        _joined(speaker, counted, result.agent or result.history, _place(result.directory, result.project)),
        min((span.text_start for span in result.spans), default=0),
        confidence_text(result),
        alike_text(len(result.also_in)),
    )


def entry_of_session(session: Session) -> ListEntry:
    """Return the entry of a session that no query found."""
    place = place_of(session)
    return ListEntry(
        named_id(session.id, session.host),
        "",
        "",
        session.source or "",
        session.directory or "",
        session.updated,
        session.flags,
        [(one_line(session.title or session.id) or "untitled", "bold")],
        [],
        _joined(session.agent or session.source or "", _place(session.directory or "", short_name(place or ""))),
    )


def list_line(entry: ListEntry, now: int, columns: int, *, is_marked: bool) -> Line:
    """Return an entry as one line of at most `columns` columns: mark, age, title, snippet around its first match, and
    who said it where there is room.
    """
    head: Line = [(_MARK if is_marked else _UNMARKED, "bold"), (f"{age(entry.time, now):<{_AGE}} ", "green")]
    left = columns - sum(width(text) for text, _ in head)
    if left < 8:
        return cut_line(head, max(columns, 1))
    if not entry.snippet:
        about = "".join(f" · {each}" for each in (entry.alike, entry.about) if each)
        title = cut_line(entry.title, max(left - min(width(about), left // 2), 1))
        left -= sum(width(text) for text, _ in title)
        return [*head, *title, (cut(about, left) if left > 3 else "", "dim")]
    title = cut_line(entry.title, max(left // 3, 4))
    dots = f" · {entry.alike} · " if entry.alike else " · "
    left -= sum(width(text) for text, _ in title) + width(dots)
    return [*head, *title, (dots, "dim"), *_around_match(entry.snippet, max(left, 1))]


def _around_match(line: Line, columns: int) -> Line:
    """Return a snippet cut to the width so that its first match is in it."""
    first, style = line[0]
    if len(line) == 1 or style or sum(width(text) for text, _ in line) <= columns:
        return cut_line(line, columns)
    if width(first) + width(line[1][0]) < columns:
        return cut_line(line, columns)
    kept = ""
    for letter in reversed(first):
        if width(letter + kept) > min(_LEAD, columns // 3):
            break
        kept = letter + kept
    return cut_line([("…" + (kept.partition(" ")[2] or kept), style), *line[1:]], columns)


def _joined(*pieces: str) -> str:
    return " · ".join(one_line(piece) for piece in pieces if piece)


def _place(directory: str, project: str) -> str:
    return last_name(directory) if directory else project


def index_of(entries: Sequence[ListEntry], key: tuple[str, str, str] | None) -> int:
    """Return the place of the entry with this key; 0 when there is none."""
    return next((at for at, entry in enumerate(entries) if entry.key == key), 0)
