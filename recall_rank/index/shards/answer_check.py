"""AnswerCheck: what is wrong with the answer of a shard, which may be code of others or lie on another machine."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import pairwise
from math import isfinite
from typing import Any, Final

from recall_rank.index.reader.index_reader import IndexReader
from recall_rank.index.shards.questions import (
    AddHits,
    AddParts,
    EvidenceAnswer,
    EvidenceQuestion,
    NearAnswer,
    NearQuestion,
    Question,
    ScanAnswer,
    ScanQuestion,
    Score,
    Step,
)

MAX_SCORE: Final = 3.4028234663852886e38  # the largest f32
A_PART: Final = "it found a part that it does not have"
COUNTS: Final = "its sessions do not have its hits"
Row = tuple[int, int]  # part and document


class AnswerCheck:
    """Checks the answers of one shard, whose segments `own` reads, against the questions that they answer.

    An answer that passes has the types, lengths and ranges of questions.py, and rows that a question allows: a document
    of the part, in a session that is not deleted, inside the marks of the question, no part and no session twice.
    """

    def __init__(self, own: IndexReader) -> None:
        self._own = own

    def problem(self, question: Question, answer: Any) -> str:
        """Return what is wrong with an answer of the class that the question asks for; "" where nothing is."""
        try:
            if isinstance(question, EvidenceQuestion):
                self._check_evidence(question, answer)
            elif isinstance(question, ScanQuestion):
                self._check_scan(question, answer)
            else:
                self._check_near(question, answer)
        except Exception as error:  # noqa: BLE001 - the values may be of any type; whatever they raise, they are wrong
            return f"its answer is wrong: {error}"
        return ""

    @cached_property
    def _live(self) -> bytes | None:
        """Marks u8[parts] of the parts of sessions that are not deleted; None where no session is."""
        views = self._own.views
        if all(view.sessions is None for view in views):
            return None
        marks = [view.parts_of(None) for view in views]
        return b"".join(
            b"\1" * view.segment.parts if own is None else bytes(own) for view, own in zip(views, marks, strict=True)
        )

    def _check_evidence(self, question: EvidenceQuestion, answer: EvidenceAnswer) -> None:
        count, parts_in_all = answer.hit_count, self._own.parts
        _require(type(count) is int and 0 <= count <= parts_in_all, "it cannot have so many hits")
        _require(type(answer.complete) is bool, "it does not say whether it is complete")
        least = _least_score(question.steps)
        if question.wanted == "sessions":
            parts, docs, scores, counts, titles, tiers = _columns(answer.sessions, 6)
            self._check_rows(parts, docs)
            _check_numbers(tiers, len(question.steps), "it has hits of a step that nobody asked for")
            _check_numbers(counts, parts_in_all + 1, COUNTS)
            _require(sum(counts) == count and 0 not in counts, COUNTS)
            _require(set(titles) <= {False, True}, "it does not say whether a title is a hit")
            _check_scores(scores, least)
            self._check_allowed(question.steps, zip(parts, docs, strict=True))
            sessions = self._own.sessions_of(list(parts))
            _require(len(set(sessions)) == len(sessions), "it has a session twice")
        elif question.wanted in ("hits", "scores"):
            _check_ascending(answer.parts, parts_in_all)
            _require(len(answer.parts) == count, "it does not have as many parts as hits")
            if question.wanted == "scores":
                _require(len(answer.scores) == count, "it does not have as many scores as hits")
                _check_scores(answer.scores, least)
            first_doc = self._own.part_first_doc
            self._check_allowed(question.steps, ((part, first_doc[part]) for part in answer.parts))
        else:
            self._check_hits(question, answer, least)

    def _check_hits(self, question: EvidenceQuestion, answer: EvidenceAnswer, least: float) -> None:
        parts, docs, scores, bases, tiers = _columns(answer.hits, 5)
        self._check_rows(parts, docs)
        _check_numbers(tiers, len(question.steps), "it has hits of a step that nobody asked for")
        _check_scores(scores, least)
        _check_scores(bases, least)
        if question.wanted == "top":
            most = min(question.count, answer.hit_count)
            _require(len(parts) == most, "it does not have as many rows as were asked for")
        else:
            most = question.count if question.wanted == "top_among" else answer.hit_count
            _require(len(parts) <= min(most, answer.hit_count), "it has more rows than were asked for")
            _require(all(_holds(question.parts, part) for part in parts), "it has a part that was not asked for")
        for tier in set(tiers):
            rows = (row[:2] for row in zip(parts, docs, tiers, strict=True) if row[2] == tier)
            self._check_allowed(question.steps[tier : tier + 1], rows)

    def _check_rows(self, parts: Sequence[int], docs: Sequence[int]) -> None:
        """Require parts of the shard, each once, and a document of each."""
        _check_numbers(parts, self._own.parts, A_PART)
        _check_numbers(docs, self._own.docs, A_PART)
        _require(len(set(parts)) == len(parts), "it has a part twice")
        first_doc = self._own.part_first_doc
        own = all(first_doc[part] <= doc < first_doc[part + 1] for part, doc in zip(parts, docs, strict=True))
        _require(own, "it has the document of another part")

    def _check_allowed(self, steps: Sequence[Step], rows: Iterable[Row]) -> None:
        """Require that one of the steps allows each row."""
        left: Iterable[Row] = rows
        for step in steps:
            left = self._not_allowed(step, left)
        _require(not any(True for _ in left), "it has a part that is not eligible")

    def _not_allowed(self, step: Step, rows: Iterable[Row]) -> list[Row]:
        """Return the rows that cannot be hits of a step."""
        if isinstance(step, AddParts):
            return [row for row in rows if not _holds(step.parts, row[0])]
        score = step.score if isinstance(step, AddHits) else step
        eligible, only, live = score.eligible, score.only, self._live
        if eligible is None and only is None and live is None:
            return []
        return [
            (part, doc)
            for part, doc in rows
            if (eligible is not None and not eligible[doc])
            or (only is not None and not only[part])
            or (live is not None and not live[part])
        ]

    def _check_scan(self, question: ScanQuestion, answer: ScanAnswer) -> None:
        _check_ascending(answer.parts, self._own.parts)
        _require(type(answer.complete) is bool, "it does not say whether it is complete")
        keep = self._live if question.keep is None else question.keep
        _require(keep is None or all(keep[part] for part in answer.parts), "it has a part that is not eligible")

    def _check_near(self, question: NearQuestion, answer: NearAnswer) -> None:
        views = self._own.views
        _require(len(answer.terms) == len(views), "it has terms of another number of segments")
        for view, own in zip(views, answer.terms, strict=True):
            terms, edits = _columns(own, 2)
            _check_numbers(terms, view.segment.terms, "it found a term that it does not have")
            _check_numbers(edits, question.bound + 1, "a term is not near")
            _require(0 not in edits and len(set(terms)) == len(terms), "it has a term twice, or the form itself")
            ordered = zip(edits, terms, strict=True)
            _require(all(one < next_one for one, next_one in pairwise(ordered)), "its terms are not in order")


def _require(condition: bool, why: str) -> None:
    if not condition:
        raise ValueError(why)


def _columns(rows: Sequence[Sequence[Any]], width: int) -> Sequence[Sequence[Any]]:
    """Return the columns of rows that have `width` values each."""
    _require(all(len(row) == width for row in rows), "a row is cut or too long")
    return tuple(zip(*rows, strict=True)) or ((),) * width


def _check_numbers(values: Sequence[Any], end: int, why: str) -> None:
    """Require integers from 0 to before `end`."""
    _require(set(map(type, values)) <= {int}, "a number is no integer")
    _require(not values or (min(values) >= 0 and max(values) < end), why)


def _check_ascending(values: Sequence[Any], end: int) -> None:
    """Require integers from 0 to before `end`, each above the one before it."""
    _check_numbers(values, end, A_PART)
    _require(all(one < next_one for one, next_one in pairwise(values)), "its parts are not in order")


def _check_scores(values: Sequence[Any], least: float) -> None:
    """Require numbers from `least` on that an f32 can have."""
    _require(set(map(type, values)) <= {float, int} and all(map(isfinite, values)), "a score is no number")
    _require(not values or (min(values) >= least and max(values) <= MAX_SCORE), "a score is out of range")


def _least_score(steps: Sequence[Step]) -> float:
    """Return the least score of a hit: 0, unless a weight of the caller's own is negative."""
    scored = (step.score if isinstance(step, AddHits) else step for step in steps)
    scorings = [step.scoring for step in scored if isinstance(step, Score)]
    weights = (weight for own in scorings for weight in (*own.neighbours, *own.session, own.echo))
    return 0.0 if all(weight >= 0 for weight in weights) else -MAX_SCORE


def _holds(ascending: Sequence[int], value: int) -> bool:
    at = bisect_left(ascending, value)
    return at < len(ascending) and ascending[at] == value
