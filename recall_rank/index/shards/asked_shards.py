"""AskedShards: the shards of an index as one search asks them, and what it did not get of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from time import monotonic_ns
from typing import Final, Protocol, TypeVar

from recall_rank.index.shards.answer_check import AnswerCheck
from recall_rank.index.shards.questions import Answer, EvidenceAnswer, NearAnswer, Question, ScanAnswer
from recall_rank.index.shards.scoring import Marks
from recall_rank.model.record_classes import frozen

PATIENCE: Final = 0.5  # share of the time left that the shards are waited for: what they found is yet to be ranked
INCOMPLETE: Final = "it ran out of time"

AnAnswer = TypeVar("AnAnswer", EvidenceAnswer, NearAnswer, ScanAnswer)


class AskShards(Protocol):
    """Asks shards by number, at the same time, and waits at most `wait_ns` nanoseconds; 0 is as long as it takes.

    Returns for each shard its answer, which is not checked yet, or the reason why there is none.
    """

    def __call__(self, questions: Mapping[int, Question], wait_ns: int) -> Mapping[int, Answer | str]: ...


@frozen
class ShardSpan:
    """The rows of one shard among those of all: its segments, and the ranges of its parts, documents and terms.

    `check` is that of its answers.
    """

    name: str
    first_view: int
    last_view: int
    first_part: int
    parts: int
    first_doc: int
    docs: int
    first_term: int
    check: AnswerCheck

    def parts_of(self, marks: Marks | None) -> bytes | None:
        """Return the shard's own marks of `marks`, u8[parts of all shards]."""
        return None if marks is None else bytes(marks[self.first_part : self.first_part + self.parts])

    def docs_of(self, marks: Marks | None) -> bytes | None:
        """Return the shard's own marks of `marks`, u8[docs of all shards]."""
        return None if marks is None else bytes(marks[self.first_doc : self.first_doc + self.docs])


class AskedShards:
    """The shards of an index during one search, which one thread runs.

    `missing` maps the number of each shard that did not answer to the reason; it is not asked again. `incomplete` are
    the numbers of those that answered with what they had read when their time was over. `evidence_keys` are the keys of
    the evidences that were asked for.
    """

    def __init__(self, spans: Sequence[ShardSpan], ask: AskShards, absent: Mapping[int, str]) -> None:
        self._spans = spans
        self._ask = ask
        self.missing = dict(absent)
        self.incomplete: set[int] = set()
        self.evidence_keys: set[str] = set()

    def ask(
        self, kind: type[AnAnswer], question: Callable[[ShardSpan], Question], deadline_ns: int
    ) -> dict[int, AnAnswer]:
        """Ask every shard that is not missing; return the answers, of the class `kind`, by the numbers of the shards.

        `question` makes the question to a shard. A shard whose answer is wrong, or comes too late, is missing from then
        on, and nothing of the answer is returned. `deadline_ns` is a time.monotonic_ns(), 0 for none.
        """
        questions = {shard: question(span) for shard, span in enumerate(self._spans) if shard not in self.missing}
        wait_ns = max(1, int((deadline_ns - monotonic_ns()) * PATIENCE)) if deadline_ns else 0
        found: dict[int, AnAnswer] = {}
        for shard, answer in self._ask(questions, wait_ns).items():
            if not isinstance(answer, kind):
                self.missing[shard] = answer if isinstance(answer, str) else f"it answered with {answer!r:.80}"
            elif problem := self._spans[shard].check.problem(questions[shard], answer):
                self.missing[shard] = problem
            else:
                found[shard] = answer
                if not isinstance(answer, NearAnswer) and not answer.complete:
                    self.incomplete.add(shard)
        return found

    @property
    def reasons(self) -> dict[int, str]:
        """The reason for each shard that did not answer, or not completely, by its number, ascending."""
        reasons = dict.fromkeys(self.incomplete, INCOMPLETE) | self.missing
        return {shard: reasons[shard] for shard in sorted(reasons)}
