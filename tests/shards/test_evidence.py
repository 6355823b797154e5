"""The evidence of several shards tells what that of one index tells, in whatever order it is asked and extended."""

from __future__ import annotations

from array import array
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from recall_rank.index.reader.index_reader import IndexReader
from recall_rank.index.segment.build import build
from recall_rank.model import Session
from recall_rank.search.expansion.expand import expand
from recall_rank.search.filters.eligible import eligible_set
from recall_rank.search.options import parse_options
from recall_rank.search.query import Query
from recall_rank.search.retrieval.prefilter import prefilter
from recall_rank.shards.shards import Shards
from tests.support.examples import examples
from tests.support.search.samples import NOW, message, session
from tests.support.search.strategies import histories, query
from tests.support.shards.wire_shard import WireShard
from tests.support.soak import times

SAID = [
    session(f"s{at}", message(f"s{at}.0", f"the {word} of the harbor", time=NOW - at), updated=NOW - at)
    for at, word in enumerate(["lantern"] * 8 + ["limit"] * 30)
]
# a call and its number: how many hits, or which of those of the other query are marked
calls = st.lists(
    st.tuples(
        st.sampled_from(
            ("count", "top", "top_among", "among", "sessions", "hits", "scores", "extend", "extend_marked")
        ),
        st.integers(0, 60),
    ),
    min_size=2,
    max_size=8,
)


def found_by(evidence: Any, call: str, number: int, other: Any, marks: bytearray) -> Any:
    """Do one call of an evidence and return what it tells."""
    if call == "count":
        return evidence.hit_count
    if call == "top":
        return [(hit.part, hit.doc, hit.score, hit.base, hit.tier) for hit in evidence.top(number)]
    if call == "top_among":
        return [(hit.part, hit.doc, hit.score, hit.base, hit.tier) for hit in evidence.top_among(number, marks)]
    if call == "among":
        return [(hit.part, hit.doc, hit.score, hit.base, hit.tier) for hit in evidence.among(marks)]
    if call == "sessions":
        return [(row.session, row.part, row.score, row.hits, row.title, row.tier) for row in evidence.sessions()]
    if call == "hits":
        found = bytearray(len(marks))
        evidence.mark_hits(found)
        return found
    if call == "scores":
        scores = array("f", bytes(4 * len(marks)))
        evidence.write_scores(scores)
        return scores
    return evidence.extend(other, number / 60) if call == "extend" else evidence.extend_marked(marks)


@examples(times(100, 2_000))
@example(SAID, 2, "lantern", "limit", [("extend_marked", 1), ("sessions", 0), ("count", 0), ("top", 50)])
@example(SAID, 2, "lantern", "limit", [("top", 50), ("extend", 30), ("hits", 0), ("top", 5), ("top", 50)])
@given(histories(), st.integers(1, 3), query, query, calls)
def test_it_tells_what_the_evidence_of_one_index_tells(
    history: list[Session], count: int, asked: str, added: str, made: list[tuple[str, int]]
) -> None:
    segments = [build(history[at::count]) for at in range(count)]
    dead: list[frozenset[int]] = [frozenset()] * count
    shards = Shards(WireShard(f"{at}", [segment], [frozenset()]) for at, segment in enumerate(segments))
    readers: list[IndexReader] = [IndexReader(segments, dead), shards._opened().reader.for_one_search()]

    def evidence(reader: IndexReader, text: str) -> Any:
        parsed = Query.parse(text, NOW, parse_options({}))
        eligible = eligible_set(reader, parsed)
        return prefilter(reader, parsed, expand(parsed, reader, eligible), eligible)

    one, several = (evidence(reader, asked) for reader in readers)
    for call, number in made:
        others = [evidence(reader, added) for reader in readers]
        hits = bytearray(readers[0].parts)
        others[0].mark_hits(hits)
        marks = bytearray(mark and part % (1 + number % 3) == 0 for part, mark in enumerate(hits))
        want = found_by(one, call, number, others[0], marks)
        assert found_by(several, call, number, others[1], marks) == want, call
