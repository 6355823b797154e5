"""Narrow the search for a literal in a segment to the documents whose terms show that they may contain it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from recall_rank._core.search.literal_candidates import mark_documents, ranges_around, terms_containing

if TYPE_CHECKING:
    from recall_rank.index.reader.segment_view import Marks
    from recall_rank.index.segment.segment import Segment

PARTIAL = b"\x04"  # the term of documents with a run that is in no token, or is cut: see _core.text.token_coverage
ASKED = 3  # runs that are looked up, longest first, until one is rare
SHARE = 8  # at most one in SHARE documents is scanned; for more, a scan of all text is as fast
FEW = 64  # documents that may always be scanned
AT_ONCE = 16  # ranges between two checks of the deadline
_RUN = re.compile(rb"[0-9a-z]{3,}")

Stretches = tuple[memoryview, memoryview, memoryview]  # where each starts and ends in the text, and its part


def places(segment: Segment, needle: bytes, keep: Marks | None, deadline_ns: int) -> Iterator[Stretches] | None:
    """Return byte ranges of the text that cover every occurrence of `needle` in the parts marked in `keep`, None for
    all.

    They come in batches (starts, ends, parts): range k of a batch is bytes [starts[k], ends[k]) in part number
    parts[k]; part numbers ascend. None when the ranges would cover too much text to be worth it, when `needle` has no
    run of three letters or digits, or when the time.monotonic_ns() `deadline_ns` passed first; 0 is no deadline.
    """
    documents = _documents(segment, needle, deadline_ns)
    if documents is None:
        return None
    columns = ranges_around(documents, segment.doc_start, segment.doc_part, segment.part_start, len(needle), keep)
    starts, ends, parts = ([column[at : at + AT_ONCE] for at in range(0, len(column), AT_ONCE)] for column in columns)
    return zip(starts, ends, parts, strict=True)


def _documents(segment: Segment, needle: bytes, deadline_ns: int) -> bytearray | None:
    """Return marks u8[docs] of the documents in which an occurrence of `needle` can begin.

    Such a document has a term that contains a rare run of letters and digits of the needle, or has a run that no term
    contains. None when there are too many of these documents, when the needle has no run of three or more, or when the
    deadline passed first.
    """
    most = segment.docs // SHARE + FEW
    number = segment.vocabulary.find(PARTIAL)
    partial = () if number < 0 else (number,)
    frequency = segment.postings.frequency
    most -= sum(frequency(term, term + 1) for term in partial)
    runs = sorted(set(_RUN.findall(needle)), key=lambda run: (-len(run), run))
    for run in runs[:ASKED] if most >= 0 else ():
        terms = terms_containing(segment.vocabulary, run, most, deadline_ns)
        if terms is not None and sum(frequency(term, term + 1) for term in terms) <= most:
            documents = bytearray(segment.docs)
            mark_documents(segment.postings, (*partial, *terms), documents)
            return documents
    return None
