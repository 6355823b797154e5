"""PageEntry: the record of a result that the group stage hands to those behind it."""

from __future__ import annotations

from recall_rank._core.rank.candidate import Candidate
from recall_rank.model.record_classes import mutable


@mutable
class PageEntry:
    """One result on a page: a part, or, when results are grouped, a session represented by one of its parts."""

    candidate: Candidate
    session: int  # its number in the index reader
    title_match: bool = False  # grouped by session: the session's title is a hit, too
