"""A segment builder that counts terms in dictionaries and sorts them in finish()."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from typing import Any

from tests.reference.index.packing import packed
from tests.reference.index.term_signatures import signature
from tests.reference.text.token_buffer import MAX_TERM, WORD
from tests.reference.text.token_coverage import is_covered, splits_alnum_run
from tests.reference.text.tokens import tokens

LENGTHS = 66

BLOCK = 65536


class SegmentBuilder:
    """Documents as dictionaries from term to frequency, sorted in finish()."""

    def __init__(self) -> None:
        self.documents: list[dict[bytes, int]] = []

    def __len__(self) -> int:
        return len(self.documents)

    @property
    def terms(self) -> int:
        return len(self.vocabulary())

    def vocabulary(self) -> list[bytes]:
        return sorted({term for terms in self.documents for term in terms}, key=lambda term: (len(term.decode()), term))

    def add(self, text: bytes, start: int, end: int, fields: Iterable[tuple[bytes, bytes]] = ()) -> int:
        """Count every token of the text, and every token of a field with the tag before it, up to MAX_TERM bytes."""
        counts: dict[bytes, int] = {}
        found = tokens(text[start:end])
        tagged = [tag + token[0].encode() for tag, value in fields for token in tokens(value)]
        partial = [] if is_covered(text[start:end]) and not splits_alnum_run(text, start, end) else [b"\4"]
        tagged = [term for term in tagged if len(term) <= MAX_TERM]
        for term in [token[0].encode() for token in found] + partial + tagged:
            counts[term] = min(255, counts.get(term, 0) + 1)
        self.documents.append(counts)
        return sum(token[1] == WORD for token in found)

    def finish(self) -> dict[str, Any]:
        vocabulary = self.vocabulary()
        numbers = {term: number for number, term in enumerate(vocabulary)}
        lengths = [len(term.decode()) for term in vocabulary]
        offsets = [sum(map(len, vocabulary[:k])) for k in range(len(vocabulary) + 1)]
        blocks: list[dict[int, list[tuple[int, int]]]] = []
        for first in range(0, len(self.documents), BLOCK):
            blocks.append({})
            for doc, counts in enumerate(self.documents[first : first + BLOCK]):
                for term, count in counts.items():
                    blocks[-1].setdefault(numbers[term], []).append((doc, count))
        return {
            "arena": b"".join(vocabulary),
            "offsets": array("I", offsets).tobytes(),
            "starts": array("I", [sum(length < n for length in lengths) for n in range(LENGTHS)]).tobytes(),
            "signatures": array("I", [signature(term.decode()) for term in vocabulary]).tobytes(),
            "postings": packed(len(vocabulary), blocks),
        }

    def snapshot(self) -> dict[str, Any]:
        return self.finish()
