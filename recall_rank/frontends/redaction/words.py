"""Is this made by chance, or by somebody who wanted to be understood?"""

from __future__ import annotations

import re
from typing import Final

_PLACEHOLDER: Final = re.compile(
    r"x{6}|\*{3}|\.{3}|0{8}|12345678|abcdefgh|your[_-]|example|placeholder|redacted|change_?me|dummy[_-]|replace|"
    r"insert[_-]|passw(?:or)?d|fake[_-]|sample[_-]|my[_-]?secret",
    re.IGNORECASE,
)
_CHANGES: Final = re.compile(r"(?<=[a-z])(?=[A-Z0-9])|(?<=[A-Z])(?=[a-z0-9])|(?<=[0-9])(?=[A-Za-z])")
_SCALE: Final = 256  # characters that decide


def is_placeholder(value: str) -> bool:
    """Whether the value stands for one: a word that says so, or nearly always the same character."""
    value = value[:_SCALE]
    return len(set(value)) < min(5, len(value)) or _PLACEHOLDER.search(value) is not None


def looks_random(value: str) -> bool:
    """Whether letters and digits stand as in a key: many different ones, changing between kinds all the time."""
    value = value[:_SCALE]
    if len(set(value)) < min(10, len(value) * 0.6):
        return False
    changes = len(_CHANGES.findall(value))
    return any(map(str.isdigit, value)) and changes >= max(3, len(value) * 0.12)
