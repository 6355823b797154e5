"""Read operators in a query: `+"must stand"`, `-"must not"`, `-word`, `tool:bash`, `a OR b`. What is none is text.

The rules are strict, because queries are often pasted: an error line, a path or a command must stay the text that it
is. docs/command-line.md has them for people.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from recall_rank.analysis.time_filters import resolve_window
from recall_rank.analysis.user_vocabulary import forms_of
from recall_rank.model.query_syntax import Alternatives, QuerySyntax
from recall_rank.model.record_classes import mutable

MAX_CHARS: Final = 1000  # of a query with operators: a longer one was pasted
MIN_EXCLUDED: Final = 4  # letters of -word: -xzf, -rf and -la are options of programs
FIELDS: Final = ("tool", "role", "agent", "project", "file", "since", "until", "in")
_CHOICES: Final = {"role": ("user", "assistant"), "in": ("title",)}
_TIMES: Final = ("since", "until")
OR: Final = "OR"
_SIGNS: Final = ('+"', "-", ":", OR)  # a query without one of them has no operator
_TOKEN: Final = re.compile(r'(?:[+-]|[a-z]+:)?"[^"]*"(?!\S)|\S+')
_QUOTED: Final = re.compile(r'([+-]|[a-z]+:)"([^"]*)"')
_PHRASE: Final = re.compile(r'"([^"]*)"')
_FIELD: Final = re.compile(rf"({'|'.join(FIELDS)}):(.+)", re.DOTALL)
_VALUE: Final = re.compile(r"(?!//)[\w~./\\@*$-].*", re.DOTALL)  # neither that of a URL (//) nor of a name (::)
_EXCLUDED: Final = re.compile(rf"-([a-z][a-z0-9_]{{{MIN_EXCLUDED - 1},}})")
_DASHED: Final = re.compile(r"--?\w")  # -word, or an option of a program


def read_syntax(text: str, now: int, *, alternatives: bool = True) -> QuerySyntax:
    """Return a query taken apart: its text without operators, and what the operators ask for.

    A query of several lines, of more than MAX_CHARS characters, or with nothing to look for beside its operators is
    text as a whole. `now`, in epoch milliseconds, is needed to tell whether a time can be read. Without
    `alternatives`, as for a literal search, OR is text, and the quotes around all of the text are removed.
    """
    if len(text) > MAX_CHARS or not any(sign in text for sign in _SIGNS) or len(text.strip().splitlines()) > 1:
        return QuerySyntax(text)
    reader = _Reader(text, now)
    operators = [token.text for token in reader.tokens if token.operator]
    if operators and not reader.positive and not any(map(forms_of, reader.must)):
        listed = " ".join(operators)
        return QuerySyntax(text, warnings=(f"{listed!r} is searched as text: a query needs something to look for",))
    any_of = tuple(reader.alternatives()) if alternatives else ()
    found = operators or any_of
    kept = reader.kept() if reader.positive else " ".join(f'"{phrase}"' for phrase in reader.must)
    only = None if alternatives else _PHRASE.fullmatch(kept)
    return QuerySyntax(
        (only[1] if only else kept) if found else text,
        tuple(reader.must),
        tuple(reader.must_not),
        {name: tuple(values) for name, values in reader.filters.items()},
        any_of,
        tuple(reader.warnings),
    )


@mutable
class _Token:
    """A piece of a query between blanks, or a quoted phrase with the sign or name in front of it."""

    text: str
    spaced: str  # with the blanks behind it
    operator: bool = False

    @property
    def has_word(self) -> bool:
        return bool(forms_of(self.text))


class _Reader:
    """Takes a query apart; the operators in it are collected by what they ask for."""

    def __init__(self, text: str, now: int) -> None:
        self.must: list[str] = []
        self.must_not: list[str] = []
        self.filters: dict[str, list[str]] = {}
        self.warnings: list[str] = []
        found = list(_TOKEN.finditer(text))
        ends = [*(match.start() for match in found[1:]), len(text)]
        self.tokens = [_Token(match[0], text[match.start() : end]) for match, end in zip(found, ends, strict=True)]
        for token in self.tokens:
            token.operator = self._phrase(token.text) or self._filter(token.text, now)
        self._exclude_words()
        self.positive = any(token.has_word for token in self.tokens if not token.operator)

    def kept(self) -> str:
        """Return the text without operators."""
        return "".join(token.spaced for token in self.tokens if not token.operator).rstrip()

    def alternatives(self) -> Iterator[Alternatives]:
        """Yield the runs of words with OR between them, each with its place in kept()."""
        at = number = 0
        while number < len(self.tokens):
            last = number
            while self._is_operand(last) and self._is_or(last + 1) and self._is_operand(last + 2):
                last += 2
            run = self.tokens[number : last + 1]
            size = sum(len(token.spaced) for token in run if not token.operator)
            if last > number:
                words = tuple(token.text for token in run[::2])
                yield Alternatives(at, at + size - len(run[-1].spaced) + len(run[-1].text), words)
            at, number = at + size, last + 1

    def _is_operand(self, number: int) -> bool:
        token = self.tokens[number] if number < len(self.tokens) else None
        return token is not None and not token.operator and token.text != OR and token.has_word

    def _is_or(self, number: int) -> bool:
        return number < len(self.tokens) and self.tokens[number].text == OR

    def _phrase(self, token: str) -> bool:
        """Read +"phrase" or -"phrase"; return whether the token is one."""
        quoted = _QUOTED.fullmatch(token)
        if quoted is None or quoted[1] not in "+-" or not quoted[2].strip():
            return False
        (self.must if quoted[1] == "+" else self.must_not).append(quoted[2])
        return True

    def _filter(self, token: str, now: int) -> bool:
        """Read name:value or name:"value"; return whether the token is one whose value is accepted.

        A value that is like none of the few accepted ones gives a warning, as does -name:value.
        """
        found = _FIELD.fullmatch(token)
        if found is None:
            if token.startswith("-") and _FIELD.fullmatch(token[1:]):
                self.warnings.append(f"{token!r} is searched as text: only words and quoted texts can be left out")
            return False
        name, value = found[1], found[2]
        if quoted := _QUOTED.fullmatch(token):
            value = quoted[2]
        if not value.strip() or _VALUE.fullmatch(value) is None or (name == "file" and value.isdigit()):
            return False
        accepted = _accepted(name, value, now)
        if accepted:
            self.warnings.append(f"{token!r} is searched as text: {name} takes {accepted}")
            return False
        self.filters.setdefault(name, []).append(value)
        return True

    def _exclude_words(self) -> None:
        """Read each -word, if all tokens with a dash can be one and stand behind the text; else they are options of a
        program.
        """
        dashed = [number for number, token in enumerate(self.tokens) if _is_dashed(token)]
        text = [number for number, token in enumerate(self.tokens) if not token.operator and not _is_dashed(token)]
        excluded = [_excluded(self.tokens[number].text) for number in dashed]
        if not all(excluded) or not (self.must or any(self.tokens[number].has_word for number in text)):
            return
        if not text or not dashed or text[-1] < dashed[0]:
            self.must_not += excluded
            for number in dashed:
                self.tokens[number].operator = True


def _is_dashed(token: _Token) -> bool:
    return not token.operator and _DASHED.match(token.text) is not None


def _excluded(token: str) -> str:
    """Return the word that -word excludes; "" for an option of a program, such as -xzf, --flag and -O2."""
    found = _EXCLUDED.fullmatch(token)
    if found is not None:
        return found[1]
    word = token[1:]  # no program has an option in another script
    return word if not word.isascii() and word.isalnum() and word == word.lower() else ""


def _accepted(name: str, value: str, now: int) -> str:
    """Return what the filter `name` takes, if `value` is none of it; else ""."""
    if name in _CHOICES:
        return "" if value in _CHOICES[name] else " or ".join(_CHOICES[name])
    if name in _TIMES:
        try:
            resolve_window(now, since=value if name == "since" else None, until=value if name == "until" else None)
        except ValueError:
            return "a date, a date-time, a duration such as 2w, today or yesterday"
    return ""
