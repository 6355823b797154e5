"""Where a literal can stand in a segment, as far as words tell: what need not be looked at has no word that fits."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from recall_rank._core.search.literal_candidates import holding, mark_documents, stretches

if TYPE_CHECKING:
    from recall_rank.index.reader.segment_view import Marks
    from recall_rank.index.segment.segment import Segment

PARTIAL = b"\x04"  # the term of documents in which a run is in no word, or is cut: see _core.whole
ASKED = 3  # runs that are looked up, the longest first, until one is rare
SHARE = 8  # of the documents, one in so many may be looked at; of more, a look at all text is as quick
FEW = 64  # documents that may always be
AT_ONCE = 16  # stretches between two looks at the clock
_RUN = re.compile(rb"[0-9a-z]{3,}")

Stretches = tuple[memoryview, memoryview, memoryview]  # where each starts and ends in the text, and its part


def places(segment: Segment, needle: bytes, keep: Marks | None, deadline_ns: int) -> Iterator[Stretches] | None:
    """The stretches outside of which `needle` stands in no text of the parts `keep`, parts ascending, some at a time.

    None where words do not tell, or tell of too much; or when the deadline came first.
    """
    documents = _documents(segment, needle, deadline_ns)
    if documents is None:
        return None
    columns = stretches(documents, segment.doc_start, segment.doc_part, segment.part_start, len(needle), keep)
    starts, ends, parts = ([column[at : at + AT_ONCE] for at in range(0, len(column), AT_ONCE)] for column in columns)
    return zip(starts, ends, parts, strict=True)


def _documents(segment: Segment, needle: bytes, deadline_ns: int) -> bytearray | None:
    """Marks of the documents in which an occurrence of `needle` has its longest rare run, or begins it."""
    most = segment.docs // SHARE + FEW
    number = segment.vocabulary.find(PARTIAL)
    partial = () if number < 0 else (number,)
    frequency = segment.postings.frequency
    most -= sum(frequency(term, term + 1) for term in partial)
    runs = sorted(set(_RUN.findall(needle)), key=lambda run: (-len(run), run))
    for run in runs[:ASKED] if most >= 0 else ():
        terms = holding(segment.vocabulary, run, most, deadline_ns)
        if terms is not None and sum(frequency(term, term + 1) for term in terms) <= most:
            documents = bytearray(segment.docs)
            mark_documents(segment.postings, (*partial, *terms), documents)
            return documents
    return None
