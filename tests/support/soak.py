"""Counts of the long tests: small by default, full where RECALL_RANK_SOAK=long."""

from __future__ import annotations

import os
from typing import Final

LONG: Final = os.environ.get("RECALL_RANK_SOAK") == "long"


def times(usually: int, long: int) -> int:
    """Return `long` where RECALL_RANK_SOAK=long, else `usually`."""
    return long if LONG else usually
