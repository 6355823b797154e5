"""Classify a passage by its wording: whether it is a standing order, and whether it is mostly questions."""

from __future__ import annotations

import re

# These words give a standing order at the beginning of a sentence, and seldom elsewhere. Between that and the word at
# most four other characters are accepted, so that the search stays linear in the passage.
_ORDER_WORDS = (b"always", b"never", b"prefer", b"from now on")
_ORDER = re.compile(
    rb"(?:^|[.!?:\n])\W{0,4}(?:please )?(?:always|never)\b"
    rb"|\b(?:i|we)(?:(?:'|\xe2\x80\x99)d| would)? (?:\w+ )?prefer\b"
    rb"|\bfrom now on\b"
)


def is_order(passage: bytes) -> bool:
    """Return whether a passage, in UTF-8, contains a standing order such as "always use tabs", or a preference."""
    words = passage.lower()
    return any(word in words for word in _ORDER_WORDS) and _ORDER.search(words) is not None


_SENTENCE = re.compile("[^.!?\u3002\uff01\uff1f\u061f\n]+([.!?\u3002\uff01\uff1f\u061f\n]*)")
_ASKS = re.compile("[?\uff1f\u061f]")
_MOSTLY = 0.7  # share of the characters in questions; a passage with a longer statement may answer something


def is_question(passage: bytes) -> bool:
    """Return whether questions make up at least 70 % of the characters of a passage, which is UTF-8."""
    text = passage.decode("utf-8", "ignore")  # drops the bytes that begin fields
    if not _ASKS.search(text):
        return False
    asking = said = 0
    for sentence in _SENTENCE.finditer(text):
        size = sentence.end() - sentence.start()
        said += size
        asking += size if _ASKS.search(sentence[1]) else 0
    return said > 0 and asking >= _MOSTLY * said
