"""Arrays come from disk too: damaged ones are refused, or nothing that they lead to lies outside them."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from itertools import pairwise
from random import Random
from typing import Any

import pytest
from hypothesis import given

from recall_rank._core.index.doc_columns import DocColumns
from recall_rank._core.index.postings import Postings
from recall_rank._core.index.vocabulary import Vocabulary
from recall_rank._core.search.evidence import Evidence
from recall_rank._core.search.segment_evidence import SegmentSource
from tests.support.kernels.inputs import POSTINGS, VOCABULARY, columns, seeds, some_term, some_terms
from tests.support.kernels.segments import ALONE, BLOCK, Segment, accumulate, flat, one_group, some_segment


def damaged(chance: Random, given: dict[str, Any]) -> dict[str, Any]:
    """The columns, one of them changed in a place, with two places swapped, cut short or made longer."""
    made = {name: array(memoryview(column).format, memoryview(column)) for name, column in given.items()}
    victim = made[chance.choice(list(made))]
    low, high = (-(2**63), 2**63 - 1) if victim.typecode == "q" else (0, 2 ** (8 * victim.itemsize) - 1)
    at = chance.randrange(len(victim)) if victim else 0
    # bounds of every kind, one of them just passed, or something else altogether
    beside = [value + step for value in victim[at : at + 2] for step in (-1, 1, 64, 65)]
    value = chance.choice([0, low, high, chance.randint(low, high), *map(len, made.values()), *beside])
    value = min(max(value, low), high)
    match chance.randrange(5 if victim else 1):
        case 0:
            victim.insert(at, value)
        case 1:
            del victim[at]
        case 2:
            other = chance.randrange(len(victim))
            victim[at], victim[other] = victim[other], victim[at]
        case _:
            victim[at] = value
    return made


def ascends(numbers: Sequence[int]) -> bool:
    return all(low <= high for low, high in pairwise(numbers))


def cuts(bounds: Sequence[int], size: int) -> bool:
    """Whether the bounds cut [0, size) into stretches."""
    return bounds[0] == 0 and bounds[-1] == size and ascends(bounds)


def sound_postings(made: dict[str, Any]) -> bool:
    sizes = {name: len(column) for name, column in made.items()}
    terms, shared, blocks = sizes["lone_docs"] + sizes["df"], sizes["df"], sizes["block_starts"] - 1
    return (
        blocks >= 0
        and sizes["frames"] >= 8
        and sizes["lone_blocks"] == sizes["lone_docs"]
        and sizes["more"] == sizes["frequent"]
        and sizes["shared_bits"] == -(-terms // 64)
        and sizes["shared_ranks"] == terms // 256 + 1
        and sizes["block_bits"] == blocks * -(-shared // 64)
        and sizes["block_ranks"] == blocks * (shared // 256 + 1)
    )


def sound_vocabulary(made: dict[str, Any]) -> bool:
    offsets, starts, terms = made["offsets"], made["starts"], len(made["signatures"])
    fit = len(offsets) == terms + 1 and len(starts) == 66
    fit = fit and cuts(offsets, len(made["arena"])) and cuts(starts, terms)
    return fit and all(1 <= high - low <= 64 for low, high in pairwise(offsets))


def sound_layout(made: dict[str, Any]) -> bool:
    sizes = {name: len(column) for name, column in made.items()}
    sessions = made["message_session"]
    inside = (
        sizes["doc_part"] == sizes["doc_words"] == sizes["doc_class"]
        and sizes["message_session"] == sizes["message_time"] == sizes["message_asked"]
        and all(part < sizes["part_message"] for part in made["doc_part"])
        and all(kind < 64 for kind in made["doc_class"])
        and all(message < sizes["message_session"] for message in made["part_message"])
        and all(session < sizes["session_talk"] for session in sessions)
        and all(talk < 3 for talk in made["session_talk"])
        and all(
            asked <= message and sessions[asked] == sessions[message]
            for message, asked in enumerate(made["message_asked"])
        )
    )
    return inside and all(map(ascends, (made["doc_part"], made["part_message"], sessions)))


def search(doc_columns: DocColumns, postings: Postings) -> None:
    """Let every document, part, message and session be touched that the postings name; all there are, are in range."""
    evidence = Evidence([SegmentSource(doc_columns, postings)], bytes([1]) * doc_columns.docs)
    assert accumulate(evidence, one_group(0, postings.term_count))
    evidence.add_times(array("q", [-(2**63)]), array("q", [2**63 - 1]), 0.5)
    around, session = array("f", [0.5] * 12), array("f", [0.5] * 6)
    count = evidence.fuse(around, session, bytes([1]) * doc_columns.parts, 0.5, 0.1, 0.2)
    hits = evidence.top(count)
    assert len(hits) == count
    assert all(part < doc_columns.parts and doc < doc_columns.docs for part, doc, *_ in hits)
    assert all(place < doc_columns.sessions for place, *_ in evidence.sessions())
    marked = bytearray(doc_columns.parts)
    evidence.mark_hits(marked)
    assert sum(marked) == count
    evidence.write_scores(array("f", bytes(4 * doc_columns.parts)))


def harmless(native: Postings) -> None:
    """Read all of it in every way there is: documents ascend within their blocks, and nothing lies outside."""
    terms, behind = native.term_count, BLOCK * native.block_count
    for term in range(terms):
        pairs = native.postings(term)
        assert all(one < other for (one, _), (other, _) in pairwise(pairs))
        assert all(0 <= doc < behind and 1 <= count <= 255 for doc, count in pairs)
        if behind:
            assert native.frequency(term, term + 1, bytes([1]) * behind) == len(pairs)
        assert native.frequency_in(term, term + 1, array("I", [0]), array("I", [behind])) == len(pairs)
    assert native.frequency(0, terms) == len(native)
    for block in range(native.block_count):
        keys = memoryview(native.keys(block, array("q", range(terms)), array("q", range(behind)), block * BLOCK))
        assert ascends(keys.cast("Q").tolist())
    if behind:
        docs = behind - BLOCK + 12  # fewer than the last block may name
        search(DocColumns(**flat(docs)), native)


@given(seeds)
def test_damaged_postings_are_refused_or_harmless(chance: Random) -> None:
    docs = chance.randint(0, 12)
    documents = [dict.fromkeys(some_terms(chance), chance.randint(1, 255)) for _ in range(docs)]
    made = columns(documents)
    made = damaged(chance, {name: made[name] for name in POSTINGS})
    if not sound_postings(made):
        with pytest.raises(ValueError, match="fit together"):
            Postings(**made)
        return
    harmless(Postings(**made))


@given(seeds)
def test_postings_of_any_bytes_are_harmless(chance: Random) -> None:
    lone, shared, blocks = chance.randint(0, 9), chance.randint(0, 90), chance.choice([0, 1, 1, 2])
    frequent = chance.randint(0, 3)
    sizes = {
        "shared_bits": -(-(lone + shared) // 64),
        "shared_ranks": (lone + shared) // 256 + 1,
        "lone_docs": lone,
        "lone_blocks": lone,
        "df": shared,
        "frequent": frequent,
        "more": frequent,
        "block_starts": blocks + 1,
        "block_bits": blocks * -(-shared // 64),
        "block_ranks": blocks * (shared // 256 + 1),
        "pointers": chance.randint(0, 60),
        "frames": 8 + chance.choice([0, 1, 30, 900]),
    }
    codes = dict(zip(POSTINGS, "QIHBBIIQQIIB", strict=True))
    made = {}
    for name, size in sizes.items():
        width = array(codes[name]).itemsize
        most = chance.choice([1, 40, 256**width - 1])  # small numbers lead inside more often
        made[name] = array(codes[name], [chance.randint(0, most) for _ in range(size)])
        if chance.random() < 0.3:
            made[name] = array(codes[name], chance.randbytes(size * width))
    harmless(Postings(**made))


@given(seeds)
def test_a_damaged_vocabulary_is_refused_or_harmless(chance: Random) -> None:
    known = some_terms(chance) + [b"x" * chance.randint(1, 64) for _ in range(chance.randint(0, 3))]
    made = columns([dict.fromkeys(known, 1)])
    made = damaged(chance, {name: made[name] for name in VOCABULARY})
    if not sound_vocabulary(made):
        with pytest.raises(ValueError, match=r"fit together|out of order"):
            Vocabulary(**made)
        return
    native = Vocabulary(**made)
    assert b"".join(map(native.form, range(len(native)))) == made["arena"].tobytes()
    for form in (some_term(chance), *chance.sample(known, min(len(known), 3))):
        assert -1 <= native.find(form) < len(native)
        assert all(0 <= low < high <= len(native) for low, high in native.prefix(form[:1]))
        assert all(0 <= number < len(native) for number, _ in native.within(form, 3))


@given(seeds)
def test_a_damaged_layout_is_refused_or_harmless(chance: Random) -> None:
    segment = some_segment(chance)
    made = damaged(chance, segment.doc_columns)
    if not sound_layout(made):
        with pytest.raises(ValueError, match=r"differ in length|outside"):
            DocColumns(**made)
        return
    doc_columns = DocColumns(**made)
    doc_columns.averages()
    doc_columns.time_span()
    assert doc_columns.docs_in(array("q", [-(2**63)]), array("q", [2**63 - 1])) <= doc_columns.docs
    made = columns(segment.documents)
    search(doc_columns, Postings(**{name: made[name] for name in POSTINGS}))


def test_columns_are_checked_once_and_for_all() -> None:
    # a second __init__ with other columns would leave the addresses of the first
    made = columns([{b"a": 1, b"bc": 2}])
    postings = Postings(**{name: made[name] for name in POSTINGS})
    vocabulary = Vocabulary(**{name: made[name] for name in VOCABULARY})
    doc_columns = DocColumns(**flat(1))
    other = columns([])
    postings.__init__(**{name: other[name] for name in POSTINGS})  # type: ignore[misc]
    vocabulary.__init__(**{name: other[name] for name in VOCABULARY})  # type: ignore[misc]
    doc_columns.__init__(**flat(0))  # type: ignore[misc]
    assert (len(postings), len(vocabulary), doc_columns.docs) == (2, 2, 1)
    native, _ = Segment(flat(1), [{b"a": 1}]).pair()
    accumulate(native, one_group(0, 1))
    assert native.fuse(**ALONE) == 1
