"""Which terms hold a run of letters, which documents hold these terms, and where in the text both stand."""

from __future__ import annotations

from array import array
from itertools import accumulate
from random import Random
from time import monotonic_ns
from typing import Any

import pytest
from hypothesis import given

from recall_rank._core.search.literal_candidates import mark_documents, ranges_around, terms_containing
from tests.reference.search import literal_candidates as reference
from tests.support.kernels.inputs import columns, marks, postings, seeds, some_term, vocabularies


@given(seeds)
def test_holding_is_a_look_at_every_term(chance: Random) -> None:
    native, slow = vocabularies({some_term(chance) for _ in range(chance.randint(0, 60))})
    run = "".join(chance.choices("abc15", k=chance.choice([1, 1, 2, 2, 3, 9]))).encode()
    most = chance.choice([0, 1, 3, 99])
    assert terms_containing(native, run, most) == reference.terms_containing(slow, run, most)


@pytest.mark.parametrize(
    ("run", "held"),
    [
        pytest.param(b"limit", [b"limit", b"limits", b"ratelimit"], id="anywhere in a term"),
        pytest.param(b"limits", [b"limits"], id="at its end"),
        pytest.param(b"bash", [], id="not in a term of a field"),
        pytest.param(b"il", ["naïil".encode()], id="behind a letter of two bytes"),
        pytest.param(b"aab", [b"aaaab"], id="behind a beginning that fails"),
        pytest.param(b"x" * 64, [b"x" * 64], id="as long as a term"),
        pytest.param(b"x" * 65, [], id="longer than a term"),
        pytest.param(b"404", [b"error404"], id="digits"),
        pytest.param(b"505", [], id="other digits with the same signature"),
    ],
)
def test_terms_that_hold_a_run(run: bytes, held: list[bytes]) -> None:
    known = [b"limit", b"limits", b"ratelimit", b"\1bash", "naïil".encode(), b"aaaab", b"x" * 64, b"error404", b"\4"]
    native, _ = vocabularies(known)
    assert sorted(map(native.form, terms_containing(native, run, 99) or [])) == sorted(held)


def test_a_vocabulary_of_several_strides() -> None:
    native, slow = vocabularies(b"%05d" % number for number in range(20_000))
    assert terms_containing(native, b"77", 9_999) == reference.terms_containing(slow, b"77", 9_999)
    assert terms_containing(native, b"77", 10) is None
    assert terms_containing(native, b"77", 9_999, 1) is None
    assert terms_containing(native, b"77", 9_999, monotonic_ns() + 10**12) == reference.terms_containing(
        slow, b"77", 9_999
    )


@pytest.mark.parametrize("run", [b"", b"a b", b"A", "é".encode(), b"\4"])
def test_what_is_no_run_is_refused(run: bytes) -> None:
    with pytest.raises(ValueError, match="a run is"):
        terms_containing(vocabularies([b"a"])[0], run, 1)


TERMS = [b"a", b"b", b"cc", b"dd", b"eee"]


@given(seeds)
def test_marked_are_the_documents_of_all_terms(chance: Random) -> None:
    docs = chance.randint(1, 30)
    native, slow = postings(
        columns([dict.fromkeys(chance.sample(TERMS, chance.randint(0, 4)), 1) for _ in range(docs)])
    )
    terms = chance.sample(range(native.term_count), chance.randint(0, native.term_count))
    found, wanted = bytearray(docs), bytearray(docs)
    mark_documents(native, terms, found)
    reference.mark_documents(slow, terms, wanted)
    assert found == wanted


def test_documents_of_several_blocks() -> None:
    held = {doc: {b"all": 1} for doc in (*range(0, 140_000, 997), 65_535, 65_536, 131_071, 131_072, 139_999)}
    native, slow = postings(columns([held.get(doc, {}) for doc in range(140_000)]))
    found, wanted = bytearray(140_000), bytearray(140_000)
    mark_documents(native, [0], found)
    reference.mark_documents(slow, [0], wanted)
    assert found == wanted


