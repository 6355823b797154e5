"""Which passages get a vector, and that a passage keeps its vector wherever it is indexed again."""

from __future__ import annotations

import numpy as np
import pytest

from recall_rank.index.merge.merge import merge
from recall_rank.index.segment.build import build
from recall_rank.index.segment.segment import Segment
from recall_rank.index.vectors.passages import ProsePassages, is_prose, passage_text, prose_passages, said_marks
from recall_rank.index.vectors.segment_vectors import SegmentVectors, added, carried, quantized
from tests.support.search.samples import NOW, message, part, session
from tests.support.semantic.word_embedder import DIMENSION, WordEmbedder

CODE = "for (int i = 0; i < n; ++i) { a[i] = b[i] * (c + 1); }\n" * 4
TABLE = "2024-01-01 12:00:01 200 17 GET /a/b/c 1.7 ms\n" * 5


def segment_of(*texts: str, name: str = "s") -> Segment:
    said = [message(f"{name}.{at}", text, role=("user", "assistant")[at % 2]) for at, text in enumerate(texts)]
    return build([session(name, *said, created=NOW)])


def embedded(segment: Segment, embedder: WordEmbedder | None = None) -> SegmentVectors:
    """All vectors of a segment."""
    embedder = embedder or WordEmbedder()
    passages = prose_passages(segment)
    empty = carried(passages, (), embedder.name, embedder.dimension)
    texts = [passage_text(segment, doc) for doc in passages.docs.tolist()]
    return added(empty, passages, np.arange(len(texts)), embedder(texts))


def texts(segment: Segment, passages: ProsePassages) -> list[str]:
    return [passage_text(segment, doc) for doc in passages.docs.tolist()]


def test_prose_of_a_person_and_of_an_agent_gets_a_vector_and_nothing_else() -> None:
    said = message("m1", "please repair the wooden boat", role="user")
    answer = message(
        "m2",
        part("p1", "I shall repair the boat now"),
        part("p2", CODE),
        part("p3", TABLE),
        part("p4", "the boat seems to be broken", "reasoning"),
        part("p5", tool="bash", output="the boat was repaired by a tool"),
        role="assistant",
    )
    short = message("m3", "yes, thanks", role="user")
    segment = build([session("s", said, answer, short, title="A title of words")])
    found = prose_passages(segment)
    assert texts(segment, found) == ["please repair the wooden boat", "I shall repair the boat now"]
    skipped = [passage_text(segment, doc) for doc in found.skipped.tolist()]
    assert skipped == [CODE.strip(), TABLE.strip(), "yes, thanks"]
    assert said_marks(segment).sum() == 5


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("The committee met on 12 March 2024, and agreed (after all) to wait.", True),
        ("Das Boot, das wir suchten, lag längst im Hafen; niemand wusste es.", True),
        ("เราจะซ่อมเรือพรุ่งนี้ตอนเช้า", True),
        ("हम कल सुबह नाव की मरम्मत करेंगे।", True),
        ("我们明天早上修船。", True),
        (CODE, False),
        (TABLE, False),
        ('{"name": "boat", "size": 12, "parts": ["keel", "mast"]}', False),
        ("", True),
    ],
)
def test_prose_is_told_from_code_and_logs(text: str, wanted: bool) -> None:
    assert is_prose(text.encode()) is wanted


def test_the_author_of_a_message_is_part_of_what_is_embedded() -> None:
    authors = ("Ada", "Bo", "Ada", None)
    segment = build([session("s", *(message(f"m{at}", "I went home", author=name) for at, name in enumerate(authors)))])
    passages = prose_passages(segment)
    assert texts(segment, passages) == ["Ada: I went home", "Bo: I went home", "Ada: I went home", "I went home"]
    assert len(set(passages.digests.tolist())) == 3


def test_a_vector_of_int8_is_off_by_half_a_scale_at_most() -> None:
    given = np.random.default_rng(5).standard_normal((40, 33)).astype(np.float32) * 7
    given[3] = 0
    scales, values = quantized(given)
    lengths = np.linalg.norm(given, axis=1, keepdims=True)
    units = given / np.where(lengths > 0, lengths, 1)
    assert (np.abs(scales[:, None] * values - units) <= scales[:, None] * 0.501).all()
    assert not values[3].any()
    assert quantized(np.zeros((0, 33), np.float32))[1].shape == (0, 33)


def test_a_merge_carries_every_vector_of_a_live_session() -> None:
    first, second = (
        segment_of("the boat is green today", "so it is indeed now"),
        segment_of("a car in the rain", name="t"),
    )
    merged = merge([first, second], [(), ()])
    passages = prose_passages(merged)
    moved = carried(passages, [embedded(first), embedded(second)], "words", DIMENSION)
    anew = embedded(merged)
    assert len(moved) == 3
    for name in ("docs", "digests", "scales", "values", "skipped"):
        assert np.array_equal(getattr(moved, name), getattr(anew, name)), name
    assert len(carried(prose_passages(merge([first, second], [(0,), ()])), [embedded(first)], "words", DIMENSION)) == 0


def test_vectors_of_another_embedder_are_not_carried() -> None:
    segment = segment_of("the boat is green today")
    passages, own = prose_passages(segment), embedded(segment)
    assert len(carried(passages, [own], "words", DIMENSION)) == 1
    assert len(carried(passages, [own], "other", DIMENSION)) == 0
    assert len(carried(passages, [own], "words", 32)) == 0


def test_the_missing_vectors_alone_are_added_in_the_order_of_documents() -> None:
    segment = segment_of("the boat is green today", "a car in the rain", "we sail at noon then")
    whole, passages = embedded(segment), prose_passages(segment)
    third = WordEmbedder()(["we sail at noon then"])
    some = added(carried(passages, (), "words", DIMENSION), passages, np.array([2]), third)
    rest = added(some, passages, np.array([0, 1]), WordEmbedder()(texts(segment, passages)[:2]))
    assert np.array_equal(rest.docs, whole.docs)
    assert np.array_equal(rest.values, whole.values)
    assert np.array_equal(rest.digests, whole.digests)
