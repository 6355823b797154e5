"""Find the parts whose meaning is near to that of the query, where the index has an embedder."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from recall_rank.index.errors import UnusableIndexError
from recall_rank.index.reader.index_reader import IndexReader
from recall_rank.model.option_errors import error_text
from recall_rank.search.deadline import Deadline
from recall_rank.semantic.query_vectors import AskedVector

if TYPE_CHECKING:
    from recall_rank.semantic.nearest import Nearest

TAKEN: Final = 20  # parts that become candidates by their meaning
PATIENCE: Final = 0.5  # share of the time left for scoring that the vector of the query is waited for


def similar_parts(
    reader: IndexReader, asked: AskedVector, keep: bytearray | None, deadline: Deadline
) -> tuple[Nearest | None, str | None]:
    """Return (nearest, problem): the TAKEN parts nearest to the query, or a sentence that says why there are none.

    `keep`, u8[docs], marks the eligible documents; None is those of live sessions.
    """
    vector = asked.wait(deadline.seconds_to_score() * PATIENCE, deadline.passed)
    if vector is None:
        return None, asked.problem
    from recall_rank.semantic.nearest import nearest

    try:
        found = nearest(reader, vector, asked.model, keep, TAKEN, deadline.score_by_ns)
    except UnusableIndexError as error:
        return None, f"the vectors cannot be read: {error_text(error)}"
    if found is None:
        return None, "the time was too short to compare the vectors of all passages; ranked by words alone"
    return found, None
