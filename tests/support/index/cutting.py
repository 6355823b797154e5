"""Histories in several segments, some of whose sessions were replaced or deleted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from hypothesis import strategies as st

from recall_rank.corpus import Index, index_of_segments
from recall_rank.index.reader.index_reader import IndexReader
from recall_rank.index.segment.build import build
from recall_rank.index.segment.segment import Segment
from recall_rank.model import Session


@dataclass(frozen=True, slots=True)
class Cut:
    """The segment of each session, and the sessions that are dead: (segment, session, whether a newer version of it
    lives).
    """

    segments: int
    places: tuple[int, ...]
    gone: tuple[tuple[int, int, bool], ...]


_gone = st.tuples(st.integers(0, 4), st.integers(0, 9), st.booleans())
cuts = st.builds(
    Cut,
    st.integers(1, 5),
    st.lists(st.integers(0, 4), min_size=6, max_size=6).map(tuple),
    st.lists(_gone, max_size=4).map(tuple),
)


def cut_up(history: Sequence[Session], cut: Cut) -> tuple[list[Segment], list[frozenset[int]]]:
    """Return the segments of `history`, and for each segment the numbers of its dead sessions."""
    held: list[list[Session]] = [[] for _ in range(cut.segments)]
    dead: list[list[Session]] = [[] for _ in range(cut.segments)]
    for number, session in enumerate(history):
        held[cut.places[number] % cut.segments if number < len(cut.places) else 0].append(session)
    for turn, (segment, number, replaced) in enumerate(cut.gone):
        session = history[number % len(history)]
        # what is gone says what the others say, and other things: if it could be seen, it would show
        if replaced:
            former = replace(session, messages=session.messages[: -(-len(session.messages) // 2)], title="Lantern oil")
        else:
            former = replace(session, id=f"{session.id}-gone", updated=session.updated + turn)
        dead[segment % cut.segments].append(former)
    segments = [build([*left, *gone]) for left, gone in zip(held, dead, strict=True)]
    rows = []
    for segment, gone in zip(segments, dead, strict=True):
        keys = [(s.id, len(s.messages), s.title or "", s.updated) for s in gone]
        rows.append(frozenset(_numbers(segment, keys)))
    return segments, rows


def _numbers(segment: Segment, keys: list[tuple[str, int, str, int]]) -> list[int]:
    """Return the rows of the dead sessions of a segment.

    Where the former version is in the segment of the newer one, it comes after it: which of two equal sessions is dead
    makes no difference.
    """
    found = []
    for number in reversed(range(len(segment.sessions))):
        row = segment.sessions[number]
        for key in keys:
            if (row.id, row.last_message - row.first_message - 1, row.title) == key[:3]:
                keys.remove(key)
                found.append(number)
                break
    return found


def joined(history: Sequence[Session], cut: Cut | None) -> IndexReader:
    """Return what a search of `history` reads: a reader over one segment or several."""
    return IndexReader([build(history)]) if cut is None else IndexReader(*cut_up(history, cut))


def joined_index(history: Sequence[Session], cut: Cut) -> Index:
    """Return an Index over one segment or several of `history`."""
    return index_of_segments(*cut_up(history, cut))
