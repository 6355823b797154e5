"""Recalled text reaches a terminal escaped."""

from __future__ import annotations

import io
import re
import sys
import unicodedata

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_rank.frontends.cli.output.console import print_lines
from recall_rank.frontends.cli.output.search_lines import answer_lines
from recall_rank.frontends.display_text import escape, one_line, safe_json
from tests.support.frontends.samples import NOW, full_response, hit, response

DANGEROUS = (
    "\x00\x07\x08\x1b\x7f\x85\x9b\x9d\u00ad\u061c\u200b\u200d\u200e\u2028\u202e\u2066\u2069\ufeff\U000e0041\ud800"
)
HOSTILE = st.text(
    st.one_of(st.characters(), st.sampled_from(DANGEROUS), st.sampled_from("[]0;m\\ab \n\t")), max_size=60
)


def lives(text: str) -> list[str]:
    """The characters that a terminal would act on, hide or reorder, by Unicode category: an independent oracle."""
    return [letter for letter in text if unicodedata.category(letter) in ("Cc", "Cf", "Co", "Cs", "Zl", "Zp")]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("Müller 😀 漢字", "Müller 😀 漢字"),
        ("\x1b[31mred", "\\x1b[31mred"),
        ("\x1b]8;;http://x\x07", "\\x1b]8;;http://x\\x07"),
        ("a\u202eb", "a\\u202eb"),
        ("\U000e0041", "\\U000e0041"),
        ("\x9b2J", "\\x9b2J"),
        ("\ud83d", "\\ud83d"),
    ],
)
def test_escape(text: str, shown: str) -> None:
    assert escape(text) == shown


def test_one_line_shows_line_ends_as_blanks() -> None:
    assert one_line("a\r\n\n  b\tc\x0b") == "a b c\\x0b"


@given(HOSTILE)
def test_escaped_text_has_no_unsafe_character(text: str) -> None:
    assert not lives(escape(text))
    assert not lives(one_line(text))
    assert "\n" not in one_line(text)


def test_every_control_and_format_character_is_known() -> None:
    for code in range(sys.maxunicode + 1):
        assert not lives(escape(chr(code))), hex(code)


@given(st.text(st.characters(categories=("L", "N", "P", "S", "Zs")), max_size=40))
def test_ordinary_text_is_unchanged(text: str) -> None:
    assert escape(text) == text or any(letter in "\u115f\u1160\u3164\uffa0" for letter in text)  # fillers are letters


@given(st.recursive(HOSTILE, lambda inner: st.lists(inner, max_size=3)))
def test_safe_json_is_an_equal_value_without_unsafe_characters(value: object) -> None:
    document = orjson.dumps(value) if encodable(value) else b'"x"'
    safe = safe_json(document + b"\n")
    assert orjson.loads(safe) == orjson.loads(document)
    assert not lives(safe.decode().removesuffix("\n"))


def encodable(value: object) -> bool:
    try:
        orjson.dumps(value)
    except TypeError:
        return False
    return True


@pytest.mark.parametrize("colour", [False, True])
@given(text=HOSTILE)
def test_a_whole_answer_of_hostile_text_is_harmless(colour: bool, text: str) -> None:
    answer = full_response()
    hostile = hit(
        session_title=text,
        session_id=text,
        message_id=text,
        directory=text,
        author=text,
        tool_name=text,
        snippet=text,
        agent=text,
        why=type(answer.results[0].why)((text,), (text,), "exact", "recent", "high"),
    )
    stream = io.StringIO()
    whole = response(
        [hostile], warnings=(text,), suggestions=(text,), load_errors=(text,), near_misses=answer.near_misses
    )
    print_lines(answer_lines(whole, NOW), stream, colour=colour)
    shown = stream.getvalue()
    if colour:
        shown = re.sub(r"\x1b\[[0-9;]*m", "", shown)  # our own colours
    assert not lives(shown.replace("\n", ""))
    assert shown.count("\n") == len(list(answer_lines(whole, NOW)))
