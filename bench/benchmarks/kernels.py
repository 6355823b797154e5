"""Is each kernel worth having: how many times faster is it than the slow version that gives equal answers?"""

from __future__ import annotations

import importlib
import random
import time
from array import array
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rapidfuzz.distance import OSA

from bench.datasets import generate
from bench.datasets.answer_cases import answer_rows
from bench.datasets.column_cases import column_rows
from bench.datasets.documents import documents
from bench.datasets.literal_cases import run_rows
from bench.datasets.vocabulary import misspell, words
from bench.reporting.report import Report, Table
from recall_rank._core.index import builder, gather, packing, postings, vocabulary
from recall_rank._core.search import spellings
from recall_rank._core.text import edit_distance, secret_prefilter
from recall_rank._core.text import substring_scan as scan
from recall_rank._core.text import tokens as tokeniser
from recall_rank.analysis.normalize import fold
from recall_rank.index.segment.build import PASSAGE_BYTES
from recall_rank.model import Message, Part

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator

ENOUGH = 3.0  # times faster, or the kernel is not worth its build
LEAST_SECONDS = 0.05  # a timing shorter than this is repeated


@dataclass(frozen=True, slots=True)
class Case:
    """One kernel on one input; both callables give the same value. `amount` of `unit` is done by one call."""

    kernel: str
    native: Callable[[], Any]
    plain: Callable[[], Any]
    amount: int
    unit: str


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--parts", type=int, default=2_000, help="parts of generated text (default %(default)s)")
    parser.add_argument("--seed", type=int, default=1)


def run(options: argparse.Namespace) -> Report:
    report = Report("kernels", __doc__ or "", f"generated, {options.parts:,} parts, seed {options.seed}")
    texts = [document.text.encode() for document in documents(generate.sessions(options.parts, options.seed))]
    rows = []
    for case in cases(texts):
        report.check(f"{case.kernel} equals the plain version", case.native() == case.plain())
        native, plain = _seconds(case.native), _seconds(case.plain)
        rows.append(
            [
                case.kernel,
                f"{case.amount:,} {case.unit}",
                _rate(case, native),
                _rate(case, plain),
                f"{plain / native:.1f}",
            ]
        )
        report.add(f"{case.kernel}/times faster", plain / native, "times", "higher", 0.4)
        report.check(
            f"{case.kernel} at least {ENOUGH:g} times faster", plain >= ENOUGH * native, f"{plain / native:.1f}"
        )
    report.tables.append(Table("CPU", ["kernel", "input", "native", "plain", "times faster"], rows))
    return report


def _seconds(call: Callable[[], object]) -> float:
    """CPU seconds of one call, the best of three."""
    best = float("inf")
    for _ in range(3):
        calls, before = 0, time.process_time()
        while (spent := time.process_time() - before) < LEAST_SECONDS:
            call()
            calls += 1
        best = min(best, spent / calls)
    return best


def _rate(case: Case, seconds: float) -> str:
    return f"{case.amount / seconds / 1e6:,.2f} M{case.unit}/s"


