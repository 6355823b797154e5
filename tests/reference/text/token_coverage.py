"""Coverage of a text's runs of ASCII letters and digits by the forms of its tokens."""

from __future__ import annotations

import re

from tests.reference.text.tokens import tokens


def is_covered(text: bytes) -> bool:
    """Return whether each run of three or more ASCII letters and digits is in the form of a token around it."""
    found = tokens(text)
    return all(
        any(
            start <= run.start() and run.end() <= end and run.group().lower().decode() in form
            for form, _, start, end, *_ in found
        )
        for run in re.finditer(rb"[0-9A-Za-z]{3,}", text)
    )


def splits_alnum_run(text: bytes, start: int, end: int) -> bool:
    """Return whether a cut at `end` separates two ASCII letters or digits."""
    return start < end and re.fullmatch(rb"[0-9A-Za-z]{2}", text[end - 1 : end + 1]) is not None
