"""ShardEvidence: the hits of one query, which every shard finds among its own documents."""

from __future__ import annotations

import os
from array import array
from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import Any, Final, Protocol

from recall_rank._core.search.column_filters import marked_indices
from recall_rank._core.search.hits import Hit, Hits
from recall_rank._core.search.session_hits import SessionHit, SessionHits
from recall_rank.index.shards.asked_shards import ShardSpan
from recall_rank.index.shards.questions import (
    AddHits,
    AddParts,
    EvidenceAnswer,
    EvidenceQuestion,
    HitRow,
    Score,
    Step,
    Wanted,
)
from recall_rank.index.shards.scoring import Marks, ScoredGroup, Scoring
from recall_rank.index.shards.shard_reader import ShardReader
from recall_rank.model.record_classes import replace

FIRST: Final = 128  # best hits that come with the first answer: more than are reranked for a page of usual size
STALE: Final = -1  # the number of best hits that are known after a step


class FoundEvidence(Protocol):
    """The hits of a query, as the stages behind the prefilter read them; Evidence and ShardEvidence have them."""

    @property
    def hit_count(self) -> int: ...
    @property
    def docs_done(self) -> int: ...
    @property
    def late(self) -> bool: ...
    def extend(self, other: Any, share: float) -> None: ...
    def extend_marked(self, parts: bytearray) -> None: ...
    def top(self, count: int, deadline_ns: int = 0) -> Hits: ...
    def top_among(self, count: int, parts: bytearray) -> Hits: ...
    def among(self, parts: bytearray) -> Hits: ...
    def sessions(self) -> SessionHits: ...
    def mark_hits(self, parts: bytearray) -> None: ...
    def write_scores(self, scores: array[float]) -> None: ...


