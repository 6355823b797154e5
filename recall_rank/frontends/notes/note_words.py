"""Compare notes by their words, so that a note is not written down twice."""

from __future__ import annotations

import re
from typing import Final

from recall_rank.analysis.normalize import fold
from recall_rank.analysis.stemming import stem
from recall_rank.analysis.stop_words import STOP_WORDS

LEAST_SHARED: Final = 0.75  # of the words of the longer of two notes that say one thing
_WORD: Final = re.compile(r"\w+")
_UNSPACED: Final = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")  # kana, Chinese characters, hangul
# Words that turn the meaning of a note; two notes that differ in one, or in a number, differ.
_TURNING: Final = frozenset(
    """not no never without only except unless always nor none neither before after off on until since
    nicht kein keine nie niemals ohne nur ne pas jamais sans sin nunca jamas solo nunca nao sem mai senza non
    не нет никогда без только 不 没 勿""".split()
)


def note_words(text: str) -> frozenset[str]:
    """Return the stems of a note's words, folded, without those that carry no meaning but with negations and numbers.

    Text without blanks between words gives pairs of characters.
    """
    words: set[str] = set()
    for word in _WORD.findall(fold(text).replace("n't", " not").replace("n\u2019t", " not")):
        if _UNSPACED.search(word):
            words.update(word[at : at + 2] for at in range(max(len(word) - 1, 1)))
        elif word in _TURNING:
            words.add(word)
        elif word not in STOP_WORDS:
            words.add(stem(word))
    return frozenset(words)


def is_repeated(words: frozenset[str], other: frozenset[str]) -> bool:
    """Return whether two notes, given by their words, say one thing.

    All words of the shorter stand in the longer, they are LEAST_SHARED of it, and none of the further ones is a number
    or turns the meaning. Notes that each have a word of their own differ, such as those of Monday and of Friday.
    """
    shorter, longer = sorted((words, other), key=len)
    if not shorter <= longer or len(shorter) < LEAST_SHARED * len(longer):
        return False
    more = longer - shorter
    return bool(longer) and not any(word in _TURNING or any(each.isdigit() for each in word) for word in more)
