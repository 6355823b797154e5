"""Find secrets by their format: keys with a known prefix, passwords in URLs, headers, private key blocks.

Time is linear in the text: every expression is possessive, every lookaround is bounded, and no key is read twice.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Final

from recall_rank.frontends.redaction.named_secrets import is_placeholder, is_variable, looks_random
from recall_rank.frontends.redaction.secret_formats import ALPHABETS, PREFIXED, Secret

BLOCK_REACH: Final = 16_384  # characters of the longest private key block
_JUDGED: Final = 512  # characters of a key by which it is judged
_TOKEN_CHARS: Final = 16  # of the shortest token in place of a user

_DIGIT: Final = re.compile("[0-9]")
_LINE_BREAK: Final = re.compile(r"(?:\\?\r?\n|\\n)[ \t>|]*+")
_JWT: Final = re.compile(r"[\w-]{8,1024}+\.[\w-]{10}")
_URL_USER: Final = re.compile(r"://(?=([^\s:/@\"'<>]{0,256}+)([:@]))")
_URL_PASSWORD: Final = re.compile(r"(?![0-9]{1,5}+/)[^\s\"'<>]{1,257}+")  # with the host; not a port and a path
# A host behind which a URL goes on with a path, or ends. What other signs are behind it is part of a password.
_URL_HOST: Final = re.compile(
    r"(?:localhost(?::[0-9]{1,5}+)?+|[\w-]++(?:\.[\w-]++)++(?::[0-9]{1,5}+)?+|(?:[\w-]++|\[[0-9A-Fa-f:.]{2,40}+\]):[0-9]{1,5}+)"
    r"(?=[\s/)\]}\\`\"'<>]|$)"
)
_HEADER: Final = re.compile(r"(?ai:bearer|basic|token)[ \t]+([\w.~+/=-]{16,}+)")
_BLOCK_HEAD: Final = re.compile(r"-----BEGIN[ A-Z0-9]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_BLOCK_LINES: Final = re.compile(
    r"(?:[\s\"'+,>|]|\\[nrt]|\d{1,6}(?:→|:)|[A-Za-z0-9+/=]{20,}+|[A-Za-z][\w-]{0,30}+: [^\n\\]{0,100}+)*+"
)
_BLOCK_KEY: Final = re.compile(r"[A-Za-z0-9+/=]{40}")
_RUN: Final = "a" * 20  # every key has so many characters of keys in a row
_PREFIX_REACH: Final = 48  # characters of the longest prefix
_PREFIX_SIGNS: Final = "./:=~\n\\"  # other characters of prefixes, and those at which a line is broken
_ASCII_KINDS: Final = bytes(97 if chr(code).isalnum() or chr(code) in "_-" else 32 for code in range(128))  # "a" or " "
_CHARACTER_KINDS: Final = _ASCII_KINDS + bytes(128)


@dataclass(frozen=True, slots=True)
class _KeyForm:
    """One format of keys from the table PREFIXED: a prefix, and conditions on the characters after it."""

    family: str
    prefix: str
    least: int  # characters after the prefix
    run: re.Pattern[str]  # characters of the key's alphabet
    common: bool  # ordinary words have this prefix too
    infix: bool  # the key begins before the prefix

    def end(self, text: str, at: int) -> int | None:
        """Return the end of the key whose prefix is at character `at`; None when the text there is not such a key."""
        begin = end = at + len(self.prefix)
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


def _key_forms() -> Iterator[_KeyForm]:
    """Yield the formats of keys that the table PREFIXED lists, one for each prefix."""
    runs = {name: re.compile(f"[{letters}]++") for name, letters in ALPHABETS.items()}
    for line in PREFIXED.strip().splitlines():
        family, prefixes, shape = (cell.strip() for cell in line.split("|"))
        for marked in prefixes.split():
            prefix = marked.lstrip("?<")
            yield _KeyForm(family, prefix, int(shape[1:]), runs[shape[0]], marked[0] == "?", marked[0] == "<")


def _alternatives(words: list[str]) -> str:
    """Return a regular expression that matches any of the words; common beginnings are shared, as in a trie."""
    if "" in words:
        return ""
    firsts = sorted({word[0] for word in words})
    rest = [re.escape(first) + _alternatives([word[1:] for word in words if word[0] == first]) for first in firsts]
    return rest[0] if len(rest) == 1 else f"(?:{'|'.join(rest)})"


@cache  # made for the first text that may have a key: it takes longer than to read many texts
def _any_prefix() -> re.Pattern[str]:
    return re.compile(_alternatives([form.prefix for forms in _by_first().values() for form in forms]))


@cache
def _by_first() -> dict[str, list[_KeyForm]]:
    """Return the formats of keys by the first character of their prefix, those with longer prefixes first."""
    forms = sorted(_key_forms(), key=lambda form: -len(form.prefix))
    return {first: [form for form in forms if form.prefix[0] == first] for first in {each.prefix[0] for each in forms}}


def keys(text: str, start: int, end: int) -> Iterator[Secret]:
    """Yield the keys with a known prefix in characters [start, end), in order.

    Only places near 20 or more consecutive characters that may belong to a key are searched.
    """
    kinds = text[start:end].encode("ascii", "replace").translate(_CHARACTER_KINDS).decode("ascii")
    at, run = start, kinds.find(_RUN)
    while run >= 0:
        last = kinds.find(" ", run)
        stop = start + last if last >= 0 else end
        first = start + run
        if _is_identifier(text[first:stop]):
            at = stop
        else:
            at = max(at, first - _PREFIX_REACH if run and text[first - 1] in _PREFIX_SIGNS else first)
        while (found := _any_prefix().search(text, at, stop)) is not None:
            key = _key_at(text, found.start())
            at = found.start() + 1
            if key is not None:
                yield key
                at = key.end
        at = max(at, stop)
        run = kinds.find(_RUN, at - start)


def _is_identifier(run: str) -> bool:
    """Return whether consecutive word characters are an identifier rather than a key: lower case and without
    digits.
    """
    return run.islower() and _DIGIT.search(run) is None


def _key_at(text: str, begin: int) -> Secret | None:
    """Return the key whose prefix is at character `begin`; None when there is no key."""
    for form in _by_first()[text[begin]]:
        if not text.startswith(form.prefix, begin) or (form.common and _inside_word(text, begin)):
            continue
        stop = form.end(text, begin)
        first = _word_start(text, begin) if form.infix else begin
        if stop is not None and first <= begin - form.infix:
            return Secret(first, stop, form.family)
    return None


def _inside_word(text: str, at: int) -> bool:
    """Return whether a word character precedes `at`; the letter of an escaped line end such as \\n does not count."""
    if at == 0 or not (text[at - 1].isalnum() or text[at - 1] in "_-"):
        return False
    return not (at > 1 and text[at - 2] == "\\" and text[at - 1] in "nrt")


def _word_start(text: str, at: int) -> int:
    """Return the start of the word that ends before character `at`, at most 64 characters earlier."""
    floor = max(0, at - 64)
    while at > floor and (text[at - 1].isalnum() or text[at - 1] in "_~."):
        at -= 1
    return at


def url_passwords(text: str, start: int, end: int) -> Iterator[Secret]:
    """Yield the passwords and tokens in URLs that are in characters [start, end), in order.

    They are in the places of postgres://user:password@host and https://token@host.
    """
    for found in _URL_USER.finditer(text, start, end):
        user, begin = found[1], found.end(2)
        stop = found.start(2) if found[2] == "@" else _password_end(text, begin, end)
        if stop is None or user.startswith("["):
            continue
        if len(user) >= _TOKEN_CHARS and looks_random(user) and not is_placeholder(user):
            yield Secret(*found.span(1), "password")
        word = text[begin:stop]
        if 3 <= len(word) <= 256 and word != user and not is_variable(word) and not is_placeholder(word):
            yield Secret(begin, stop, "password")


def _password_end(text: str, begin: int, end: int) -> int | None:
    """Return the end of the password of a URL that begins at character `begin`; None when there is none.

    An "@" follows the password. Of several, it is the first before a host with a dot or a port, else the last one,
    since the password itself may contain "@" and "/".
    """
    run = _URL_PASSWORD.match(text, begin, end)
    stop = run.end() if run else begin
    other = text.find("://", begin, stop)
    at = last = text.find("@", begin, other if other >= 0 else stop)
    while at >= 0:
        last = at
        if _URL_HOST.match(text, at + 1, end):
            break
        at = text.find("@", at + 1, other if other >= 0 else stop)
    return last if last >= 0 else None


def headers(text: str, start: int, end: int) -> Iterator[Secret]:
    """Yield the credentials after the words Bearer, Basic and Token in characters [start, end)."""
    for found in _HEADER.finditer(text, start, end):
        if looks_random(found[1]) and not is_placeholder(found[1]):
            yield Secret(found.start(1), found.end(1), "authorization")


def blocks(text: str, at: int, end: int) -> Iterator[Secret]:
    """Yield the private key blocks that begin in characters [at, end), also those whose end is cut off."""
    while (begin := text.find("-----BEGIN", at, end)) >= 0:
        at = begin + 10
        head = _BLOCK_HEAD.match(text, begin)
        if head is None:
            continue
        tail = text.find("-----END", head.end(), head.end() + BLOCK_REACH)
        lines = _BLOCK_LINES.match(text, head.end(), head.end() + BLOCK_REACH)
        stop = lines.end() if lines else head.end()
        if tail >= 0:
            close = text.find("-----", tail + 8, tail + 80)
            stop = max(stop, close + 5 if close >= 0 else tail + 8)
        if _BLOCK_KEY.search(text, head.end(), stop):
            yield Secret(begin, stop, "private-key")
            at = stop
