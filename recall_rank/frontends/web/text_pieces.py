"""Texts cut into pieces for a page: prose and fenced code, tokens of code with a class, matches marked."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Final

from recall_rank.frontends.transcripts.markdown import escape_text

if TYPE_CHECKING:
    from pygments.lexer import Lexer

CODE_CHARS: Final = 40_000  # of code that is highlighted on one page; what follows is plain
_BLOCK_CHARS: Final = 10_000  # of one block of code: a longer one is plain
_FENCE: Final = re.compile(r"^ {0,3}(`{3,}|~{3,})([^\n`]*)$", re.MULTILINE)
# Languages whose lexers are used, with their names in Pygments. Others could take long for odd texts.
_LANGUAGES: Final = {
    name: first
    for first, *others in map(
        str.split,
        (
            "bash sh shell zsh console",
            *("c", "cpp c++", "csharp cs", "css", "diff patch", "docker dockerfile", "go golang", "html htm", "ini"),
            *("java", "javascript js jsx", "json jsonc", "kotlin", "lua", "make makefile", "php", "python py"),
            *("ruby rb", "rust rs", "scala", "sql", "swift", "toml", "typescript ts tsx", "xml", "yaml yml"),
        ),
    )
    for name in (first, *others)
}
# Kinds of tokens in Pygments, from the most to the least special -> class in the style sheet; others have none.
_CLASSES: Final = (
    ("Comment", "c"), ("Keyword", "k"), ("Literal.String", "s"), ("Literal.Number", "n"), ("Name.Function", "f"),
    ("Name.Class", "f"), ("Name.Builtin", "b"), ("Name.Tag", "k"), ("Name.Attribute", "f"), ("Operator.Word", "k"),
    ("Generic.Deleted", "d"), ("Generic.Inserted", "i"), ("Generic.Heading", "k"), ("Generic.Subheading", "c"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Piece:
    """Characters of a text with one look: the class of their token of code, and whether they are a match."""

    text: str
    css: str = ""
    marked: bool = False


@dataclass(frozen=True, slots=True)
class Block:
    """Prose, or one fenced block of code with its fences."""

    code: bool
    pieces: tuple[Piece, ...]


class TextLook:
    """The look of the texts of one page: which words are marked, and how much code is still highlighted."""

    def __init__(self, pattern: re.Pattern[str] | None = None, code_chars: int = CODE_CHARS) -> None:
        self._pattern = pattern
        self._left = code_chars

    def matches(self, text: str) -> bool:
        """Return whether a text has a word that is marked."""
        return self._pattern is not None and self._pattern.search(escape_text(text)) is not None

    def blocks(self, text: str) -> list[Block]:
        """Return a text as blocks, whose pieces together are the escaped text."""
        return [self._block(*each) for each in _fenced(escape_text(text))] or [Block(False, ())]

    def code(self, text: str, language: str) -> list[Block]:
        """Return a text that is code as a whole as one block."""
        return [self._block(escape_text(text), True, language)]

    def _block(self, text: str, code: bool, language: str) -> Block:
        name = _LANGUAGES.get(language.lower()) if code else None
        tokens: Iterable[tuple[str, str]] = (("", text),)
        if name and len(text) <= min(self._left, _BLOCK_CHARS):
            self._left -= len(text)
            tokens = _tokens(text, name)
        return Block(code, tuple(self._pieces(text, tokens)))

    def _pieces(self, text: str, tokens: Iterable[tuple[str, str]]) -> Iterator[Piece]:
        if self._pattern is None:
            yield from (Piece(part, css) for css, part in tokens)
            return
        places = [found.span() for found in self._pattern.finditer(text) if found.end() > found.start()]
        at = number = 0
        for css, part in tokens:
            end = at + len(part)
            while at < end:
                while number < len(places) and places[number][1] <= at:
                    number += 1
                start, stop = places[number] if number < len(places) else (end, end)
                upto = min(end, stop if start <= at else start)
                yield Piece(text[at:upto], css, start <= at < stop)
                at = upto


def _fenced(text: str) -> Iterator[tuple[str, bool, str]]:
    """Yield (characters, whether they are code, name of its language) for each stretch of a text."""
    at = 0
    opened: re.Match[str] | None = None
    for fence in _FENCE.finditer(text):
        if opened is None:
            if fence.start() > at:
                yield text[at : fence.start()].removesuffix("\n"), False, ""
            at, opened = fence.start(), fence
        elif fence[1].startswith(opened[1]) and not fence[2].strip():
            yield text[at : fence.end()], True, _language_of(opened)
            at, opened = min(fence.end() + 1, len(text)), None
    if at < len(text):
        yield text[at:], opened is not None, _language_of(opened)


def _language_of(fence: re.Match[str] | None) -> str:
    words = fence[2].split() if fence is not None else []
    return words[0] if words else ""


@lru_cache(maxsize=256)  # pages of a session are asked for again
def _tokens(text: str, language: str) -> tuple[tuple[str, str], ...]:
    """Return the tokens of a block of code as (class, characters), neighbours of one class joined. Its fences are
    no code.
    """
    first, last = text.find("\n") + 1, text.rfind("\n")
    if _FENCE.match(text) is None:
        first, last = 0, len(text)
    elif last < first or _FENCE.match(text, last + 1) is None:
        last = len(text)
    joined: list[tuple[str, str]] = [("c", text[:first])] if first else []
    at = first
    for _, kind, part in _lexer(language).get_tokens_unprocessed(text[first:last]):
        css = _class_of(str(kind))
        at += len(part)
        if joined and joined[-1][0] == css:
            joined[-1] = (css, joined[-1][1] + part)
        else:
            joined.append((css, part))
    joined.append(("c", text[at:]))
    return tuple((css, part) for css, part in joined if part)


@cache
def _lexer(language: str) -> Lexer:
    """Return the lexer of a language; making one takes as long as a screen of code."""
    from pygments.lexers import get_lexer_by_name

    lexer: Lexer = get_lexer_by_name(language)
    return lexer


@cache
def _class_of(kind: str) -> str:
    name = kind.removeprefix("Token.")
    return next((css for start, css in _CLASSES if name.startswith(start)), "")
