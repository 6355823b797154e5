"""ShardReader: reads the segments of several shards as one index, and has each shard score and scan its own."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from copy import copy
from types import MappingProxyType

from recall_rank.index.reader.index_reader import IndexReader
from recall_rank.index.segment.segment import Segment
from recall_rank.index.shards.answer_check import AnswerCheck
from recall_rank.index.shards.asked_shards import AskedShards, AskShards, ShardSpan
from recall_rank.index.shards.questions import NearAnswer, NearQuestion, ScanAnswer, ScanQuestion
from recall_rank.index.shards.scoring import Marks


class ShardReader(IndexReader):
    """An IndexReader over the segments of all shards, in their order, in which reading a few rows is a local matter.

    What takes time that grows with the index is asked of the shards, through `asked`: evidence, scans of texts, and
    near terms. `absent` are shards that could not be opened, with the reason; they have no segments. Raises ValueError
    as IndexReader does.
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
        self.spans = tuple(_spans(names, map(IndexReader, segments, dead)))
        self._ask = ask
        self._absent = absent
        self.asked = AskedShards(self.spans, ask, absent)
        self.order  # noqa: B018 - computed once, for all searches

    def for_one_search(self) -> ShardReader:
        """Return a reader of the same segments for which every shard that was opened has answered so far."""
        reader = copy(self)
        reader.asked = AskedShards(self.spans, self._ask, self._absent)
        return reader

    @property
    def missing_views(self) -> frozenset[int]:
        """The numbers of the segments whose shards did not answer, or not completely."""
        spans = [self.spans[shard] for shard in self.asked.reasons]
        return frozenset(view for span in spans for view in range(span.first_view, span.last_view))

    @property
    def problems(self) -> dict[str, str]:
        """The reason for each shard that did not answer, or not completely, by its name."""
        return {self.spans[shard].name: reason for shard, reason in self.asked.reasons.items()}

    def mark_text(self, text: str, keep: bytearray | None, found: bytearray, deadline_ns: int) -> int:
        return self.scan(text, keep, found, deadline_ns)

    def scan(self, text: str, keep: Marks | None, found: bytearray, deadline_ns: int, *, regex: bool = False) -> int:
        """Mark in `found`, u8[parts], the parts among those that `keep` marks which hold a text or match a pattern.

        Returns the number of parts. What the shards that are missing hold is not marked.
        """
        answers = self.asked.ask(ScanAnswer, lambda span: ScanQuestion(text, regex, span.parts_of(keep)), deadline_ns)
        for shard, answer in answers.items():
            first = self.spans[shard].first_part
            for part in answer.parts:
                found[first + part] = 1
        return self.parts

    def near_terms(self, form: bytes, bound: int, deadline_ns: int) -> list[list[tuple[int, int]]]:
        """Return for each segment the (term, edits) of the terms at 1 to `bound` edits from a form."""
        found: list[list[tuple[int, int]]] = [[] for _ in self.views]
        answers = self.asked.ask(NearAnswer, lambda _: NearQuestion(form, bound), deadline_ns)
        for shard, answer in answers.items():
            for view, terms in enumerate(answer.terms, self.spans[shard].first_view):
                found[view] = [(term, edits) for term, edits in terms]
        return found


def _spans(names: Sequence[str], readers: Iterable[IndexReader]) -> Iterable[ShardSpan]:
    """Yield the span of each shard, of which one reader reads the segments."""
    view = part = doc = term = 0
    for name, own in zip(names, readers, strict=True):
        last = view + len(own.views)
        yield ShardSpan(name, view, last, part, own.parts, doc, own.docs, term, AnswerCheck(own))
        view, part, doc = last, part + own.parts, doc + own.docs
        term += sum(each.segment.terms for each in own.views)
