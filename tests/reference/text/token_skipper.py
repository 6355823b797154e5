"""The classes of bytes, 64 bytes at a time."""

from __future__ import annotations

import string


def looked_at(text: bytes) -> tuple[int, ...]:
    """Bit k is of byte k: letters, small ones, digits, what joins pieces, signs that may belong to a word, no ASCII."""
    kinds = (
        string.ascii_letters.encode(),
        string.ascii_lowercase.encode(),
        string.digits.encode(),
        b"_-.",
        b"#%+'",
        bytes(range(0x80, 0x100)),
    )
    return tuple(sum(1 << at for at, byte in enumerate(text) if byte in wanted) for wanted in kinds)