def test_documents_that_are_not_there_are_left_out() -> None:
    native, _ = postings(columns([{b"a": 1}, {b"a": 1}, {b"a": 1}]))
    found = bytearray(2)
    mark_documents(native, [0], found)
    assert found == b"\1\1"


@pytest.mark.parametrize("term", [-1, 1, 2**62])
def test_a_term_that_does_not_exist_is_refused(term: int) -> None:
    with pytest.raises(IndexError):
        mark_documents(postings(columns([{b"a": 1}]))[0], [term], bytearray(1))


def some_text(chance: Random) -> dict[str, Any]:
    """Documents of some sizes in parts of some documents."""
    doc_part = array("I", sorted(chance.choices(range(chance.randint(1, 5)), k=chance.randint(0, 12))))
    parts = chance.randint(doc_part[-1] + 1 if doc_part else 0, 6)
    doc_start = array("Q", accumulate((chance.choice([0, 1, 3, 9]) for _ in doc_part), initial=0))
    part_start = array("Q", [doc_start[sum(part < number for part in doc_part)] for number in range(parts + 1)])
    return {"doc_start": doc_start, "doc_part": doc_part, "part_start": part_start}


@given(seeds)
def test_stretches_are_the_marked_documents_and_what_is_near(chance: Random) -> None:
    made = some_text(chance)
    documents = marks(chance, len(made["doc_part"]))
    eligible = marks(chance, len(made["part_start"]) - 1) if chance.random() < 0.5 else None
    reach = chance.choice([0, 1, 4, 99, 2**62])
    starts, ends, parts = ranges_around(documents, **made, reach=reach, eligible=eligible)
    found: dict[int, set[int]] = {}
    for start, end, part in zip(starts, ends, parts, strict=True):
        found.setdefault(part, set()).update(range(start, end))
    assert list(parts) == sorted(parts)
    slow = reference.ranges_around(documents, **made, reach=min(reach, 999), eligible=eligible)
    assert [pair for pair in found.items() if pair[1]] == [pair for pair in slow if pair[1]]


def test_a_long_stretch_is_looked_at_in_several() -> None:
    docs, size = 1_000, 1_500
    doc_start = array("Q", range(0, (docs + 1) * size, size))
    starts, ends, parts = ranges_around(
        b"\1" * docs, doc_start, array("I", [0]) * docs, array("Q", [0, docs * size]), 5
    )
    assert len(parts) > 1
    assert max(end - start for start, end in zip(starts, ends, strict=True)) <= 262_144
    assert (starts[0], ends[-1]) == (0, docs * size)
    assert all(end - start == 10 for start, end in zip(starts[1:], ends[:-1], strict=True))


@pytest.mark.parametrize(
    "changed",
    [
        pytest.param({"doc_part": [1, 0]}, id="parts descend"),
        pytest.param({"doc_part": [0, 9]}, id="a part that is not there"),
        pytest.param({"doc_start": [0, 9, 4]}, id="a document that ends before it begins"),
        pytest.param({"part_start": [0, 1, 4]}, id="a document outside of its part"),
        pytest.param({"doc_start": [0, 4]}, id="too few documents"),
        pytest.param({"part_start": []}, id="no parts at all"),
        pytest.param({"reach": -1}, id="a negative reach"),
        pytest.param({"eligible": b"\1"}, id="too few marks of parts"),
    ],
)
def test_columns_that_do_not_fit_are_refused(changed: dict[str, Any]) -> None:
    given = {"doc_start": [0, 2, 4], "doc_part": [0, 1], "part_start": [0, 2, 4], "reach": 1, "eligible": None}
    given |= changed
    for name, code in (("doc_start", "Q"), ("doc_part", "I"), ("part_start", "Q")):
        given[name] = array(code, given[name])
    with pytest.raises(ValueError, match=r"fit together|outside|one byte"):
        ranges_around(b"\1\1", **given)
