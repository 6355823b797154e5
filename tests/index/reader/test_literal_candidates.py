"""A literal is looked for only where words tell that it can stand; the answer is that of a look at all text."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_rank.analysis.normalize import encode, fold
from recall_rank.corpus import Index, index_of_segments
from recall_rank.index.merge.merge import merge
from recall_rank.index.reader import literal_candidates as runs
from recall_rank.index.reader import literal_scan
from recall_rank.index.reader.index_reader import IndexReader
from recall_rank.index.segment.build import PASSAGE_BYTES, build
from recall_rank.index.segment.segment import Segment
from recall_rank.model import Part, Session
from tests.support.index.cutting import Cut, cuts, joined
from tests.support.search.samples import NOW, ask, found, message, part, session, texts

PIECES = [
    *("rate", "Limit", "HTTP", "get", "URLs", "s", "x", "404", "7", "e0502", "deadbeef"),
    *("_", "-", ".", "'", " ", " ", "/", "#", "\n", "aB" * 9, "x" * 70, "a_" * 20 + "b", "ab12" * 20),
    *(
        "é",
        "É",
        "e\u0301",
        "\u212a",
        "\u0130",
        "Ⅷ",
        "ﬁ",
        "ß",
        "Σ",
        "ς",
        "制限",
        "レ",
        "🙂",
        "щ" * 40,
        "щ" * 31 + "lamp",
        "\ud800",
        "\0",
    ),
]


def some_text(chance: Random) -> str:
    if chance.random() < 0.15:  # longer than a passage, with and without a place where it may be cut
        if chance.random() < 0.4:  # every word another one
            words = ("".join(chance.choices("abcdefgh", k=chance.randint(3, 9))) for _ in range(400))
            return chance.choice(["-", "/", " "]).join(words)
        piece = chance.choice(["k3y", "Word ", "sentence ends. ", "naïve", "制限", "aB"])
        return piece * (PASSAGE_BYTES * chance.choice([1, 2, 3]) // len(piece) + chance.randint(0, 9))
    return "".join(chance.choices(PIECES, k=chance.choice([0, 1, 3, 8, 20])))


def some_part(chance: Random, key: str) -> Part:
    if chance.random() < 0.3:
        return part(key, tool="rate", input={"command": some_text(chance)}, output=some_text(chance))
    return part(key, some_text(chance))


def some_history(chance: Random) -> list[Session]:
    return [
        session(
            f"s{number}",
            *(
                message(
                    f"s{number}.{k}", *(some_part(chance, f"{number}.{k}.{n}") for n in range(chance.randint(1, 3)))
                )
                for k in range(chance.randint(1, 3))
            ),
            title=some_text(chance),
            directory=chance.choice([None, "/rate/limit"]),
            updated=NOW - number,
        )
        for number in range(chance.randint(1, 4))
    ]


def some_needle(chance: Random, said: list[str]) -> str:
    """Cut out of what was said, in any case, sometimes changed."""
    text = chance.choice(said)
    size = chance.choice([1, 3, 4, 6, 10, 30, 80, PASSAGE_BYTES + 9])
    start = chance.randrange(len(text))
    needle = text[start : start + size]
    needle = chance.choice([str, str, str.upper, str.lower, str.swapcase])(needle)
    return needle + chance.choice(["", "", "", "", "q", " "])


def fields_of(segment: Segment) -> list[list[str]]:
    """What each part of a segment says, field by field."""
    return [
        [bytes(memoryview(segment.text)[start:end]).decode() for start, end, _ in segment.fields_of(part)]
        for part in range(segment.parts)
    ]


def said_in(searched: IndexReader) -> list[str]:
    """Every field, and what stands around the borders of passages."""
    said = ["x"]
    for piece in searched.views:
        text = bytes(piece.segment.text)
        said += [field for fields in fields_of(piece.segment) for field in fields if field]
        borders = [text[max(0, at - 40) : at + 40] for at in piece.segment.doc_start]
        said += [around.decode(errors="ignore") for around in borders if around and max(around) < 0xF8] * 3
    return said


def plainly(searched: IndexReader, needle: str, keep: bytearray | None) -> bytearray:
    """Marks of the parts that hold the needle, by a look at each of those that are left."""
    marks = bytearray(searched.parts)
    for piece in searched.views:
        said = fields_of(piece.segment)
        for first, last in piece.part_stretches():
            for number in range(first, last):
                wanted = keep is None or keep[piece.first_part + number]
                holds = any(fold(encode(needle).decode()) in fold(field) for field in said[number])
                marks[piece.first_part + number] = wanted and holds
    return marks


def marked(searched: IndexReader, needle: str, keep: bytearray | None) -> bytearray:
    marks = bytearray(searched.parts)
    assert searched.mark_text(needle, keep, marks, 0) == searched.parts
    return marks


@given(st.integers(0, 2**32 - 1).map(Random), st.none() | cuts)
def test_marked_are_the_parts_that_hold_the_literal(chance: Random, cut: Cut | None) -> None:
    searched = joined(some_history(chance), cut)
    said = said_in(searched)
    for needle in (some_needle(chance, said) for _ in range(12)):
        assert marked(searched, needle, None) == plainly(searched, needle, None)
        left = plainly(searched, "", None)
        keep = bytearray(mark and chance.random() < 0.6 for mark in left)
        assert marked(searched, needle, keep) == plainly(searched, needle, keep)


@given(st.integers(0, 2**32 - 1).map(Random), cuts)
def test_answers_are_those_of_a_look_at_all_text(chance: Random, cut: Cut) -> None:
    searched = joined(some_history(chance), cut)
    index = index_of_segments([piece.segment for piece in searched.views], searched.dead)
    said = said_in(searched)
    asked = [(some_needle(chance, said)[:200], mode) for mode in ("literal", "smart", "fuzzy")]
    answers = [found_by(index, text, mode) for text, mode in asked if text.strip()]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(literal_scan, "places", lambda *_: None)
        assert answers == [found_by(index, text, mode) for text, mode in asked if text.strip()]


def found_by(index: Index, text: str, match: Any) -> tuple[Any, ...]:
    answer = ask(index, text, match=match)
    rows = [(one.part_id, one.snippet, one.score) for one in answer.results]
    return rows, answer.total, answer.total_exact, answer.truncated, answer.coverage.parts


@given(st.integers(0, 2**32 - 1).map(Random), cuts)
def test_a_merge_tells_as_much_as_a_build(chance: Random, cut: Cut) -> None:
    searched = joined(some_history(chance), cut)
    merged = IndexReader([merge([view.segment for view in searched.views], searched.dead)])
    said = said_in(merged)
    for needle in (some_needle(chance, said) for _ in range(6)):
        assert marked(merged, needle, None) == plainly(merged, needle, None)


def test_only_text_with_words_that_fit_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    said = [f"message {number} of many" for number in range(300)]
    index = texts(*said, "what a ratelimiter is", "x" * 70 + "limiter")
    looked_at: list[int] = []
    real = literal_scan.mark_ranges

    def counted(text: Any, starts: Any, *others: Any) -> None:
        looked_at.append(len(starts))
        real(text, starts, *others)

    monkeypatch.setattr(literal_scan, "mark_ranges", counted)
    monkeypatch.setattr(literal_scan, "mark_parts", lambda *_: pytest.fail("all text is scanned"))
    assert found(index, "a ratelimit", match="literal") == {"s.300.1"}
    assert found(index, "LIMITER", match="literal") == {"s.300.1", "s.301.1"}
    assert found(index, "xlimiter", match="literal") == {"s.301.1"}
    assert found(index, "nobodywrotethis", match="smart") == set()
    assert sum(looked_at) == 2 + 2 + 1 + 1  # the long word is looked at each time


@pytest.mark.parametrize("needle", ["message", "of", "5 of", "制限"])
def test_what_words_do_not_tell_is_looked_for_in_all_text(needle: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "FEW", 0)
    segment = IndexReader([build([session("s", *(f"Message {number} of many: 制限" for number in range(40)))])])
    monkeypatch.setattr(literal_scan, "mark_ranges", lambda *_: pytest.fail("only some text is looked at"))
    assert marked(segment, needle, None) == plainly(segment, needle, None)


@pytest.mark.parametrize("run", ["error", "harbor"])
def test_one_rare_run_is_enough(run: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "FEW", 1)
    segment = IndexReader([build([session("s", *["Assertion error"] * 40, "Assertion of harbor", "Assertion")])])
    if run == "harbor":
        monkeypatch.setattr(literal_scan, "mark_parts", lambda *_: pytest.fail("all text is scanned"))
    assert marked(segment, f"assertion of {run}", None) == plainly(segment, f"assertion of {run}", None)


def test_after_the_deadline_what_was_looked_at_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    segment = IndexReader([build([session("s", *(f"lantern {number}" for number in range(200)))])])
    monkeypatch.setattr(runs, "SHARE", 1)
    monkeypatch.setattr(literal_scan, "HIT_NS", 0)
    clock = iter([0, 0, 9])
    monkeypatch.setattr(literal_scan, "monotonic_ns", lambda: next(clock))
    real = runs.terms_containing
    monkeypatch.setattr(runs, "terms_containing", lambda vocabulary, run, most, _: real(vocabulary, run, most))
    marks = bytearray(segment.parts)
    looked = segment.mark_text("lantern", None, marks, 5)
    assert looked == 1 + 2 * runs.AT_ONCE  # the title, then the parts of two times
    assert marks == b"\0" + b"\1" * 2 * runs.AT_ONCE + bytes(segment.parts - looked)


def test_the_mark_of_such_documents_is_no_word() -> None:
    long = "x" * 70
    index = texts(f"{long} lantern", "lantern oil")
    assert found(index, "\4") == set()
    assert found(index, "\4", match="fuzzy") == set()
    assert ask(index, "lntern", match="fuzzy").suggestions == ("nobody wrote 'lntern'; 'lantern' was searched instead",)
    assert "\4" not in "".join(miss.text for miss in ask(index, "qqqq").near_misses)
    assert index._reader.averages() == (2, 4)
