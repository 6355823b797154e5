"""Inputs on which each kernel is timed beside its slow version in tests/reference."""

from __future__ import annotations

import importlib
import random
from array import array
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from itertools import accumulate
from typing import Any

from rapidfuzz.distance import OSA

from bench.datasets.vocabulary import misspell, words
from recall_rank._core.index import (
    builder,
    derived_columns,
    gather,
    id_codec,
    packed_columns,
    packing,
    postings,
    text_blocks,
    vocabulary,
)
from recall_rank._core.rank import rerank
from recall_rank._core.rank.candidate import Candidate
from recall_rank._core.rank.features import FEATURE_NAMES
from recall_rank._core.runtime import record_factory
from recall_rank._core.search import literal_candidates, spellings
from recall_rank._core.text import edit_distance, secret_prefilter, substring_scan, token_coverage, tokens
from recall_rank.analysis.normalize import fold
from recall_rank.index.segment.build import PASSAGE_BYTES
from recall_rank.index.segment.columns import TEXT_BLOCK
from recall_rank.model import Message, Part, Result
from recall_rank.search.ranking.rerank import BoostWorth

FEW_TEXTS = 400  # texts for kernels whose slow versions are very slow
WORTH = BoostWorth(0.125, 0.125, 0.5, 0.5, 1.5, 0.25, 0.125, missing=0.5, scattered=0.25, repeated=0.5)
LONG_PART = 64  # bytes from which a part is long
MEASURES = [FEATURE_NAMES.index(name) for name in ("coverage", "window", "phrase", "near", "matched", "words", "cues")]


@dataclass(frozen=True, slots=True)
class Case:
    """One kernel on one input. Both callables return equal values; one call works on `amount` of `unit`."""

    kernel: str
    native: Callable[[], Any]
    slow: Callable[[], Any]
    amount: int
    unit: str


def cases(texts: list[bytes]) -> Iterator[Case]:
    """Yield a case of every kernel that can be called by itself."""
    columns = _built(texts)
    known = vocabulary.Vocabulary(*_vocabulary_buffers(columns))
    chance = random.Random(5)
    yield from _word_cases(known, chance)
    yield from _posting_cases(columns, len(texts), known)
    yield from _column_cases(texts)
    yield from _text_cases(texts, known)
    yield from _builder_cases(texts[:FEW_TEXTS])
    yield _rerank_case()
    yield _record_factory_case()


def reference(path: str) -> Callable[..., Any]:
    """Return the slow version of a function or class, by its path below tests.reference."""
    module, _, name = path.rpartition(".")
    found: Callable[..., Any] = getattr(importlib.import_module(f"tests.reference.{module}"), name)
    return found


# --- words and their edits --------------------------------------------------------------------------------------------


def _word_cases(known: vocabulary.Vocabulary, chance: random.Random) -> Iterator[Case]:
    pairs = [(word, misspell(misspell(word, chance), chance)) for word in chance.sample(words()[2000:], 400)]
    yield Case(
        "edit_distance.osa_distance",
        lambda: [edit_distance.osa_distance(one, other, 2) for one, other in pairs],
        lambda: [osa_distance(one, other, 2) for one, other in pairs],
        len(pairs),
        "pairs",
    )
    forms = [known.form(number).decode() for number in range(len(known))]
    misspelt = [misspell(word, chance) for word in chance.sample(words()[2000:], 4)]
    yield Case(
        "vocabulary.Vocabulary.within",
        lambda: [[number for number, _ in known.within(word.encode(), 1)] for word in misspelt],
        lambda: [forms_within(word, forms, 1) for word in misspelt],
        len(misspelt) * len(forms),
        "terms",
    )
    asked = [form.encode() for form in chance.sample(forms, 1000)]
    yield Case(
        "spellings.joined_words",
        lambda: [row[:3] for row in spellings.joined_words(known, asked, 5, bytes(1000))],
        lambda: [
            (first, last, b"".join(asked[first : last + 1]))
            for first in range(1000)
            for last in range(first + 1, min(first + 5, 1000))
            if known.find(b"".join(asked[first : last + 1])) >= 0
        ],
        len(asked),
        "words",
    )


