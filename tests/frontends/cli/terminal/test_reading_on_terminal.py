"""Messages on a terminal: Markdown of agents is rendered, words of a query are marked, and nothing is lost or acts."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_rank.frontends.cli.output.display import Display
from recall_rank.frontends.cli.output.markdown_lines import markdown_lines
from recall_rank.frontends.cli.output.render import rendered
from recall_rank.frontends.cli.output.transcript_lines import MessageStyle, message_lines
from recall_rank.frontends.cli.output.word_marks import MATCH_STYLE, WordMarks
from tests.frontends.cli.test_terminal import HOSTILE, lives
from tests.support.frontends.samples import NOW

SAMPLE = """# Findings

Use `ripgrep`, **not** grep, and __init__ of <b>tool</b> &#27;[31m &amp;:
second line

- one
- two
  1. inner

| file | why |
| --- | --- |
| a/very/long/path/that/is/longer/than/the/column.py | it has the lock |

```python
def f(x):  # a comment
    return x
```
See [the docs](https://example.invalid/x "title") and ![image](y.png) and <https://example.invalid>.

[ref]: https://example.invalid/ref
"""


def text_of(text: str, columns: int = 76) -> str:
    return "\n".join("".join(piece for piece, _ in row) for row in markdown_lines(text, columns))


def entry(text: str, role: str = "assistant", **part: Any) -> dict[str, Any]:
    message = {"id": "m1", "role": role, "time": NOW}
    return {"message": message, "parts": [{"id": "p", "type": "text", "pruned": False, "content": text, **part}]}


def test_markdown_is_rendered() -> None:
    rows = text_of(SAMPLE).split("\n")
    assert rows[0] == "Findings"
    assert " • one" in rows
    assert "Use ripgrep, not grep, and __init__ of <b>tool</b> &#27;[31m &amp;:" in rows
    assert "second line" in rows
    assert "    return x" in rows
    assert "```python" in rows
    styles = {text.strip(): style for row in markdown_lines(SAMPLE, 76) for text, style in row}
    assert "bold" in styles["not"]
    assert "bold" in styles["ripgrep"]


def test_links_and_references_stand_as_they_were_written() -> None:
    shown = " ".join(text_of(SAMPLE).split())
    assert '[the docs](https://example.invalid/x "title") and ![image](y.png) and <https://example.invalid>.' in shown
    assert "[ref]: https://example.invalid/ref" in shown


@pytest.mark.parametrize("columns", [24, 76, 196])
def test_no_row_is_too_wide_and_no_word_is_lost(columns: int) -> None:
    rows = text_of(SAMPLE, columns).split("\n")
    assert max(map(len, rows)) <= columns
    whole = re.sub(r"\W", "", "".join(rows))
    for word in re.findall(r"[A-Za-z]{4,}", SAMPLE.partition("| file")[0] + SAMPLE.partition("```")[2]):
        assert word in whole, word
    assert "column.py".replace(".", "") in re.sub(r"\W", "", "".join(rows)) or columns < 40


@given(st.lists(st.sampled_from(["word", "*", "_", "`", "#", "-", ">", "|", "<x>", "[y](z)", "\n", "    ", "1."])))
def test_no_word_of_any_markup_is_lost(pieces: list[str]) -> None:
    text = " ".join(pieces)
    shown = text_of(text)
    for word in ("word", "<x>", "[y](z)"):
        assert "".join(shown.split()).count(word) == "".join(text.split()).count(word)


@given(HOSTILE, st.sampled_from(["{}", "# {}", "- {}", "`{}`", "```\n{}\n```", "| a |\n| - |\n| {} |", "&#27;{}"]))
def test_nothing_in_markdown_acts_on_the_terminal(text: str, form: str) -> None:
    rows = [piece for row in markdown_lines(form.format(text), 60) for piece, _ in row]
    assert not lives("".join(rows))


@pytest.mark.parametrize("colour", [False, True])
@given(text=HOSTILE)
def test_a_message_of_hostile_text_is_harmless(colour: bool, text: str) -> None:
    display = Display(60, 24, colour)
    shown = "\n".join(rendered(message_lines(entry(text), NOW, MessageStyle(display)), display))
    if colour:
        shown = re.sub(r"\x1b\[[0-9;]*m", "", shown)
    assert not lives(shown.replace("\n", ""))


def test_only_what_an_agent_wrote_is_markdown() -> None:
    display = Display(80, 24)
    heading = "# one\n**two**"

    def shown(one: dict[str, Any], style: MessageStyle) -> str:
        return "\n".join(rendered(message_lines(one, NOW, style), display))

    assert "    one\n" in shown(entry(heading), MessageStyle(display))
    assert "    # one\n    **two**" in shown(entry(heading), MessageStyle(display, is_raw=True))
    assert "    # one\n    **two**" in shown(entry(heading, "user"), MessageStyle(display))
    assert "    # one\n    **two**" in shown(entry(heading), MessageStyle(Display()))
    tool = entry("", tool_name="bash", output=heading)
    assert "    # one\n    **two**" in shown(tool, MessageStyle(display))


# --- marks --------------------------------------------------------------------------------------------------------


def marks(query: str, text: str, match: Any = "smart") -> list[str]:
    found = WordMarks(query, match, [entry(text)]).marked([(text, "")])
    assert "".join(piece for piece, _ in found) == text
    return [piece for piece, style in found if style == MATCH_STYLE]


@pytest.mark.parametrize(
    ("query", "text", "marked"),
    [
        ("rate limit", "the rate limit of rateLimit() is unlimited", ["rate", "limit", "rateLimit"]),
        ("limits", "one limit, two limits, a Limit", ["limit", "limits", "Limit"]),
        ("reserve_saet", "reserveSeat checks a seat", ["reserveSeat", "seat"]),
        ("zyzzyva", "nothing of it", []),
        ("", "nothing of it", []),
    ],
)
def test_the_words_of_a_query_are_marked(query: str, text: str, marked: list[str]) -> None:
    assert marks(query, text) == marked


def test_literal_and_regex_mark_parts_of_words() -> None:
    assert marks("imit", "a limit", "literal") == ["imit"]
    assert marks("l.m", "a limit", "regex") == ["lim"]


def test_inputs_and_outputs_are_marked_too() -> None:
    one = entry("", tool_name="bash", input={"command": "run bucket"}, output="a bucket", error="no bucket")
    style = MessageStyle(Display(80, 24), WordMarks("bucket", "smart", [one]))
    lines = list(message_lines(one, NOW, style))
    assert sum(style == MATCH_STYLE for line in lines for text, style in line if text) == 3
