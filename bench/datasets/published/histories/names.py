"""Makes known-item queries for the names in a history: its paths, and its identifiers in several spellings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.datasets.documents import documents
from bench.datasets.generate import Mention
from bench.datasets.label import KINDS, label, plain
from bench.datasets.published.histories.parts import compounds, paths

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from bench.datasets.history_files import LabelledQuery
    from recall_rank.model import Session

SOURCES = ("identifier", "path")  # the kinds of mentions that are made


def mentions(sessions: Iterable[Session]) -> Iterator[Mention]:
    """Yield the paths and the identifiers of two or more words in each part of a history."""
    for document in documents(sessions):
        if not document.hit.part:
            continue
        answer = (document.hit.session, document.hit.message, document.hit.part)
        for path in sorted(paths(document.text)):
            yield Mention("path", path.lower(), path, answer)
        for name in sorted(compounds(document.text)):
            yield Mention("identifier", plain(name), name, answer)


def queries(sessions: Iterable[Session], seed: int, count: int) -> list[LabelledQuery]:
    """Return `count` labelled queries of each kind that is made from paths or identifiers, or as many as there are.

    Equal histories, seeds and counts give equal queries.
    """
    made = label(mentions(sessions), seed, count)
    return [query for query in made if KINDS[query.kind][0] in SOURCES]
