"""Reranking against slow versions: what is read of passages, the comparison, the boosts, and the order."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from itertools import pairwise
from random import Random
from time import monotonic_ns
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import OSA

from recall_rank._core.index.doc_columns import DocColumns
from recall_rank._core.rank.candidate import BOOSTS, Candidate
from recall_rank._core.rank.features import FEATURE_NAMES
from recall_rank._core.rank.matcher import Matcher
from recall_rank._core.rank.passage_names import JOINERS, QueryName, plain_name
from recall_rank._core.rank.rapidfuzz_scorer import Scorer
from recall_rank._core.rank.rerank import RerankQuery, SegmentTexts, boost, compare, diversify, order
from recall_rank.analysis.normalize import fold
from recall_rank.search.ranking.rerank import BoostWorth
from tests.reference.index.doc_columns import KINDS, PEOPLE, PROSE
from tests.reference.rank import passage_names as slow_names
from tests.reference.rank import rerank as reference
from tests.support.kernels.inputs import seeds
from tests.support.kernels.matchers import FEATURES, query, some_passage, some_query, table
from tests.support.kernels.segments import flat

MEASURES = [FEATURE_NAMES.index(name) for name in ("coverage", "window", "phrase", "near", "matched", "words", "cues")]
WORTH = BoostWorth(0.5, 0.25, 0.125, 1.0, 2.0, 0.75, 0.5, missing=0.5, scattered=0.25, repeated=1.0)
LONG_PART = 8
USER, ORDER = reference.USER, reference.ORDER
WIDTH = 4


def segment_texts(
    text_between: Callable[..., bytes],
    doc_start: list[int],
    part_start: list[int],
    first_docs: list[int],
    first_doc: int = 0,
    first_part: int = 0,
    *,
    kinds: bytes | None = None,
    talks: bytes | None = None,
) -> SegmentTexts:
    """Return the texts of a segment in which each part is a message, and a session, of its own.

    kinds, u8[docs], are classes of documents, and talks, u8[parts], say who talks in the session of a part.
    """
    docs, parts = len(doc_start) - 1, len(part_start) - 1
    columns = DocColumns(
        doc_part=array("I", [part for part, (low, high) in enumerate(pairwise(first_docs)) for _ in range(low, high)]),
        doc_words=array("H", [1] * docs),
        doc_class=b"\1" * docs if kinds is None else kinds,
        part_message=array("I", range(parts)),
        message_session=array("I", range(parts)),
        message_time=array("q", [0] * parts),
        session_talk=bytes(parts) if talks is None else talks,
    )
    starts = array("Q", doc_start), array("Q", part_start), array("I", first_docs)
    return SegmentTexts(text_between, *starts, columns, first_doc, first_part)


class Segment:
    """Parts of one to three passages, and the texts of a segment that begins at other numbers than 0."""

    def __init__(self, chance: Random) -> None:
        self.first_doc, self.first_part = chance.choice([0, 7, 2**40]), chance.choice([0, 3])
        self.doc_start, self.part_start, self.first_docs, self.text = [0], [0], [0], b""
        for _ in range(chance.randint(1, 4)):
            for _ in range(chance.randint(1, 3)):
                self.text += b"\xf8" + some_passage(chance)
                self.doc_start.append(len(self.text))
            self.part_start.append(len(self.text))
            self.first_docs.append(len(self.doc_start) - 1)
        self.kinds = bytes(chance.choice([USER, PROSE, 3, KINDS + PROSE, 63]) for _ in self.doc_start[1:])
        self.talks = bytes(chance.choice([0, PEOPLE, 2]) for _ in self.part_start[1:])

    @property
    def starts(self) -> tuple[list[int], list[int], list[int]]:
        return self.doc_start, self.part_start, self.first_docs

    def places(self) -> list[tuple[int, int]]:
        """(part, document) of every passage."""
        parts = range(len(self.part_start) - 1)
        return [(part, doc) for part in parts for doc in range(self.first_docs[part], self.first_docs[part + 1])]

    def text_between(self, starts: array[int], ends: array[int]) -> bytes:
        """The text with zeros wherever it must not be read."""
        allowed = bytearray(len(self.text))
        for start, end in zip(starts, ends, strict=True):
            allowed[start:end] = self.text[start:end]
        return bytes(allowed)

    def native(self) -> SegmentTexts:
        numbers = self.first_doc, self.first_part
        return segment_texts(self.text_between, *self.starts, *numbers, kinds=self.kinds, talks=self.talks)

    def candidate(self, part: int, doc: int) -> Candidate:
        return Candidate(part + self.first_part, doc + self.first_doc, 1.0)


def rerank_query(
    matcher: Matcher, whole: bytes = b"", phrases: list[bytes] | None = None, names: list[QueryName] | None = None
) -> RerankQuery:
    return RerankQuery(matcher, whole, phrases or [], names or [], width=WIDTH, least_phrase=0.25)


def query_name(written: str, first: int = 0, last: int = 1, worth: float = 1.0) -> QueryName:
    plain, alike = Scorer(OSA.normalized_similarity, plain_name(written, fold)), Scorer(same, written)
    return QueryName(first, last, worth, plain, alike, bytes(set(written.encode()) & set(JOINERS)))


def same(one: str, other: str) -> float:
    """A Python function in place of a scorer of rapidfuzz."""
    return OSA.normalized_similarity(one, other)


def piece_of(chance: Random, text: bytes) -> bytes:
    """Some bytes of a text in lower case, at least one, without the mark of a field."""
    words = text.replace(b"\xf8", b" ").lower().split()
    start = chance.randrange(len(words)) if words else 0
    return b" ".join(words[start : start + chance.randint(1, 3)]) or b"?"


@given(seeds)
def test_candidates_are_measured_as_their_passages_tell(chance: Random) -> None:
    segment, (matcher, _) = Segment(chance), some_query(chance)
    places = chance.choices(segment.places(), k=chance.randint(0, 9))
    whole = piece_of(chance, segment.text) if chance.random() < 0.7 else b""
    phrases = [piece_of(chance, segment.text) for _ in range(chance.randint(0, 2))]
    found = [segment.candidate(*place) for place in places]
    wanted = [some_name(chance) for _ in range(chance.randint(0, 2))]
    names = [query_name(*name) for name in wanted]
    assert segment.native().measure(found, rerank_query(matcher, whole, phrases, names))
    for place, one in zip(places, found, strict=True):
        row, _ = features_of(matcher, segment, place[1])
        slow = reference.measure(place, row, segment.text, segment.starts, whole, phrases, 0.25)
        row, passage = features_of(matcher, segment, slow.doc)
        assert list(one.features) == row
        assert (one.part, one.doc) == (place[0] + segment.first_part, slow.doc + segment.first_doc)
        assert one.whole == float(slow.alone)
        assert one.quoted == slow.quoted
        assert (one.kind, one.people) == (segment.kinds[slow.doc] % KINDS, segment.talks[place[0]] == PEOPLE)
        assert one.size == segment.part_start[place[0] + 1] - segment.part_start[place[0]]
        matches = [match[:4] for match in matcher.form_matches(passage, 0, len(passage))]
        held = [slow_names.names_at(passage, matches, (first, last, written)) for written, first, last in wanted]
        counting = row[FEATURE_NAMES.index("matched")] > 0
        assert one.names == (held if counting else [[] for _ in wanted]), "stop words alone are no name"


def features_of(matcher: Matcher, segment: Segment, doc: int) -> tuple[list[float], bytes]:
    """The features of a document, and its passage."""
    row, start, end = table(1), segment.doc_start[doc], segment.doc_start[doc + 1]
    matcher.measure(segment.text, array("Q", [start]), array("Q", [end]), WIDTH, row)
    measured: list[float] = row.tolist()[0]  # type: ignore[assignment]  # a table of two dimensions
    return measured, segment.text[start:end]


def some_name(chance: Random) -> tuple[str, int, int]:
    """Joiners that a name has, and its words."""
    first = chance.randrange(4)
    joiners = "".join(chance.sample(JOINERS.decode(), chance.randint(0, 3)))
    return joiners, first, first + chance.randint(1, 3)


@given(seeds)
def test_passages_that_hold_a_text_are_marked(chance: Random) -> None:
    segment = Segment(chance)
    docs = [doc for _, doc in chance.choices(segment.places(), k=chance.randint(0, 9))]
    whole = piece_of(chance, segment.text)
    marks = segment.native().mark_holding([doc + segment.first_doc for doc in docs], whole)
    passages = [segment.text[segment.doc_start[doc] : segment.doc_start[doc + 1]] for doc in docs]
    assert list(marks) == [whole in passage.lower() for passage in passages]


def test_nothing_changes_when_the_deadline_has_passed() -> None:
    segment = Segment(Random(3))
    candidate = segment.candidate(0, 0)
    assert not segment.native().measure([candidate], rerank_query(query("a")), monotonic_ns() - 1)
    assert (candidate.features, candidate.names) == ((), [])
    assert segment.native().measure([], rerank_query(query("a")), monotonic_ns() - 1), "of no candidate all are read"
    candidate.names = [["a"]]
    assert not compare([candidate], [query_name("a")], fold, monotonic_ns() - 1)
    assert candidate.similarity == 0


def test_a_whole_query_in_the_next_passage_takes_the_candidate_there() -> None:
    text = b"\xf8red fish \xf8a red fish"
    texts = segment_texts(lambda *_: text, [0, 10, len(text)], [0, len(text)], [0, 2], kinds=bytes([USER, 13]))
    (found,) = [Candidate(0, 0, 1.0)]
    names = [query_name("fish", 1, 2)]
    assert texts.measure([found], rerank_query(query("red", "fish"), b"a red fish", names=names))
    assert (found.doc, found.whole) == (1, 1.0)
    assert found.features[FEATURE_NAMES.index("words")] == 3, "what is measured is the passage it was taken to"
    assert found.names == [["fish"]]
    assert found.kind == 13, "what follows the first passage of a person's words is no longer typed"


@pytest.mark.parametrize(("text", "worth"), [(b"\xf8a red fish", 1.0), (b"\xf8a red fish-pond", 0.0)])
def test_a_whole_query_inside_a_longer_name_does_not_count(text: bytes, worth: float) -> None:
    texts = segment_texts(lambda *_: text, [0, len(text)], [0, len(text)], [0, 1])
    candidate = Candidate(0, 0, 1.0)
    assert texts.measure([candidate], rerank_query(query("red", "fish"), b"red fish"))
    assert candidate.whole == worth


@pytest.mark.parametrize(
    ("part", "doc", "first"), [(0, 4, 0), (0, -1, 0), (0, 1, 2), (0, 2**40, 0), (2, 1, 0), (-1, 1, 0), (2**40, 0, 0)]
)
def test_a_candidate_of_another_segment_is_refused(part: int, doc: int, first: int) -> None:
    texts = segment_texts(lambda *_: b"\xf8ab", [0, 1, 2, 3], [0, 2, 3], [0, 2, 3], first)
    with pytest.raises(IndexError):
        texts.measure([Candidate(part, doc, 1.0)], rerank_query(query("a")))


@pytest.mark.parametrize("doc", [-1, 3])
def test_a_document_of_another_segment_is_not_marked(doc: int) -> None:
    texts = segment_texts(lambda *_: b"\xf8ab", [0, 1, 2, 3], [0, 3], [0, 3])
    with pytest.raises(IndexError):
        texts.mark_holding([doc], b"a")


def test_columns_of_different_segments_are_refused() -> None:
    columns = DocColumns(**flat(1))
    with pytest.raises(ValueError, match="length"):
        SegmentTexts(lambda *_: b"", array("Q", [0, 1]), array("Q", [0, 1]), array("I", [0, 0, 1]), columns)
    one, two = array("Q", [0, 1]), array("Q", [0, 1, 2])
    for doc_start, part_start, first_docs in ((two, one, array("I", [0, 2])), (one, two, array("I", [0, 1, 1]))):
        with pytest.raises(ValueError, match="another segment"):
            SegmentTexts(lambda *_: b"", doc_start, part_start, first_docs, columns)


def some_pairs(chance: Random) -> list[tuple[Candidate, reference.Candidate]]:
    """Native and slow candidates; all numbers are sums of powers of two, so that no sum of them is rounded."""
    pairs = []
    for number in range(chance.randint(0, 12)):
        evidence = chance.choice([0.0, 0.5, 0.75, 4.0])
        measured = tuple(chance.choice([0.0, 0.25, 1.0]) for _ in MEASURES)
        native, slow = Candidate(number, 7, evidence), reference.Candidate(evidence, measured)  # type: ignore[arg-type]
        if chance.random() < 0.8:
            row = [9.0] * FEATURES
            for place, value in zip(MEASURES, measured, strict=True):
                row[place] = value
            native.features = row
        else:
            slow.features = (0.0,) * len(MEASURES)
        for name, values in (("kind", [USER, PROSE, 3, ORDER]), ("people", [False, True]), ("size", [0, 4, 8, 99])):
            value = chance.choice(values)
            setattr(native, name, value)
            setattr(slow, name, value)
        for name in ("quoted", "whole", "similarity", "extra", "meaning"):
            value = chance.choice([0.0, 0.5, 1.0])
            setattr(native, name, value)
            setattr(slow, name, value)
        pairs.append((native, slow))
    return pairs


@given(seeds)
def test_boosts_are_shares_of_the_evidence(chance: Random) -> None:
    pairs = some_pairs(chance)
    boost([native for native, _ in pairs], WORTH, LONG_PART)
    reference.boost([slow for _, slow in pairs], WORTH, LONG_PART)
    for native, slow in pairs:
        assert tuple(native.boosts) == slow.boosts
        assert native.score == native.raw == slow.score
        parts = native.explain()
        assert sum(parts.values()) == native.score
        named = dict(zip(BOOSTS, slow.boosts, strict=True))
        shown = {name: value for name, value in parts.items() if name in named}
        assert shown == {name: slow.evidence * share for name, share in named.items() if share} or not native.raw


@pytest.mark.parametrize(
    ("kind", "people", "size", "added"),
    [
        pytest.param(PROSE, False, 2, {"missing": -0.25, "scattered": -0.0625}, id="prose of a quarter of the length"),
        pytest.param(PROSE, False, 99, {"missing": -0.25, "scattered": -0.25}, id="long prose"),
        pytest.param(3, False, 99, {"missing": -0.25}, id="reasoning"),
        pytest.param(USER, False, 99, {"missing": -0.25, "repeated": 0.25}, id="a request"),
        pytest.param(ORDER, False, 0, {"missing": -0.25, "repeated": 0.25}, id="an order"),
        pytest.param(USER, True, 99, {}, id="people"),
        pytest.param(PROSE, True, 99, {}, id="what an agent says among people"),
    ],
)
def test_who_speaks_decides_what_a_passage_gains_and_loses(
    kind: int, people: bool, size: int, added: dict[str, float]
) -> None:
    """Half of the query is in the passage, half of whose words are of the query, and none in a window."""
    one = Candidate(0, 0, 1.0)
    row = dict.fromkeys(FEATURE_NAMES, 0.0) | {"coverage": 0.5, "matched": 3, "words": 6}
    one.features = list(row.values())
    one.kind, one.people, one.size = kind, people, size
    boost([one], WORTH, LONG_PART)
    assert {name: share for name, share in zip(BOOSTS, one.boosts, strict=True) if share} == added


def test_boosts_have_one_worth_a_name() -> None:
    assert BoostWorth._fields == BOOSTS
    with pytest.raises(AttributeError, match="window"):
        boost([], (1.0,) * len(BOOSTS), LONG_PART)


@given(seeds)
def test_the_nearest_names_of_all_candidates_count(chance: Random) -> None:
    texts = ["rate_limit", "rateLimit", "rate_limits", "RATE_LIMIT", "limit", "ébène", "Ébène", "--"]
    wanted = [chance.choice(texts) for _ in range(chance.randint(0, 2))]
    found = [Candidate(number, 0, 1.0) for number in range(chance.randint(0, 6))]
    for one in found:
        one.names = [chance.sample(texts, chance.randint(0, 3)) for _ in wanted]
    assert compare(found, [query_name(name, worth=0.5) for name in wanted], fold)
    for one in found:
        total = 0.0
        for k, name in enumerate(wanted):
            everywhere = [text for other in found for text in other.names[k]]
            plain = lambda text, name=name: same(plain_name(name, fold), plain_name(text, fold))  # noqa: E731
            alike = lambda text, name=name: same(name, text)  # noqa: E731
            total += 0.5 * slow_names.similarity(one.names[k], everywhere, plain, alike)
        assert one.similarity == pytest.approx(total)


def names_in(text: str, written: str) -> list[str]:
    """The names in a text that stand for one of two words, a and b."""
    content = b"\xf8" + text.encode()
    texts = segment_texts(lambda *_: content, [0, len(content)], [0, len(content)], [0, 1])
    candidate = Candidate(0, 0, 1.0)
    wanted = rerank_query(query("red", "fish"), names=[query_name(written, 0, 2)])
    assert texts.measure([candidate], wanted)
    return candidate.names[0]


@pytest.mark.parametrize(
    ("text", "written", "names"),
    [
        ("a redFish.", "redFish", ["redFish"]),
        ("the red-fish, and red/fish", "red_fish", ["red-fish", "red/fish"]),
        ("no red fish", "red_fish", ["red", "fish"]),
        ("TestRed_fish is pond.red_fish", "red_fish", ["TestRed_fish", "red_fish"]),
        ("in /pond/red/fish.py:12", "red/fish", ["/pond/red/fish"]),
        ("in /pond/red/fish.py:12", "red/fish.py", ["/pond/red/fish.py"]),
        ("fish.red", "red.fish", ["fish.red"]),
        ("fish-red", "red.fish", ["fish", "red"]),
        ("the ébène_red", "red.fish", ["ébène_red"]),
    ],
)
def test_a_name_reaches_as_far_as_the_query_writes_it(text: str, written: str, names: list[str]) -> None:
    assert names_in(text, written) == names


def test_a_name_that_shares_a_word_stands_for_no_other() -> None:
    found = Candidate(0, 0, 1.0)
    found.names = [["limit", "rate"]]
    assert compare([found], [query_name("rateLimit")], fold)
    assert found.similarity == 0


@given(st.text())
def test_a_plain_name_has_letters_and_digits_only(name: str) -> None:
    assert plain_name(name, fold) == slow_names.plain_name(name, fold)


def test_a_name_has_a_word() -> None:
    with pytest.raises(ValueError, match="at least one word"):
        query_name("a", 1, 1)


@given(seeds)
def test_the_best_are_first(chance: Random) -> None:
    found = [
        Candidate(number, 0, chance.choice([0.25, 0.5, 1.0]), chance.choice([1, 2]))
        for number in range(chance.randint(0, 20))
    ]
    chance.shuffle(found)
    asked: list[int] = []

    def names(candidate: Any) -> int:
        asked.append(candidate.part)
        return int(candidate.part)

    given = list(found)
    ranked = [one.part for one in order(found, names)]
    assert ranked == [one.part for one in reference.order(found, lambda one: one.part)]
    assert found == given, "the list itself is not changed"
    keys = [(one.score, one.time) for one in found]
    assert sorted(asked) == sorted(one.part for one in found if keys.count((one.score, one.time)) > 1)


def test_equals_with_equal_names_keep_their_order() -> None:
    found = [Candidate(number, 0, 1.0) for number in (3, 1, 2)]
    assert order(found, lambda _: 0) == found


@given(seeds)
def test_no_session_fills_the_page(chance: Random) -> None:
    scores = [chance.choice([0.25, 0.5, 1.0]) for _ in range(chance.randint(0, 12))]
    sessions, most = [chance.randrange(3) for _ in scores], chance.randrange(3)
    found = [Candidate(0, 0, score) for score in scores]
    assert diversify(found, sessions, most, 0.5) == reference.diversify(scores, sessions, most, 0.5)


def test_every_diversified_candidate_has_a_session() -> None:
    with pytest.raises(ValueError, match="1 candidates, not 0"):
        diversify([Candidate(0, 0, 1.0)], [], 2, 0.5)


@pytest.mark.parametrize("wrong", [[None], ["a"], None])
def test_only_candidates_are_reranked(wrong: Any) -> None:
    texts = segment_texts(lambda *_: b"", [0], [0], [0])
    for call in (
        lambda: texts.measure(wrong, rerank_query(query("a"))),
        lambda: boost(wrong, WORTH, LONG_PART),
        lambda: compare(wrong, [query_name("a")], fold),
        lambda: order(wrong, id),
        lambda: diversify(wrong, [1], 2, 0.5),
    ):
        with pytest.raises(TypeError):
            call()
