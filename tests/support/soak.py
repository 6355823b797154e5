"""How much is tried: little in every run, the full figures where RECALL_RANK_SOAK=long asks for them."""

from __future__ import annotations

import os
from typing import Final

LONG: Final = os.environ.get("RECALL_RANK_SOAK") == "long"


def times(usually: int, long: int) -> int:
    """One of the two counts."""
    return long if LONG else usually
