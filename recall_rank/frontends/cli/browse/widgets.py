"""The widgets of the picker: the query line, the list of entries, the preview, and lines of text.

They draw pieces of escaped text with styles. Nothing in recalled text is read as markup: no widget gets it as a string.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import ClassVar, Final

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Input

from recall_rank.frontends.cli.browse.entries import ListEntry, list_line
from recall_rank.frontends.cli.browse.keys import LIST_KEYS, QUERY_KEYS, PickerKey
from recall_rank.frontends.cli.output.console import Line
from recall_rank.frontends.cli.output.hit_layout import cut_line
from recall_rank.frontends.cli.output.word_marks import MATCH_STYLE

_MATCH: Final = Style.parse("bold underline yellow")  # the line under it is seen on a light ground, too
_SELECTED: Final = Style(reverse=True)


@lru_cache(maxsize=256)
def _style(name: str, *, is_selected: bool) -> Style:
    style = _MATCH if name == MATCH_STYLE else Style.parse(name)
    return style + _SELECTED if is_selected else style


def strip_of(line: Line, columns: int, *, is_selected: bool = False) -> Strip:
    """Return a line of escaped pieces as a row that is exactly `columns` columns wide."""
    segments = [Segment(text, _style(name, is_selected=is_selected)) for text, name in line if text]
    return Strip(segments).adjust_cell_length(columns, _style("", is_selected=is_selected))


def bindings(keys: Sequence[PickerKey]) -> list[BindingType]:
    """Return the bindings of a table of keys. Their actions are those of the app, and begin when the key arrives: keys
    that come together act in their order.
    """
    return [Binding(key.name, f"app.{key.action}", key.does, show=False, priority=True) for key in keys]


class TextRow(Widget):
    """One row of escaped pieces, cut to the width."""

    DEFAULT_CSS = "TextRow { height: 1; }"

    def __init__(self, *, id: str) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._line: Line = []

    def show(self, line: Line) -> None:
        """Show another line."""
        self._line = line
        self.refresh()

    @property
    def text(self) -> str:
        """The text of the row, not cut."""
        return "".join(text for text, _ in self._line)

    def render_line(self, y: int) -> Strip:
        columns = self.size.width
        return strip_of(cut_line(self._line, columns) if y == 0 else [], columns)


class QueryLine(Input):
    """The line in which the query is typed; all letters are text here."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *(replace(each, priority=True) for each in Input.BINDINGS if isinstance(each, Binding) and each.key != "enter"),
        *bindings(QUERY_KEYS),
    ]

    def put(self, text: str) -> None:
        """Put text in the place of the selection, or at the cursor."""
        self.replace(text, *self.selection)


class HitList(ScrollView, can_focus=True):
    """The list of entries, one row each. Only the rows on the screen are laid out."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings(LIST_KEYS),
        Binding("down", "app.move(1)", show=False, priority=True),
        Binding("up", "app.move(-1)", show=False, priority=True),
        Binding("pagedown", "app.move_page(1)", show=False, priority=True),
        Binding("pageup", "app.move_page(-1)", show=False, priority=True),
    ]
    DEFAULT_CSS = "HitList { overflow-x: hidden; scrollbar-size-vertical: 1; }"

    class Moved(Message):
        """Another entry is selected."""

    class Chosen(Message):
        """The selected entry was clicked twice."""

    def __init__(self, now: int, *, id: str) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self.entries: tuple[ListEntry, ...] = ()
        self.cursor = 0
        self.marked: dict[tuple[str, str, str], ListEntry] = {}
        self.now = now

    @property
    def selected(self) -> ListEntry | None:
        """The entry under the cursor; None in an empty list."""
        return self.entries[self.cursor] if self.entries else None

    def show(self, entries: tuple[ListEntry, ...], cursor: int) -> None:
        """Show other entries with the cursor on one of them."""
        self.entries = entries
        self.virtual_size = Size(0, len(entries))
        self._put_cursor(cursor)
        self.refresh()

    def move(self, to: int) -> None:
        """Select the entry at `to`, or the nearest one."""
        before = self.cursor
        self._put_cursor(to)
        if self.cursor != before:
            self.post_message(self.Moved())
        self.refresh()

    def toggle_mark(self) -> None:
        """Mark the selected entry, or take its mark away."""
        entry = self.selected
        if entry is not None and self.marked.pop(entry.key, None) is None:
            self.marked[entry.key] = entry
        self.refresh()

    def render_line(self, y: int) -> Strip:
        columns = self.scrollable_content_region.width
        at = y + self.scroll_offset.y
        if at >= len(self.entries):
            return Strip.blank(columns)
        entry = self.entries[at]
        line = list_line(entry, self.now, columns, is_marked=entry.key in self.marked)
        return strip_of(line, columns, is_selected=at == self.cursor)

    def _put_cursor(self, to: int) -> None:
        self.cursor = max(0, min(to, len(self.entries) - 1))
        rows = max(self.scrollable_content_region.height, 1)
        top = round(self.scroll_offset.y)
        top = max(min(top, self.cursor), self.cursor - rows + 1)
        self.scroll_to(y=top, animate=False, force=True)

    def on_resize(self, _: events.Resize) -> None:
        self._put_cursor(self.cursor)

    def on_click(self, event: events.Click) -> None:
        at = event.y + round(self.scroll_offset.y)
        if at < len(self.entries):
            self.move(at)
            if event.chain == 2:
                self.post_message(self.Chosen())


class PreviewPane(ScrollView, can_focus=True):
    """The rows of a preview."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *(each for each in bindings(LIST_KEYS) if isinstance(each, Binding) and each.key not in ("tab", "j", "k")),
        Binding("tab", "app.to_query", show=False, priority=True),
        Binding("j", "scroll_down", show=False, priority=True),
        Binding("k", "scroll_up", show=False, priority=True),
    ]
    DEFAULT_CSS = "PreviewPane { overflow-x: hidden; scrollbar-size-vertical: 1; }"

    class Resized(Message):
        """The width has changed: the rows must be wrapped anew."""

    def __init__(self, *, id: str) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self.rows: tuple[Line, ...] = ()

    @property
    def columns(self) -> int:
        """The width of a row, with room for the scroll bar."""
        return max(self.size.width - 1, 1)

    def show(self, rows: tuple[Line, ...], top: int, match: int) -> None:
        """Show other rows, with that at `top` as the first one where there are enough behind it, unless the row `match`
        would be below the last one; then with `match` as the third one.
        """
        if match >= top + max(self.size.height, 1):
            top = match - 2
        self.rows = rows
        self.virtual_size = Size(0, len(rows))
        self.scroll_to(y=top, animate=False, force=True)
        self.refresh()

    def render_line(self, y: int) -> Strip:
        columns = self.scrollable_content_region.width
        at = y + round(self.scroll_offset.y)
        return strip_of(self.rows[at], columns) if at < len(self.rows) else Strip.blank(columns)

    def on_resize(self, _: events.Resize) -> None:
        self.post_message(self.Resized())
