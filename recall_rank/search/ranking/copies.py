"""Fold hits into one result: copies of a conversation in two stores, and near duplicates.

A conversation lies in two stores when an agent's own history is exported, for example. Sessions with equal ids were
joined when they were read. Here ids differ, and contents are compared: a part is a copy of another when both have equal
words and an equal role, their sessions are from different stores, and the conversations around them agree. Two agents
that were given one prompt answer in different words or at another time, so that their sessions stay apart.

Near duplicates stand anywhere: a file that was read again, a list that was written again with one change, a turn in a
session that was continued as another. Their passages hold nearly equal words, and the query's words in equal forms.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from recall_rank._core.rank import likeness
from recall_rank._core.rank.candidate import Candidate
from recall_rank._core.rank.likeness import Sketch
from recall_rank._core.rank.matcher import Matcher
from recall_rank.index.reader.index_reader import IndexReader
from recall_rank.index.segment.segment import ROLES, TITLE_ROLE, Segment, SessionRow

COPY_WORDS = 8  # a passage with fewer is no copy: "go on" and "yes, please do that" stand in every conversation
NEAR_WORDS = 4  # the least words of a text around a part that shows that two conversations are one
AROUND = 4  # messages before and after a part in which such a text is looked for: stores cut answers differently
SAME_MS = 2_000  # two times that differ by less are one: exports leave out the fraction of a second
FIRST_WORDS = 64  # words of such a text that are compared
USER_ROLE = ROLES.index("user")
OPENING = 128  # bytes of a part that are compared first
COMPARED = 16_384  # bytes of a part that are compared
# The share of equal pairs of words from which on two passages are near duplicates: a list of ten entries with one
# changed keeps more, and two runs of one test suite with other results keep less.
NEAR_SHARE = 0.8
# This share where they stand in two sessions: copies of a session and of a file repeat passages word by word, while
# files of two projects that were made from one pattern are two results.
NEAR_SHARE_ELSEWHERE = 0.95
NEAR_SHARE_NEARBY = (
    0.25  # this share of the text around the best match: passages with less are not compared any further
)

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


def fold_near_duplicates(
    reader: IndexReader, matcher: Matcher, ranked: list[Candidate]
) -> tuple[list[Candidate], Copies]:
    """Return (kept, folded): the candidates without near duplicates of better ones, in their order, and a mapping from
    each kept part to the parts that were folded into it, best first.

    Of the pairs of words in the passages of two near duplicates the share NEAR_SHARE is equal, and the passages, of
    COPY_WORDS words or more, hold the query's words in equal forms: what differs in a word of the query remains two
    results. Both parts have one role, or are calls of tools, and are of one agent. `matcher` is that with which the
    candidates were measured. Where reasoning repeats prose, the prose is kept, at the better place.
    """
    places = likeness.comparable(ranked, COPY_WORDS)
    if not places:
        return ranked, {}
    chosen = [ranked[place] for place in places]
    near = likeness.resembling(_sketches(reader, matcher, chosen, whole=False), NEAR_SHARE_NEARBY)
    if not near:
        return ranked, {}
    chosen = [chosen[place] for place in near]
    firsts = likeness.families(
        _sketches(reader, matcher, chosen, whole=True),
        reader.sessions_of([candidate.part for candidate in chosen]),
        lambda at: _speech(reader, chosen[at]),
        NEAR_SHARE,
        NEAR_SHARE_ELSEWHERE,
    )
    if firsts == [*range(len(chosen))]:
        return ranked, {}
    folded: Copies = {}
    kept: dict[int, Candidate | None] = {}
    for first in dict.fromkeys(firsts):
        family = [chosen[at] for at, own in enumerate(firsts) if own == first]
        if len(family) == 1:
            continue
        shown = next((one for one in family if not _is_reasoning(reader, one)), family[0])
        if shown is not family[0]:
            shown.take_rank_of(family[0])
        kept.update((one.part, None) for one in family)
        kept[family[0].part] = shown
        folded[shown.part] = [one.part for one in family if one is not shown]
    return [one for each in ranked if (one := kept.get(each.part, each)) is not None], folded


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


def _sketches(reader: IndexReader, matcher: Matcher, candidates: list[Candidate], *, whole: bool) -> list[Sketch]:
    """Return the Sketch of the passage of each candidate; without `whole`, of the beginning of its densest window."""
    found: dict[int, Sketch] = {}
    for view, places in reader.split_by_segment([candidate.doc for candidate in candidates]):
        own = candidates if len(places) == len(candidates) else [candidates[place] for place in places]
        text, starts = view.segment.text_between, view.segment.doc_start
        sketches = likeness.sketches(matcher, text, starts, view.first_doc, own, whole)
        if own is candidates:
            return sketches
        found.update(zip(places, sketches, strict=True))
    return [found[place] for place in range(len(candidates))]


def _speech(reader: IndexReader, candidate: Candidate) -> tuple[str | int | None, ...] | None:
    """Return what near duplicates agree in: the agent, and the role, or "tool" for a call of one. What a person wrote
    agrees in its length, too: a prompt that is used again with another word at its end is another one. None for the
    title of a session.
    """
    view, part, _ = reader.local(candidate.part, candidate.doc)
    segment = view.segment
    message = segment.part_message[part]
    role = segment.message_role[message]
    if role == TITLE_ROLE:
        return None
    agent = segment.sessions[segment.message_session[message]].agent
    if _kind(reader, candidate) == "tool":
        return "tool", agent
    length = segment.part_start[part + 1] - segment.part_start[part]
    return (ROLES[role], agent, length) if role == USER_ROLE else (ROLES[role], agent)


def _is_reasoning(reader: IndexReader, candidate: Candidate) -> bool:
    return _kind(reader, candidate) == "reasoning"


def _kind(reader: IndexReader, candidate: Candidate) -> str | None:
    """Return the type of a part."""
    view, part, _ = reader.local(candidate.part, candidate.doc)
    columns = view.part_columns
    return columns.names.values[columns.part_type[part]]


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
