"""Fold copies: one conversation in two stores, such as an agent's own and an export of it, is one result.

Sessions with equal ids were joined when they were read. Here ids differ, and contents are compared: a part is a copy of
another when both have equal words and an equal role, their sessions are from different stores, and the conversations
around them agree. Two agents that were given one prompt answer in different words or at another time, so that their
sessions stay apart.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from recall_rank._core.rank.candidate import Candidate
from recall_rank.index.reader.index_reader import IndexReader
from recall_rank.index.segment.segment import TITLE_ROLE, Segment, SessionRow

COPY_WORDS = 8  # a passage with fewer is no copy: "go on" and "yes, please do that" stand in every conversation
NEAR_WORDS = 4  # the least words of a text around a part that shows that two conversations are one
AROUND = 4  # messages before and after a part in which such a text is looked for: stores cut answers differently
SAME_MS = 2_000  # two times that differ by less are one: exports leave out the fraction of a second
FIRST_WORDS = 64  # words of such a text that are compared
OPENING = 128  # bytes of a part that are compared first
COMPARED = 16_384  # bytes of a part that are compared

Copies = dict[int, list[int]]
"""Part that is shown -> its copies, by part numbers of the index reader."""


def fold_copies(reader: IndexReader, ranked: Sequence[Candidate]) -> tuple[list[Candidate], Copies]:
    """Return (kept, copies): the candidates that are no copies of another one, in their order, and a mapping from each
    kept part that has copies to the parts of these, sorted by store, session id and part id.

    Of equal parts, the one in the store that belongs to the agent itself is kept; of several or none such, the one in
    the longest session; of equally long ones, the first in rank. Texts are compared only where passages have equally
    many words, at least COPY_WORDS.
    """
    reader.fetch_parts((candidate.part for candidate in ranked), sessions=True)
    sessions = set(reader.sessions_of([candidate.part for candidate in ranked]))
    if len({reader.sessions[session].source for session in sessions}) < 2:
        return list(ranked), {}  # fast path: one store has no copies, and most indexes read one
    alike: dict[int, list[Candidate]] = {}
    for candidate, words in zip(ranked, _passage_words(reader, ranked), strict=True):
        if words >= COPY_WORDS:
            alike.setdefault(words, []).append(candidate)
    copies: Copies = {}
    dropped: set[int] = set()
    for members in alike.values():
        for family in _families(reader, members) if len(members) > 1 else ():
            shown = max(family, key=lambda place: place.worth)  # the first of several
            others = sorted((place for place in family if place is not shown), key=lambda place: place.names(reader))
            copies[shown.part] = [place.part for place in others]
            dropped.update(copies[shown.part])
    return [candidate for candidate in ranked if candidate.part not in dropped] if dropped else list(ranked), copies


class _CopyPlace:
    """A part that may be a copy, with its segment, session and role; its text is read when it is compared."""

    __slots__ = ("message", "own", "part", "role", "row", "segment", "time")

    def __init__(self, reader: IndexReader, candidate: Candidate) -> None:
        view, self.own, _ = reader.local(candidate.part, candidate.doc)
        self.part = candidate.part
        self.segment = view.segment
        self.message = self.segment.part_message[self.own]
        self.role = self.segment.message_role[self.message]
        self.time = self.segment.message_time[self.message]
        self.row: SessionRow = self.segment.sessions[self.segment.message_session[self.message]]

    @property
    def is_own(self) -> bool:
        """Whether the session is in the store of the agent that wrote it, whose name begins with the agent's."""
        return bool(self.row.agent) and self.row.source.startswith(self.row.agent or "")

    @property
    def worth(self) -> tuple[bool, int]:
        """A sort key: of several copies, the one with the largest is shown.

        It is (whether the store is the agent's own, the number of messages of the session).
        """
        return self.is_own, self.row.last_message - self.row.first_message

    def names(self, reader: IndexReader) -> tuple[str, str, str]:
        return self.row.source, self.row.id, reader.part_ids[self.part]

    def is_copy_of(self, other: _CopyPlace) -> bool:
        if self.row.source == other.row.source or self.role != other.role or self.role == TITLE_ROLE:
            return False
        for most in (OPENING, COMPARED):
            if not _equal(_words(self.segment, self.own, most), _words(other.segment, other.own, most)):
                return False
        at_one_time = bool(self.time) and abs(self.time - other.time) < SAME_MS
        if self.is_own and other.is_own and self.row.agent != other.row.agent and not at_one_time:
            return False  # a script or a benchmark gave two agents one prompt
        around, others = set(self._around()), set(other._around())
        return not around.isdisjoint(others) if around and others else at_one_time

    def _around(self) -> Iterator[tuple[bytes, ...]]:
        """Yield the first words, at most FIRST_WORDS, of each part of the messages around this one.

        Parts of fewer than NEAR_WORDS words are left out.
        """
        starts = self.segment.message_first_part
        first = max(self.row.first_message + 1, self.message - AROUND)
        for message in range(first, min(self.row.last_message, self.message + AROUND + 1)):
            for part in range(starts[message], starts[message + 1]) if message != self.message else ():
                words, _ = _words(self.segment, part, COMPARED)
                if len(words) >= NEAR_WORDS:
                    yield tuple(words[:FIRST_WORDS])


def _families(reader: IndexReader, members: Sequence[Candidate]) -> Iterator[list[_CopyPlace]]:
    """Yield lists of parts that are copies of each other, each list in the order of `members`, its best part first.

    A store is in each list at most once. Parts without a copy are left out.
    """
    families: list[list[_CopyPlace]] = []
    for candidate in members:
        place = _CopyPlace(reader, candidate)
        for family in families:
            if all(place.is_copy_of(other) for other in family):
                family.append(place)
                break
        else:
            families.append([place])
    yield from (family for family in families if len(family) > 1)


def _passage_words(reader: IndexReader, ranked: Sequence[Candidate]) -> list[int]:
    """Return the number of words in the best passage of each candidate."""
    docs = [candidate.doc for candidate in ranked]
    found = [0] * len(docs)
    for view, places in reader.split_by_segment(docs):
        words, first = view.segment.doc_words, view.first_doc
        for place in places:
            found[place] = words[docs[place] - first]
    return found


def _words(segment: Segment, part: int, most: int) -> tuple[list[bytes], bool]:
    """Return (words, whole): the words of a part's text, divided at blanks, and whether they are all of them.

    Of a part of more than `most` bytes, only the words of its first `most` bytes are returned.
    """
    fields, starts = segment.part_first_field, segment.field_start
    begin, end = starts[fields[part]], starts[fields[part + 1]]
    whole = end - begin <= most
    end = min(end, begin + most)
    text = segment.text_for(((begin, end),))
    found: list[bytes] = []
    for field in range(fields[part], fields[part + 1]):
        if starts[field] < end:  # its first byte is its label
            found += bytes(text[starts[field] + 1 : min(starts[field + 1], end)]).split()
    return (found, True) if whole else (found[:-1], False)  # the last word may be half a word


def _equal(one: tuple[list[bytes], bool], other: tuple[list[bytes], bool]) -> bool:
    (words, whole), (others, other_whole) = one, other
    if whole and other_whole:
        return words == others
    shared = min(len(words), len(others))  # blanks differ, so that one prefix may have more words
    return shared > 0 and words[:shared] == others[:shared]
