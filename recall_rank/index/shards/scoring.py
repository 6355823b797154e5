"""Scoring: all numbers by which the documents of an index score, for one reader or for the shards of an index."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from recall_rank.model.record_classes import frozen

Marks = bytes | bytearray | memoryview  # u8 a row, not 0 where the row is marked
Member = tuple[int, int, float]


@frozen
class ScoredGroup:
    """The part of a term group that scoring needs: see CompiledQuery."""

    members: Sequence[Member]
    factor: float
    joint: bool


class Group(Protocol):
    """A term group, as scoring reads it."""

    @property
    def members(self) -> Sequence[Member]: ...
    @property
    def factor(self) -> float: ...
    @property
    def joint(self) -> bool: ...


@frozen
class Scoring:
    """All numbers by which documents are scored and fused; equal for all shards of an index.

    `norm` are the average number of words and the weights k1, b, b_talk and length_floor, from which the length norms
    are made; `classes` are the weights of the 64 classes of documents. A date adds `value` to what was said in one of
    its ranges [start, end), in ms since 1970. Evidence.fuse() takes `neighbours`, `session`, `echo`,
    `echo_floor` and `echo_work`.
    """

    groups: Sequence[Group]
    norm: tuple[float, float, float, float, float]
    classes: Sequence[float]
    dates: Sequence[tuple[Sequence[int], Sequence[int], float]]
    neighbours: Sequence[float]
    session: Sequence[float]
    echo: float
    echo_floor: float
    echo_work: float
    scores_all: bool = False  # the `scores_all` of Evidence.accumulate()
