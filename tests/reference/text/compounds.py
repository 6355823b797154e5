"""Cuts of a compound into words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from tests.reference.text.chars import Char, char_class, fold_char
from tests.reference.text.token_buffer import JOINED, MAX_TERM, SPECIAL, WORD, Token

MAX_SUBWORDS = 32  # of a compound; the next one begins another

MAX_JOIN = 12  # subwords that are joined_token

MAX_EDGE = 2  # marks at one edge of a name

MAX_SHORT_FLAG = 4  # bytes of the word behind a single hyphen


@dataclass(slots=True)
class Subword:
    """A word of a compound, and the separator before it."""

    letters: list[Char]
    mark: str = ""

    @property
    def form(self) -> str:
        """The folded letters, as many as MAX_TERM allows."""
        form = ""
        for letter in self.letters:
            if len((form + fold_char(letter.char)).encode()) > MAX_TERM:
                break
            form += fold_char(letter.char)
        return form

    @property
    def is_number(self) -> bool:
        return all(letter.kind == "d" for letter in self.letters)


COMPOUND = re.compile(r"[ludx](?:[ludx]|['.-](?=[ludx]))*")


def is_final_s(chars: Sequence[Char], at: int) -> bool:
    """Return whether an s at chars[at] ends the word: that of URLs and of Ada's."""
    char = chars[at]
    return char.char in "sS" and not char.marked and (at + 1 == len(chars) or chars[at + 1].kind not in "ludx")


def compound_at(chars: Sequence[Char], first: int, last: int) -> tuple[int, int]:
    """Return where the compound chars[first:last] ends, and where reading goes on: a possessive s is left out."""
    for at in range(first, last):
        if chars[at].kind == "'" and is_final_s(chars, at + 1):
            return at, at + 2
    return last, last


def split_compound(chars: Sequence[Char], first: int, last: int) -> Iterator[Subword]:
    """Yield the subwords of chars[first:last].

    Cuts are at separators, before a capital that follows anything but a capital, and before the last of several
    capitals if lower case follows: XMLParser, getHTTPResponse. URLs stays whole.
    """
    subword = Subword([])
    for at in range(first, last):
        char = chars[at]
        if char.kind in "-.":
            yield subword
            subword = Subword([], char.char)
        elif char.kind != "'":
            small = at + 1 < last and chars[at + 1].kind == "l" and not is_final_s(chars, at + 1)
            if char.kind == "u" and subword.letters and (subword.letters[-1].kind != "u" or small):
                yield subword
                subword = Subword([])
            subword.letters.append(char)
    yield subword


def split_letters_digits(subword: Subword) -> list[Subword]:
    """Return error404 as error and 404, where every run of letters has at least three; else the subword itself."""
    runs = [list(run) for _, run in groupby(subword.letters, key=lambda letter: letter.kind == "d")]
    short = any(run[0].kind != "d" and len("".join(fold_char(letter.char) for letter in run)) < 3 for run in runs)
    if len(runs) == 1 or short or len(subword.form.encode()) > MAX_TERM // 2:
        return [subword]
    return [Subword(run, "" if k else subword.mark) for k, run in enumerate(runs)]


def joined_form(subwords: Sequence[Subword]) -> str:
    """Return subwords catenated. Numbers keep their separators: 1.2.3 is not 123."""
    if all(subword.is_number for subword in subwords):
        return subwords[0].form + "".join(subword.mark + subword.form for subword in subwords[1:])
    return "".join(subword.form for subword in subwords)


def joined_token(subwords: Sequence[Subword], position: int) -> list[Token]:
    """Return the token of several subwords catenated, or none."""
    form = joined_form(subwords)
    if not 2 <= len(subwords) <= MAX_JOIN or len(form.encode()) > MAX_TERM:
        return []
    return [(form, JOINED, subwords[0].letters[0].start, subwords[-1].letters[-1].end, position, len(subwords), False)]


def compound_tokens(subwords: Sequence[Subword], position: int) -> list[Token]:
    """Return a token for every subword, every identifier of several subwords, and a dotted name as a whole."""
    found: list[Token] = [
        (subword.form, WORD, subword.letters[0].start, subword.letters[-1].end, position + k, 1, False)
        for k, subword in enumerate(subwords)
    ]
    dots = [k for k, subword in enumerate(subwords) if k and subword.mark == "."]
    for low, high in zip([0, *dots], [*dots, len(subwords)], strict=True):
        found += joined_token(subwords[low:high], position + low)
    return found + (joined_token(subwords, position) if dots else [])


def is_part_of_word(char: str) -> bool:
    """Return whether a character is a letter, a digit, or a mark that belongs to one."""
    return bool(char) and char_class(char) in "ludxm"


def leading_marks(before: str, subwords: Sequence[Subword]) -> str:
    """Return the marks at the end of the text `before` a compound that belong to it: _x, --flag, -x, .env, @type."""
    underscores = before[len(before.rstrip("_")) :]
    if underscores:
        apart = not is_part_of_word(before[: -len(underscores)][-1:])
        return underscores if len(underscores) <= MAX_EDGE and apart else ""
    marks = "--" if before.endswith("--") else before[-1:]
    if marks not in {"--", "-", ".", "@", "#"} or subwords[0].letters[0].kind == "d":
        return ""
    opening = before[: -len(marks)][-1:]
    if marks == "-":
        short = len(subwords[0].form.encode()) <= MAX_SHORT_FLAG and [each.mark for each in subwords[1:2]] in (
            [],
            ["."],
        )
        return marks if short and (opening <= " " or opening in "\"'`" or opens_name(opening)) else ""
    return marks if opening <= " " or opening in "\"'`([{<=/|" or opens_name(opening) else ""


def opens_name(char: str) -> bool:
    """Return whether a character is not ASCII and no part of a word, such as a curly quote."""
    return char > "\x7f" and not is_part_of_word(char)


def marked_tokens(text: bytes, subwords: Sequence[Subword], position: int) -> list[Token]:
    """Return the first and the last identifier of a compound, joined and with the marks at its edges: _x, __init__."""
    start, end = subwords[0].letters[0].start, subwords[-1].letters[-1].end
    behind = text[end:].decode("utf-8", "surrogateescape")
    trail = behind[: len(behind) - len(behind.lstrip("_"))]
    if len(trail) > MAX_EDGE or char_class((behind[len(trail) :] or " ")[0]) in "ludx":
        trail = ""
    lead = leading_marks(text[:start].decode("utf-8", "surrogateescape"), subwords)
    dots = [k for k, subword in enumerate(subwords) if k and subword.mark == "."]
    edged = (
        [(0, dots[0], lead, ""), (dots[-1], len(subwords), "", trail)] if dots else [(0, len(subwords), lead, trail)]
    )
    found: list[Token] = []
    for low, high, before, after in edged:
        own = subwords[low:high]
        form = before + joined_form(own) + after
        if (before or after) and len(own) <= MAX_JOIN and len(form.encode()) <= MAX_TERM:
            first, last = own[0].letters[0].start - len(before), own[-1].letters[-1].end + len(after)
            found.append((form, SPECIAL, first, last, position + low, len(own), False))
    return found


def special_at(text: bytes, start: int, end: int, position: int) -> list[Token]:
    """Return the token of an ASCII word with the punctuation that belongs to it: c++, c#, 100%, #4410."""
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
