"""ShardReader: reads the segments of several shards as one index, and has each shard score and scan its own."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from time import monotonic_ns
from types import MappingProxyType
from typing import Final, Protocol, TypeVar

from recall_rank.index.reader.index_reader import IndexReader
from recall_rank.index.segment.segment import Segment
from recall_rank.index.shards.questions import Answer, NearAnswer, NearQuestion, Question, ScanAnswer, ScanQuestion
from recall_rank.index.shards.scoring import Marks
from recall_rank.model.record_classes import frozen

PATIENCE: Final = 0.5  # share of the time left that the shards are waited for: what they found is yet to be ranked
INCOMPLETE: Final = "it ran out of time"

AnAnswer = TypeVar("AnAnswer", bound=Answer)


class AskShards(Protocol):
    """Asks shards by number, at the same time, and waits at most `wait_ns` nanoseconds; 0 is as long as it takes.

    Returns for each shard its answer, or the reason why there is none.
    """

    def __call__(self, questions: Mapping[int, Question], wait_ns: int) -> Mapping[int, Answer | str]: ...


@frozen
class ShardSpan:
    """The rows of one shard among those of all: its first segment, and the ranges of its parts, documents and terms."""

    name: str
    first_view: int
    last_view: int
    first_part: int
    parts: int
    first_doc: int
    docs: int
    first_term: int

    def parts_of(self, marks: Marks | None) -> bytes | None:
        """Return the shard's own marks of `marks`, u8[parts of all shards]."""
        return None if marks is None else bytes(marks[self.first_part : self.first_part + self.parts])

    def docs_of(self, marks: Marks | None) -> bytes | None:
        """Return the shard's own marks of `marks`, u8[docs of all shards]."""
        return None if marks is None else bytes(marks[self.first_doc : self.first_doc + self.docs])


class ShardReader(IndexReader):
    """An IndexReader over the segments of all shards, in their order, in which reading a few rows is a local matter.

    What takes time that grows with the index is asked of the shards: evidence, scans of texts, and near terms.
    `missing` maps the number of each shard that did not answer during this search to the reason; it is not asked again.
    `incomplete` are the numbers of those that answered with what they had read when their time was over.
    `evidence_keys` are the keys of the evidences that were asked for. `absent` are shards that could not be opened,
    with the reason; they have no segments. Raises ValueError as IndexReader does.
    """

    sharded = True

    def __init__(
        self,
        names: Sequence[str],
        segments: Sequence[Sequence[Segment]],
        dead: Sequence[Sequence[Collection[int]]],
        ask: AskShards,
        absent: Mapping[int, str] = MappingProxyType({}),
    ) -> None:
        super().__init__([one for own in segments for one in own], [one for own in dead for one in own])
        self._ask = ask
        self._absent = absent
        self.missing: dict[int, str] = dict(absent)
        self.incomplete: set[int] = set()
        self.evidence_keys: set[str] = set()
        self.spans: tuple[ShardSpan, ...] = tuple(self._spans(names, [len(own) for own in segments]))
        self.order  # noqa: B018 - computed once, for all searches

    def _spans(self, names: Sequence[str], counts: Sequence[int]) -> list[ShardSpan]:
        found = []
        view = part = doc = term = 0
        for name, count in zip(names, counts, strict=True):
            own = [each.segment for each in self.views[view : view + count]]
            parts, docs = sum(each.parts for each in own), sum(each.docs for each in own)
            found.append(ShardSpan(name, view, view + count, part, parts, doc, docs, term))
            view, part, doc, term = view + count, part + parts, doc + docs, term + sum(each.terms for each in own)
        return found

    def for_one_search(self) -> ShardReader:
        """Return a reader of the same segments for which every shard that was opened has answered so far."""
        reader = object.__new__(type(self))
        reader.__dict__.update(self.__dict__)
        reader.missing, reader.incomplete = dict(self._absent), set()
        reader.evidence_keys = set()
        return reader

    @property
    def missing_views(self) -> frozenset[int]:
        """The numbers of the segments whose shards did not answer, or not completely."""
        spans = (self.spans[shard] for shard in self.missing.keys() | self.incomplete)
        return frozenset(view for span in spans for view in range(span.first_view, span.last_view))

    @property
    def problems(self) -> dict[str, str]:
        """The reason for each shard that did not answer, or not completely, by its name."""
        reasons = dict.fromkeys(self.incomplete, INCOMPLETE) | self.missing
        return {self.spans[shard].name: reasons[shard] for shard in sorted(reasons)}

    def ask(
        self, kind: type[AnAnswer], question: Callable[[ShardSpan], Question], deadline_ns: int
    ) -> dict[int, AnAnswer]:
        """Ask every shard that is not missing; return the answers by the numbers of the shards.

        `question` makes the question to a shard. A shard whose answer is no `kind`, or comes too late, is missing from
        then on. `deadline_ns` is a time.monotonic_ns(), 0 for none.
        """
        questions = {shard: question(span) for shard, span in enumerate(self.spans) if shard not in self.missing}
        wait_ns = max(1, int((deadline_ns - monotonic_ns()) * PATIENCE)) if deadline_ns else 0
        found: dict[int, AnAnswer] = {}
        for shard, answer in self._ask(questions, wait_ns).items():
            if isinstance(answer, kind):
                found[shard] = answer
            else:
                self.missing[shard] = answer if isinstance(answer, str) else f"it answered with {answer!r:.80}"
        return found

    def mark_text(self, text: str, keep: bytearray | None, found: bytearray, deadline_ns: int) -> int:
        return self.scan(text, keep, found, deadline_ns)

    def scan(self, text: str, keep: Marks | None, found: bytearray, deadline_ns: int, *, regex: bool = False) -> int:
        """Mark in `found`, u8[parts], the parts among those that `keep` marks which hold a text or match a pattern.

        Returns the number of parts. What the shards that are missing hold is not marked.
        """

        def question(span: ShardSpan) -> Question:
            return ScanQuestion(text, regex, span.parts_of(keep))

        for shard, answer in self.ask(ScanAnswer, question, deadline_ns).items():
            span = self.spans[shard]
            if not all(0 <= part < span.parts for part in answer.parts):
                self.missing[shard] = "it found a part that it does not have"
                continue
            for part in answer.parts:
                found[span.first_part + part] = 1
            if not answer.complete:
                self.incomplete.add(shard)
        return self.parts

    def near_terms(self, form: bytes, bound: int, deadline_ns: int) -> list[list[tuple[int, int]]]:
        """Return for each segment the (term, edits) of the terms at 1 to `bound` edits from a form."""
        found: list[list[tuple[int, int]]] = [[] for _ in self.views]
        answers = self.ask(NearAnswer, lambda _: NearQuestion(form, bound), deadline_ns)
        for shard, answer in answers.items():
            span = self.spans[shard]
            views = range(span.first_view, span.last_view)
            known = [self.views[view].segment.terms for view in views]
            if len(answer.terms) != len(known) or not all(
                0 <= term < count for terms, count in zip(answer.terms, known, strict=True) for term, _ in terms
            ):
                self.missing[shard] = "it found a term that it does not have"
                continue
            for view, terms in zip(views, answer.terms, strict=True):
                found[view] = [(term, edits) for term, edits in terms]
        return found