def osa_distance(one: str, other: str, bound: int) -> int:
    """Return the optimal string alignment distance by the full table, at most bound + 1."""
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


def forms_within(word: str, forms: list[str], bound: int) -> list[int]:
    """Return the numbers of the forms at 1 to `bound` edits of the word, by distance, comparing every form."""
    close = [
        (number, form) for number, form in enumerate(forms) if abs(len(form) - len(word)) <= bound and form[0] >= " "
    ]
    edits = [(OSA.distance(word, form, score_cutoff=bound), number) for number, form in close]
    found = [pair for pair in edits if 0 < pair[0] <= bound]
    return [number for _, number in sorted(found)]


# --- postings ---------------------------------------------------------------------------------------------------------


def _posting_cases(columns: dict[str, Any], docs: int, known: vocabulary.Vocabulary) -> Iterator[Case]:
    lists = postings.Postings(*columns["postings"])
    commonest = sorted(range(len(known)), key=lambda number: -lists.frequency(number, number + 1))[:50]
    first_docs = [docs // 10, docs // 2]  # of two sessions with 40 documents each
    end_docs = [doc + 40 for doc in first_docs]
    starts, ends = memoryview(array("I", first_docs)), memoryview(array("I", end_docs))
    yield Case(
        "postings.Postings.frequency_in",
        lambda: sum(lists.frequency_in(number, number + 1, starts, ends) for number in commonest),
        lambda: sum(postings_in(lists.postings(number), first_docs, end_docs) for number in commonest),
        sum(lists.frequency(number, number + 1) for number in commonest),
        "postings",
    )
    by_term = {number: lists.postings(number) for number in commonest}
    keys = array("Q", [number << 24 | doc << 8 | tf for number in sorted(by_term) for doc, tf in by_term[number]])
    slow = reference("index.packing.packed")
    yield Case(
        "packing.PostingsWriter",
        lambda: _packed(keys, len(known)),
        lambda: slow(len(known), [by_term]),
        len(keys),
        "postings",
    )


def postings_in(rows: list[tuple[int, int]], starts: list[int], ends: list[int]) -> int:
    """Return the number of postings (document, frequency) whose document is in one of the ranges [start, end)."""
    bounds = list(zip(starts, ends, strict=True))
    return sum(low <= doc < high for doc, _ in rows for low, high in bounds)


def _packed(keys: array[int], terms: int) -> tuple[memoryview, ...]:
    writer = packing.PostingsWriter(terms)
    writer.add(keys)
    return writer.finish()


# --- columns on disk --------------------------------------------------------------------------------------------------


def _packed_text_cases(text: bytes) -> Iterator[Case]:
    slow_pack, slow_unpack = reference("index.text_blocks.pack_blocks"), reference("index.text_blocks.unpack_blocks")
    dictionary, slowly = text[:4_096], bytearray(len(text))
    packed, starts = text_blocks.pack_blocks(text, dictionary, TEXT_BLOCK)
    blocks, quickly = array("I", range(len(starts) - 1)), bytearray(len(text))

    def unpacked(unpack: Callable[..., Any], data: bytes | bytearray, to: bytearray) -> bytearray:
        unpack(data, starts, dictionary, blocks, to, TEXT_BLOCK)
        return to

    yield Case(
        "text_blocks.pack_blocks",
        lambda: text_blocks.pack_blocks(text, dictionary, TEXT_BLOCK)[0],
        lambda: slow_pack(text, dictionary, TEXT_BLOCK)[0],
        len(text),
        "bytes",
    )
    yield Case(
        "text_blocks.unpack_blocks",
        lambda: unpacked(text_blocks.unpack_blocks, packed, quickly),
        lambda: unpacked(slow_unpack, bytes(packed), slowly),
        len(text),
        "bytes",
    )


def _column_cases(texts: list[bytes]) -> Iterator[Case]:
    slow_pack, slow_unpack = reference("index.packed_columns.pack"), reference("index.packed_columns.unpack")
    starts = array("Q", accumulate(map(len, texts), initial=0))
    written = packed_columns.pack(starts)
    yield Case(
        "packed_columns.unpack",
        lambda: packed_columns.unpack(written, len(starts), "Q").tolist(),
        lambda: slow_unpack(bytes(written), len(starts), "Q").tolist(),
        len(starts),
        "numbers",
    )
    yield Case(
        "packed_columns.pack",
        lambda: packed_columns.pack(starts),
        lambda: slow_pack(starts),
        len(starts),
        "numbers",
    )
    yield from _packed_text_cases(b"\n".join(texts[:FEW_TEXTS])[:200_000])
    slow_owners = reference("index.derived_columns.owners")
    firsts = array("I", range(0, 2 * len(texts) + 1, 2))
    yield Case(
        "derived_columns.owners",
        lambda: derived_columns.owners(firsts, firsts[-1]).tolist(),
        lambda: slow_owners(firsts, firsts[-1]),
        firsts[-1],
        "rows",
    )
    ids = [b"ses_%06d.m%d" % (number // 50, number % 50) for number in range(len(texts))]
    sessions = [b"ses_%06d" % number for number in range(len(texts) // 50 + 1)]
    session_of = array("I", [number // 50 for number in range(len(texts))])
    session_column = _string_column(sessions)
    records, offsets = id_codec.encode_ids(*_string_column(ids), session_of, *session_column)
    yield Case(
        "id_codec.decode_ids",
        lambda: bytes(id_codec.decode_ids(records, offsets, session_of, 0, *session_column)[0]),
        lambda: decoded_ids(bytes(records), offsets, session_of, sessions),
        len(ids),
        "ids",
    )


def decoded_ids(records: bytes, offsets: memoryview, owner: array[int], prefixes: list[bytes]) -> bytes:
    """Return the ids of prefix-coded records, concatenated.

    A record is the number of bytes that an id shares with its owner's id (one byte), and the other bytes of the id.
    """
    ids = []
    for at, end, number in zip(offsets, offsets[1:], owner, strict=False):
        ids.append(prefixes[number][: records[at]] + records[at + 1 : end])
    return b"".join(ids)


def _string_column(values: list[bytes]) -> tuple[bytes, array[int]]:
    """Return the concatenated values and their n + 1 offsets."""
    return b"".join(values), array("Q", accumulate(map(len, values), initial=0))


# --- text -------------------------------------------------------------------------------------------------------------


def _text_cases(texts: list[bytes], known: vocabulary.Vocabulary) -> Iterator[Case]:
    forms = [known.form(number) for number in range(len(known))]
    infixes = [b"ingstro", b"eabea", b"nobody0"]
    yield Case(
        "literal_candidates.terms_containing",
        lambda: [literal_candidates.terms_containing(known, infix, len(forms)) for infix in infixes],
        lambda: [[k for k, form in enumerate(forms) if infix in form and form[0] >= 0x20] for infix in infixes],
        len(infixes) * len(forms),
        "terms",
    )
    slow_coverage = reference("text.token_coverage.is_covered")
    few = texts[: FEW_TEXTS // 4]
    yield Case(
        "token_coverage.is_covered",
        lambda: [token_coverage.is_covered(text)[0] for text in few],
        lambda: [slow_coverage(text) for text in few],
        sum(map(len, few)),
        "bytes",
    )
    text = b"\n".join(texts)
    yield Case(
        "substring_scan.find",
        lambda: substring_scan.find(text, b"no such thing anywhere"),
        lambda: text.lower().find(b"no such thing anywhere"),
        len(text),
        "bytes",
    )
    beginnings = ["sk-ant-", "ghp_", "xoxb-", "hooks.slack.com/services/", "AKIA", "eyJ"]
    native = secret_prefilter.SecretPrefilter(beginnings)
    slow = reference("text.secret_prefilter.SecretPrefilter")(beginnings)
    shown = [one.decode("utf-8", "replace")[:1_000] for one in texts[:FEW_TEXTS]]
    yield Case(
        "secret_prefilter.SecretPrefilter.scan",
        lambda: [native.scan(one, 0, len(one)) for one in shown],
        lambda: [slow.scan(one, 0, len(one)) for one in shown],
        sum(map(len, shown)),
        "characters",
    )


def _builder_cases(texts: list[bytes]) -> Iterator[Case]:
    slow_tokens = reference("text.tokens.tokens")
    amount = sum(map(len, texts))
    yield Case(
        "tokens.tokens",
        lambda: [tokens.tokens(text) for text in texts],
        lambda: [slow_tokens(text) for text in texts],
        amount,
        "bytes",
    )
    yield Case(
        "builder.SegmentBuilder",
        lambda: document_frequencies(_built(texts)),
        lambda: counted(texts, slow_tokens),
        amount,
        "bytes",
    )
    yield Case(
        "gather.Gatherer",
        lambda: _gathered(gather.Gatherer, builder.SegmentBuilder, texts),
        lambda: _gathered(reference("index.gather.Gatherer"), reference("index.builder.SegmentBuilder"), texts),
        amount,
        "bytes",
    )


def counted(texts: list[bytes], tokenize: Callable[[bytes], Any]) -> dict[str, int]:
    """Return the document frequency of each term, counted in a dictionary."""
    frequency: Counter[str] = Counter()
    for text in texts:
        frequency.update({token[0] for token in tokenize(text)})
    return dict(frequency)


def document_frequencies(columns: dict[str, Any]) -> dict[str, int]:
    """Return the document frequency of each form in the columns of a builder."""
    known = vocabulary.Vocabulary(*_vocabulary_buffers(columns))
    lists = postings.Postings(*columns["postings"])
    return {known.form(number).decode(): lists.frequency(number, number + 1) for number in range(len(known))}


def _built(texts: list[bytes]) -> dict[str, Any]:
    made = builder.SegmentBuilder()
    for text in texts:
        made.add(text, 0, len(text))
    return dict(made.finish())


def _vocabulary_buffers(columns: dict[str, Any]) -> tuple[memoryview, ...]:
    numbers = [memoryview(columns[name]).cast("B").cast("I") for name in ("offsets", "starts", "signatures")]
    return (memoryview(columns["arena"]).cast("B"), *numbers)


def _gathered(gatherer: Any, segment_builder: Any, texts: list[bytes]) -> list[Any]:
    """Return the columns of a session in which each text is a message."""
    documents = segment_builder()
    made = gatherer(documents, {}, bool, lambda *_: 0, bool, lambda *_: 0, fold, PASSAGE_BYTES)
    made.title("s", None, None, 0, 0, 0, 0, False)
    made.messages([Message("m", "user", parts=[Part("p", "text", text.decode())]) for text in texts], 0, False)
    return [made.finish(), made.text, documents.finish()]


# --- candidates and records -------------------------------------------------------------------------------------------


def _rerank_case() -> Case:
    slow_candidate, slow_boost, slow_order = (
        reference(f"rank.rerank.{name}") for name in ("Candidate", "boost", "order")
    )
    chance = random.Random(3)
    natives, slow = [], []
    for number in range(32):
        row = [chance.randrange(8) / 8 for _ in FEATURE_NAMES]
        native = Candidate(number, number, chance.randrange(64) / 64, number)
        native.features = row
        native.kind, native.people, native.size = number % 4, number % 8 == 0, 4 * number
        natives.append(native)
        features = tuple(row[place] for place in MEASURES)
        slow.append(slow_candidate(native.evidence, features, native.kind, native.people, native.size, time=number))
    return Case(
        "rerank.boost",
        lambda: [one.score for one in _boosted(rerank.boost, rerank.order, natives)],
        lambda: [one.score for one in _boosted(slow_boost, slow_order, slow)],
        len(natives),
        "candidates",
    )


def _boosted(boost: Any, order: Any, candidates: list[Any]) -> Any:
    boost(candidates, WORTH, LONG_PART)
    return order(candidates, lambda one: one.time)


def _record_factory_case() -> Case:
    values = tuple(range(len(fields(Result))))
    native: Any = record_factory.RecordFactory(Result).make  # the types of the values make no difference to it
    slow = reference("runtime.record_factory.RecordFactory")(Result).make
    return Case(
        "record_factory.RecordFactory",
        lambda: [native(*values) for _ in range(100)],
        lambda: [slow(*values) for _ in range(100)],
        100,
        "records",
    )
