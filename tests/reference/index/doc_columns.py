"""The columns of documents."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

TITLE, PROSE, ANSWER, LOG = 0, 2, 14, 15  # classes of documents: a title; an agent's prose, what ends a turn, a log
MOST_PROSE = 16  # passages of a part that is no log
KINDS = 16  # a class is a kind below KINDS, and multiples of KINDS for subagents
WORK, PEOPLE = 0, 1  # the talk of a session in which an agent uses tools, and of one between people


class DocColumns:
    """The columns as they are given."""

    def __init__(
        self,
        doc_part: Sequence[int],
        doc_words: Sequence[int],
        doc_class: Sequence[int],
        part_message: Sequence[int],
        message_session: Sequence[int],
        message_time: Sequence[int],
        session_talk: Sequence[int],
        message_asked: Sequence[int] | None = None,
    ) -> None:
        self.message_asked = message_asked
        self.doc_part, self.doc_words, self.doc_class = doc_part, doc_words, doc_class
        self.part_message, self.message_session = part_message, message_session
        self.message_time, self.session_talk = message_time, session_talk

    def message_of(self, doc: int) -> int:
        return self.part_message[self.doc_part[doc]]

    def session_of(self, part: int) -> int:
        return self.message_session[self.part_message[part]]

    def time_of(self, part: int) -> int:
        return self.message_time[self.part_message[part]]

    def scored_classes(self) -> list[int]:
        """Return the classes by which documents are scored: LOG for prose in parts of more than MOST_PROSE documents,
        ANSWER for the last other part of prose of each turn.

        A turn is a run of documents whose messages answer the same message.
        """
        classes = list(self.doc_class)
        asked = self.message_asked
        turns = groupby(range(len(classes)), lambda doc: asked[self.message_of(doc)]) if asked is not None else ()
        for _, docs in turns:
            prose = [doc for doc in docs if self.doc_class[doc] % KINDS == PROSE]
            logs = [doc for doc in prose if list(self.doc_part).count(self.doc_part[doc]) > MOST_PROSE]
            for doc in logs:
                classes[doc] += LOG - PROSE
            others = [doc for doc in prose if doc not in logs]
            for doc in others:
                if self.doc_part[doc] == self.doc_part[others[-1]]:
                    classes[doc] += ANSWER - PROSE
        return classes

    def averages(self, eligible: Sequence[int] | None = None) -> tuple[int, int]:
        words = [count for doc, count in enumerate(self.doc_words) if eligible is None or eligible[doc]]
        return len(words), sum(words)

    def docs_in(self, starts: Sequence[int], ends: Sequence[int], eligible: Sequence[int] | None = None) -> int:
        allowed = [doc for doc in range(len(self.doc_part)) if eligible is None or eligible[doc]]
        return sum(in_ranges(self.message_time[self.message_of(doc)], starts, ends) for doc in allowed)

    def time_span(self) -> tuple[int, int]:
        known = [time for time in self.message_time if time > 0]
        return (min(known), max(known)) if known else (0, 0)


def in_ranges(time: int, starts: Sequence[int], ends: Sequence[int]) -> bool:
    return any(low <= time < high for low, high in zip(starts, ends, strict=True))
