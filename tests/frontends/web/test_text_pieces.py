"""Texts in pieces: nothing is lost, whatever is code, highlighted or marked."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_rank.frontends.transcripts.markdown import escape_text
from recall_rank.frontends.web.text_pieces import Block, TextLook
from tests.support.examples import examples

LINES = st.sampled_from(
    [
        *(
            "```",
            "```python",
            "~~~",
            "````",
            "   ```sh",
            "def berth(n): return 'x' # y",
            "the ferry waits",
            "",
            "\x1b[2J",
        ),
        *("if [ -f x ]; then", "\u202eferry", "```js x", "ferry" * 3, "``", "    ```", "a\r"),
    ]
)


def text_of(blocks: list[Block]) -> str:
    return "\n".join("".join(piece.text for piece in block.pieces) for block in blocks)


@examples(100)
@given(
    st.lists(LINES, max_size=12),
    st.sampled_from([None, "ferry", "e", "def|x", "[^a]+"]),
    st.sampled_from([0, 30, 40_000]),
)
def test_the_pieces_are_the_escaped_text(lines: list[str], marked: str | None, code: int) -> None:
    text = "\n".join(lines)
    look = TextLook(re.compile(marked) if marked else None, code)
    assert text_of(look.blocks(text)).rstrip("\n") == escape_text(text).rstrip("\n")


@examples(60)
@given(st.lists(LINES, max_size=8), st.sampled_from(["ferry", "e", "def|x"]))
def test_what_is_marked_is_what_the_pattern_finds(lines: list[str], marked: str) -> None:
    for block in TextLook(re.compile(marked)).blocks("\n".join(lines)):
        whole = "".join(piece.text for piece in block.pieces)
        wanted = [at for found in re.finditer(marked, whole) for at in range(*found.span())]
        at, given_marks = 0, []
        for piece in block.pieces:
            given_marks += range(at, at + len(piece.text)) if piece.marked else []
            at += len(piece.text)
        assert given_marks == wanted


@pytest.mark.parametrize("language", ["python", "sh", "ts", "diff", "yaml", "rust", "json"])
def test_known_languages_are_highlighted(language: str) -> None:
    code = '- name: "x" # 12\n+ if true return 3; // y'
    (block,) = TextLook().blocks(f"```{language}\n{code}\n```")
    assert block.code
    assert len({piece.css for piece in block.pieces}) > 1


@pytest.mark.parametrize("language", ["", "brainfuck", "../etc", "python3.11"])
def test_other_languages_are_plain_code(language: str) -> None:
    (block,) = TextLook().blocks(f"```{language}\nif x: return 1\n```")
    assert block.code
    assert {piece.css for piece in block.pieces} == {""}


def test_a_page_highlights_so_much_code_and_no_more() -> None:
    look = TextLook(code_chars=100)
    blocks = look.blocks("```python\nreturn 1\n```\n" * 10)
    coloured = [len({piece.css for piece in block.pieces}) > 1 for block in blocks]
    assert coloured[0]
    assert not coloured[-1]


def test_an_open_fence_reaches_the_end() -> None:
    first, second = TextLook().blocks("before\n```python\nreturn 1\n\nreturn 2")
    assert (first.code, second.code) == (False, True)
