"""The questions of an index to its shards, and their answers: records of numbers and texts.

A shard is a part of an index: some of its segments, which one process scores and scans. Numbers of parts and documents
in questions and answers are the shard's own, from 0; numbers of terms are those of the whole index.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

from recall_rank.index.shards.scoring import Marks, Scoring
from recall_rank.model.record_classes import frozen

HitRow = tuple[int, int, float, float, int]  # part, document, score, score without context, tier
SessionHitRow = tuple[int, int, float, int, bool, int]  # part and document shown, score, hits, is the title one, tier
NearTerm = tuple[int, int]  # number of a term in its segment, edits


@frozen
class Score:
    """The step that scores the documents marked in `eligible`, u8[docs]; hits are in parts marked in `only`,
    u8[parts]. None marks all. `first_term` is the number of the shard's first term in the index.
    """

    scoring: Scoring
    eligible: Marks | None
    only: Marks | None
    first_term: int


@frozen
class AddParts:
    """The step that adds parts, by their numbers, as a tier of hits with score 0: Evidence.extend_marked()."""

    parts: Sequence[int]


@frozen
class AddHits:
    """The step that adds the hits of another evidence as a tier: Evidence.extend()."""

    score: Score
    share: float


Step: TypeAlias = Score | AddParts | AddHits
Wanted = Literal["top", "top_among", "among", "sessions", "hits", "scores"]


@frozen
class EvidenceQuestion:
    """Asks for hits: run the `steps`, the first of which is a Score, and return what is `wanted`.

    "top" are the `count` best hits, "top_among" those among `parts`, "among" all in `parts`, "sessions" one row a
    session, "hits" the parts of all hits, "scores" their scores, too. `key` names the evidence: a shard that still has
    it runs only the steps that are new.
    """

    key: str
    steps: Sequence[Step]
    wanted: Wanted
    count: int = 0
    parts: Sequence[int] = ()


@frozen
class EvidenceAnswer:
    """The number of all hits, whether every document was read in time, and the rows that were wanted.

    `hits` are rows for "top", "top_among" and "among", `sessions` for "sessions"; `parts` are the parts of all hits,
    and `scores` their scores.
    """

    hit_count: int
    complete: bool
    hits: Sequence[HitRow] = ()
    sessions: Sequence[SessionHitRow] = ()
    parts: Sequence[int] = ()
    scores: Sequence[float] = ()


@frozen
class ScanQuestion:
    """Asks for the parts that hold a text or match a pattern, among those marked in `keep`, u8[parts]; None is all."""

    text: str
    regex: bool
    keep: Marks | None


@frozen
class ScanAnswer:
    """The numbers of the parts that were found, ascending, and whether every part was read in time."""

    parts: Sequence[int]
    complete: bool


@frozen
class NearQuestion:
    """Asks for the terms at 1 to `bound` edits from a form."""

    form: bytes
    bound: int


@frozen
class NearAnswer:
    """For each segment of the shard the terms, as Vocabulary.within() returns them."""

    terms: Sequence[Sequence[NearTerm]]


Question: TypeAlias = EvidenceQuestion | ScanQuestion | NearQuestion
Answer: TypeAlias = EvidenceAnswer | ScanAnswer | NearAnswer


@frozen
class ShardRequest:
    """A question to one shard. `generation` names the state of the shard's index by whose numbers it is asked, and
    `budget_ns` is the time in which the answer is wanted, in nanoseconds from now; 0 for any time. `done` are the keys
    of evidences about which nothing more will be asked, because their searches have ended.
    """

    generation: str
    question: Question
    budget_ns: int = 0
    done: Sequence[str] = ()


@frozen
class ShardReply:
    """The answer of a shard, or the reason why it has none: `problem`. `generation` is the state that answered."""

    generation: str
    answer: Answer | None
    problem: str = ""
