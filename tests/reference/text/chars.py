"""The class of a character and its folded form, from the Unicode database of Python."""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from dataclasses import dataclass
from functools import cache

# (last character of a range, class). Classes: l and u lower and upper case, x a letter without case, d digit, c of a
# script without spaces, m a mark that is left out, e emoji, a blank separates.
CLASS_RANGES = [
    *[(0x3004, " "), (0x3007, "c"), (0x303F, " "), (0x309F, "c"), (0x30A0, " "), (0x30FA, "c"), (0x30FB, " ")],
    *[(0x9FFF, "c"), (0xABFF, "x"), (0xD7AF, "c"), (0xF8FF, " "), (0xFAFF, "c"), (0xFB06, "l"), (0xFB1C, " ")],
    *[(0xFB1D, "x"), (0xFB1E, "m"), (0xFB28, "x"), (0xFB29, " "), (0xFB4F, "x")],
    *[(0xFDFF, "x"), (0xFE0F, "m"), (0xFE1F, " "), (0xFE2F, "m"), (0xFE6F, " "), (0xFEFE, "x"), (0xFF0F, " ")],
    *[(0xFF19, "d"), (0xFF20, " "), (0xFF3A, "u"), (0xFF40, " "), (0xFF5A, "l"), (0xFF65, " "), (0xFFDC, "c")],
    *[(0xFFFF, " "), (0x1AFFF, "x"), (0x1B2FF, "c"), (0x1EFFF, " "), (0x1F3FA, "e"), (0x1F3FF, " ")],
    *[(0x1FAFF, "e"), (0x1FFFF, " "), (0x3FFFF, "c"), (0x10FFFF, " ")],
]

UNSPACED = [range(0x0E00, 0x0F00), range(0x1000, 0x10A0), range(0x1780, 0x1800)]  # Thai, Lao, Myanmar, Khmer

INDIC = range(0x0900, 0x0E00)

INVISIBLE = "\u00ad\u0640\u200c\u200d"  # soft hyphen, tatweel, the two joiners


def is_mark(char: str) -> bool:
    """Return whether a character is left out of forms: a combining mark that is no letter of its script.

    Vowel signs and viramas of Indic scripts are letters; nukta and accents there are not.
    """
    if unicodedata.category(char) not in ("Mn", "Me"):
        return False
    return ord(char) not in INDIC or unicodedata.combining(char) not in (0, 9, 84, 91)


@cache
def char_class(char: str) -> str:
    """Return the class of a character, a letter explained at CLASS_RANGES."""
    point, category = ord(char), unicodedata.category(char)
    if point >= 0x3000:
        return CLASS_RANGES[bisect_right(CLASS_RANGES, (point, ""))][1]
    if any(point in block for block in UNSPACED):
        return "c" if category[0] in "LM" else "d" if category == "Nd" else " "
    if 0x1100 <= point < 0x1200:
        return "c"
    if is_mark(char) or char in INVISIBLE:
        return "m"
    if category == "So" and point >= 0x2600:
        return "e"
    if category == "Nd" or (
        category[0] == "N" and unicodedata.normalize("NFKC", char).isdigit() and is_one_character(char)
    ):
        return "d"
    return {"Lu": "u", "Lt": "u", "Ll": "l"}.get(category, "x" if category[0] in "LM" else " ")


def is_one_character(char: str) -> bool:
    """Return whether the compatibility form (NFKC) of a character is one character."""
    return len(unicodedata.normalize("NFKC", char)) == 1


ARABIC = dict(zip("ةىیک", "هييك", strict=True))  # letters that writers use for each other


@cache
def fold_char(char: str) -> str:
    """Return a letter without accent and case, and a digit as 0 to 9."""
    if char in ARABIC:
        return ARABIC[char]
    if char_class(char) == "d":
        known = unicodedata.category(char) == "Nd"
        return str(unicodedata.digit(char)) if known else unicodedata.normalize("NFKC", char)
    if char >= "\u3000":
        simple = "\uff21" <= char <= "\uff5a" or "\ufb00" <= char <= "\ufb06"
        pointed = "\ufb1d" <= char <= "\ufb4e"  # Hebrew letters with their points
        bare = "".join(c for c in unicodedata.normalize("NFKD", char).lower() if not is_mark(c))
        return bare if simple or (pointed and len(bare) == 1) else char
    folded = char
    for _ in range(2):
        folded = "".join(c for c in unicodedata.normalize("NFKD", folded) if not is_mark(c)).casefold()
    folded = "".join(c for c in folded if unicodedata.category(c)[0] in "LMN")
    return folded if folded and max(folded) < "\u3000" else char


@dataclass(slots=True)
class Char:
    """A character with its place: bytes [start, end), the marks behind it included."""

    start: int
    end: int
    char: str
    kind: str
    marked: bool = False


def characters(text: bytes) -> list[Char]:
    """Return the characters of UTF-8 text. Invalid bytes separate words. Marks extend the letter in front of them."""
    found: list[Char] = []
    at = 0
    for char in text.decode("utf-8", "surrogateescape"):
        broken = "\udc80" <= char <= "\udcff"
        width = 1 if broken else len(char.encode())
        inner = {"_": "-", "-": "-", ".": ".", "'": "'", "\u2019": "'"}.get(char, "")
        what = " " if broken else inner or char_class(char)
        if what == "m" and found and found[-1].kind in "ludx":
            found[-1].end, found[-1].marked = at + width, True
        else:
            found.append(
                Char(at, at + width, char, " " if what == "m" and not (found and found[-1].kind in "cm") else what)
            )
        at += width
    return found
