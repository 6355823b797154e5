"""The evidence of one query over several segments."""

from __future__ import annotations

import os
from array import array
from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import groupby, pairwise
from operator import itemgetter
from typing import Any, Self

from recall_rank._core.evidence import by_score
from recall_rank.index.piece import Piece
from recall_rank.index.searched import Hit, SessionHits
from recall_rank.index.session_order import SessionOrder

LARGE = 1_048_576  # documents from which a segment is worth a thread of its own: below, handing over costs more


class JoinedEvidence:
    """What Evidence is for a segment, for several: one of each, in the numbers of all and in the order of one.

    A session stands whole in one segment, and so do its messages and their neighbours: nothing has to be added up.
    """

    __slots__ = ("_each", "_order", "_pieces")

    def __init__(self, pieces: Sequence[Piece], order: SessionOrder, eligible: bytearray | None) -> None:
        self._pieces = pieces
        self._order = order
        # without marks what is gone is weighed too, since that is faster, and left out of the hits: see fuse()
        own = [None if eligible is None else piece.docs_in(eligible) for piece in pieces]
        self._each = [piece.segment.evidence(marks) for piece, marks in zip(pieces, own, strict=True)]

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

    def accumulate(
        self,
        starts: array[int],
        firsts: array[int],
        lasts: array[int],
        weights: array[float],
        factors: array[float],
        joint: array[int],
        k1: float,
        norms: memoryview[float],
        class_weights: array[float],
        deadline_ns: int = 0,
    ) -> bool:
        """As Evidence.accumulate(); large segments are read at the same time. Terms are numbered as in Lexicon."""
        split = self._split(starts, firsts, lasts, weights)

        def read(number: int) -> bool:
            members = split[number]
            return self._each[number].accumulate(*members, factors, joint, k1, norms, class_weights, deadline_ns)

        return all(_in_turn(read, [piece.segment.docs for piece in self._pieces]))

    def _split(
        self, starts: array[int], firsts: array[int], lasts: array[int], weights: array[float]
    ) -> list[tuple[array[int], array[int], array[int], array[float]]]:
        """The groups with the members of each segment only."""
        own = [(array("I", [0]), array("I"), array("I"), array("f")) for _ in self._pieces]
        first_terms = [piece.first_term for piece in self._pieces]
        for begin, end in pairwise(starts):
            for at in range(begin, end):
                number = bisect_right(first_terms, firsts[at]) - 1
                _, own_firsts, own_lasts, own_weights = own[number]
                own_firsts.append(firsts[at] - first_terms[number])
                own_lasts.append(lasts[at] - first_terms[number])
                own_weights.append(weights[at])
            for own_starts, own_firsts, *_ in own:
                own_starts.append(len(own_firsts))
        return own

    def add_times(self, starts: array[int], ends: array[int], value: float) -> None:
        for each in self._each:
            each.add_times(starts, ends, value)

    def fuse(
        self,
        neighbours: array[float],
        session: array[float],
        only: bytearray | None = None,
        echo: float = 0.0,
        echo_floor: float = 0.0,
    ) -> int:
        for piece, each in zip(self._pieces, self._each, strict=True):
            each.fuse(neighbours, session, piece.only(only), echo, echo_floor)
        return self.hit_count

    def extend(self, other: Self, share: float) -> None:
        """As Evidence.extend(); `other` is over the same segments."""
        for each, others in zip(self._each, other._each, strict=True):
            each.extend(others, share)

    def extend_marked(self, parts: bytearray, first_docs: Any) -> None:
        """As Evidence.extend_marked(); where a part's documents begin, each segment knows better."""
        for piece, each in zip(self._pieces, self._each, strict=True):
            each.extend_marked(piece.parts_in(parts), piece.segment.part_first_doc)

    def top(self, count: int) -> list[Hit]:
        found = [
            (tier, -score, number, part, doc, base)
            for number, each in enumerate(self._each)
            for part, doc, score, base, tier in each.top(min(count, each.hit_count))
        ]
        found.sort()
        best: list[Hit] = []
        for _, tied in groupby(found, key=itemgetter(0, 1)):
            same = list(tied)
            if len(same) > 1:
                same.sort(key=self._newer_first)
            for tier, negative, number, part, doc, base in same:
                piece = self._pieces[number]
                best.append((part + piece.first_part, doc + piece.first_doc, -negative, base, tier))
            if len(best) >= count:
                break
        return best[:count]

    def _newer_first(self, row: tuple[int, float, int, int, int, float]) -> tuple[int, int, int]:
        """Equals: the newer message, then the order of one segment."""
        _, _, number, part, _, _ = row
        segment = self._pieces[number].segment
        message = segment.part_message[part]
        return -segment.message_time[message], self._order.place(number, segment.message_session[message]), part

    def among(self, parts: bytearray) -> list[Hit]:
        return [
            (part + piece.first_part, doc + piece.first_doc, score, base, tier)
            for piece, each in zip(self._pieces, self._each, strict=True)
            for part, doc, score, base, tier in each.among(piece.parts_in(parts))
        ]

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


def _in_turn(read: Callable[[int], bool], sizes: Sequence[int]) -> list[bool]:
    """What `read` gives for each segment; several large ones are read at the same time, where there are processors."""
    large = [number for number, size in enumerate(sizes) if size >= LARGE]
    threads = min(len(large), os.cpu_count() or 1)
    if threads > 1:
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(threads) as pool:
            return list(pool.map(read, range(len(sizes))))
    done = []
    for number in range(len(sizes)):
        done.append(read(number))
        if not done[-1]:
            break
    return done
