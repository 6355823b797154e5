"""What every compiled room must give, written as plainly as its contract: loops, dictionaries, no cleverness.

A function or class here has the name and signature of the native one. Nothing is shared with the rooms but the
Unicode database of Python.
"""

from __future__ import annotations

import math
import re
import string
import unicodedata
from array import array
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import accumulate, groupby, pairwise
from typing import Any

WORD, JOINED, SPECIAL = 0, 1, 2
MAX_TERM = 64  # bytes of a form
MAX_PIECES = 32  # of a compound; the next one begins another
MAX_JOIN = 12  # pieces that are joined
LENGTHS = 66

Token = tuple[str, int, int, int, int, int, bool]  # form, kind, start, end, position, span, cjk

# --- tokens: the class of a character ---------------------------------------------------------------

# Up to this character what is not said is the first letter: l, u lower and upper case, x a letter without case,
# d digit, c from a script without spaces, m leaves no trace, e emoji, a blank separates.
BLOCKS = [
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
    """Accents leave no trace. Vowel signs and viramas of Indic scripts are letters; nukta and accents there are not."""
    if unicodedata.category(char) not in ("Mn", "Me"):
        return False
    return ord(char) not in INDIC or unicodedata.combining(char) not in (0, 9, 84, 91)


@cache
def kind(char: str) -> str:
    """The class of a character, see BLOCKS."""
    point, category = ord(char), unicodedata.category(char)
    if point >= 0x3000:
        return BLOCKS[bisect_right(BLOCKS, (point, ""))][1]
    if any(point in block for block in UNSPACED):
        return "c" if category[0] in "LM" else "d" if category == "Nd" else " "
    if 0x1100 <= point < 0x1200:
        return "c"
    if is_mark(char) or char in INVISIBLE:
        return "m"
    if category == "So" and point >= 0x2600:
        return "e"
    if category == "Nd" or (category[0] == "N" and unicodedata.normalize("NFKC", char).isdigit() and one_digit(char)):
        return "d"
    return {"Lu": "u", "Lt": "u", "Ll": "l"}.get(category, "x" if category[0] in "LM" else " ")


def one_digit(char: str) -> bool:
    return len(unicodedata.normalize("NFKC", char)) == 1


@cache
def fold(char: str) -> str:
    """A letter without accent and case, a digit as 0 to 9."""
    if kind(char) == "d":
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


# --- tokens: compounds ------------------------------------------------------------------------------


@dataclass(slots=True)
class Char:
    """A character, and where it stands with the marks behind it."""

    start: int
    end: int
    char: str
    kind: str
    marked: bool = False


def characters(text: bytes) -> list[Char]:
    """The characters of UTF-8 text; every byte that is none of it separates. A letter takes in the marks behind it."""
    found: list[Char] = []
    at = 0
    for char in text.decode("utf-8", "surrogateescape"):
        broken = "\udc80" <= char <= "\udcff"
        width = 1 if broken else len(char.encode())
        inner = {"_": "-", "-": "-", ".": ".", "'": "'", "\u2019": "'"}.get(char, "")
        what = " " if broken else inner or kind(char)
        if what == "m" and found and found[-1].kind in "ludx":
            found[-1].end, found[-1].marked = at + width, True
        else:
            found.append(
                Char(at, at + width, char, " " if what == "m" and not (found and found[-1].kind in "cm") else what)
            )
        at += width
    return found


@dataclass(slots=True)
class Piece:
    """A word of a compound, and the separator before it."""

    letters: list[Char]
    mark: str = ""

    @property
    def form(self) -> str:
        """The folded letters, as many as fit."""
        form = ""
        for letter in self.letters:
            if len((form + fold(letter.char)).encode()) > MAX_TERM:
                break
            form += fold(letter.char)
        return form

    @property
    def is_number(self) -> bool:
        return all(letter.kind == "d" for letter in self.letters)


COMPOUND = re.compile(r"[ludx](?:[ludx]|['.-](?=[ludx]))*")
CJK = re.compile(r"c[cm]*")


def lone_s(chars: Sequence[Char], at: int) -> bool:
    """Whether an s ends the word: that of URLs and of Ada's."""
    char = chars[at]
    return char.char in "sS" and not char.marked and (at + 1 == len(chars) or chars[at + 1].kind not in "ludx")


def compound_at(chars: Sequence[Char], first: int, last: int) -> tuple[int, int]:
    """Where the compound chars[first:last] ends, and where reading goes on: a possessive s is left out."""
    for at in range(first, last):
        if chars[at].kind == "'" and lone_s(chars, at + 1):
            return at, at + 2
    return last, last


def cut_compound(chars: Sequence[Char], first: int, last: int) -> Iterator[Piece]:
    """Cut at separators, before a capital behind anything else, and before the last of several capitals when small
    letters follow: XMLParser, getHTTPResponse. URLs stays whole."""
    piece = Piece([])
    for at in range(first, last):
        char = chars[at]
        if char.kind in "-.":
            yield piece
            piece = Piece([], char.char)
        elif char.kind != "'":
            small = at + 1 < last and chars[at + 1].kind == "l" and not lone_s(chars, at + 1)
            if char.kind == "u" and piece.letters and (piece.letters[-1].kind != "u" or small):
                yield piece
                piece = Piece([])
            piece.letters.append(char)
    yield piece


def digits_apart(piece: Piece) -> list[Piece]:
    """error404 as error and 404, when every run of letters has at least three."""
    runs = [list(run) for _, run in groupby(piece.letters, key=lambda letter: letter.kind == "d")]
    short = any(run[0].kind != "d" and len("".join(fold(letter.char) for letter in run)) < 3 for run in runs)
    if len(runs) == 1 or short or len(piece.form.encode()) > MAX_TERM // 2:
        return [piece]
    return [Piece(run, "" if k else piece.mark) for k, run in enumerate(runs)]


def joined(pieces: Sequence[Piece], position: int) -> list[Token]:
    """Several pieces as one word. Numbers keep their separators: 1.2.3 is not 123."""
    form = "".join(piece.form for piece in pieces)
    if all(piece.is_number for piece in pieces):
        form = pieces[0].form + "".join(piece.mark + piece.form for piece in pieces[1:])
    if not 2 <= len(pieces) <= MAX_JOIN or len(form.encode()) > MAX_TERM:
        return []
    return [(form, JOINED, pieces[0].letters[0].start, pieces[-1].letters[-1].end, position, len(pieces), False)]


def compound_tokens(pieces: Sequence[Piece], position: int) -> list[Token]:
    """Every piece, every identifier of several pieces, and a dotted name as a whole."""
    found: list[Token] = [
        (piece.form, WORD, piece.letters[0].start, piece.letters[-1].end, position + k, 1, False)
        for k, piece in enumerate(pieces)
    ]
    dots = [k for k, piece in enumerate(pieces) if k and piece.mark == "."]
    for low, high in zip([0, *dots], [*dots, len(pieces)], strict=True):
        found += joined(pieces[low:high], position + low)
    return found + (joined(pieces, position) if dots else [])


def special_at(text: bytes, start: int, end: int, position: int) -> list[Token]:
    """c++, c#, 100%, #4410: a word of ASCII with the punctuation that belongs to it."""
    word, behind = text[start:end], text[end : end + 2]
    if len(word) <= 2 and word.isascii() and behind == b"++":
        end += 2
    elif (len(word) == 1 and not word.isdigit() and behind[:1] == b"#") or (word.isdigit() and behind[:1] == b"%"):
        end += 1
    elif word.isdigit() and start and text[start - 1 : start] == b"#":
        start -= 1
    else:
        return []
    form = text[start:end].decode().lower()
    return [(form, SPECIAL, start, end, position, 1, False)] if len(form) <= MAX_TERM else []


# --- tokens: scripts without spaces -------------------------------------------------------------------


def composed(base: str, behind: str) -> str:
    """A kana with its voice mark, or jamo as a syllable; "" where they are not one character."""
    kana = "\u3040" <= base < "\u3100" and behind in "\u3099\u309a\uff9e\uff9f"
    jamo = "\u1161" <= behind <= "\u1175" or "\u11a8" <= behind <= "\u11c2"
    made = unicodedata.normalize("NFC", base + {"\uff9e": "\u3099", "\uff9f": "\u309a"}.get(behind, behind))
    return made if len(made) == 1 and (kana or jamo) else ""


def units(chars: Sequence[Char], first: int, last: int) -> Iterator[Char]:
    """The characters of a run as they are compared: canonical, half-width kana in full width, parts put together."""
    at = first
    while at < last:
        char = chars[at]
        at += 1
        if char.kind == "m":
            continue
        narrow = "\uff66" <= char.char <= "\uff9d"
        full = unicodedata.normalize("NFKC", char.char) if narrow else unicodedata.normalize("NFC", char.char)
        unit = Char(char.start, char.end, full, "c")
        while at < last and (made := composed(unit.char, chars[at].char)):
            unit.char, unit.end = made, chars[at].end
            at += 1
        yield unit


def cjk_tokens(found: Sequence[Char], position: int) -> Iterator[Token]:
    """Each character, and behind it the pair that it ends."""
    for k, unit in enumerate(found):
        yield unit.char, WORD, unit.start, unit.end, position + k, 1, True
        if k:
            yield found[k - 1].char + unit.char, JOINED, found[k - 1].start, unit.end, position + k - 1, 2, True


def tokens(text: bytes) -> list[Token]:
    """Every token of UTF-8 `text`: (form, kind, start, end, position, span, cjk), offsets in bytes."""
    chars = characters(text)
    kinds = "".join(char.kind for char in chars)
    found: list[Token] = []
    at = position = 0
    while at < len(chars):
        if match := COMPOUND.match(kinds, at):
            end, behind = compound_at(chars, at, match.end())
            pieces: list[Piece] = []
            for piece in cut_compound(chars, at, end):
                if len(pieces) == MAX_PIECES:
                    behind = chars.index(piece.letters[0])
                    break
                parts = digits_apart(piece)
                pieces += parts if len(pieces) + len(parts) <= MAX_PIECES else [piece]
            found += compound_tokens(pieces, position)
            position += len(pieces)
            last = chars[behind].start if behind < len(chars) else len(text)
            special = special_at(text, chars[at].start, last, position - 1)
            found += special
            at = behind
            while special and at < len(chars) and chars[at].start < special[0][3]:
                at += 1
        elif match := CJK.match(kinds, at):
            run = list(units(chars, at, match.end()))
            found += cjk_tokens(run, position)
            position += len(run)
            at = match.end()
        else:
            if chars[at].kind == "e":
                found.append((chars[at].char, WORD, chars[at].start, chars[at].end, position, 1, True))
                position += 1
            at += 1
    return found


def asked(text: bytes, stop_words: frozenset[bytes]) -> tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]:
    """Of the words `stop_words` count only where nothing else stands."""
    every = [
        (form.encode(), text[start:end].decode(), kind, position, span, cjk)
        for form, kind, start, end, position, span, cjk in tokens(text)
    ]
    content = any(kind == WORD and form not in stop_words for form, _, kind, *_ in every)
    words = [
        (form, written, not (content and form in stop_words), cjk)
        for form, written, kind, _, _, cjk in every
        if kind == WORD
    ]
    return words, [(form, written, *placed) for form, written, kind, *placed in every if kind != WORD]


