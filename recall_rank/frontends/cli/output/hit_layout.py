"""Lay out the hits of a search for a terminal: in full where they fit on the screen, else two lines for each hit."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from recall_rank.frontends.cli.output.console import Line
from recall_rank.frontends.cli.output.display import Display
from recall_rank.frontends.cli.output.id_prefixes import IdPrefixes
from recall_rank.frontends.cli.output.render import fits
from recall_rank.frontends.cli.output.search_lines import (
    answer_lines,
    closing_lines,
    is_shown_by_title,
    marked,
    title_pieces,
)
from recall_rank.frontends.cli.output.word_marks import MATCH_STYLE
from recall_rank.frontends.display_text import age, alike_text, confidence_text, machine_name, one_line

if TYPE_CHECKING:
    from recall_rank.model import Result, SearchResponse

_FULL_ROWS: Final = 4  # that a hit takes at least in full, with the empty one behind it
_INDENT: Final = "    "
_LEAD: Final = 24  # columns that may stand before the first match of a cut snippet
_CUT: Final = "…"


def laid_out(
    response: SearchResponse, now: int, offset: int, display: Display, ids: Callable[[], IdPrefixes]
) -> list[Line]:
    """Return the lines of a response: for a pipe, for what fits on the screen and for explained scores in full, else
    the compact form. `ids` is called for the full form on a terminal.
    """
    if not display.is_terminal:
        return list(answer_lines(response, now, offset))
    room = display.rows - 1  # the prompt comes back
    explained = any(result.explain for result in response.results)
    if explained or len(response.results) * _FULL_ROWS < room:
        full = list(answer_lines(response, now, offset, display, ids()))
        if explained or fits(full, display):
            return full
    return list(compact_lines(response, now, offset, display))


def compact_lines(response: SearchResponse, now: int, offset: int, display: Display) -> Iterator[Line]:
    """Yield two lines for each hit, title and place, and snippet, both cut to the width; no snippet where the title
    shows it on the first line; then the closing lines.
    """
    for number, result in enumerate(response.results, offset + 1):
        head = _title_line(result, number, now, display)
        yield head
        if not is_shown_by_title(result) or any(text.endswith(_CUT) for text, style in head if "bold" in style):
            yield [(_INDENT, ""), *_snippet(result, (display.columns or 0) - len(_INDENT))]
    yield from closing_lines(response, offset, display)


def one_hit_line(result: Result, number: int, now: int, columns: int | None) -> Line:
    """Return a hit as one line, cut at `columns`: number, age, title, and snippet unless that is the title."""
    head: Line = [(f"{number:>2}. ", "dim"), (f"{age(result.time, now):<13}", "green"), (" ", "")]
    if is_shown_by_title(result):
        pieces = title_pieces(result)
        left = (columns or 0) - sum(width(text) for text, _ in head)
        return [*head, *(pieces if columns is None else _around_match(pieces, result, max(left, 1)))]
    title = one_line(result.session_title or result.session_id) or "untitled"
    snippet = marked(result.snippet, result.spans)
    folded = alike_text(len(result.also_in))
    dots = f" · {folded} · " if folded else " · "
    if columns is None:
        return [*head, (title, "bold"), (dots, "dim"), *snippet]
    left = columns - sum(width(text) for text, _ in head)
    title = cut(title, max(left // 3, 1))
    left -= width(title) + width(dots)
    return [*head, (title, "bold"), (dots, "dim"), *_around_match(snippet, result, max(left, 1))]


def width(text: str) -> int:
    """Return the number of columns of a text."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def cut(text: str, columns: int) -> str:
    """Return a text cut to at most `columns` columns, with an ellipsis where something is left out."""
    if width(text) <= columns:
        return text
    kept, used = "", 0
    for letter in text:
        used += width(letter)
        if used > columns - 1:
            break
        kept += letter
    return kept.rstrip() + _CUT


def cut_line(line: Line, columns: int) -> Line:
    """Return a line cut to at most `columns` columns."""
    done: Line = []
    for text, style in line:
        if width(text) > columns:
            return [*done, (cut(text, max(columns, 1)), style)]
        done.append((text, style))
        columns -= width(text)
    return done


def title_line(head: Line, title: str, others: Sequence[str], columns: int) -> Line:
    """Return one line of at most `columns` columns: `head`, a title, and what follows it behind dots. The title is cut
    first, but not below half of the line.
    """
    behind = "".join(f" · {one_line(each)}" for each in others if each)
    before = sum(width(text) for text, _ in head)
    title = cut(title, max(columns - before - width(behind), columns // 2 - before, 1))
    left = columns - before - width(title)
    return [*head, (title, "bold"), (cut(behind, left) if left > 0 else "", "cyan")]


def last_name(folder: str) -> str:
    """Return the last name of a folder."""
    return folder.rstrip("/").rpartition("/")[2]


def _title_line(result: Result, number: int, now: int, display: Display) -> Line:
    """Return number, title, speaker, age, confidence, agent, machine and the last name of the folder."""
    speaker = "title" if result.source == "title" else result.tool_name or result.author or result.role
    place = last_name(result.directory) if result.directory else result.project or ""
    others = [
        speaker,
        alike_text(len(result.also_in)),
        age(result.time, now),
        confidence_text(result),
        result.agent or result.history or "",
        machine_name(result.host, result.user),
        place,
    ]
    title = one_line(result.session_title or result.session_id) or "untitled"
    before, (shown, _), *behind = title_line([(f"{number:>2}. ", "dim")], title, others, display.columns or 0)
    return [before, *cut_line(title_pieces(result), width(shown)), *behind]


def _snippet(result: Result, columns: int) -> Line:
    return _around_match(marked(result.snippet, result.spans), result, max(columns, 1))


def _around_match(line: Line, result: Result, columns: int) -> Line:
    """Return a snippet of one line cut to the width so that its first match is in it."""
    if sum(width(text) for text, _ in line) <= columns or not result.spans or not line:
        return cut_line(line, columns)
    (first, style), *others = line
    if style == MATCH_STYLE:
        return cut_line(line, columns)
    matched = width(others[0][0]) if others else 0
    if width(first) + matched > columns - 1:
        behind = sum(width(text) for text, _ in others)
        lead = max(min(_LEAD, columns // 3), columns - len(_CUT) - behind)
        kept = ""
        for letter in reversed(first):
            if width(letter + kept) > lead:
                break
            kept = letter + kept
        line = [(_CUT + (kept.partition(" ")[2] or kept), style), *others]
    return cut_line(line, columns)
