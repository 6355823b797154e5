"""What a secret looks like: the beginnings of keys, passwords in addresses, headers and blocks, each with its extent.

Linear by construction: every expression is possessive, every look around is bounded, and no key is read twice.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from recall_rank.frontends.redaction.rules import ALPHABETS, PREFIXED
from recall_rank.frontends.redaction.words import is_placeholder, looks_random

Secret = tuple[int, int, str]
"""Characters [start, end) of a text, and the family of what stands there."""

BLOCK_REACH: Final = 16_384  # a private key block with all its lines
_JUDGED: Final = 512  # characters of a key that decide whether it is one

_DIGIT: Final = re.compile("[0-9]")
_LINE_BREAK: Final = re.compile(r"(?:\\?\r?\n|\\n)[ \t>|]*+")
_JWT: Final = re.compile(r"[\w-]{8,1024}+\.[\w-]{10}")
_URL_PASSWORD: Final = re.compile(r"://[^\s:/@\"'<>]{0,128}+:([^\s/@\"'<>]{3,256}+)@")
_HEADER: Final = re.compile(r"(?:[Bb]earer|[Bb]asic|[Tt]oken)[ \t]+([\w.~+/=-]{16,}+)")
_PRIVATE: Final = re.compile(r"-----BEGIN[ A-Z0-9]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_BLOCK_LINES: Final = re.compile(
    r"(?:[\s\"'+,>|]|\\[nrt]|\d{1,6}(?:→|:)|[A-Za-z0-9+/=]{20,}+|[A-Za-z][\w-]{0,30}+: [^\n\\]{0,100}+)*+"
)
_BLOCK_KEY: Final = re.compile(r"[A-Za-z0-9+/=]{40}")
_RUN: Final = "a" * 20  # characters of keys in a row: so many, or half of a longer key, stand in every key
_START_REACH: Final = 48  # the longest beginning in front of them
_INSIDE_START: Final = "./:=~\n\\"  # what beginnings hold besides, and what a broken line leaves in front
_KINDS: Final = bytes(97 if chr(code).isalnum() or chr(code) in "_-" else 32 for code in range(128)) + bytes(128)


@dataclass(frozen=True, slots=True)
class _Form:
    family: str
    start: str
    least: int
    run: re.Pattern[str]
    common: bool  # other words begin so too
    inside: bool  # the key began before

    def end(self, text: str, at: int) -> int | None:
        """Where the key ends whose `start` stands at `at`; None when it is no key."""
        begin = end = at + len(self.start)
        body = ""
        while True:
            last = min(end + _JUDGED, len(text))
            found = self.run.match(text, end, last)
            stop = found.end() if found else end
            body += text[end:stop]
            end = stop
            if len(body) >= self.least:
                break
            wrapped = None if self.common or not body else _LINE_BREAK.match(text, end)
            if wrapped is None or self.run.match(text, wrapped.end()) is None:
                return None
            end = wrapped.end()
        if self.family == "jwt":
            if not _JWT.match(text, begin):
                return None
        elif self.least and (is_placeholder(body) or (self.common and not looks_random(body))):
            return None
        rest = self.run.match(text, end)
        return rest.end() if rest else end


def _forms() -> Iterator[_Form]:
    runs = {name: re.compile(f"[{letters}]++") for name, letters in ALPHABETS.items()}
    for line in PREFIXED.strip().splitlines():
        family, starts, shape = (cell.strip() for cell in line.split("|"))
        for start in starts.split():
            bare = start.lstrip("?<")
            yield _Form(family, bare, int(shape[1:]), runs[shape[0]], start[0] == "?", start[0] == "<")


def _alternatives(words: list[str]) -> str:
    """An expression that matches where any of the words begins, one letter after the other."""
    if "" in words:
        return ""
    firsts = sorted({word[0] for word in words})
    rest = [re.escape(first) + _alternatives([word[1:] for word in words if word[0] == first]) for first in firsts]
    return rest[0] if len(rest) == 1 else f"(?:{'|'.join(rest)})"


_FORMS: Final = sorted(_forms(), key=lambda form: -len(form.start))
_BY_FIRST: Final = {
    first: [form for form in _FORMS if form.start[0] == first] for first in {f.start[0] for f in _FORMS}
}
_ANY_START: Final = re.compile(_alternatives([form.start for form in _FORMS]))


def keys(text: str, start: int, end: int) -> Iterator[Secret]:
    """Keys that are told by how they begin; looked for only around enough of their characters in a row."""
    kinds = text[start:end].encode("ascii", "replace").translate(_KINDS).decode("ascii")
    at, run = start, kinds.find(_RUN)
    while run >= 0:
        last = kinds.find(" ", run)
        stop = start + last if last >= 0 else end
        first = start + run
        if _is_name(text[first:stop]):
            at = stop
        else:
            at = max(at, first - _START_REACH if run and text[first - 1] in _INSIDE_START else first)
        while (found := _ANY_START.search(text, at, stop)) is not None:
            key = _key_at(text, found.start())
            at = found.start() + 1
            if key is not None:
                yield key
                at = key[1]
        at = max(at, stop)
        run = kinds.find(_RUN, at - start)


def _is_name(run: str) -> bool:
    """Whether it is all small letters: a word of a program, and no key."""
    return run.islower() and _DIGIT.search(run) is None


def _key_at(text: str, begin: int) -> Secret | None:
    for form in _BY_FIRST[text[begin]]:
        if not text.startswith(form.start, begin) or (form.common and _goes_on(text, begin)):
            continue
        stop = form.end(text, begin)
        first = _back(text, begin) if form.inside else begin
        if stop is not None and first <= begin - form.inside:
            return first, stop, form.family
    return None


def _goes_on(text: str, at: int) -> bool:
    """Whether a word stands directly in front; the letter of an escaped line end is none."""
    if at == 0 or not (text[at - 1].isalnum() or text[at - 1] in "_-"):
        return False
    return not (at > 1 and text[at - 2] == "\\" and text[at - 1] in "nrt")


def _back(text: str, at: int) -> int:
    floor = max(0, at - 64)
    while at > floor and (text[at - 1].isalnum() or text[at - 1] in "_~."):
        at -= 1
    return at


def url_passwords(text: str, start: int, end: int) -> Iterator[Secret]:
    for found in _URL_PASSWORD.finditer(text, start, end):
        word = found[1]
        if word[0] not in "$%{[*" and not is_placeholder(word) and word != found[0][3 : -len(word) - 2]:
            yield found.start(1), found.end(1), "password"


def headers(text: str, start: int, end: int) -> Iterator[Secret]:
    for found in _HEADER.finditer(text, start, end):
        if looks_random(found[1]) and not is_placeholder(found[1]):
            yield found.start(1), found.end(1), "authorization"


def blocks(text: str, at: int, end: int) -> Iterator[Secret]:
    """Private key blocks that begin in [at, end)."""
    while (begin := text.find("-----BEGIN", at, end)) >= 0:
        at = begin + 10
        head = _PRIVATE.match(text, begin)
        if head is None:
            continue
        tail = text.find("-----END", head.end(), head.end() + BLOCK_REACH)
        lines = _BLOCK_LINES.match(text, head.end(), head.end() + BLOCK_REACH)
        stop = lines.end() if lines else head.end()
        if tail >= 0:
            close = text.find("-----", tail + 8, tail + 80)
            stop = max(stop, close + 5 if close >= 0 else tail + 8)
        if _BLOCK_KEY.search(text, head.end(), stop):
            yield begin, stop, "private-key"
            at = stop