# --- edit -----------------------------------------------------------------------------------------------


def within(a: str, b: str, bound: int) -> int:
    """Optimal string alignment by the full matrix; bound + 1 for anything farther."""
    rows = [[i + j if i == 0 or j == 0 else 0 for j in range(len(b) + 1)] for i in range(len(a) + 1)]
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            replaced = rows[i - 1][j - 1] + (a[i - 1] != b[j - 1])
            rows[i][j] = min(replaced, rows[i - 1][j] + 1, rows[i][j - 1] + 1)
            if i > 1 and j > 1 and a[i - 1] == b[j - 2] and a[i - 2] == b[j - 1]:
                rows[i][j] = min(rows[i][j], rows[i - 2][j - 2] + 1)
    return min(rows[-1][-1], bound + 1)


# --- builder, intern --------------------------------------------------------------------------------------

BLOCK = 65536


def signature(form: str) -> int:
    """A bit a letter, four that digits share, two for all else."""
    places = {26 + int(c) % 4 if c in "0123456789" else 30 + ord(c) % 2 for c in form if not "a" <= c <= "z"}
    return sum(1 << place for place in places | {ord(c) - 97 for c in form if "a" <= c <= "z"})


class SegmentBuilder:
    """Documents as dictionaries of terms, put in order only at the end."""

    def __init__(self) -> None:
        self.documents: list[dict[bytes, int]] = []

    def __len__(self) -> int:
        return len(self.documents)

    @property
    def terms(self) -> int:
        return len(self.vocabulary())

    def vocabulary(self) -> list[bytes]:
        return sorted({term for terms in self.documents for term in terms}, key=lambda term: (len(term.decode()), term))

    def add(self, text: bytes, start: int, end: int, fields: Iterable[tuple[bytes, bytes]] = ()) -> int:
        """Count every token; a field's with its tag before it, unless that makes them too long."""
        counts: dict[bytes, int] = {}
        found = tokens(text[start:end])
        tagged = [tag + token[0].encode() for tag, value in fields for token in tokens(value)]
        partial = [] if whole(text[start:end]) and not is_cut(text, start, end) else [b"\4"]
        tagged = [term for term in tagged if len(term) <= MAX_TERM]
        for term in [token[0].encode() for token in found] + partial + tagged:
            counts[term] = min(255, counts.get(term, 0) + 1)
        self.documents.append(counts)
        return sum(token[1] == WORD for token in found)

    def finish(self) -> dict[str, Any]:
        vocabulary = self.vocabulary()
        numbers = {term: number for number, term in enumerate(vocabulary)}
        lengths = [len(term.decode()) for term in vocabulary]
        offsets = [sum(map(len, vocabulary[:k])) for k in range(len(vocabulary) + 1)]
        blocks: list[dict[int, list[tuple[int, int]]]] = []
        for first in range(0, len(self.documents), BLOCK):
            blocks.append({})
            for doc, counts in enumerate(self.documents[first : first + BLOCK]):
                for term, count in counts.items():
                    blocks[-1].setdefault(numbers[term], []).append((doc, count))
        return {
            "arena": b"".join(vocabulary),
            "offsets": array("I", offsets).tobytes(),
            "starts": array("I", [sum(length < n for length in lengths) for n in range(LENGTHS)]).tobytes(),
            "signatures": array("I", [signature(term.decode()) for term in vocabulary]).tobytes(),
            "postings": packed(len(vocabulary), blocks),
        }


def whole(text: bytes) -> bool:
    """Whether every run of three or more ASCII letters and digits is in the form of a token around it."""
    found = tokens(text)
    return all(
        any(
            start <= run.start() and run.end() <= end and run.group().lower().decode() in form
            for form, _, start, end, *_ in found
        )
        for run in re.finditer(rb"[0-9A-Za-z]{3,}", text)
    )


def is_cut(text: bytes, start: int, end: int) -> bool:
    """Whether a run goes on behind the end."""
    return start < end and re.fullmatch(rb"[0-9A-Za-z]{2}", text[end - 1 : end + 1]) is not None


# --- packing ----------------------------------------------------------------------------------------------


def packed(terms: int, blocks: Sequence[dict[int, list[tuple[int, int]]]]) -> tuple[memoryview, ...]:
    """The columns of postings: of each block the terms it holds, and of each (document, frequency)."""
    held: list[list[tuple[int, int]]] = [[] for _ in range(terms)]
    for block, entries in enumerate(blocks):
        for term, pairs in entries.items():
            held[term] += [(block, count) for _, count in pairs]
    kept = [term for term in range(terms) if held[term]]
    lone = [term for term in kept if len(held[term]) == 1 and held[term][0][1] == 1 and held[term][0][0] < 256]
    shared = sorted({*kept} - {*lone})
    numbers = {term: number for number, term in enumerate(shared)}
    starts, pointers, bits, ranks, frames = [0], [], [], [], b""
    for entries in blocks:
        own = {numbers[term]: pairs for term, pairs in sorted(entries.items()) if term in numbers}
        bits += words(own, len(shared))
        ranks += ranked(own, len(shared), len(pointers))
        for pairs in own.values():
            [(doc, count), *others] = pairs
            pointers.append(len(frames) - starts[-1] if others else 1 << 31 | count << 16 | doc)
            frames += framed(pairs) if others else b""
        starts.append(len(frames))
    places = {term: (block, pairs[0][0]) for block, own in enumerate(blocks) for term, pairs in own.items()}
    frequent = [(numbers[term], len(held[term]) - 255) for term in shared if len(held[term]) > 255]
    marked = [number for number, term in enumerate(kept) if term in numbers]
    columns = (
        ("Q", words(marked, len(kept))),
        ("I", ranked(marked, len(kept), 0)),
        ("H", [places[term][1] for term in lone]),
        ("B", [places[term][0] for term in lone]),
        ("B", [min(len(held[term]), 255) for term in shared]),
        ("I", [number for number, _ in frequent]),
        ("I", [more for _, more in frequent]),
        ("Q", starts),
        ("Q", bits),
        ("I", ranks),
        ("I", pointers),
        ("B", frames + bytes(8)),
    )
    return tuple(memoryview(array(code, column)) for code, column in columns)


def words(numbers: Iterable[int], size: int) -> list[int]:
    """A set of numbers below `size` as bits, 64 a word."""
    whole = sum(1 << number for number in numbers)
    return [whole >> first & (1 << 64) - 1 for first in range(0, size, 64)]


def ranked(numbers: Collection[int], size: int, before: int) -> list[int]:
    """How many of a set are below 0, 256, ... and `before` more."""
    return [before + sum(number < end for number in numbers) for end in range(0, size + 1, 256)]