class ShardEvidence:
    """The evidence of one query over all shards of a reader: equal to the Evidence of an index of all their sessions.

    Nothing is asked before hits are. Every question has all steps so far, so that it does not matter whether a shard
    still has its evidence. Hits of shards that do not answer are left out, and `asked` of the reader names them.
    `eligible`, u8[docs], and `only`, u8[parts], are those of Evidence. `deadline_ns` is a time.monotonic_ns(), 0 for
    none.
    """

    def __init__(
        self, reader: ShardReader, scoring: Scoring, eligible: Marks | None, only: Marks | None, deadline_ns: int
    ) -> None:
        self._reader = reader
        self._deadline_ns = deadline_ns
        scoring = replace(scoring, groups=[ScoredGroup(own.members, own.factor, own.joint) for own in scoring.groups])
        self._key = os.urandom(16).hex()
        self._steps: list[list[Step]] = [
            [Score(scoring, span.docs_of(eligible), span.parts_of(only), span.first_term)] for span in reader.spans
        ]
        self._counts: dict[int, int] = {}  # hits of each shard that answered,
        self._counted = False  # as they were told since the last step
        self._best: list[Hit] = []
        self._best_count = STALE  # how many were asked for

    @property
    def hit_count(self) -> int:
        """The number of hits of all shards that answer. Asks them, and for the best hits at the same time, unless they
        told it since the last step.
        """
        if not self._counted:
            self._find_best(FIRST)
        missing = self._reader.asked.missing
        return sum(hits for shard, hits in self._counts.items() if shard not in missing)

    @property
    def docs_done(self) -> int:
        """The number of all documents: a shard that does not read all of its own in time counts as not reached."""
        return self._reader.docs

    @property
    def late(self) -> bool:
        """False: the deadline of a question ends no search for the best hits of a shard."""
        return False

    # --- steps ---------------------------------------------------------------------------------------------

    def extend(self, other: ShardEvidence, share: float) -> None:
        """Append the hits of `other`, which has one step, as a new tier, their scores times `share`."""
        for own, (score, *more) in zip(self._steps, other._steps, strict=True):
            if more or not isinstance(score, Score):
                raise ValueError("only an evidence without further tiers can be added")
            own.append(AddHits(score, share))
        self._note_step()

    def extend_marked(self, parts: bytearray) -> None:
        """Append the parts marked in u8[parts of all shards] as a new tier with score 0."""
        for own, span in zip(self._steps, self._reader.spans, strict=True):
            own.append(AddParts(_numbers(span.parts_of(parts) or b"")))
        self._note_step()

    def _note_step(self) -> None:
        """Forget what was told before a step."""
        self._counted = False
        self._best, self._best_count = [], STALE

    # --- what was found ------------------------------------------------------------------------------------

    def top(self, count: int, deadline_ns: int = 0) -> Hits:
        """Return the `count` best hits, best first, in the order of Evidence.top()."""
        if count < 0:
            raise ValueError(f"count must not be negative, not {count}")
        if count > self._best_count:
            self._find_best(max(count, FIRST))
        return Hits(self._best[:count])

    def _find_best(self, count: int) -> None:
        """Ask for the `count` best hits."""
        self._best, self._best_count = self._ranked(self._ask("top", count))[:count], count

    def top_among(self, count: int, parts: bytearray) -> Hits:
        """Return the `count` best of the hits in the parts marked in u8[parts of all shards], as top() orders them."""
        if count < 0:
            raise ValueError(f"count must not be negative, not {count}")
        wanted = self._wanted(parts)
        if not any(map(len, wanted.values())):
            return Hits()
        return Hits(self._ranked(self._ask("top_among", count, wanted))[:count])

    def _ranked(self, answers: Sequence[tuple[ShardSpan, EvidenceAnswer]]) -> list[Hit]:
        """Return the hits of all answers, best first; a shard's own order is kept among hits of one session."""
        hits = [_hit(span, row) for span, answer in answers for row in answer.hits]
        parts = [hit.part for hit in hits]
        keys = zip(self._reader.times_of(parts), self._reader.sessions_of(parts), strict=True)
        ranked = [
            ((hit.tier, -hit.score, -time, session), hit) for hit, (time, session) in zip(hits, keys, strict=True)
        ]
        ranked.sort(key=itemgetter(0))
        return [hit for _, hit in ranked]

    def among(self, parts: bytearray) -> Hits:
        """Return the hits in the parts marked in u8[parts of all shards], ascending by part."""
        wanted = self._wanted(parts)
        if not any(map(len, wanted.values())):
            return Hits()
        return Hits([_hit(span, row) for span, answer in self._ask("among", parts=wanted) for row in answer.hits])

    def _wanted(self, parts: bytearray) -> dict[str, array[int]]:
        """Return the numbers in each shard, by its name, of the parts marked in u8[parts of all shards]."""
        return {span.name: _numbers(span.parts_of(parts) or b"") for span in self._reader.spans}

    def sessions(self) -> SessionHits:
        """Return the SessionHits of all shards that answer."""
        rows = [(span, row) for span, answer in self._ask("sessions") for row in answer.sessions]
        numbers = self._reader.sessions_of([span.first_part + row[0] for span, row in rows])
        found = (
            SessionHit(session, span.first_part + part, span.first_doc + doc, score, hits, bool(title), tier)
            for session, (span, (part, doc, score, hits, title, tier)) in zip(numbers, rows, strict=True)
        )
        return SessionHits(list(found))

    def mark_hits(self, parts: bytearray) -> None:
        """Set parts[p], u8[parts of all shards], to 1 for the part p of every hit; others keep their value."""
        for span, answer in self._ask("hits"):
            for part in answer.parts:
                parts[span.first_part + part] = 1

    def write_scores(self, scores: array[float]) -> None:
        """Write the score of every hit to f32[parts of all shards]; other parts keep their value."""
        for span, answer in self._ask("scores"):
            for part, score in zip(answer.parts, answer.scores, strict=True):
                scores[span.first_part + part] = score

    def _ask(
        self, wanted: Wanted, most: int = 0, parts: Mapping[str, Sequence[int]] | None = None
    ) -> list[tuple[ShardSpan, EvidenceAnswer]]:
        """Ask all shards, note how many hits each has, and return (shard, answer) for each that answers."""
        asked, spans = self._reader.asked, self._reader.spans
        asked.evidence_keys.add(self._key)
        steps = {span.name: tuple(own) for span, own in zip(spans, self._steps, strict=True)}

        def question(span: ShardSpan) -> EvidenceQuestion:
            own = () if parts is None else parts[span.name]
            return EvidenceQuestion(self._key, steps[span.name], wanted, most, own)

        answers = asked.ask(EvidenceAnswer, question, self._deadline_ns)
        self._counts, self._counted = {shard: answer.hit_count for shard, answer in answers.items()}, True
        return [(spans[shard], answer) for shard, answer in answers.items()]


def _numbers(marks: bytes) -> array[int]:
    """Return the numbers, u32, of the rows that u8[rows] marks."""
    return array("I", marked_indices(marks))


def _hit(span: ShardSpan, row: HitRow) -> Hit:
    part, doc, score, base, tier = row
    return Hit(span.first_part + part, span.first_doc + doc, score, base, tier)
