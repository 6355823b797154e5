"""The preview of a hit: its message with its neighbours, as the index holds them, with the matches marked.

The index has what is searched, so that a preview reads no history and takes milliseconds.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from recall_rank.frontends.cli.browse.state import WHOLE_BUDGET_MS, SearchState
from recall_rank.frontends.cli.output.display import Display
from recall_rank.frontends.cli.output.transcript_lines import MessageStyle, message_lines
from recall_rank.frontends.cli.output.word_marks import MATCH_STYLE, WordMarks
from recall_rank.frontends.display_text import counted
from recall_rank.frontends.redaction.redact import redacted
from recall_rank.frontends.redaction.redacted_answers import session_without_secrets
from recall_rank.model.agent_names import exact_id, named_id
from recall_rank.model.serialize import repaired
from recall_rank.model.serialize_transcript import message_to_dict, part_to_dict

if TYPE_CHECKING:
    from recall_rank.frontends.cli.browse.entries import ListEntry
    from recall_rank.frontends.cli.output.console import Line
    from recall_rank.model import Message, Part, Session
    from recall_rank.recall import Recall

BEFORE: Final = 2  # messages in front of the one that is shown
AFTER: Final = 3
PART_CHARS: Final = 4000  # of a part that are shown; `o` opens all of it
_LEAD: Final = 400  # characters in front of the first match, where a part is cut
_MATCHES: Final = 300  # hits of one session that n and N go through
_MATCHES_WIDTH: Final = 400  # characters of their snippets, in which the forms of the words are looked for


@dataclass(frozen=True, slots=True)
class PreviewMatches:
    """A session as the index holds it, the places of its messages that match, and marks for the matches."""

    session: Session
    places: tuple[int, ...]  # of messages, ascending; all messages where there is no query
    marks: WordMarks
    redact: bool = False  # whether keys and passwords are replaced in what a preview shows

    def place_of(self, message_id: str) -> int:
        """Return the place of a message; that of the first match, else 0, for an id that the session does not have."""
        for at, message in enumerate(self.session.messages):
            if message.id == message_id:
                return at
        return self.places[0] if self.places else 0

    def step(self, place: int, by: int) -> int | None:
        """Return the place of the next match behind `place` (`by` 1) or in front of it (-1); None when it is the last
        one.
        """
        others = [other for other in self.places if (other > place if by > 0 else other < place)]
        if not others:
            return None
        return others[0] if by > 0 else others[-1]


@dataclass(frozen=True, slots=True)
class Preview:
    """The rows of a preview, none wider than `columns`. `top` is the row on which the message begins, `match` that of
    its first match; `top`, where it has none.
    """

    entry: ListEntry
    place: int  # of the message in its session
    matches: PreviewMatches
    rows: tuple[Line, ...]
    top: int
    match: int
    columns: int

    @property
    def heading(self) -> str:
        """The numbers of the message and of the match, and how sure the hit is, for the line above the preview."""
        messages = self.matches.session.messages
        matches, count = self.matches.places, len(messages)
        said = f"message {self.place + 1:,} of {count:,}"
        if self.place in matches and len(matches) < count:
            said += f" · match {matches.index(self.place) + 1:,} of {len(matches):,}"
        if self.entry.confidence and messages[self.place].id == self.entry.message_id:  # `n` leads to other matches
            said += f" · {self.entry.confidence}"
        return said


def session_matches(
    recall: Recall, session_id: str, state: SearchState, cancel: threading.Event | None = None, now: int | None = None
) -> PreviewMatches | None:
    """Return a session with the places of its matches; None when the index does not have it any more."""
    found = (each for each in recall.indexed([session_id]) if named_id(each.id, each.host) == session_id)
    session = next(found, None)
    if session is None:
        return None
    if state.redact:
        session = replace(session, title=redacted(session.title or ""))
    if not state.query.strip():
        return PreviewMatches(session, tuple(range(len(session.messages))), WordMarks(), state.redact)
    options = state.options(WHOLE_BUDGET_MS)  # nobody waits: the next key cancels it, and it is not asked again
    options["session_id"], options["group"] = exact_id(session.id, session.host), "part"
    options["results"], options["width"] = _MATCHES, _MATCHES_WIDTH
    options["now"] = now
    if cancel is not None:
        options["cancel"] = cancel
    response = recall.search(repaired(state.query), **options)
    hits = {hit.message_id for hit in response.results}
    found_forms = (hit.snippet[span.start : span.end].strip() for hit in response.results for span in hit.spans)
    places = tuple(at for at, message in enumerate(session.messages) if message.id in hits)
    return PreviewMatches(session, places, WordMarks.of_forms(filter(None, found_forms), state.match), state.redact)


def preview(matches: PreviewMatches, entry: ListEntry, place: int, columns: int, now: int) -> Preview:
    """Return the message at `place` with its neighbours, wrapped at `columns` columns. `now` is in epoch
    milliseconds.
    """
    session = matches.session
    messages = session.messages
    first, last = max(place - BEFORE, 0), min(place + AFTER + 1, len(messages))
    style = MessageStyle(Display(columns, zone=None), matches.marks, is_raw=True)
    shown = replace(session, messages=messages[first:last])
    if matches.redact:
        shown = session_without_secrets(shown)
    rows: list[Line] = []
    top = end = 0
    for at, message in enumerate(shown.messages, first):
        if at == place:
            top = len(rows)
        for line in message_lines(_entry_of(message, entry, is_center=at == place), now, style):
            rows += wrapped_line(line, columns)
        if at == place:
            end = len(rows)
    own = range(top + 1, end)  # without the line that names the message
    match = next((at for at in own if any(style == MATCH_STYLE for _, style in rows[at])), top)
    return Preview(entry, place, matches, tuple(rows), top, match, columns)


def _entry_of(message: Message, hit: ListEntry, *, is_center: bool) -> dict[str, object]:
    """Return a message as the recall tools give it, its long parts cut."""
    parts = [part_to_dict(_cut(part, hit)) for part in message.parts]
    return {"message": message_to_dict(message), "parts": parts, "center": is_center}


def _cut(part: Part, hit: ListEntry) -> Part:
    """Return a part whose texts are cut to PART_CHARS characters; that of the hit around its first match."""
    start = max(hit.text_start - _LEAD, 0) if part.id == hit.part_id else 0
    changes: dict[str, Any] = {
        name: _cut_text(text, start)
        for name in ("text", "output", "error")
        if (text := getattr(part, name)) and len(text) > PART_CHARS
    }
    if isinstance(part.input, dict):
        changes["input"] = {name: _cut_value(value, start) for name, value in part.input.items()}
    elif part.input is not None:
        values = part.input if isinstance(part.input, list | tuple) else [part.input]
        changes["input"] = {f"input {at}": _cut_value(each, start) for at, each in enumerate(values, 1)}
    return replace(part, **changes) if changes else part


def _cut_value(value: object, start: int) -> str:
    """Return a value of the input of a tool call as text, cut."""
    return _cut_text(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str), start)


def _cut_text(text: str, start: int) -> str:
    if len(text) <= PART_CHARS:
        return text
    start = min(start, max(len(text) - PART_CHARS, 0))
    end = start + PART_CHARS
    before = f"[{counted(start, 'character', 'characters')} before]\n" if start else ""
    after = f"\n[{counted(len(text) - end, 'character', 'characters')} more]" if end < len(text) else ""
    return f"{before}{text[start:end]}{after}"


def wrapped_line(line: Sequence[tuple[str, str]], columns: int) -> Iterator[Line]:
    """Yield a line as rows of at most `columns` columns, broken at blanks where there are some; wide characters count
    two columns. Later rows begin below the first word, unless that leaves less than half of the width.
    """
    from rich.cells import get_character_cell_size

    letters = [(letter, style) for text, style in line for letter in text]
    sizes = [1 if letter < "\x7f" else get_character_cell_size(letter) for letter, _ in letters]
    indent = next((at for at, (letter, _) in enumerate(letters) if letter != " "), 0)
    hang = indent if indent <= columns // 2 else 0
    at = begun = 0  # of the row, and of its words
    while True:
        room = columns - (hang if at else 0)
        end, used, begun = at, 0, at or indent
        while end < len(letters) and used + sizes[end] <= room:
            used += sizes[end]
            end += 1
        cut = end
        if end < len(letters):
            end = max(end, at + 1)
            blank = next((place for place in range(end, begun, -1) if letters[place][0] == " "), None)
            end, cut = (end, end) if blank is None else (blank, blank + 1)
        yield [(" " * hang, ""), *_pieces(letters[at:end])] if at and hang else _pieces(letters[at:end])
        if cut >= len(letters):
            return
        at = cut


def _pieces(letters: Sequence[tuple[str, str]]) -> Line:
    """Return letters with styles as pieces of one style each."""
    pieces: Line = []
    begun, style = 0, letters[0][1] if letters else ""
    for at, (_, other) in enumerate(letters):
        if other != style:
            pieces.append(("".join(letter for letter, _ in letters[begun:at]), style))
            begun, style = at, other
    if letters:
        pieces.append(("".join(letter for letter, _ in letters[begun:]), style))
    return pieces
