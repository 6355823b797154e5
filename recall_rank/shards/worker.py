"""The work of one shard: it scores and scans the segments that it has, and answers questions about them."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from threading import Lock
from time import monotonic_ns
from typing import Final

from recall_rank._core.index.vocabulary import within_each
from recall_rank._core.search.column_filters import marked_indices
from recall_rank._core.search.evidence import Evidence
from recall_rank._core.search.hits import Hits
from recall_rank.index.reader.index_reader import IndexReader
from recall_rank.index.shards.questions import (
    AddHits,
    Answer,
    EvidenceAnswer,
    EvidenceQuestion,
    HitRow,
    NearAnswer,
    Question,
    ScanAnswer,
    ScanQuestion,
    Score,
    ShardReply,
    ShardRequest,
    Step,
)
from recall_rank.search.retrieval.literal import mark_pattern
from recall_rank.search.retrieval.prefilter import evidence_of
from recall_rank.shards.kept_evidence import KeptEvidence, ReadEvidence
from recall_rank.shards.wire import from_bytes, to_bytes

HIT_BYTES: Final = 28  # of an evidence, for each hit: 8 of its document's score and 20 of its row
CHANGED: Final = "its index is in another state than the one that was asked"
NO_REQUEST: Final = ShardReply("", None, "the question is no request")

Reload = Callable[[], tuple[str, IndexReader]]


class ShardWorker:
    """Answers questions about the segments of one shard. Thread-safe.

    `load` returns the name of the state, called generation, of the shard's index, and a reader of it. It is called at
    first, and again for a question about another generation.
    """

    def __init__(self, load: Reload) -> None:
        self._load = load
        self._lock = Lock()
        self._state = load()
        self._kept = KeptEvidence()

    def answer(self, request: ShardRequest) -> ShardReply:
        """Return the answer to a request; an error becomes the problem of the reply."""
        deadline_ns = monotonic_ns() + request.budget_ns if request.budget_ns else 0
        try:
            self._kept.drop(request.done)
            generation, reader = self._state_of(request.generation)
            if generation != request.generation:
                return ShardReply(generation, None, CHANGED)
            return ShardReply(generation, self._answer(reader, request.question, deadline_ns))
        except Exception as error:  # noqa: BLE001 - whatever it is, the caller's search goes on without this shard
            return ShardReply(request.generation, None, f"{type(error).__name__}: {error}")

    def answer_bytes(self, data: bytes) -> bytes:
        """Return the reply to the request in `data`, both as bytes of recall_rank.shards.wire; never raises."""
        try:
            request = from_bytes(data)
            reply = self.answer(request) if isinstance(request, ShardRequest) else NO_REQUEST
        except Exception as error:  # noqa: BLE001 - the caller is told; the next question may be a better one
            reply = ShardReply("", None, f"{type(error).__name__}: {error}")
        return to_bytes(reply)

    def _state_of(self, generation: str) -> tuple[str, IndexReader]:
        with self._lock:
            if self._state[0] != generation:
                self._state = self._load()
                self._kept.clear()
            return self._state

    def _answer(self, reader: IndexReader, question: Question, deadline_ns: int) -> Answer:
        if isinstance(question, EvidenceQuestion):
            return self._evidence(reader, question, deadline_ns)
        if isinstance(question, ScanQuestion):
            return scan(reader, question, deadline_ns)
        vocabularies = [view.segment.vocabulary for view in reader.views]
        return NearAnswer(within_each(vocabularies, question.form, question.bound, deadline_ns=deadline_ns))

    def _evidence(self, reader: IndexReader, question: EvidenceQuestion, deadline_ns: int) -> EvidenceAnswer:
        kept = self._kept.take(question.key)
        evidence, done, complete = (None, 0, True) if kept is None else kept[:3]
        for step in question.steps[done:]:
            evidence, whole = _advance(reader, evidence, step, deadline_ns)
            complete = complete and whole
        if evidence is None:
            raise ValueError("an evidence begins with a step")
        answer = _wanted(reader, evidence, question, complete=complete)
        marks = sum(len(s.eligible or b"") + len(s.only or b"") for s in question.steps if isinstance(s, Score))
        size = HIT_BYTES * answer.hit_count + marks
        self._kept.put(question.key, ReadEvidence(evidence, len(question.steps), complete, size))
        return answer


def scan(reader: IndexReader, question: ScanQuestion, deadline_ns: int) -> ScanAnswer:
    """Return the parts that hold the text, or match the pattern, of a question."""
    found = bytearray(reader.parts)
    keep = None if question.keep is None else bytearray(question.keep)

    def late(ahead_ns: int) -> bool:
        return bool(deadline_ns) and monotonic_ns() + ahead_ns >= deadline_ns

    if question.regex:
        reached = mark_pattern(reader, question.text, keep, found, late)
    else:
        reached = reader.mark_text(question.text, keep, found, deadline_ns)
    return ScanAnswer(_marked(found), reached == reader.parts)


def _advance(reader: IndexReader, evidence: Evidence | None, step: Step, deadline_ns: int) -> tuple[Evidence, bool]:
    """Return the evidence after a step, and whether the step read every document in time."""
    if isinstance(step, Score):
        return _scored(reader, step, deadline_ns)
    if evidence is None:
        raise ValueError("the first step of an evidence scores documents")
    if isinstance(step, AddHits):
        other, whole = _scored(reader, step.score, deadline_ns)
        evidence.extend(other, step.share)
        return evidence, whole
    marks = bytearray(reader.parts)
    for part in step.parts:
        marks[part] = 1
    evidence.extend_marked(marks)
    return evidence, True


def _scored(reader: IndexReader, step: Score, deadline_ns: int) -> tuple[Evidence, bool]:
    evidence = evidence_of(reader, step.scoring, step.eligible, step.only, deadline_ns, step.first_term)
    return evidence, evidence.docs_done == reader.docs


def _wanted(reader: IndexReader, evidence: Evidence, question: EvidenceQuestion, *, complete: bool) -> EvidenceAnswer:
    """Return what a question wants of an evidence."""
    count = evidence.hit_count
    if question.wanted == "top":
        return EvidenceAnswer(count, complete, hits=_rows(evidence.top(question.count)))
    if question.wanted in ("among", "top_among"):
        marks = bytearray(reader.parts)
        for part in question.parts:
            marks[part] = 1
        found = evidence.among(marks) if question.wanted == "among" else evidence.top_among(question.count, marks)
        return EvidenceAnswer(count, complete, hits=_rows(found))
    if question.wanted == "sessions":
        rows = [(row.part, row.doc, row.score, row.hits, row.title, row.tier) for row in evidence.sessions()]
        return EvidenceAnswer(count, complete, sessions=rows)
    marks = bytearray(reader.parts)
    evidence.mark_hits(marks)
    parts = _marked(marks)
    if question.wanted == "hits":
        return EvidenceAnswer(count, complete, parts=parts)
    scores = array("f", bytes(4 * reader.parts))
    evidence.write_scores(scores)
    return EvidenceAnswer(count, complete, parts=parts, scores=[scores[part] for part in parts])


def _rows(hits: Hits) -> list[HitRow]:
    return [(hit.part, hit.doc, hit.score, hit.base, hit.tier) for hit in hits]


def _marked(marks: bytearray) -> Sequence[int]:
    return array("I", marked_indices(marks))
