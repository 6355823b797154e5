"""The evidence of one query over several segments."""

from __future__ import annotations

import os
from array import array
from collections.abc import Callable, Sequence
from typing import Any, Self

from recall_rank._core.search.compiled_query import CompiledQuery
from recall_rank._core.search.evidence import by_score
from recall_rank._core.search.hits import Hits
from recall_rank._core.search.together import Together
from recall_rank.index.reader.index_reader import SessionHits
from recall_rank.index.reader.segment_view import SegmentView
from recall_rank.index.reader.session_order import SessionOrder

LARGE = 1_048_576  # documents from which a segment is worth a thread of its own: below, handing over costs more

Row = tuple[int, float, int, int, int, float]  # tier, score below zero, segment, and there part, document; its own


class JoinedEvidence:
    """What Evidence is for a segment, for several: one of each, in the numbers of all and in the order of one.

    A session stands whole in one segment, and so do its messages and their neighbours: nothing has to be added up.
    """

    __slots__ = ("_all", "_each", "_order", "_pieces")

    def __init__(self, pieces: Sequence[SegmentView], order: SessionOrder, eligible: bytearray | None) -> None:
        self._pieces = pieces
        self._order = order
        # without marks what is gone is weighed too, since that is faster, and left out of the hits: see fuse()
        own = [None if eligible is None else piece.docs_in(eligible) for piece in pieces]
        self._each = [piece.segment.evidence(marks) for piece, marks in zip(pieces, own, strict=True)]
        self._all = Together(self._each)

    @property
    def hit_count(self) -> int:
        return sum(each.hit_count for each in self._each)

    @property
    def docs_done(self) -> int:
        """Documents, from the first on, that were all read."""
        done = 0
        for piece, each in zip(self._pieces, self._each, strict=True):
            done += each.docs_done
            if each.docs_done < piece.segment.docs:
                break
        return done

    def accumulate(self, question: CompiledQuery, deadline_ns: int = 0) -> bool:
        """As Evidence.accumulate(); large segments are read at the same time. Terms are numbered as in Lexicon."""
        self._all.ask(question)
        sizes = [piece.segment.docs for piece in self._pieces]
        return _read(lambda first, last: self._all.read(first, last, deadline_ns), sizes)

    def add_times(self, starts: array[int], ends: array[int], value: float) -> None:
        for each in self._each:
            each.add_times(starts, ends, value)

    def fuse(
        self,
        neighbours: Sequence[float],
        session: Sequence[float],
        only: bytearray | None = None,
        echo: float = 0.0,
        echo_floor: float = 0.0,
    ) -> int:
        return self._all.fuse(neighbours, session, [piece.only(only) for piece in self._pieces], echo, echo_floor)

    def extend(self, other: Self, share: float) -> None:
        """As Evidence.extend(); `other` is over the same segments."""
        for each, others in zip(self._each, other._each, strict=True):
            each.extend(others, share)

    def extend_marked(self, parts: bytearray, first_docs: Any) -> None:
        """As Evidence.extend_marked(); where a part's documents begin, each segment knows better."""
        for piece, each in zip(self._pieces, self._each, strict=True):
            each.extend_marked(piece.parts_in(parts), piece.segment.part_first_doc)

    def top(self, count: int) -> Hits:
        rows = sorted(
            (tier, -score, number, part, doc, base) for number, part, doc, score, base, tier in self._all.top(count)
        )
        if len({row[:2] for row in rows}) < len(rows):
            rows.sort(key=self._place)
        firsts = [(piece.first_part, piece.first_doc) for piece in self._pieces]
        return Hits(
            [
                (part + firsts[number][0], doc + firsts[number][1], -negative, base, tier)
                for tier, negative, number, part, doc, base in rows[:count]
            ]
        )

    def _place(self, row: Row) -> tuple[int, float, int, int, int]:
        """Of equals, the newer message, then the order of one segment."""
        tier, negative, number, part, *_ = row
        segment = self._pieces[number].segment
        message = segment.part_message[part]
        own = self._order.place(number, segment.message_session[message])
        return tier, negative, -segment.message_time[message], own, part

    def among(self, parts: bytearray) -> Hits:
        return Hits(
            [
                (part + piece.first_part, doc + piece.first_doc, score, base, tier)
                for piece, each in zip(self._pieces, self._each, strict=True)
                for part, doc, score, base, tier in each.among(piece.parts_in(parts))
            ]
        )

    def sessions(self) -> list[SessionHits]:
        found: list[SessionHits] = [
            (
                self._order.place(number, session),
                part + piece.first_part,
                doc + piece.first_doc,
                score,
                hits,
                title,
                tier,
            )
            for number, (piece, each) in enumerate(zip(self._pieces, self._each, strict=True))
            for session, part, doc, score, hits, title, tier in each.sessions()
        ]
        return sorted(found, key=by_score)

    def mark_hits(self, parts: bytearray) -> None:
        for piece, each in zip(self._pieces, self._each, strict=True):
            each.mark_hits(piece.parts_in(parts))

    def write_scores(self, scores: array[float]) -> None:
        view = memoryview(scores)
        for piece, each in zip(self._pieces, self._each, strict=True):
            each.write_scores(view[piece.first_part : piece.first_part + piece.segment.parts])


def _read(read: Callable[[int, int], bool], sizes: Sequence[int]) -> bool:
    """Whether `read` came to the end of all segments; several large ones are read at the same time, where there are
    processors."""
    threads = min(sum(size >= LARGE for size in sizes), os.cpu_count() or 1)
    if threads < 2:
        return read(0, len(sizes))
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(threads) as pool:
        return all(list(pool.map(lambda number: read(number, number + 1), range(len(sizes)))))
