"""Tables and bars as wide as there is room: in a pipe one line for each row, on a terminal no wider than it is."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import Final

from recall_rank.frontends.cli.output.console import Line
from recall_rank.frontends.cli.output.hit_layout import width

BAR_COLUMNS: Final = 40  # of the longest bar where there is room
_SHORTEST_BAR: Final = 8
_GAP: Final = 2  # blanks between columns
_LEAST: Final = 24  # columns in which the last cell is wrapped beside the others; with fewer it goes below them
_INDENT: Final = "    "
_PIECES: Final = re.compile(r"[^/\\\s]*(?:[/\\]|\s+|$)")  # of a path or a text; a line may end behind each


def table_lines(
    rows: Sequence[Sequence[str]], right: Collection[int], head_style: str, columns: int | None = None
) -> Iterator[Line]:
    """Yield rows of equal length as aligned columns, two blanks apart. The first row is the head.

    Cells must be escaped. `right` has the indexes of the right-aligned columns. With `columns` no line is wider: a last
    column of text is wrapped, beside the others or below them; other columns that do not fit make further tables, which
    begin with the columns of text in front.
    """
    widths = [max(width(row[column]) for row in rows) for column in range(len(rows[0]))]
    count, last = len(widths), len(widths) - 1
    if columns is None or _total(widths) <= columns:
        yield from _aligned(rows, range(count), widths, right, head_style)
        return
    front = last if last and last not in right else count
    if front == last and _total(widths[:front]) <= columns:
        beside = columns - _total(widths[:front]) - _GAP >= _LEAST
        yield from _with_text(rows, widths, right, head_style, columns, beside=beside)
        return
    keys = max(next((column for column in range(front) if column in right), front), 1)
    for number, block in enumerate(_blocks(widths[:front], keys, columns)):
        if number:
            yield []
        yield from _aligned(rows, block, widths, right, head_style)
    if front == last:
        yield []
        named = [(row[0], row[last]) for row in rows]
        yield from _with_text(named, [widths[0], widths[last]], (), head_style, columns, beside=False)


def bar_columns(columns: int | None, others: int) -> int:
    """Return the columns of the longest bar in a line with `others` columns besides; `columns` is the width of the
    terminal, None for a pipe.
    """
    return BAR_COLUMNS if columns is None else max(min(BAR_COLUMNS, columns - others), _SHORTEST_BAR)


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + _GAP * (len(widths) - 1)


def _aligned(
    rows: Sequence[Sequence[str]],
    chosen: Sequence[int],
    widths: Sequence[int],
    right: Collection[int],
    head_style: str,
) -> Iterator[Line]:
    """Yield the chosen columns of the rows."""
    for number, row in enumerate(rows):
        yield [(_joined(row, chosen, widths, right).rstrip(), "" if number else head_style)]


def _joined(row: Sequence[str], chosen: Sequence[int], widths: Sequence[int], right: Collection[int]) -> str:
    cells = []
    for column in chosen:
        blanks = " " * (widths[column] - width(row[column]))
        cells.append(blanks + row[column] if column in right else row[column] + blanks)
    return (" " * _GAP).join(cells)


def _with_text(
    rows: Sequence[Sequence[str]],
    widths: Sequence[int],
    right: Collection[int],
    head_style: str,
    columns: int,
    *,
    beside: bool,
) -> Iterator[Line]:
    """Yield rows whose last cell is wrapped: `beside` the others, below its own beginning, or on lines of its own."""
    last = len(widths) - 1
    for number, row in enumerate(rows):
        style = "" if number else head_style
        front = _joined(row, range(last), widths, right)
        start = " " * (width(front) + _GAP) if beside else _INDENT
        pieces = list(_wrapped(row[last], columns - len(start)))
        if beside:
            yield [(f"{front}{' ' * _GAP}{pieces[0] if pieces else ''}".rstrip(), style)]
            pieces = pieces[1:]
        else:
            yield [(front.rstrip(), style)]
        yield from ([(start + piece, style)] for piece in pieces)


def _wrapped(text: str, columns: int) -> Iterator[str]:
    """Yield a text in pieces of at most `columns` columns, cut behind the separators of a path or between words; a
    longer name is cut itself.
    """
    line = ""
    for piece in filter(None, _PIECES.findall(text)):
        if width((line + piece).rstrip()) <= columns:
            line += piece
            continue
        if line.strip():
            yield line.rstrip()
        line = ""
        for letter in piece:
            if width(line + letter) > columns:
                yield line
                line = ""
            line += letter
    if line.strip():
        yield line.rstrip()


def _blocks(widths: Sequence[int], keys: int, columns: int) -> Iterator[list[int]]:
    """Yield the columns of each table into which columns of these widths are divided: the first `keys` and as many
    others as fit, at least one.
    """
    block = [*range(keys)]
    for column in range(keys, len(widths)):
        if len(block) > keys and _total([widths[each] for each in (*block, column)]) > columns:
            yield block
            block = [*range(keys)]
        block.append(column)
    yield block
