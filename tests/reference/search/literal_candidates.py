"""Terms that contain a run, and the stretches of documents that hold them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tests.reference.index.postings import Postings
from tests.reference.index.vocabulary import Vocabulary


def terms_containing(vocabulary: Vocabulary, run: bytes, most: int) -> list[int] | None:
    """The numbers of the terms that contain `run`; None for more than `most`."""
    found = [number for number, term in enumerate(vocabulary.terms) if run in term and term[:1] >= b" "]
    return None if len(found) > most else found


def mark_documents(postings: Postings, terms: Iterable[int], documents: bytearray) -> None:
    for doc in {doc for term in terms for doc, _ in postings.lists[term]}:
        documents[doc] = 1


def ranges_around(
    documents: Sequence[int],
    doc_start: Sequence[int],
    doc_part: Sequence[int],
    part_start: Sequence[int],
    reach: int,
    eligible: Sequence[int] | None = None,
) -> list[tuple[int, set[int]]]:
    """(part, its bytes that may be looked at) for every part of a marked document."""
    found: dict[int, set[int]] = {}
    for doc, part in enumerate(doc_part):
        if documents[doc] and (eligible is None or eligible[part]):
            wide = range(doc_start[doc] - reach, doc_start[doc + 1] + reach)
            found.setdefault(part, set()).update(set(wide) & set(range(part_start[part], part_start[part + 1])))
    return sorted(found.items())
