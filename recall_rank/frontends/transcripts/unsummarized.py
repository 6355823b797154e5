"""Stand in for a summary that nobody wrote: sentences worth keeping, and the words of the user, within a size."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from recall_rank.analysis.compaction_notes import compaction_notes
from recall_rank.frontends.transcripts.exchange_parts import ExchangePart, size_of
from recall_rank.frontends.transcripts.markdown import escaped_markup, one_line, quoted_lines
from recall_rank.frontends.transcripts.reminders import typed_by_user
from recall_rank.model import Session

NOTES_SHARE: Final = 0.5  # of the room, for sentences; what the user typed gets the rest of it
CUT: Final = " […]"
TYPED_CHARS: Final = (
    8_000,
    4_000,
    2_000,
    1_000,
    500,
    250,
    120,
    60,
)  # of each text: the first of these that lets all fit


@dataclass(frozen=True, slots=True)
class _Typed:
    """One text that a user typed, and the name of its exchange."""

    name: str
    text: str


def unsummarized_lines(parts: Sequence[ExchangePart], room: int) -> list[str]:
    """Return the decisions, constraints, open tasks and root causes in parts of exchanges, the worthiest first, and
    what the user typed in them, in order, as Markdown of at most `room` bytes.

    If not all fits, texts of the user are cut, then the older ones but the first are left out and counted.
    """
    notes = list(_within(_notes(parts), int(room * NOTES_SHARE)))
    if notes:
        notes = ["", "Sentences found by their wording:", "", *notes]
        notes = notes if size_of(notes) <= room else []
    typed = list(_typed(parts))
    return [*notes, *_typed_lines(typed, room - size_of(notes))]


def _notes(parts: Sequence[ExchangePart]) -> Iterator[str]:
    """Yield the sentences of a conversation that are worth keeping as items of a list."""
    names: dict[str, str] = {}
    for part in parts:
        for message in part.messages:
            names.setdefault(message.id, part.name)
    messages = {id(message): message for part in parts for message in part.messages if not part.session}
    for note in compaction_notes(Session("", tuple(messages.values()))):
        yield f"- {note.kind}, {names[note.message_id]}: {escaped_markup(one_line(note.text))}"


def _within(lines: Iterator[str], room: int) -> Iterator[str]:
    """Yield the lines until one does not fit any more."""
    for line in lines:
        room -= size_of([line])
        if room < 0:
            return
        yield line


def _typed(parts: Sequence[ExchangePart]) -> Iterator[_Typed]:
    """Yield what the user typed in the parts of a session's own exchanges; of a message that is cut, only at its
    beginning.
    """
    for part in parts:
        if not part.session and part.begins:
            yield from (_Typed(part.name, text) for message in part.messages for text in typed_by_user(message))


def _typed_lines(typed: Sequence[_Typed], room: int) -> list[str]:
    """Return the typed texts as quotes under the names of their exchanges, within `room` bytes."""
    head = ["", "What the user typed:"]
    if not typed:
        return []
    for most in TYPED_CHARS:
        lines = [*head, *(line for each in typed for line in _quoted(each, most))]
        if size_of(lines) <= room:
            return lines
    shortest = [list(_quoted(each, TYPED_CHARS[-1])) for each in typed]
    first, newest = shortest[0], shortest[1:]
    left_out = ["", f"*{len(newest):,} texts of the user left out*"]
    room -= size_of([*head, *first, *left_out])
    if room < 0:
        return []
    kept = len(newest)
    while kept and (size := size_of(newest[kept - 1])) <= room:
        kept, room = kept - 1, room - size
    left_out[1] = f"*{kept:,} {'text' if kept == 1 else 'texts'} of the user left out*"
    return [*head, *first, *left_out, *(line for each in newest[kept:] for line in each)]


def _quoted(typed: _Typed, most: int) -> Iterator[str]:
    text = typed.text if len(typed.text) <= most else typed.text[: most - len(CUT)] + CUT
    yield ""
    yield f"{typed.name}:"
    yield ""
    yield from quoted_lines(text)
