"""Tokens of scripts without spaces."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence

from tests.reference.text.chars import Char
from tests.reference.text.token_buffer import JOINED, WORD, Token

CJK = re.compile(r"c[cm]*")
BLOCKS = ("\u0e00\u0eff", "\u1000\u109f", "\u1780\u17ff")  # Thai and Lao, Myanmar, Khmer
BEFORE, BEHIND, STACKERS = "เแโใไເແໂໃໄ", "ะาำๅະາຳ", "\u1039\u17d2"
AM = {"ำ": "\u0e4dา", "ຳ": "\u0ecdາ"}
MAX_SYLLABIC = 8


def composed(base: str, behind: str) -> str:
    """Return a kana with its voice mark, or two jamo as a syllable; "" where no composed character exists."""
    kana = "\u3040" <= base < "\u3100" and behind in "\u3099\u309a\uff9e\uff9f"
    jamo = "\u1161" <= behind <= "\u1175" or "\u11a8" <= behind <= "\u11c2"
    made = unicodedata.normalize("NFC", base + {"\uff9e": "\u3099", "\uff9f": "\u309a"}.get(behind, behind))
    return made if len(made) == 1 and (kana or jamo) else ""


def role(char: str) -> str:
    """Return what a letter of a syllabic script is: consonant, attached, before, behind, stacker; "" in others."""
    if not any(first <= char <= last for first, last in BLOCKS):
        return ""
    if char in STACKERS:
        return "stacker"
    if char in BEFORE + BEHIND:
        return "before" if char in BEFORE else "behind"
    return "attached" if unicodedata.category(char)[0] == "M" else "consonant"


def joins(unit: str, char: str) -> bool:
    """Return whether a letter belongs to the character that `unit` is the beginning of."""
    what, last = role(char), role(unit[-1])
    if len(unit) >= MAX_SYLLABIC or what in ("", "before"):
        return False
    if what == "behind":
        return any(role(each) == "consonant" for each in unit)
    return what != "consonant" or last in ("stacker", "before")


def units(chars: Sequence[Char], first: int, last: int) -> Iterator[Char]:
    """Yield the characters of a run in canonical form: half-width kana in full width, marks and jamo composed."""
    at = first
    while at < last:
        char = chars[at]
        at += 1
        if char.kind == "m":
            continue
        narrow = "\uff66" <= char.char <= "\uff9d"
        full = unicodedata.normalize("NFKC", char.char) if narrow else unicodedata.normalize("NFC", char.char)
        unit = Char(char.start, char.end, full, "c")
        if role(unit.char):
            unit.char = AM.get(unit.char, unit.char)
            while at < last and (chars[at].kind == "m" or joins(unit.char, chars[at].char)):
                if chars[at].kind != "m":
                    unit.char += AM.get(chars[at].char, chars[at].char)
                unit.end = chars[at].end
                at += 1
            yield unit
            continue
        while at < last and (made := composed(unit.char, chars[at].char)):
            unit.char, unit.end = made, chars[at].end
            at += 1
        yield unit


def cjk_tokens(found: Sequence[Char], position: int) -> Iterator[Token]:
    """Yield a token for each character, and one for each pair of neighbours behind its second character."""
    for k, unit in enumerate(found):
        yield unit.char, WORD, unit.start, unit.end, position + k, 1, True
        if k:
            yield found[k - 1].char + unit.char, JOINED, found[k - 1].start, unit.end, position + k - 1, 2, True
