"""Split the prose of a message into sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

MIN_CHARS: Final = 15
MAX_CHARS: Final = 240
READ_CHARS: Final = 20_000  # of one part: longer texts are pasted, not written

_SENTENCE: Final = re.compile(r"[^\n.!?。！？]+(?:[.!?](?!\s|$)[^\n.!?。！？]*)*[.!?。！？]*")
_LIST_MARK: Final = re.compile(r"^[\s>*#\-•\d.)\]]+")


def sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a text that have 15 to 240 characters, from 7 on if one is beyond ASCII, without code and
    questions. Only the first 20,000 characters of the text are read.
    """
    fenced = False
    for line in text[:READ_CHARS].split("\n"):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced and not line.startswith(("    ", "\t")):
            for found in _SENTENCE.findall(line):
                sentence = " ".join(_LIST_MARK.sub("", found).split())
                least = MIN_CHARS if sentence.isascii() else MIN_CHARS // 2  # an ideograph may be a word
                if least <= len(sentence) <= MAX_CHARS and not sentence.endswith(("?", "？")):
                    yield sentence
