"""A word of a passage that matches a form of the query."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(slots=True, frozen=True)
class FormMatch:
    """A word of a passage that stands for the slots [slot, slot + span) of the query."""

    start: int
    end: int
    slot: int
    span: int
    similarity: float
    position: int
    words: int

    @property
    def slots(self) -> range:
        return range(self.slot, self.slot + self.span)


def extent(events: Sequence[FormMatch]) -> int:
    return events[-1].position - events[0].position
