"""Docstrings and comments are statements in plain technical English: no questions, no stand-ins for a noun."""

from __future__ import annotations

import re
import tokenize
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from tests.repository.sample import ROOT, docstrings

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# A first line says what the thing is or returns. One that begins like a question makes a reader guess.
QUESTION = re.compile(r"\A(?:What|Which|How|Where|Who|Whose|Why|When|Those|These|They|There|And|Of|From|So)\b")
STAND_INS = re.compile(
    r"\b(?:likewise|in one go|what is left|whoever|alike|no sooner|as it were|"
    r"the same (?:of|for|with|without|in|as a|as the|but)|the same[.,;:])",
    re.IGNORECASE,
)
_CYTHON_COMMENT = re.compile(r"(?:^|\s)#\s(?P<text>.*)$", re.MULTILINE)


def faults_of_docstring(text: str) -> Iterator[str]:
    """The rules that one docstring breaks."""
    first = text.split("\n\n", 1)[0].replace("\n", " ")
    if QUESTION.match(first):
        yield "begins like a question"
    if first.rstrip().endswith("?"):
        yield "is a question"
    if found := STAND_INS.search(text):
        yield f"has {found[0]!r} for a noun"


def comments(path: Path) -> Iterator[tuple[int, str]]:
    """Line and text of every comment of a source."""
    if path.suffix == ".py":
        with path.open("rb") as file:
            for token in tokenize.tokenize(file.readline):
                if token.type == tokenize.COMMENT:
                    yield token.start[0], token.string.lstrip("# ")
    else:
        source = path.read_text(encoding="utf-8")
        for found in _CYTHON_COMMENT.finditer(source):
            yield source.count("\n", 0, found.start("text")) + 1, found["text"]


def sources() -> list[Path]:
    """Every source of the package and its kernels."""
    return [*sorted((ROOT / "recall_rank").rglob("*.py")), *sorted((ROOT / "src_ext").rglob("*.p[yx][xd]"))]


def test_docstrings_are_statements() -> None:
    found = [
        f"{each.path}: {each.definition}: {fault}: {each.text.splitlines()[0]}"
        for each in docstrings()
        for fault in faults_of_docstring(each.text)
    ]
    folders = Counter(line.split(": ")[0].rpartition("/")[0] for line in found)
    assert not found, "\n".join([*found, *(f"{count:4} {folder}" for folder, count in folders.most_common())])


def test_comments_name_their_nouns() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}: {fault[0]!r}: {text}"
        for path in sources()
        for line, text in comments(path)
        if (fault := STAND_INS.search(text))
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("What a search reads.", "begins"),
        ("Is this the end?", "is a question"),
        ("Score one segment; likewise all.", "likewise"),
        ("Return the terms.\n\nThe same for forms.", "The same for"),
    ],
)
def test_a_riddle_is_found(text: str, words: str) -> None:
    assert any(words in fault for fault in faults_of_docstring(text))


def test_a_statement_is_none() -> None:
    assert not list(faults_of_docstring("Return the documents of one segment, newest first.\n\nRaises OSError."))
