"""The evidence of several segments, one segment after the other."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from typing import Any

from tests.reference.search.evidence import Evidence


class Together:
    """Each segment by itself, one after the other."""

    def __init__(self, each: Sequence[Evidence]) -> None:
        self.each = each

    def split(
        self,
        starts: Sequence[int],
        firsts: Sequence[int],
        lasts: Sequence[int],
        weights: Sequence[float],
        **others: Any,
    ) -> Iterator[dict[str, Any]]:
        """The groups with the members of each segment only, as it numbers its terms."""
        before = 0
        for evidence in self.each:
            terms = range(before, before + len(evidence.frequencies))
            before += len(terms)
            own = [[at for at in range(low, high) if firsts[at] in terms] for low, high in pairwise(starts)]
            members = [at for group in own for at in group]
            yield {
                "starts": array("I", accumulate(map(len, own), initial=0)),
                "firsts": array("I", [firsts[at] - terms.start for at in members]),
                "lasts": array("I", [lasts[at] - terms.start for at in members]),
                "weights": array("f", [weights[at] for at in members]),
                **others,
            }

    def ask(self, **asked: Any) -> None:
        for evidence, members in zip(self.each, self.split(**asked), strict=True):
            evidence.accumulate(**members)

    def fuse(
        self,
        neighbours: Sequence[float],
        session: Sequence[float],
        only: Sequence[Sequence[int] | None],
        echo: float = 0,
        echo_floor: float = 0,
    ) -> int:
        each = zip(self.each, only, strict=True)
        return sum(evidence.fuse(neighbours, session, marks, echo, echo_floor) for evidence, marks in each)
