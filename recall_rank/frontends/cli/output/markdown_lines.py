"""Render Markdown for a terminal, so that no word of it is lost and nothing in it can act.

Line ends stay; HTML, links, images and underscores stand as they were written, since agents write about code in which
they are no markup. Character references such as &#27; are not decoded: they could be control characters.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from markdown_it import MarkdownIt
from markdown_it.token import Token
from rich.console import Console, ConsoleOptions, JustifyMethod, RenderResult
from rich.markdown import CodeBlock, Heading, Markdown, MarkdownElement, TableElement
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from recall_rank.frontends.display_text import escape, escape_lines

_AS_WRITTEN = ("html_block", "html_inline", "link", "image", "autolink", "reference", "entity")


def markdown_lines(text: str, columns: int) -> Iterator[list[tuple[str, str]]]:
    """Yield the rows of a text in Markdown, each at most `columns` wide, as pieces of escaped text with styles."""
    console = Console(width=columns, color_system="standard", force_terminal=True, no_color=False)
    made = _Prose(escape_lines(text.replace("\r\n", "\n").replace("\t", "    ")))
    rows = console.render_lines(made, console.options.update(width=columns), pad=False)
    for row in rows:
        yield [(escape(piece.text), str(piece.style or "")) for piece in _without_end(row)]


def _without_end(row: list[Segment]) -> list[Segment]:
    """Return the segments of a row without the blanks at its end."""
    while row and not row[-1].text.strip():
        row = row[:-1]
    return [*row[:-1], Segment(row[-1].text.rstrip(), row[-1].style)] if row else []


class _LeftHeading(Heading):
    """A heading that begins at the left margin, whatever its level."""

    LEVEL_ALIGN: ClassVar[dict[str, JustifyMethod]] = {}


class _FencedCode(CodeBlock):
    """A block of code as it was written, with its fence and the name of its language, in one colour."""

    @classmethod
    def create(cls, _: Markdown, token: Token) -> _FencedCode:
        return cls(token)

    def __init__(self, token: Token) -> None:
        super().__init__("text", "")
        self.fence, self.language = token.markup, token.info.strip()

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        if self.fence:
            yield Text(f"{self.fence}{self.language}", style="dim")
        yield Text(self.text.plain.removesuffix("\n"), style="cyan", overflow="fold")
        if self.fence:
            yield Text(self.fence, style="dim")


class _WholeTable(TableElement):
    """A table whose cells are wrapped and never cut."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for table in super().__rich_console__(console, options):
            if isinstance(table, Table):
                for column in table.columns:
                    column.overflow = "fold"
            yield table


class _Prose(Markdown):
    """Prose of an agent, parsed so that only emphasis, headings, lists, quotes, tables and code are markup."""

    elements: ClassVar[dict[str, type[MarkdownElement]]] = {
        **Markdown.elements,
        "heading_open": _LeftHeading,
        "fence": _FencedCode,
        "code_block": _FencedCode,
        "table_open": _WholeTable,
    }

    def __init__(self, markup: str) -> None:
        super().__init__("", hyperlinks=False)
        parser: Any = MarkdownIt("commonmark").enable("table").disable(list(_AS_WRITTEN))
        self.parsed = parser.parse(markup)
        for token in self.parsed:
            for inner in token.children or ():
                _keep_as_written(inner)


def _keep_as_written(token: Token) -> None:
    """Change a token of a paragraph so that a line end stays one, and underscores stay as they were written."""
    if token.type == "softbreak":
        token.type = "hardbreak"
    elif token.markup.startswith("_"):
        token.type, token.tag, token.nesting, token.content = "text", "", 0, token.markup