def framed(pairs: Sequence[tuple[int, int]]) -> bytes:
    """What a block holds of a term, 256 postings a frame."""
    made = b""
    for first in range(0, len(pairs), 256):
        frame, follows = pairs[first : first + 256], len(pairs) > first + 256
        least = pairs[first - 1][0] + 1 if first else 0
        values = [doc - least - k for k, (doc, _) in enumerate(frame)]
        low_bits = min(range(15, -1, -1), key=lambda low: split_size(values, low))
        lows, highs, frequencies = 0, 0, 0
        ends = 0
        for k, (value, (_, count)) in enumerate(zip(values, frame, strict=True)):
            lows |= (value & (1 << low_bits) - 1) << k * low_bits
            highs |= 1 << (value >> low_bits) + k
            ends += count
            frequencies |= 1 << ends - 1
        counted = any(count > 1 for _, count in frame)
        head = bytes([len(frame) - 1, low_bits | counted << 4 | follows << 5])
        high = highs.to_bytes(-(-highs.bit_length() // 8), "little")
        tail = frequencies.to_bytes(-(-ends // 8), "little") if counted else b""
        head += bytes([len(high)]) if counted or follows else b""
        head += len(tail).to_bytes(2, "little") if counted and follows else b""
        made += head + lows.to_bytes(-(-low_bits * len(frame) // 8), "little") + high + tail
    return made


def split_size(values: Sequence[int], low_bits: int) -> float:
    """What bytes a frame takes with so many low bits, where it may have them."""
    count = len(values)
    high = -(-((values[-1] >> low_bits) + count) // 8)
    size = -(-low_bits * count // 8) + high
    slow = count > 32 and low_bits not in (0, 4, 8)
    return float("inf") if high > 255 else size * 9 // 8 if slow else size


def cut(text: bytes, longest: int) -> list[int]:
    """In the second half of each passage: behind the last line or before the last field, else behind the last
    sentence, else behind the last blank, else between the last two characters."""
    ends: list[int] = []
    start = 0
    while len(text) - start > longest + longest // 4:
        floor, end = start + longest // 2, start + longest
        lines = [p + 1 for p in range(floor, end) if text[p] == 10] + [
            p for p in range(floor + 1, end) if text[p] >= 0xF8
        ]
        sentences = [p + 1 for p in range(floor + 1, end) if text[p] == 32 and text[p - 1] in b".!?"]
        blanks = [p + 1 for p in range(floor, end) if text[p] == 32]
        characters = [p for p in range(floor, end + 1) if p == floor or not 0x80 <= text[p] < 0xC0]
        start = max(lines or sentences or blanks or characters)
        ends.append(start)
    return [*ends, len(text)]


# --- fields, gather ---------------------------------------------------------------------------------------

TEXT, OUTPUT, ERROR, COMMAND, INPUT, TOOL_TITLE, PROMPT, CWD = range(0xF8, 0x100)


def string_values(value: Any) -> list[str]:
    """Depth first."""
    if isinstance(value, str):
        return [value] if value else []
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()
    return [found for each in inner for found in string_values(each)]


def fields(part: Any) -> list[tuple[int, str]]:
    """Command and folder are what they are where they are texts, and else input."""
    found = [(TEXT, part.text), (PROMPT, part.prompt)]
    given = part.input
    if isinstance(given, dict):
        own = {name: given[name] for name in ("command", "cwd") if isinstance(given.get(name), str)}
        found += [
            (label, own.get(name, "").strip() and own[name]) for name, label in (("command", COMMAND), ("cwd", CWD))
        ]
        given = [value for name, value in given.items() if name not in own]
    found += [(INPUT, value) for value in string_values(given)]
    found += [(TOOL_TITLE, part.title), (ERROR, part.error), (OUTPUT, part.output)]
    return [(label, value) for label, value in found if value]


def without_surrogates(text: str) -> bytes:
    return re.sub("[\ud800-\udfff]", "\ufffd", text).encode()


class Ids:
    """A list of strings."""

    def __init__(self) -> None:
        self.values: list[str] = []

    def __len__(self) -> int:
        return len(self.values)

    def buffers(self) -> tuple[bytes, memoryview]:
        encoded = [value.encode("utf-8", "surrogatepass") for value in self.values]
        starts = [sum(map(len, encoded[:k])) for k in range(len(encoded) + 1)]
        return b"".join(encoded), memoryview(array("Q", starts))


GATHERED = {
    **dict.fromkeys(("session_talk", "message_role", "doc_class"), "B"),
    **dict.fromkeys(("part_flags", "doc_words"), "H"),
    **dict.fromkeys(("message_session", "message_author", "message_first_part", "message_asked"), "I"),
    **dict.fromkeys(("part_message", "part_type", "part_tool", "part_first_doc", "part_first_field"), "I"),
    **dict.fromkeys(("doc_part", "folded_part"), "I"),
    **dict.fromkeys(("part_start", "field_start", "doc_start", "folded_start"), "Q"),
    "message_time": "q",
}
LAST_TIME = 253_402_300_799_999  # the end of the year 9999, ms


def known_time(time: int) -> int:
    """The time, 0 for one that no calendar has."""
    return time if 0 <= time <= LAST_TIME else 0


class Gatherer:
    """Columns as lists of numbers."""

    def __init__(
        self,
        builder: SegmentBuilder,
        roles: dict[str, int],
        number: Callable[[str | None], int],
        kind: Callable[[int, str, bool, str, bool], int],
        hidden: Callable[[str], bool],
        said: Callable[[int, bytes], int],
        fold: Callable[[str], str],
        longest: int,
    ) -> None:
        self.builder, self.roles, self.number, self.kind = builder, roles, number, kind
        self.hidden, self.said, self.fold, self.longest = hidden, said, fold, longest
        self.columns: dict[str, list[int]] = {name: [] for name in GATHERED}
        self.columns["folded_start"].append(0)
        self.text, self.folded_text = bytearray(), bytearray()
        self.message_ids, self.part_ids = Ids(), Ids()

    def __len__(self) -> int:
        return len(self.message_ids)

    def _row(self, **values: int) -> None:
        for name, value in values.items():
            self.columns[name].append(value)

    def title(
        self,
        key: str,
        title: str | None,
        directory: str | None,
        flags: int,
        time: int,
        role: int,
        kind: int,
        talk: int,
    ) -> None:
        self._row(session_talk=talk)
        self._message("", role, time, None, len(self))
        content = [(TEXT, title)] if title else []
        self._part(key, "title", None, flags, kind, content, [(b"\x03", directory)], bool(title or directory))

    def messages(self, messages: Iterable[Any], flags: int, people: bool) -> None:
        asked: int | None = None
        for message in messages:
            if message.role == "user" and "text" in [part.type for part in message.parts]:
                asked = len(self)
            place = len(self) if asked is None else asked
            self._message(message.id, self.roles.get(message.role, 2), known_time(message.time), message.author, place)
            for part in message.parts:
                both = part.flags | message.flags | flags
                kind = self.kind(both, part.type, bool(part.error or part.flags & 128), message.role, people)
                content = [] if part.tool and self.hidden(part.tool) else fields(part)
                extra = [(b"\x02", message.author), (b"\x01", part.tool)]
                self._part(part.id, part.type, part.tool, both, kind, content, extra, bool(content))

    def _message(self, key: str, role: int, time: int, author: str | None, asked: int) -> None:
        session = len(self.columns["session_talk"]) - 1
        self.message_ids.values.append(key)
        self._row(message_session=session, message_role=role, message_time=time, message_asked=asked)
        self._row(message_author=self.number(author), message_first_part=len(self.part_ids))

    def _part(
        self,
        key: str,
        kind: str,
        tool: str | None,
        flags: int,
        doc_class: int,
        content: list[tuple[int, str]],
        extra: list[tuple[bytes, str | None]],
        searched: bool,
    ) -> None:
        number = len(self.part_ids)
        self.part_ids.values.append(key)
        self._row(part_message=len(self) - 1, part_type=self.number(kind), part_tool=self.number(tool))
        self._row(part_flags=flags)
        self._ends("part_start", "part_first_doc", "part_first_field")
        place = len(self.text)
        for label, value in content:
            self._row(field_start=len(self.text))
            self.text += bytes([label]) + without_surrogates(value)
        beyond = "".join(c for _, value in content for c in without_surrogates(value).decode() if c > "\x7f")
        if self.fold(beyond) != beyond:
            for label, value in content:
                self.folded_text += bytes([label]) + without_surrogates(self.fold(value))
            self._row(folded_part=number, folded_start=len(self.folded_text))
        text = bytes(self.text[place:])
        for start, end in pairwise([0, *cut(text, self.longest)]) if searched else ():
            tagged = [(tag, without_surrogates(value)) for tag, value in extra if value and start == 0]
            words = self.builder.add(text, start, end, tagged)
            beside, known = divmod(doc_class, 16)
            known = beside * 16 + (self.said(known, text[start:end]) if known in (1, 9) else known)
            self._row(doc_start=place + start, doc_part=number, doc_words=min(words, 65535), doc_class=known)

    def _ends(self, *names: str) -> None:
        ends = {
            "message_first_part": len(self.part_ids),
            "part_first_doc": len(self.columns["doc_part"]),
            "part_first_field": len(self.columns["field_start"]),
        }
        self._row(**{name: ends.get(name, len(self.text)) for name in names})

    def finish(self) -> dict[str, memoryview]:
        self._ends("message_first_part", "part_start", "part_first_doc", "part_first_field", "field_start", "doc_start")
        return {name: memoryview(array(code, self.columns[name])) for name, code in GATHERED.items()}


# --- vocabulary -------------------------------------------------------------------------------------------


class Vocabulary:
    """A list of terms, looked through from end to end."""

    def __init__(self, arena: bytes, offsets: Sequence[int], starts: Sequence[int], signatures: Sequence[int]) -> None:
        self.terms = [arena[low:high] for low, high in pairwise(offsets)]

    def __len__(self) -> int:
        return len(self.terms)

    def find(self, form: bytes) -> int:
        return self.terms.index(form) if form in self.terms else -1

    def find_all(self, forms: list[bytes]) -> list[int]:
        return [self.find(form) for form in forms]

    def prefix(self, form: bytes, longest: int = MAX_TERM) -> list[tuple[int, int]]:
        """Ranges of neighbours of one length that begin with `form` and are longer than it."""
        ranges: list[tuple[int, int]] = []
        if not form:
            return ranges
        for length in range(len(form.decode()) + 1, longest + 1):
            found = [n for n, term in enumerate(self.terms) if len(term.decode()) == length and term.startswith(form)]
            if found:
                ranges.append((found[0], found[-1] + 1))
        return ranges

    def within(self, form: bytes, bound: int, wide: bool = True) -> list[tuple[int, int]]:
        """Every other term that is near, and of the same field."""
        found = []
        for number, term in enumerate(self.terms):
            edits = within(form.decode(), term.decode(), bound)
            tags = [other[:1] if other[:1] < b" " else b"" for other in (form, term)]
            if form and 0 < edits <= bound and tags[0] == tags[1]:
                found.append((number, edits))
        return sorted(found, key=lambda pair: (pair[1], pair[0]))

    def form(self, number: int) -> bytes:
        return self.terms[number]


def within_each(vocabularies: Iterable[Vocabulary], form: bytes, bound: int) -> list[list[tuple[int, int]]]:
    return [vocabulary.within(form, bound) for vocabulary in vocabularies]


# --- spellings --------------------------------------------------------------------------------------------


def tagged(vocabulary: Vocabulary, forms: list[bytes], tags: bytes) -> list[tuple[int, int, int]]:
    return [
        (at, place, vocabulary.find(bytes([tag]) + form))
        for at, form in enumerate(forms)
        for place, tag in enumerate(tags)
        if form and bytes([tag]) + form in vocabulary.terms
    ]


def as_one(
    vocabulary: Vocabulary, forms: list[bytes], longest: int, unknown: bytes
) -> list[tuple[int, int, bytes, int]]:
    found = []
    for first in range(len(forms)):
        for last in range(first + 1, min(first + longest, len(forms))):
            form = b"".join(forms[first : last + 1])
            number = vocabulary.find(form)
            if (
                all(forms[first : last + 1])
                and len(form) <= MAX_TERM
                and (number >= 0 or any(unknown[first : last + 1]))
            ):
                found.append((first, last, form, number))
    return found


def as_two(vocabulary: Vocabulary, forms: list[bytes], shortest: int) -> list[tuple[int, int]]:
    return [
        (at, cut)
        for at, form in enumerate(forms)
        for cut in range(shortest, len(form) - shortest + 1)
        if form.isalnum() and form[:cut] in vocabulary.terms and form[cut:] in vocabulary.terms
    ]


# --- postings ---------------------------------------------------------------------------------------------


class Postings:
    """Every posting written out: term -> [(document, frequency)]."""

    def __init__(
        self,
        shared_bits: Sequence[int],
        shared_ranks: Sequence[int],
        lone_docs: Sequence[int],
        lone_blocks: Sequence[int],
        df: Sequence[int],
        frequent: Sequence[int],
        more: Sequence[int],
        block_starts: Sequence[int],
        block_bits: Sequence[int],
        block_ranks: Sequence[int],
        pointers: Sequence[int],
        frames: Sequence[int],
    ) -> None:
        marks = numbers_of(shared_bits)
        lone = iter(zip(lone_blocks, lone_docs, strict=True))
        self.lists: list[list[tuple[int, int]]] = []
        for term in range(len(lone_docs) + len(df)):
            self.lists.append([] if term in marks else [(block * BLOCK + doc, 1) for block, doc in [next(lone)]])
        shared = [self.lists[term] for term in sorted(marks)]
        left = iter(pointers)
        width = -(-len(shared) // 64)
        for block, start in enumerate(block_starts[:-1]):
            for number in sorted(numbers_of(block_bits[block * width : (block + 1) * width])):
                pointer = next(left)
                alone = [(pointer & 0xFFFF, pointer >> 16 & 0xFF)]
                pairs = alone if pointer >> 31 else unframed(frames, start + pointer)
                shared[number] += [(block * BLOCK + doc, count) for doc, count in pairs]
        higher = dict(zip(frequent, more, strict=True))
        assert [len(pairs) for pairs in shared] == [one + higher.get(number, 0) for number, one in enumerate(df)]

    def __len__(self) -> int:
        return sum(map(len, self.lists))

    def frequency(self, first: int, last: int, eligible: Sequence[int] | None = None) -> int:
        return sum(eligible is None or eligible[doc] != 0 for term in range(first, last) for doc, _ in self.lists[term])

    def frequencies(self, groups: list[list[tuple[int, int, float]]], most: int) -> list[int]:
        return [min(most, sum(self.frequency(first, last) for first, last, _ in group)) for group in groups]

    def postings(self, term: int) -> list[tuple[int, int]]:
        return self.lists[term]


def numbers_of(words: Iterable[int]) -> set[int]:
    """The numbers of the bits that are set."""
    return {64 * k + bit for k, word in enumerate(words) for bit in range(64) if word >> bit & 1}


def unframed(frames: Sequence[int], at: int) -> list[tuple[int, int]]:
    """(document, frequency) from a term's first frame on."""
    pairs: list[tuple[int, int]] = []
    follows = True
    while follows:
        count, low_bits = frames[at] + 1, frames[at + 1] & 15
        counted, follows = bool(frames[at + 1] & 16), bool(frames[at + 1] & 32)
        at += 2
        high_size = frames[at] if counted or follows else 0
        at += counted or follows
        tf_size = frames[at] + 256 * frames[at + 1] if counted and follows else 0
        at += 2 * (counted and follows)
        lows = int.from_bytes(frames[at : at + -(-count * low_bits // 8)], "little")
        at += -(-count * low_bits // 8)
        highs = set_bits(frames[at:], count)
        at += high_size
        ends = set_bits(frames[at:], count) if counted else range(count)
        at += tf_size
        least = pairs[-1][0] + 1 if pairs else 0
        for k, (high, end, before) in enumerate(zip(highs, ends, [-1, *ends], strict=False)):
            low = lows >> k * low_bits & (1 << low_bits) - 1
            pairs.append((least + k + (high - k << low_bits) + low, end - before))
    return pairs


def set_bits(data: Sequence[int], count: int) -> list[int]:
    """The first `count` bits that are set."""
    found: list[int] = []
    for place, byte in enumerate(data):
        found += [8 * place + bit for bit in range(8) if byte >> bit & 1]
        if len(found) >= count:
            break
    return found[:count]


# --- ranges -----------------------------------------------------------------------------------------------


def held_in(postings: Postings, first: int, last: int, starts: Sequence[int], ends: Sequence[int]) -> int:
    ranges = list(zip(starts, ends, strict=True))
    held = [doc for term in range(first, last) for doc, _ in postings.lists[term]]
    return sum(low <= doc < high for low, high in ranges for doc in held)


# --- runs -------------------------------------------------------------------------------------------------


def holding(vocabulary: Vocabulary, run: bytes, most: int) -> list[int] | None:
    found = [number for number, term in enumerate(vocabulary.terms) if run in term and term[:1] >= b" "]
    return None if len(found) > most else found


def mark_documents(postings: Postings, terms: Iterable[int], documents: bytearray) -> None:
    for doc in {doc for term in terms for doc, _ in postings.lists[term]}:
        documents[doc] = 1


def stretches(
    documents: Sequence[int],
    doc_start: Sequence[int],
    doc_part: Sequence[int],
    part_start: Sequence[int],
    reach: int,
    eligible: Sequence[int] | None = None,
) -> list[tuple[int, set[int]]]:
    """(part, its bytes that may be looked at) for every part of a marked document."""
    found: dict[int, set[int]] = {}
    for doc, part in enumerate(doc_part):
        if documents[doc] and (eligible is None or eligible[part]):
            wide = range(doc_start[doc] - reach, doc_start[doc + 1] + reach)
            found.setdefault(part, set()).update(set(wide) & set(range(part_start[part], part_start[part + 1])))
    return sorted(found.items())


# --- eligible ---------------------------------------------------------------------------------------------

TITLE_ROLE = 4


def mark(
    session_keep: Sequence[int],
    message_session: Sequence[int],
    message_role: Sequence[int],
    role_keep: Sequence[int],
    message_time: Sequence[int],
    after: int,
    before: int,
    part_message: Sequence[int],
    part_type: Sequence[int],
    type_keep: Sequence[int],
    part_tool: Sequence[int],
    tool_keep: Sequence[int],
    titles: bool,
    messages: bytearray,
    parts: bytearray,
) -> tuple[int, int]:
    """Which messages and parts pass, as the contract says it."""
    for m, (session, role, time) in enumerate(zip(message_session, message_role, message_time, strict=True)):
        said = role != TITLE_ROLE
        messages[m] = bool(said and session_keep[session] and role_keep[role] and after < time < before)
    passed = sum(messages)
    for m, role in enumerate(message_role):
        if role == TITLE_ROLE and titles:
            messages[m] = any(messages[n] for n in range(len(messages)) if message_session[n] == message_session[m])
    content = 0
    for p, m in enumerate(part_message):
        is_title = message_role[m] == TITLE_ROLE
        parts[p] = bool(messages[m] and (is_title or (type_keep[part_type[p]] and tool_keep[part_tool[p]])))
        content += parts[p] and not is_title
    return passed, content


def spread(parts: Sequence[int], doc_part: Sequence[int], docs: bytearray) -> None:
    for doc, part in enumerate(doc_part):
        docs[doc] = parts[part]


def count_marks(marks: Sequence[int], also: Sequence[int] | None = None) -> int:
    return sum(1 for k in range(len(marks)) if marks[k] and (also is None or also[k]))


def unmark(marks: bytearray, roles: Sequence[int], role: int, first_part: Sequence[int]) -> None:
    for message, other in enumerate(roles):
        if other == role:
            marks[first_part[message]] = 0


def marked(marks: bytes) -> list[int]:
    return [at for at, mark in enumerate(marks) if mark]


def are_marked(marks: bytes, starts: Sequence[int], ends: Sequence[int], width: int) -> bool:
    """A look at every byte; those behind the last mark do not count."""
    of_bytes = {at: marks[at // width] for at in range(len(marks) * width)}
    return all(of_bytes.get(at, 1) for start, end in zip(starts, ends, strict=True) for at in range(start, end))


def keep_marks(marks: bytearray, others: Sequence[int], wanted: bool) -> None:
    for k in range(len(marks)):
        marks[k] = marks[k] if bool(others[k]) == wanted else 0


# --- scan -------------------------------------------------------------------------------------------------


def find(text: bytes, needle: bytes, start: int = 0, wide: bool = True) -> int:
    return bytes(text).lower().find(needle, start)


def stands(text: bytes, starts: Sequence[int], ends: Sequence[int], needle: bytes, most: int) -> list[tuple[int, bool]]:
    """The first of the places that no name or path goes on at, else the first."""
    found = []
    for low, high in zip(starts, ends, strict=True):
        own = text[low:high].lower()
        places = [match.start() for match in re.finditer(re.escape(needle), own)][:most]
        name = rb"[a-z0-9_./\\-]"
        alone = [
            at
            for at in places
            if not re.match(name, own[at + len(needle) :]) and not re.match(name, own[max(0, at - 1) : at])
        ]
        at = (alone or places or [-1])[0]
        found.append((low + at if at >= 0 else -1, bool(alone)))
    return found


def mark_ranges(text: bytes, starts: Sequence[int], ends: Sequence[int], needle: bytes, marks: bytearray) -> None:
    for at, (low, high) in enumerate(zip(starts, ends, strict=True)):
        if needle in text[low:high].lower():
            marks[at] = 1


def mark_parts(
    text: bytes,
    starts: Sequence[int],
    needle: bytes,
    marks: bytearray,
    eligible: Sequence[int] | None = None,
    deadline_ns: int = 0,
    wide: bool = True,
) -> int:
    """Every part by itself; there is no deadline here."""
    for part, (low, high) in enumerate(pairwise(starts)):
        if (eligible is None or eligible[part]) and needle in text[low:high].lower():
            marks[part] = 1
    return len(marks)


def count_points(text: bytes, start: int, end: int) -> int:
    return sum(not 0x80 <= byte < 0xC0 for byte in text[start:end])


# --- evidence ---------------------------------------------------------------------------------------------

TITLE, ASSISTANT = 0, 2  # classes of documents: a title, an agent's prose
LONGEST = 1024


class DocColumns:
    """The columns as they are given."""

    def __init__(
        self,
        doc_part: Sequence[int],
        doc_words: Sequence[int],
        doc_class: Sequence[int],
        part_message: Sequence[int],
        message_session: Sequence[int],
        message_time: Sequence[int],
        session_talk: Sequence[int],
        message_asked: Sequence[int] | None = None,
    ) -> None:
        self.message_asked = message_asked
        self.doc_part, self.doc_words, self.doc_class = doc_part, doc_words, doc_class
        self.part_message, self.message_session = part_message, message_session
        self.message_time, self.session_talk = message_time, session_talk

    def message_of(self, doc: int) -> int:
        return self.part_message[self.doc_part[doc]]

    def session_of(self, part: int) -> int:
        return self.message_session[self.part_message[part]]

    def time_of(self, part: int) -> int:
        return self.message_time[self.part_message[part]]

    def averages(self, eligible: Sequence[int] | None = None) -> tuple[int, int]:
        words = [count for doc, count in enumerate(self.doc_words) if eligible is None or eligible[doc]]
        return len(words), sum(words)

    def docs_in(self, starts: Sequence[int], ends: Sequence[int], eligible: Sequence[int] | None = None) -> int:
        allowed = [doc for doc in range(len(self.doc_part)) if eligible is None or eligible[doc]]
        return sum(in_ranges(self.message_time[self.message_of(doc)], starts, ends) for doc in allowed)

    def time_span(self) -> tuple[int, int]:
        known = [time for time in self.message_time if time > 0]
        return (min(known), max(known)) if known else (0, 0)


class Facts:
    def __init__(self, columns: dict[str, Any]) -> None:
        self.columns = columns

    def of(self, part: int, doc: int) -> tuple[Any, ...]:
        columns = self.columns
        message = columns["part_message"][part]
        role, author, time = self.said(message)
        first, last = columns["part_first_field"][part : part + 2]
        return (
            *(message, columns["message_session"][message], role, author, time),
            *(columns[name][part] for name in ("part_type", "part_tool", "part_flags")),
            columns["field_start"][first : last + 1],
            *columns["doc_start"][doc : doc + 2],
        )

    def said(self, message: int) -> tuple[int, int, int]:
        role, author, time = (self.columns[f"message_{name}"][message] for name in ("role", "author", "time"))
        return role, author, time


def in_ranges(time: int, starts: Sequence[int], ends: Sequence[int]) -> bool:
    return any(low <= time < high for low, high in zip(starts, ends, strict=True))


def taken(scores: Sequence[float]) -> list[tuple[int, float]]:
    return [(doc, score) for doc, score in enumerate(scores) if score]


class Evidence:
    """BM25 document by document in double precision."""

    def __init__(self, doc_columns: DocColumns, postings: Postings, eligible: Sequence[int] | None = None) -> None:
        self.doc_columns = doc_columns
        self.frequencies = [dict(pairs) for pairs in postings.lists]
        self.allowed = [eligible is None or eligible[doc] != 0 for doc in range(len(doc_columns.doc_part))]
        self.scores = [0.0] * len(doc_columns.doc_part)
        self.base: dict[int, float] = {}  # part -> its best document's score
        self.best: dict[int, int] = {}  # part -> the first such document
        self.fused: dict[int, float] = {}
        self.tier: dict[int, int] = {}  # part -> 0, unless an extension brought it
        self.tiers = 0
        self.sums: dict[int, float] = {}  # session -> sum of cubes

    def accumulate(
        self,
        starts: Sequence[int],
        firsts: Sequence[int],
        lasts: Sequence[int],
        weights: Sequence[float],
        factors: Sequence[float],
        joint: Sequence[int],
        k1: float,
        norms: Any,
        class_weights: Sequence[float],
        deadline_ns: int = 0,
    ) -> bool:
        for doc in range(len(self.scores)):
            if not self.allowed[doc]:
                continue
            heard = [
                sum(
                    weights[member] * self.frequencies[term].get(doc, 0)
                    for member in range(low, high)
                    for term in range(firsts[member], lasts[member])
                )
                for low, high in pairwise(starts)
            ]
            norm = norms[self.doc_columns.doc_class[doc], min(self.doc_columns.doc_words[doc], LONGEST - 1)]
            for group, factor in enumerate(factors):
                if group + 1 < len(factors) and joint[group + 1]:
                    continue  # the first half only counts with the second
                tf = min(heard[group - 1], heard[group]) if joint[group] else heard[group]
                self.scores[doc] += factor * (k1 + 1) * tf / (tf + norm) if tf else 0.0
            self.scores[doc] *= class_weights[self.doc_columns.doc_class[doc]]
        return True

    def add_times(self, starts: Sequence[int], ends: Sequence[int], value: float) -> None:
        for doc, score in enumerate(self.scores):
            if score and in_ranges(self.doc_columns.message_time[self.doc_columns.message_of(doc)], starts, ends):
                self.scores[doc] += value

    def is_title(self, part: int) -> bool:
        return self.doc_columns.doc_class[self.best[part]] == TITLE

    def fuse(
        self,
        neighbours: Sequence[float],
        session: Sequence[float],
        only: Sequence[int] | None = None,
        echo: float = 0,
        echo_floor: float = 0,
    ) -> int:
        doc_columns = self.doc_columns
        for doc, score in enumerate(self.scores):
            part = doc_columns.doc_part[doc]
            if score and score > self.base.get(part, 0.0):
                self.base[part], self.best[part] = score, doc
        messages: dict[int, float] = {}
        titles: dict[int, float] = {}
        for part, score in self.base.items():
            if self.is_title(part):
                titles[doc_columns.session_of(part)] = score
            else:
                message = doc_columns.part_message[part]
                messages[message] = max(score, messages.get(message, 0.0))
        for message, score in messages.items():
            place = doc_columns.message_session[message]
            self.sums[place] = self.sums.get(place, 0.0) + score**3
        for part, score in self.base.items():
            if only is not None and not only[part]:
                continue
            message, place = doc_columns.part_message[part], doc_columns.session_of(part)
            talk = doc_columns.session_talk[place]
            people = talk == 1
            for weight, step in zip(neighbours[4 * talk : 4 * talk + 4], (-1, 1, -2, 2), strict=True):
                other = message + step
                if 0 <= other < len(doc_columns.message_session) and doc_columns.message_session[other] == place:
                    score += weight * messages.get(other, 0.0)
            score += session[people] * self.session_evidence(place)
            if not self.is_title(part):
                score += session[2 + people] * titles.get(place, 0.0)
            asked = doc_columns.message_asked[message] if doc_columns.message_asked is not None else message
            if asked != message and doc_columns.doc_class[self.best[part]] == ASSISTANT:
                score += echo * max(0.0, messages.get(asked, 0.0) - echo_floor)
            self.fused[part] = score
        self.tiers = 1
        return len(self.fused)

    def session_evidence(self, session: int) -> float:
        return math.cbrt(self.sums.get(session, 0.0))

    def extend(self, other: Evidence, share: float) -> None:
        for part in other.fused:
            if part not in self.fused:
                self._add(part, other.best[part], share * other.fused[part], share * other.base[part])
        self.tiers += 1

    def extend_marked(self, parts: Sequence[int], first_docs: Sequence[int]) -> None:
        for part, mark in enumerate(parts):
            if mark and part not in self.fused:
                self._add(part, first_docs[part], 0.0, 0.0)
        self.tiers += 1

    def _add(self, part: int, doc: int, score: float, base: float) -> None:
        self.fused[part], self.base[part], self.best[part], self.tier[part] = score, base, doc, self.tiers

    def sessions(self) -> list[tuple[int, int, int, float, int, bool, int]]:
        """Content stands for a session before its title does; score and tier are those of the best of both."""

        def rank(part: int) -> tuple[int, float, int]:
            return self.tier.get(part, 0), -self.fused[part], part

        found = []
        for session in {self.doc_columns.session_of(part) for part in self.fused}:
            parts = [part for part in self.fused if self.doc_columns.session_of(part) == session]
            content = [part for part in parts if not self.is_title(part)]
            shown, best = min(content or parts, key=rank), min(parts, key=rank)
            title = len(content) < len(parts)
            found.append((session, shown, self.best[shown], self.fused[best], len(parts), title, rank(best)[0]))
        return sorted(found, key=lambda row: (row[6], -row[3], row[0]))


class Together:
    """Each segment by itself, one after the other."""

    def __init__(self, each: Sequence[Evidence]) -> None:
        self.each = each

    def split(
        self,
        starts: Sequence[int],
        firsts: Sequence[int],
        lasts: Sequence[int],
        weights: Sequence[float],
        **others: Any,
    ) -> Iterator[dict[str, Any]]:
        """The groups with the members of each segment only, as it numbers its terms."""
        before = 0
        for evidence in self.each:
            terms = range(before, before + len(evidence.frequencies))
            before += len(terms)
            own = [[at for at in range(low, high) if firsts[at] in terms] for low, high in pairwise(starts)]
            members = [at for group in own for at in group]
            yield {
                "starts": array("I", accumulate(map(len, own), initial=0)),
                "firsts": array("I", [firsts[at] - terms.start for at in members]),
                "lasts": array("I", [lasts[at] - terms.start for at in members]),
                "weights": array("f", [weights[at] for at in members]),
                **others,
            }

    def ask(self, **asked: Any) -> None:
        for evidence, members in zip(self.each, self.split(**asked), strict=True):
            evidence.accumulate(**members)

    def fuse(
        self,
        neighbours: Sequence[float],
        session: Sequence[float],
        only: Sequence[Sequence[int] | None],
        echo: float = 0,
        echo_floor: float = 0,
    ) -> int:
        each = zip(self.each, only, strict=True)
        return sum(evidence.fuse(neighbours, session, marks, echo, echo_floor) for evidence, marks in each)


# --- window -----------------------------------------------------------------------------------------------

SLOTS, MAX_FORMS, MAX_PREFIXES, REACH = 64, 2048, 64, 6


@dataclass(slots=True, frozen=True)
class FormMatch:
    """A word of a passage that stands for the slots [slot, slot + span) of the query."""

    start: int
    end: int
    slot: int
    span: int
    similarity: float
    position: int
    words: int

    @property
    def slots(self) -> range:
        return range(self.slot, self.slot + self.span)


class Matcher:
    """Every window and every run of a passage, one after the other."""

    def __init__(self, weights: Sequence[float], counted: Sequence[bool]) -> None:
        self.weights = list(weights)[:SLOTS]
        self.counted = [slot for slot, counts in enumerate(counted) if counts and slot < SLOTS]
        self.forms: dict[bytes, tuple[int, int, float] | None] = {}  # None is a cue
        self.prefixes: list[tuple[bytes, int, float]] = []

    def _has_room(self, form: bytes) -> bool:
        return 0 < len(form) <= MAX_TERM and form not in self.forms and len(self.forms) < MAX_FORMS

    def add(self, form: bytes, slot: int, span: int, similarity: float) -> bool:
        if slot < 0 or span < 1 or slot + span > len(self.weights) or not self._has_room(form):
            return False
        self.forms[form] = (slot, span, similarity)
        return True

    def add_cue(self, form: bytes) -> bool:
        if not self._has_room(form):
            return False
        self.forms[form] = None
        return True

    def add_prefix(self, form: bytes, slot: int, similarity: float) -> bool:
        if not 0 < len(form) <= MAX_TERM or not 0 <= slot < len(self.weights) or len(self.prefixes) == MAX_PREFIXES:
            return False
        self.prefixes.append((form, slot, similarity))
        return True

    def add_all(self, forms: list[tuple[bytes, int, int, float]], prefixes: list[tuple[bytes, int, float]]) -> None:
        for form in forms:
            self.add(*form)
        for prefix in prefixes:
            self.add_prefix(*prefix)

    def read(self, text: bytes) -> tuple[list[FormMatch], int, int]:
        """The events in order of position, the number of cues, the number of words."""
        events, cues, words = [], 0, 0
        for token, what, start, end, position, span, _ in tokens(text):
            words += what == WORD
            form = token.encode()
            begun = [row for row in self.prefixes if form.startswith(row[0]) and form != row[0]]
            if form in self.forms:
                known = self.forms[form]
                cues += known is None
                if known is not None:
                    events.append(FormMatch(start, end, *known, position, span))
            elif begun:
                _, slot, similarity = begun[0]
                events.append(FormMatch(start, end, slot, 1, similarity, position, span))
        return sorted(events, key=lambda event: event.position), cues, words

    def form_matches(self, text: bytes, start: int, end: int) -> list[tuple[int, int, int, int, float, int]]:
        found, _, _ = self.read(text[start:end])
        return [(e.start, e.end, e.slot, e.span, e.similarity, e.position) for e in found]

    def gain(self, events: Sequence[FormMatch]) -> float:
        """Weight of the words that count, each by its best event."""
        best = {slot: max((e.similarity for e in events if slot in e.slots), default=0.0) for slot in self.counted}
        return sum(self.weights[slot] * similarity for slot, similarity in best.items())

    def densest(self, events: Sequence[FormMatch], width: int) -> tuple[float, list[FormMatch]]:
        """The stretch of at most `width` words that gains most; the shortest of equals, then the first."""
        stretches = [
            [e for e in events[: k + 1] if e.position > last.position - width] for k, last in enumerate(events)
        ]
        ranked = sorted(stretches, key=lambda found: (-self.gain(found), extent(found)))
        return self.gain(ranked[0]), ranked[0]

    def longest_run(self, events: Sequence[FormMatch]) -> float:
        """Events that follow each other without a gap, in the text and in the query."""
        runs: list[float] = []
        for event in events:
            before = [
                run
                for other, run in zip(events, runs, strict=False)
                if other.position + other.words == event.position and other.slot + other.span == event.slot
            ]
            own = sum(self.weights[slot] for slot in event.slots) * event.similarity
            runs.append(max(before, default=0.0) + own)
        return max(runs)

    def nearness(self, events: Sequence[FormMatch], slot: int) -> float:
        """1 over the words from the last mention of the word before, 1 where one word of the text is both."""
        found = [1.0 for e in events if slot in e.slots and slot - 1 in e.slots]
        for k, event in enumerate(events):
            before = [other.position for other in events[:k] if slot - 1 in other.slots]
            if event.slot == slot and before and 1 <= event.position - before[-1] <= REACH:
                found.append(1 / (event.position - before[-1]))
        return max(found, default=0.0)

    def measure(
        self, text: bytes, starts: Sequence[int], ends: Sequence[int], width: int, out: Any, deadline_ns: int = 0
    ) -> int:
        """Every passage by itself; there is no deadline here."""
        for k, (low, high) in enumerate(zip(starts, ends, strict=True)):
            for place, value in enumerate(self.features(bytes(text[low:high]), width)):
                out[k, place] = value
        return len(starts)

    def features(self, text: bytes, width: int) -> tuple[float, ...]:
        """The values of FEATURE_NAMES, in their order."""
        events, cues, words = self.read(text)
        if not events:
            return (0, 0, 0, 0, 0, 0, 0, 0, words, cues, 0)
        total = sum(self.weights[slot] for slot in self.counted) or math.inf
        pairs = [(self.weights[slot - 1] + self.weights[slot]) / 2 for slot in range(1, len(self.weights))]
        near = sum(pair * self.nearness(events, slot) for slot, pair in enumerate(pairs, start=1))
        gain, stretch = self.densest(events, width)
        best = [max((e.similarity for e in events if slot in e.slots), default=0.0) for slot in self.counted]
        return (
            self.gain(events) / total,
            gain / total,
            self.longest_run(events) / (sum(self.weights) or math.inf),
            near / (sum(pairs) or math.inf),
            sum(similarity > 0 for similarity in best),
            sum(similarity >= 1 for similarity in best),
            stretch[0].start,
            stretch[-1].end,
            words,
            cues,
            extent(stretch) + 1,
        )

    def matches(self, text: bytes, start: int, end: int, label: int, width: int) -> PassageMatches:
        """The slots and fields of all events, the heaviest stretch of them, and the events that are near it."""
        events, _, _ = self.read(bytes(text[start:end]))
        if not events:
            return PassageMatches(start)
        margin = width if text[start + 1 : end].isascii() else 4 * width
        fields = set()
        for event in events:
            if set(event.slots) & set(self.counted):
                fields.add([label, *(byte for byte in text[start : start + event.start] if byte >= 0xF8)][-1] - 0xF8)
        weights = [sum(self.weights[slot] for slot in event.slots) * event.similarity for event in events]
        places = [(start + event.start, start + event.end) for event in events]
        first, last = best_span(places, weights, width, [event.slot for event in events])
        low, high = places[first][0], places[last][1]
        near = [
            (place[0], place[1], event.slot, event.span, event.similarity)
            for place, event in zip(places, events, strict=True)
            if place[1] >= low - margin and place[0] <= high + margin
        ]
        slots = {slot for event in events for slot in event.slots}
        return PassageMatches(low, high, sum(1 << slot for slot in slots), sum(1 << field for field in fields), near)


def extent(events: Sequence[FormMatch]) -> int:
    return events[-1].position - events[0].position


@dataclass
class PassageMatches:
    """What of a query stands in a passage."""

    first: int
    last: int = -1
    slots: int = 0
    fields: int = 0
    matches: list[tuple[int, int, int, int, float]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.last = max(self.first, self.last)

    @property
    def middle(self) -> int:
        inside = [start for start, end, *_ in self.matches if self.first <= start and end <= self.last]
        return inside[len(inside) // 2] if inside else self.first

    def words(self, written: Sequence[str | None]) -> tuple[str, ...]:
        found = [word for k, word in enumerate(written[:64]) if word is not None and self.slots >> k & 1]
        return tuple(dict.fromkeys(found))


# --- scorer -----------------------------------------------------------------------------------------------


class Scorer:
    """rapidfuzz's public function, once a text."""

    def __init__(self, function: Callable[[str, str], float], query: str) -> None:
        self.function, self.query = function, query

    def scores(self, texts: Sequence[str], out: Any, deadline_ns: int = 0) -> int:
        for k, text in enumerate(texts):
            out[k] = self.function(self.query, text)
        return len(texts)

    def means(self, rows: Sequence[tuple[str, ...]], weights: Sequence[float], out: Any, deadline_ns: int = 0) -> bool:
        for k, row in enumerate(rows):
            there = [(text, weight) for text, weight in zip(row, weights, strict=False) if text]
            total = sum(weight * self.function(self.query, text) for text, weight in there)
            out[k] = total / sum(weight for _, weight in there) if any(weight for _, weight in there) else 0.0
        return True


# --- candidate --------------------------------------------------------------------------------------------


@dataclass
class Candidate:
    """What a candidate's score is made of; features are window, phrase, near and cues."""

    evidence: float
    time: int
    features: tuple[float, float, float, float]
    quoted: float = 0.0
    whole: float = 0.0
    similarity: float = 0.0
    extra: float = 0.0
    boosts: tuple[float, ...] = ()
    score: float = 0.0


def boost(candidates: Sequence[Candidate], worth: Sequence[float], now: int, fade: float) -> None:
    """Each share by itself; what was said today or later is as recent as it gets."""
    for one in candidates:
        window, phrase, near, cues = one.features
        there = (window, phrase, near, one.quoted, one.whole, float(cues > 0), one.similarity)
        recency = max(0.0, worth[7] - fade * max(0, now - one.time))
        one.boosts = (*(share * value for share, value in zip(worth, there, strict=False)), recency)
        one.score = one.evidence * (1 + sum(one.boosts)) + one.extra


def passages(docs: Sequence[int], doc_start: Sequence[int]) -> tuple[list[int], list[int]]:
    return [doc_start[doc] for doc in docs], [doc_start[doc + 1] for doc in docs]


def around(
    found: Sequence[tuple[int, int]], doc_start: Sequence[int], part_start: Sequence[int], reach: int
) -> tuple[list[int], list[int]]:
    return (
        [max(part_start[part], doc_start[doc] - reach) for part, doc in found],
        [min(part_start[part + 1], doc_start[doc + 1] + reach) for part, doc in found],
    )


def folded(text: bytes, spans: Sequence[tuple[int, int]], fold: Callable[[str], str]) -> list[str]:
    return [fold(str(text[begin:end], "utf-8", "replace")) for begin, end in spans]


def in_turns(scores: Sequence[float], sessions: Sequence[int], most: int, share: float) -> list[int]:
    places = [score * share ** max(0, sessions[: k + 1].count(sessions[k]) - most) for k, score in enumerate(scores)]
    return sorted(range(len(scores)), key=places.__getitem__, reverse=True)


def signs_of(candidate: Any, words: float, plenty: float, least: float) -> list[float]:
    coverage, _, _, near, matched, *_ = row = candidate.features or [0.0] * 11
    return [
        math.log(candidate.raw / (candidate.raw + plenty) + least),
        candidate.whole,
        coverage,
        near,
        math.log(row[8] + 1),  # the passage's words
        words - matched,
    ]


def chance_of(coefficients: Sequence[float], signs: Sequence[float]) -> float:
    """Logistic in the first of the signs."""
    return 1 / (1 + math.exp(-sum(c * sign for c, sign in zip(coefficients, signs, strict=False))))


def best_first(candidates: Sequence[Any], names: Callable[[Any], Any]) -> list[Any]:
    """Sorted by all there is to sort by."""
    return sorted(candidates, key=lambda one: (-one.score, -one.time, names(one)))


# --- frozen -----------------------------------------------------------------------------------------------


class Maker:
    """The record's own constructor."""

    def __init__(self, cls: type) -> None:
        self.cls = cls

    def make(self, *values: Any) -> Any:
        return self.cls(*values)

    def each(self, rows: Sequence[tuple[Any, ...]]) -> list[Any]:
        return [self.cls(*row) for row in rows]


# --- stretch ----------------------------------------------------------------------------------------------


def best_span(
    places: Sequence[tuple[int, int]], weights: Sequence[float], width: int, kinds: Sequence[int]
) -> tuple[int, int]:
    """Every run that cannot begin earlier; the heaviest, the shortest and earliest of equals."""
    ranked = []
    for last in range(len(places)):
        first = next(
            first
            for first in range(last + 1)
            if all(places[k][1] - places[first][0] <= width for k in range(first + 1, last + 1))
        )
        run = range(first, last + 1)
        heaviest: dict[int, float] = {}
        for k in run:
            heaviest[kinds[k]] = max(weights[k], heaviest.get(kinds[k], 0.0))
        total = 0.1 * sum(weights[k] for k in run) + sum(heaviest.values())
        ranked.append((-round(total, 6), places[last][1] - places[first][0], last, first))
    _, _, last, first = min(ranked, default=(0, 0, 0, 0))
    return first, last


# --- frame ------------------------------------------------------------------------------------------------


def select(
    text: bytes,
    start: int,
    end: int,
    events: Sequence[tuple[int, int, int, int, float]],
    first: int,
    last: int,
    width: int,
    weights: Sequence[float],
) -> tuple[int, int, list[tuple[int, int]]]:
    """The characters around the heaviest stretch, and every character of them that is matched, run by run."""
    shown, own = text[start:end].decode(), [e for e in events if start <= e[0] and e[1] <= end]
    places = [(len(text[start : e[0]].decode()), len(text[start : e[1]].decode())) for e in own]
    middle = width // 2
    if own and shown.isascii() and start <= first and last <= end:
        middle = (first + last) // 2 - start
    elif own:
        worth = [sum(weights[slot : slot + span]) * similarity for _, _, slot, span, similarity in own]
        left, right = best_span(places, worth, width, [slot for _, _, slot, _, _ in own])
        middle = (places[left][0] + places[right][1]) // 2
    low = min(max(0, middle - width // 2), max(0, len(shown) - width))
    high = min(low + width, len(shown))
    merged: list[tuple[int, int]] = []
    for begin, stop in sorted(place for place in places if place[0] < high and place[1] > low):
        if merged and begin < merged[-1][1]:
            merged[-1] = merged[-1][0], max(merged[-1][1], stop)
        elif begin < stop:
            merged.append((begin, stop))
    return low, high, merged


def surroundings(
    text: bytes, fields: Sequence[int], at: int, first: int, last: int, width: int, begin: int | None = None
) -> tuple[int, int, int, int]:
    """Where the field that holds a byte begins and ends, and what of it may be shown, whole characters."""
    inside = [k for k in range(len(fields) - 1) if fields[k] <= at] or [0]
    low, high = (fields[inside[-1]] + 1, fields[inside[-1] + 1]) if len(fields) > 1 else (fields[0], fields[0])
    if high - low <= 4096:
        return low, high, low, high
    borders = [k for k in range(low, high + 1) if k == high or text[k] & 0xC0 != 0x80]
    start = min(max(low, min(first, at) - 4 * width), high)
    end = max(start, min(high, max(last, at) + 4 * width))
    if begin is not None and start > low:
        start = begin
    return low, high, max(k for k in borders if k <= start), min(k for k in borders if k >= end)


# --- signs ------------------------------------------------------------------------------------------------

BLANK, WIDE = r"\t-\r\x1c-\x20", r"\x80-\U0010ffff"  # what is beyond ASCII passes for what is looked for
SMALL = {**{chr(code): chr(code).lower() for code in range(128)}, "\u212a": "k"}
SECRET_WORDS = {"key": 0, "token": 2, "cred": 0, "secret": 2, "authorization": 7}  # known by this letter of theirs
PASSWORD_WORDS = {"passw": 4, "pwd": 1, "passphrase": 0}
A_VALUE = re.compile(rf"""["'` \t=\\]{{0,5}}+(?=[^{BLANK}"'`\\]{{6}})(?=[^{BLANK}"'`\\]{{0,80}}[0-9{WIDE}])""")
A_FLAG = re.compile("--[A-Za-z-]{0,64}+")
AN_ADDRESS = re.compile(rf"""://[^{BLANK}:/@"'<>]{{0,128}}+:[^{BLANK}/@"'<>]{{3,256}}+@""")
A_HEADER = re.compile(rf"(?:bearer|basic|token)[ \t]++[A-Za-z0-9_.~+/={WIDE}-]{{16}}")


class Signs:
    def __init__(self, starts: list[str]) -> None:
        self.starts = starts

    def around(self, text: str, low: int, high: int) -> tuple[int, int, int]:
        """One regular expression a sign."""
        start, end = (0, len(text)) if low == 0 and high == len(text) else reach(text, low, high)
        shown = text[start:end]
        small = "".join(SMALL.get(c, c) for c in shown)
        named = self.named(shown, small)
        found = [
            self.begun(shown),
            "password" in named or ("secret" in named and re.search("[A-Za-z0-9_-]{15}", shown) is not None),
            AN_ADDRESS.search(shown) is not None,
            A_HEADER.search(small) is not None,
            "-----BEGIN" in text[max(0, low - 16_384) : high],
        ]
        return sum(1 << k for k, each in enumerate(found) if each), start, end

    def begun(self, shown: str) -> bool:
        """Whether a beginning stands where twenty letters of keys do, or up to 48 in front of them."""
        done = 0
        for run in re.finditer("[A-Za-z0-9_-]{20,}", shown):
            first = run.start()
            if first and shown[first - 1] in "./:=~\n\\":
                first = max(done, first - 48)
            done = run.end()
            plain = run[0].islower() and re.search("[0-9]", run[0]) is None
            if not plain and any(start in shown[first:done] for start in self.starts):
                return True
        return False

    def named(self, shown: str, small: str) -> set[str]:
        """What kind of name stands up to 64 letters in front of a sign and a value."""
        signs = [(found.start(), found.start(), found.end()) for found in re.finditer("[=:>]", shown)]
        flags = [found.end() for found in A_FLAG.finditer(shown) if shown[found.end() : found.end() + 1] == " "]
        signs += [(at, at + 1, at + 1) for at in flags]
        found = set()
        for kind, words in (("secret", SECRET_WORDS), ("password", PASSWORD_WORDS)):
            places = [
                begin.start() + known for word, known in words.items() for begin in re.finditer(f"(?={word})", small)
            ]
            for at, sign, value in signs:
                if any(place < at and sign - place <= 64 for place in places) and A_VALUE.match(shown, value):
                    found.add(kind)
        return found


def reach(text: str, low: int, high: int) -> tuple[int, int]:
    """From a blank in front of [low, high), or a line end where none is near, to one behind; and the names before."""
    floor, ceiling = max(0, low - 4_096), min(len(text), high + 4_096)
    start = text.rfind(" ", floor, low)
    if low - start > 200:
        start = max(floor, start, text.rfind("\n", floor, low))
    end = text.find(" ", high, ceiling)
    if end < 0 or end - high > 200:
        line = text.find("\n", high, ceiling)
        end = min((place for place in (end, line) if place >= 0), default=ceiling)
    return max(0, start - 160), end


# --- packed: columns of numbers in few bits ---------------------------------------------------------

RUN, STEPS, SLACK, WIDEST = 64, 0x80, 8, 56


def signed(value: int) -> int:
    return (value + 2**63) % 2**64 - 2**63


def pack(values: Sequence[int]) -> bytearray:
    made, before = bytearray(), 0
    for first in range(0, len(values), RUN):
        run = [signed(value) for value in values[first : first + RUN]]
        steps = [signed(value - last) for value, last in zip(run, [before, *run], strict=False)]
        plain, stepped = ((max(some) - min(some)).bit_length() for some in (run, steps))
        plain, stepped = (64 if bits > WIDEST else bits for bits in (plain, stepped))
        width, kind, chosen = (stepped, STEPS, steps) if stepped < plain else (plain, 0, run)
        least = min(chosen)
        made.append(width | kind)
        base = 2 * least if least >= 0 else -2 * least - 1
        while base >= 0x80:
            made.append(0x80 | base % 0x80)
            base >>= 7
        made.append(base)
        bits = sum((value - least) << (width * k) for k, value in enumerate(chosen))
        made += bits.to_bytes((width * len(run) + 7) // 8, "little")
        before = run[-1]
    return made + bytes(SLACK)


def unpack(data: bytes, count: int, code: str) -> memoryview:
    end, at, before = len(data) - SLACK, 0, 0
    if end < 0 or not 0 <= count <= end // 2 * RUN:
        raise ValueError("count")
    found: list[int] = []
    while len(found) < count:
        size = min(RUN, count - len(found))
        if at >= end:
            raise ValueError("short")
        width, stepped = data[at] % STEPS, data[at] >= STEPS
        at += 1
        base = 0
        for group in range(10):
            if at >= end:
                break
            base |= (data[at] & 0x7F) << 7 * group
            at += 1
            if data[at - 1] < 0x80:
                break
        base %= 2**64
        least = -(base + 1 >> 1) if base & 1 else base >> 1
        behind = at + (width * size + 7) // 8
        if (width > WIDEST and width != 64) or behind > end:
            raise ValueError("width")
        bits = int.from_bytes(data[at:behind], "little")
        for k in range(size):
            value = (bits >> width * k) % 2**width + least
            before = (before + value if stepped else value) % 2**64
            found.append(before)
        before, at = found[-1], behind
    if at != end:
        raise ValueError("long")
    made = array(code)
    for value in found:
        if made.itemsize < 8 and value >> 8 * made.itemsize:
            raise ValueError("number")
        made.append(signed(value) if code == "q" else value)
    return memoryview(made)


# --- derived: columns that follow from others -------------------------------------------------------


def owners(firsts: Sequence[int], count: int) -> list[int]:
    if not firsts or firsts[0] != 0 or firsts[-1] != count or list(firsts) != sorted(firsts):
        raise ValueError("order")
    return [bisect_right(firsts, row) - 1 for row in range(count)]


def picked(values: Sequence[int], places: Sequence[int]) -> list[int]:
    if any(place >= len(values) for place in places):
        raise ValueError("place")
    return [values[place] for place in places]


def pieces(starts: Sequence[int], whose: Sequence[int]) -> list[int]:
    return [starts[k] - starts[k - 1] for k in range(1, len(whose)) if whose[k] == whose[k - 1]]


def placed(begins: Sequence[int], firsts: Sequence[int], sizes: Sequence[int]) -> list[int]:
    if not firsts or firsts[0] != 0 or len(begins) != len(firsts) or list(firsts) != sorted(firsts):
        raise ValueError("order")
    made, left = [], list(sizes)
    for begin, (first, last) in zip(begins, pairwise(firsts), strict=False):
        for piece in range(first, last):
            if piece > first and not left:
                raise ValueError("sizes")
            made.append(begin if piece == first else (made[-1] + left.pop(0)) % 2**64)
    if left:
        raise ValueError("sizes")
    return [*made, begins[-1]]


# --- held: names that begin as that of their holder ---------------------------------------------------


def cut_up(data: bytes, starts: Sequence[int]) -> list[bytes]:
    if not starts or list(starts) != sorted(starts) or starts[-1] > len(data):
        raise ValueError("starts")
    return [data[first:last] for first, last in pairwise(starts)]


def end_to_end(some: Iterable[bytes]) -> tuple[bytes, list[int]]:
    data, starts = b"", [0]
    for one in some:
        data += one
        starts.append(len(data))
    return data, starts


def in_common(one: bytes, other: bytes) -> int:
    size = 0
    while size < min(len(one), len(other)) and one[size] == other[size]:
        size += 1
    return size


def shorten(
    names: bytes, starts: Sequence[int], holder: Sequence[int], holders: bytes, holder_starts: Sequence[int]
) -> tuple[bytes, list[int]]:
    those, all_holders = cut_up(names, starts), cut_up(holders, holder_starts)
    if len(those) != len(holder) or any(number >= len(all_holders) for number in holder):
        raise ValueError("fit")
    common = [min(255, in_common(name, all_holders[n])) for name, n in zip(those, holder, strict=True)]
    return end_to_end(bytes([same]) + name[same:] for name, same in zip(those, common, strict=True))


def lengthen(
    records: bytes,
    starts: Sequence[int],
    holder: Sequence[int],
    first: int,
    holders: bytes,
    holder_starts: Sequence[int],
) -> tuple[bytes, list[int]]:
    those, all_holders = cut_up(records, starts), cut_up(holders, holder_starts)
    if len(those) != len(holder) or any(not 0 <= number - first < len(all_holders) for number in holder):
        raise ValueError("fit")
    held = [(record, all_holders[number - first]) for record, number in zip(those, holder, strict=True)]
    if any(not record or record[0] > len(name) for record, name in held):
        raise ValueError("record")
    return end_to_end(name[: record[0]] + record[1:] for record, name in held)
