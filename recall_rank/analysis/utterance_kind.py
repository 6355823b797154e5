"""What a person does with the words of a passage: gives a standing order, or only asks."""

from __future__ import annotations

import re

# A sentence that begins so says how everything to come is wanted; words that stand elsewhere seldom do. Of what may
# stand before it, four characters are looked at: however many there are, a passage is read once.
_ORDER_WORDS = (b"always", b"never", b"prefer", b"from now on")
_ORDER = re.compile(
    rb"(?:^|[.!?:\n])\W{0,4}(?:please )?(?:always|never)\b"
    rb"|\b(?:i|we)(?:(?:'|\xe2\x80\x99)d| would)? (?:\w+ )?prefer\b"
    rb"|\bfrom now on\b"
)


def is_order(passage: bytes) -> bool:
    """Whether a person's words to an agent, UTF-8, give a standing order or a preference."""
    words = passage.lower()
    return any(word in words for word in _ORDER_WORDS) and _ORDER.search(words) is not None


_SENTENCE = re.compile("[^.!?\u3002\uff01\uff1f\u061f\n]+([.!?\u3002\uff01\uff1f\u061f\n]*)")
_ASKS = re.compile("[?\uff1f\u061f]")
_MOSTLY = 0.7  # share of a passage that asks: with a sentence of weight beside the question it may answer something


def is_question(passage: bytes) -> bool:
    """Whether what people say to each other, UTF-8, asks and says little else."""
    text = passage.decode("utf-8", "ignore")  # without the bytes that begin fields
    if not _ASKS.search(text):
        return False
    asking = said = 0
    for sentence in _SENTENCE.finditer(text):
        size = sentence.end() - sentence.start()
        said += size
        asking += size if _ASKS.search(sentence[1]) else 0
    return said > 0 and asking >= _MOSTLY * said