def cases(texts: list[bytes]) -> Iterator[Case]:
    """Every kernel that can be asked by itself."""
    chance = random.Random(5)
    pairs = [(word, misspell(misspell(word, chance), chance)) for word in chance.sample(words()[2000:], 400)]
    yield Case(
        "edit_distance.osa_distance",
        lambda: [edit_distance.osa_distance(one, other, 2) for one, other in pairs],
        lambda: [within(one, other, 2) for one, other in pairs],
        len(pairs),
        "pairs",
    )
    columns = _built(texts)
    known = vocabulary.Vocabulary(*_vocabulary_buffers(columns))
    forms = [known.form(number).decode() for number in range(len(known))]
    asked = [misspell(word, chance) for word in chance.sample(words()[2000:], 4)]
    yield Case(
        "vocabulary.Vocabulary.within",
        lambda: [[number for number, _ in known.within(word.encode(), 1)] for word in asked],
        lambda: [nearest(word, forms, 1) for word in asked],
        len(asked) * len(forms),
        "terms",
    )
    words_asked = [form.encode() for form in chance.sample(forms, 1000)]
    yield Case(
        "spellings.as_one",
        lambda: [row[:3] for row in spellings.as_one(known, words_asked, 5, bytes(1000))],
        lambda: [
            (first, last, b"".join(words_asked[first : last + 1]))
            for first in range(1000)
            for last in range(first + 1, min(first + 5, 1000))
            if known.find(b"".join(words_asked[first : last + 1])) >= 0
        ],
        len(words_asked),
        "words",
    )
    lists = postings.Postings(*columns["postings"])
    commonest = sorted(range(len(known)), key=lambda number: -lists.frequency(number, number + 1))[:50]
    few = [len(texts) // 10, len(texts) // 2], [len(texts) // 10 + 40, len(texts) // 2 + 40]  # two sessions
    starts, ends = (memoryview(array("I", places)) for places in few)
    yield Case(
        "postings.frequency_in",
        lambda: sum(lists.frequency_in(number, number + 1, starts, ends) for number in commonest),
        lambda: sum(counted_in(lists.postings(number), *few) for number in commonest),
        sum(lists.frequency(number, number + 1) for number in commonest),
        "postings",
    )
    if plain_packed := reference("index.packing.packed"):
        held = {number: lists.postings(number) for number in commonest}
        keys = array("Q", [number << 24 | doc << 8 | count for number in sorted(held) for doc, count in held[number]])
        yield Case(
            "packing.PostingsWriter",
            lambda: packed(keys, len(known)),
            lambda: plain_packed(len(known), [held]),
            len(keys),
            "postings",
        )
    for row in (*column_rows(texts, reference), *run_rows(texts, known, reference), *answer_rows(reference)):
        yield Case(*row)
    text = b"\n".join(texts)
    yield Case(
        "scan.find",
        lambda: scan.find(text, b"no such thing anywhere"),
        lambda: text.lower().find(b"no such thing anywhere"),
        len(text),
        "bytes",
    )
    if plain_prefilter := reference("text.secret_prefilter.SecretPrefilter"):
        begun = ["sk-ant-", "ghp_", "xoxb-", "hooks.slack.com/services/", "AKIA", "eyJ"]
        fast, slow = secret_prefilter.SecretPrefilter(begun), plain_prefilter(begun)
        shown = [one.decode("utf-8", "replace")[:1_000] for one in texts[:400]]
        yield Case(
            "secret_prefilter.SecretPrefilter.scan",
            lambda: [fast.scan(one, 0, len(one)) for one in shown],
            lambda: [slow.scan(one, 0, len(one)) for one in shown],
            sum(map(len, shown)),
            "characters",
        )
    if plain_tokens := reference("text.tokens.tokens"):  # the slow tokeniser the tests keep
        some = texts[:400]
        yield Case(
            "tokens.tokens",
            lambda: [tokeniser.tokens(one) for one in some],
            lambda: [plain_tokens(one) for one in some],
            sum(map(len, some)),
            "bytes",
        )
        yield Case(
            "builder.SegmentBuilder",
            lambda: frequencies(_built(some)),
            lambda: counted(some, plain_tokens),
            sum(map(len, some)),
            "bytes",
        )
        yield Case(
            "gather.Gatherer",
            lambda: _gathered(gather.Gatherer, builder.SegmentBuilder, some),
            lambda: _gathered(reference("index.gather.Gatherer"), reference("index.builder.SegmentBuilder"), some),
            sum(map(len, some)),
            "bytes",
        )


def within(one: str, other: str, bound: int) -> int:
    """Optimal string alignment distance by the whole table, cut at bound + 1."""
    rows = [list(range(len(other) + 1))]
    for i, letter in enumerate(one, 1):
        row = [i]
        for j, opposite in enumerate(other, 1):
            cost = min(rows[-1][j] + 1, row[-1] + 1, rows[-1][j - 1] + (letter != opposite))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == opposite:
                cost = min(cost, rows[-2][j - 2] + 1)
            row.append(cost)
        rows.append(row)
    return min(rows[-1][-1], bound + 1)


def nearest(word: str, forms: list[str], bound: int) -> list[int]:
    """Numbers of the forms at 1 to `bound` edits of the word, by looking at every one of about its length."""
    close = [
        (number, form) for number, form in enumerate(forms) if abs(len(form) - len(word)) <= bound and form[0] >= " "
    ]
    edits = [(OSA.distance(word, form, score_cutoff=bound), number) for number, form in close]
    found = [pair for pair in edits if 0 < pair[0] <= bound]
    return [number for _, number in sorted(found)]


def packed(keys: array[int], terms: int) -> tuple[memoryview, ...]:
    """The columns of a block of postings."""
    writer = packing.PostingsWriter(terms)
    writer.add(keys)
    return writer.finish()


def counted_in(held: list[tuple[int, int]], starts: list[int], ends: list[int]) -> int:
    """The number of a term's postings whose documents lie in the ranges."""
    bounds = list(zip(starts, ends, strict=True))
    return sum(low <= doc < high for doc, _ in held for low, high in bounds)


def counted(texts: list[bytes], tokens: Callable[[bytes], Any]) -> dict[str, int]:
    """How many texts hold each term, with a dictionary."""
    frequency: Counter[str] = Counter()
    for text in texts:
        frequency.update({token[0] for token in tokens(text)})
    return dict(frequency)


def reference(path: str) -> Callable[..., Any] | None:
    """The slow version of a function, by its path in tests.reference; None where the tests are not installed."""
    module, _, name = path.rpartition(".")
    try:
        return getattr(importlib.import_module(f"tests.reference.{module}"), name, None)
    except ImportError:
        return None


def _built(texts: list[bytes]) -> dict[str, Any]:
    made = builder.SegmentBuilder()
    for text in texts:
        made.add(text, 0, len(text))
    return dict(made.finish())


def _gathered(kind: Any, terms: Any, texts: list[bytes]) -> list[Any]:
    """The columns of a session in which each text is a message."""
    documents = terms()
    made = kind(documents, {}, bool, lambda *_: 0, bool, lambda *_: 0, fold, PASSAGE_BYTES)
    made.title("s", None, None, 0, 0, 0, 0, False)
    made.messages([Message("m", "user", parts=[Part("p", "text", text.decode())]) for text in texts], 0, False)
    return [made.finish(), made.text, documents.finish()]


def _vocabulary_buffers(columns: dict[str, Any]) -> tuple[memoryview, ...]:
    numbers = [memoryview(columns[name]).cast("B").cast("I") for name in ("offsets", "starts", "signatures")]
    return (memoryview(columns["arena"]).cast("B"), *numbers)


def frequencies(columns: dict[str, Any]) -> dict[str, int]:
    """Document frequencies by form, out of a builder's columns."""
    known = vocabulary.Vocabulary(*_vocabulary_buffers(columns))
    lists = postings.Postings(*columns["postings"])
    return {known.form(number).decode(): lists.frequency(number, number + 1) for number in range(len(known))}
