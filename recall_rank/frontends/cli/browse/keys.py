"""The keys of the picker: one table for the bindings, the footer, the page of `?` and the documentation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class PickerKey:
    """A key: the name that Textual gives it, its name for people, the action it starts, and what that does."""

    name: str  # several with commas
    shown: str
    action: str
    does: str
    short: str = ""  # in the footer; "" where it is not shown there


QUERY_KEYS: Final = (
    PickerKey("down,tab", "Down, Tab", "to_list", "go to the list", "list"),
    PickerKey("enter", "Enter", "accept", "reopen the selected session, after a question", "reopen"),
    PickerKey("escape", "Esc", "leave_query", "clear the query; quit where it is empty", "clear, quit"),
)
LIST_KEYS: Final = (
    PickerKey("enter", "Enter", "accept", "reopen the selected session in its agent, after a question", "reopen"),
    PickerKey("y", "y", "copy", "copy the text of the hit, or of all that are marked", "copy"),
    PickerKey("o", "o", "open", "open the whole transcript in the pager", "open"),
    PickerKey("e", "e", "export", "export the session, or all that are marked, to a file", "export"),
    PickerKey("m,space", "m, Space", "mark", "mark the hit, or take the mark away", "mark"),
    PickerKey("n", "n", "next_match(1)", "show the next match in the session", "next match"),
    PickerKey("N", "N", "next_match(-1)", "show the match before in the session"),
    PickerKey("a", "a", "choose('agent')", "only one agent", "agent"),
    PickerKey("p", "p", "choose('project')", "only one project", "project"),
    PickerKey("r", "r", "choose('role')", "only what the user or the assistant said", "role"),
    PickerKey("c", "c", "choose('kind')", "only one kind of content: text, tool calls, reasoning", "kind"),
    PickerKey("t", "t", "choose('last')", "only the last day, week, month or year", "time"),
    PickerKey("x", "x", "clear_filters", "take all filters away"),
    PickerKey("s", "s", "switch('group')", "list hits, or sessions with their best hit"),
    PickerKey("d", "d", "switch('order')", "order by relevance, or newest first"),
    PickerKey("f", "f", "switch('match')", "match in another mode: smart, fuzzy, literal, regex"),
    PickerKey("j", "Down, j", "move(1)", "go to the next hit"),
    PickerKey("k", "Up, k", "move(-1)", "go to the hit before; from the first one to the query"),
    PickerKey("g,home", "g, Home", "move_to_end(-1)", "go to the first hit"),
    PickerKey("G,end", "G, End", "move_to_end(1)", "go to the last hit"),
    PickerKey("J,shift+down", "J, Shift+Down", "scroll_preview(1)", "scroll the preview down"),
    PickerKey("K,shift+up", "K, Shift+Up", "scroll_preview(-1)", "scroll the preview up"),
    PickerKey("tab", "Tab", "to_preview", "go to the preview, and from there to the query"),
    PickerKey("slash,escape", "/, Esc", "to_query", "go back to the query", "query"),
    PickerKey("question_mark", "?", "help", "show these keys", "keys"),
    PickerKey("q", "q", "leave", "quit", "quit"),
)
EVERYWHERE: Final = (PickerKey("ctrl+c,ctrl+q", "Ctrl+C", "leave", "quit"),)


def footer(keys: tuple[PickerKey, ...], columns: int, *, picks: bool = False) -> str:
    """Return the keys with their short words that fit into `columns` columns. With `picks` Enter prints the choice."""
    line = ""
    for key in keys:
        if not key.short:
            continue
        short = "pick" if picks and key.action == "accept" else key.short
        shown = {"m, Space": "m", "/, Esc": "/", "Down, Tab": "↓"}.get(key.shown, key.shown)
        piece = f"{'  ' if line else ''}{shown} {short}"
        if len(line) + len(piece) > columns:
            break
        line += piece
    return line


def help_lines(*, picks: bool = False) -> list[str]:
    """Return the table of all keys as lines of text."""
    lines: list[str] = []
    for title, keys in (("In the query", QUERY_KEYS), ("In the list and the preview", LIST_KEYS), ("", EVERYWHERE)):
        lines += ["", title] if title else []
        for key in keys:
            does = "print the choice and end" if picks and key.action == "accept" else key.does
            lines.append(f"  {key.shown:<14} {does}")
    operators = "  tool:bash role:user agent:NAME project:NAME file:PATH since:2w until:DATE in:title"
    return [
        *lines[1:],
        "",
        "Operators in the query",
        operators,
        '  +"must stand" -"must not" -word, and OR between words',
    ]
