"""Small segments for the kernels that score evidence, and the hits that are expected of them."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate as running_sums
from itertools import pairwise
from random import Random
from typing import Any

import pytest

from recall_rank._core.index.doc_columns import DocColumns
from recall_rank._core.search.compiled_query import CompiledQuery
from recall_rank._core.search.evidence import Evidence
from recall_rank._core.search.segment_evidence import SegmentSource
from tests.reference.index import doc_columns as reference_doc_columns
from tests.reference.search import evidence as reference_evidence
from tests.support.kernels.inputs import ascending, columns, postings

CLASSES, LONGEST, BLOCK = 64, 1024, 65536
TITLE, PROSE, KINDS = reference_doc_columns.TITLE, reference_doc_columns.PROSE, reference_doc_columns.KINDS
TERMS = [b"a", b"b", b"c", b"d", b"e", b"f"]

_chance = Random(1)
NORMS = (
    memoryview(array("f", [_chance.uniform(0.2, 4) for _ in range(CLASSES * LONGEST)]))
    .cast("B")
    .cast("f", (CLASSES, LONGEST))
)
ONES = array("f", [1.0] * CLASSES)
ALONE = {"neighbours": array("f", [0.0] * 12), "session": array("f", [0.0] * 6)}


def close(value: float) -> Any:
    return pytest.approx(value, rel=1e-4, abs=1e-6)


@dataclass(slots=True)
class Segment:
    """Columns as DocColumns takes them, and the terms of each document."""

    doc_columns: dict[str, Any]
    documents: list[dict[bytes, int]]

    def pair(self, eligible: bytearray | None = None) -> tuple[Evidence, reference_evidence.Evidence]:
        return self.pairs(1, eligible)[0]

    def pairs(
        self, count: int, eligible: bytearray | None = None
    ) -> list[tuple[Evidence, reference_evidence.Evidence]]:
        """Yield native and slow evidence of several queries over equal columns."""
        native, slow = postings(columns(self.documents))
        doc_columns, plain = DocColumns(**self.doc_columns), reference_doc_columns.DocColumns(**self.doc_columns)
        sources = [SegmentSource(doc_columns, native)]
        return [(Evidence(sources, eligible), reference_evidence.Evidence(plain, slow, eligible)) for _ in range(count)]


def some_segment(chance: Random) -> Segment:
    """Return a few sessions: a title of one part, then messages of some parts of some documents."""
    sessions = chance.randint(1, 4)
    message_session, part_message, kinds = array("I"), array("I"), bytearray()
    for session in range(sessions):
        for message in range(1 + chance.randint(0, 5)):
            for _ in range(chance.randint(0, 3) if message else 1):
                part_message.append(len(message_session))
                kinds.append(chance.choice([1, PROSE, PROSE, 3, KINDS + PROSE, 63]) if message else TITLE)
            message_session.append(session)
    messages, parts = len(message_session), len(part_message)
    docs = chance.randint(0, 18)
    doc_part = ascending(chance, docs, parts)
    documents = [
        {term: chance.choice([1, 1, 2, 5, 255]) for term in chance.sample(TERMS, chance.randint(0, 3))}
        for _ in range(docs)
    ]
    return Segment(
        {
            "doc_part": doc_part,
            "doc_words": array("H", [chance.choice([0, 1, 9, 200, 1023, 1024, 65535]) for _ in range(docs)]),
            "doc_class": bytes(kinds[part] for part in doc_part),
            "part_message": part_message,
            "message_session": message_session,
            "message_time": array("q", [chance.randrange(6) for _ in range(messages)]),
            "session_talk": bytes(chance.choice([0, 1, 2]) for _ in range(sessions)),
            "message_asked": some_asked(chance, message_session),
        },
        documents,
    )


def some_asked(chance: Random, message_session: Sequence[int]) -> array[int]:
    """Return for each message that which it answers: often that of the message before, as in turns."""
    asked = array("I")
    for message, own in enumerate(message_session):
        follows = message > 0 and message_session[message - 1] == own
        turn = follows and chance.random() < 0.6
        asked.append(asked[-1] if turn else chance.randint(message_session.index(own), message))
    return asked


def one_group(first: int, last: int, weight: float = 1.0) -> dict[str, Any]:
    return groups([0, 1], [first], [last], [weight], [1.0], b"\0")


def groups(
    starts: Sequence[int],
    firsts: Sequence[int],
    lasts: Sequence[int],
    weights: Sequence[float],
    factors: Sequence[float],
    joint: bytes | bytearray,
) -> dict[str, Any]:
    """Return groups in the form of the slow evidence: group g has the members starts[g]:starts[g + 1]."""
    return {
        "starts": array("I", starts),
        "firsts": array("I", firsts),
        "lasts": array("I", lasts),
        "weights": array("f", weights),
        "factors": array("f", factors),
        "joint": joint,
        "k1": 1.2,
        "norms": NORMS,
        "class_weights": ONES,
    }


@dataclass(frozen=True)
class Group:
    """One group of equivalent terms, as CompiledQuery takes it."""

    members: list[tuple[int, int, float]]
    factor: float
    joint: bool


def question(query: dict[str, Any]) -> CompiledQuery:
    """Return the groups as a compiled query."""
    members = list(zip(query["firsts"], query["lasts"], query["weights"], strict=True))
    spans = pairwise(query["starts"])
    asked = [
        Group(members[first:last], factor, joint != 0)
        for (first, last), factor, joint in zip(spans, query["factors"], query["joint"], strict=True)
    ]
    return CompiledQuery(asked, query["k1"], query["norms"], query["class_weights"])


def apart(query: dict[str, Any]) -> dict[str, Any]:
    """Return the groups with an extra empty term range of an own weight for each repeated group.

    Equal groups would be merged, and the sum of their factors is rounded differently from the sum of their scores.
    """
    members = list(zip(query["firsts"], query["lasts"], query["weights"], strict=True))
    own: list[list[tuple[int, int, float]]] = []
    for first, last in pairwise(query["starts"]):
        group = members[first:last]
        own.append(group if group not in own else [*group, (0, 0, 2.0 + len(own))])
    flattened = [member for group in own for member in group]
    return query | {
        "starts": array("I", running_sums(map(len, own), initial=0)),
        "firsts": array("I", [first for first, _, _ in flattened]),
        "lasts": array("I", [last for _, last, _ in flattened]),
        "weights": array("f", [weight for _, _, weight in flattened]),
    }


def accumulate(evidence: Evidence | reference_evidence.Evidence, query: dict[str, Any], deadline_ns: int = 0) -> bool:
    """Accumulate the groups of a query with the native or the slow version; the native one takes a compiled query."""
    if isinstance(evidence, reference_evidence.Evidence):
        return evidence.accumulate(**query)
    return evidence.accumulate(question(query), deadline_ns)


def flat(docs: int, **changed: Any) -> dict[str, Any]:
    """Return DocColumns in which every document is a part and a message of its own, all in one session."""
    return {
        "doc_part": array("I", range(docs)),
        "doc_words": array("H", [7]) * docs,
        "doc_class": b"\1" * docs,
        "part_message": array("I", range(docs)),
        "message_session": array("I", bytes(4 * docs)),
        "message_time": array("q", bytes(8 * docs)),
        "session_talk": b"\0",
        **changed,
    }


def check(native: Evidence, slow: reference_evidence.Evidence) -> list[tuple[int, int, float, float, int]]:
    """Check that the native hits equal the slow ones, in the promised order."""
    hits = list(native.top(native.hit_count))
    assert {part for part, *_ in hits} == set(slow.fused)
    for part, doc, score, base, tier in hits:
        assert (score, base) == (close(slow.fused[part]), close(slow.base[part]))
        assert slow.doc_columns.doc_part[doc] == part
        assert tier == slow.tier.get(part, 0)
        if not tier:
            assert slow.scores[doc] == close(slow.base[part])
    times = [slow.doc_columns.message_time[slow.doc_columns.part_message[part]] for part, *_ in hits]
    order = [(tier, -score, -time, part) for (part, _, score, _, tier), time in zip(hits, times, strict=True)]
    assert order == sorted(order)
    return hits
