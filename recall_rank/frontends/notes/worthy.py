"""Choose what of a session is worth a note: decisions, constraints, root causes, and standing orders of the user."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from recall_rank.analysis.compaction_notes import CompactionNote, compaction_notes, states_rule
from recall_rank.frontends.notes.note_words import is_repeated, note_words
from recall_rank.frontends.notes.scanner import scan
from recall_rank.frontends.redaction.redact import redacted
from recall_rank.frontends.transcripts.exchanges import exchanges_of
from recall_rank.frontends.transcripts.reminders import typed_by_user
from recall_rank.model import Session

NOTES: Final = 10
STANDING_ORDER: Final = "standing order"
_KINDS: Final = ("root cause", "decision", "constraint")


@dataclass(frozen=True, slots=True)
class SuggestedNote:
    """A sentence that is worth a note: its kind, such as "decision", the text without secrets, and where it was said.

    `exchange` is the number of the exchange, from 1.
    """

    kind: str
    text: str
    exchange: int
    message_id: str


def suggested_notes(session: Session, limit: int = NOTES) -> list[SuggestedNote]:
    """Return at most `limit` notes that a session is worth, in the order in which they were said.

    They are the findings of compaction_notes() with the highest worth, of three kinds: root causes and decisions of
    both sides, and constraints of the user; what a user said with words such as "always" is a standing order. Words
    that a program inserted into a user's message do not count. A sentence with a finding of the scanner, and one that
    repeats another, is left out.
    """
    typed = {message.id: "\n".join(typed_by_user(message)) for message in session.messages if message.role == "user"}
    numbers = {message.id: each.number for each in exchanges_of(session) for message in each.messages}
    order = {message.id: number for number, message in enumerate(session.messages)}
    chosen: list[SuggestedNote] = []
    words: list[frozenset[str]] = []
    for found in compaction_notes(session):
        if len(chosen) == limit:
            break
        kind = _kind(found, typed)
        if kind is None or scan(found.text):
            continue
        text = redacted(found.text)
        these = note_words(text)
        if any(is_repeated(these, others) for others in words):
            continue
        words.append(these)
        chosen.append(SuggestedNote(kind, text, numbers.get(found.message_id, 1), found.message_id))
    return sorted(chosen, key=lambda note: order[note.message_id])  # stable: of one message by worth


def _kind(found: CompactionNote, typed: dict[str, str]) -> str | None:
    """Return the kind of note that a finding is worth, None when it is worth none.

    `typed` has the words that users typed, by the id of their message.
    """
    said = typed.get(found.message_id)
    if found.kind not in _KINDS or (said is not None and found.text not in " ".join(said.split())):
        return None
    if said is not None and found.kind == "constraint":
        return STANDING_ORDER if states_rule(found.text) else "constraint"
    return None if found.kind == "constraint" else found.kind
