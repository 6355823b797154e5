"""No surface shows a character that a display hides or obeys: every code point is tried, and compared with Unicode."""

from __future__ import annotations

import json
import re
import sys
import unicodedata
from pathlib import Path
from typing import Any, Final

import anyio
import mcp
import orjson
import pytest
from click.testing import CliRunner

from recall_rank.frontends.cli.main import cli
from recall_rank.frontends.cli.output.export_formats import history_lines
from recall_rank.frontends.display_text import escape, escape_lines, one_line, safe_json
from recall_rank.frontends.hooks.prompt_blocks import auto_recall, compaction_recall
from recall_rank.frontends.host_options import host_options
from recall_rank.frontends.mcp.background_reading import BackgroundHistories
from recall_rank.frontends.mcp.server import RecallServer
from recall_rank.frontends.tools.untrusted_text import with_controls_escaped
from recall_rank.frontends.transcripts.markdown import escape_text
from recall_rank.frontends.transcripts.render import markdown_lines
from recall_rank.frontends.web.standalone_page import standalone_page
from recall_rank.model import Context, Message, Part, Session
from recall_rank.recall import Recall
from tests.support.frontends.harbor import NOW, Invented

pytestmark = pytest.mark.filterwarnings("ignore::mcp.shared.exceptions.MCPDeprecationWarning")

# Default_Ignorable_Code_Point of the Unicode character database, whose categories are not all Cf
IGNORABLE: Final = (
    *((0x00AD, 0x00AD), (0x034F, 0x034F), (0x061C, 0x061C), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F)),
    *((0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0x3164, 0x3164), (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF)),
    *((0xFFA0, 0xFFA0), (0xFFF0, 0xFFF8), (0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF)),
)
IGNORED: Final = {chr(code) for low, high in IGNORABLE for code in range(low, high + 1)}
EMOJI: Final = (
    *("\u2764\ufe0f", "\u270c\ufe0e", "1\ufe0f\u20e3", "\U0001f468\u200d\U0001f469\u200d\U0001f467"),
    *(
        "\u2764\ufe0f\u200d\U0001f525",
        "\U0001f3f3\ufe0f\u200d\U0001f308",
        "\U0001f44d\U0001f3fd",
        "\U0001f1e9\U0001f1ea",
    ),
)


def unseen(letter: str) -> bool:
    """Whether a character must be written out, by Unicode's own categories."""
    return unicodedata.category(letter) in ("Cc", "Cf", "Co", "Cs", "Zl", "Zp") or letter in IGNORED


EVERY: Final = frozenset(chr(code) for code in range(sys.maxunicode + 1) if unseen(chr(code)))
# All but those of long ranges, of which the first and last ones stand for the rest: for surfaces that are slow.
SAMPLE: Final = [
    *(letter for letter in sorted(EVERY) if not (0xD800 <= ord(letter) <= 0xF8FF or ord(letter) >= 0xE0000)),
    *map(
        chr,
        (0xE000, 0xF8FF, 0xE0000, 0xE0001, 0xE0041, 0xE007F, 0xE0100, 0xE0FFF, 0xF0000, 0xFFFFD, 0x100000, 0x10FFFD),
    ),
]
HOSTILE: Final = "gauge " + "".join(f"x{letter}" for letter in SAMPLE if letter not in "\t\n\r")


def shown(text: str, kept: str = "\n") -> list[str]:
    """The characters of a text that must be written out and are not; those of emoji are allowed."""
    for sequence in EMOJI:
        text = text.replace(sequence, "")
    return sorted({f"{ord(letter):x}" for letter in EVERY.intersection(text) if letter not in kept})


def escaped_value(text: str) -> str:
    return str(with_controls_escaped({"text": text})["text"])


def in_json(text: str) -> str:
    return safe_json(json.dumps(text, ensure_ascii=False).encode("utf-8", "replace")).decode()


def in_markdown(text: str) -> str:
    part = Part("p", "tool", text=text, tool=f"a{text}", input={f"k{text}": text}, output=text)
    return "\n".join(markdown_lines(Session("s", (Message("m", "user", 1, (part,)),), text, text)))


def in_html(text: str) -> str:
    part = Part("p", "tool", text=text, tool=f"a{text}", input={f"k{text}": text}, output=text)
    return "".join(standalone_page(Session("s", (Message("m", "user", 1, (part,)),), text, text)))


@pytest.mark.parametrize(
    ("shape", "kept"),
    [
        (escape, ""),
        (one_line, ""),
        (escape_lines, "\n"),
        (escape_text, "\n\t"),
        (in_json, ""),
        (escaped_value, "\n\t\r"),
    ],
)
def test_every_code_point(shape: Any, kept: str) -> None:
    """Between letters, behind a digit and behind an emoji, where selectors and a joiner alone may stay."""
    surrogates = shape in (in_json, escaped_value)  # they are replaced before: JSON has none
    letters = [
        each for each in sorted(EVERY) if not (surrogates and "\ud800" <= each <= "\udfff") and each not in "\t\n\r"
    ]
    apart = "".join(f"x{each}y 1{each}2 \u2764\u2764x{each}" for each in letters)
    assert shown(shape(apart), kept) == []
    behind = "".join(f"\u2764{each}a" for each in letters)
    assert set(shown(shape(behind), kept)) <= {"fe0e", "fe0f"}


@pytest.mark.parametrize("shape", [escape, one_line, escape_lines, escape_text, in_json, escaped_value])
def test_emoji_stay(shape: Any) -> None:
    for text in EMOJI:
        assert text in shape(f"a {text} b")


@pytest.mark.parametrize("shape", [escape, one_line, escape_lines, escape_text, escaped_value])
def test_selectors_and_joiners_elsewhere_are_written_out(shape: Any) -> None:
    for text, want in (
        ("a\ufe0f", "a\\ufe0f"),
        ("\u2764\ufe0f\ufe0f", "\u2764\ufe0f\\ufe0f"),
        ("\u2764\ufe00", "\u2764\\ufe00"),
        ("1\ufe0f2", "1\\ufe0f2"),
        ("a\u200db", "a\\u200db"),
        ("\u2764\u200da", "\u2764\\u200da"),
        ("a\u200d\u2764", "a\\u200d\u2764"),
        ("\u2764\u200d\u200d\u2764", "\u2764\\u200d\\u200d\u2764"),
        ("\u0646\u200c\u0627", "\u0646\\u200c\u0627"),
    ):
        assert shape(text) == want


def test_every_character_that_is_drawn_stays() -> None:
    every = map(chr, range(sys.maxunicode + 1))
    drawn = "".join(each for each in every if not unseen(each) and unicodedata.category(each) != "Cn")
    assert escape(drawn) == drawn


@pytest.mark.parametrize("export", [in_markdown, in_html])
def test_exports(export: Any) -> None:
    assert shown(export(HOSTILE)) == []
    assert "\\u202e" in export(HOSTILE)


def hostile() -> Session:
    """A session in which every text holds every such character."""
    parts = (
        Part("p1", "text", HOSTILE),
        Part("p2", "tool", tool=HOSTILE, input={HOSTILE: HOSTILE}, output=HOSTILE, error=HOSTILE, title=HOSTILE),
        Part("p3", "text", "We decided on the gauge because x\u202ex\ufe0fx\u0600x\ue000x is the root cause."),
    )
    message = Message("m1", "user", NOW - 1, parts, author=HOSTILE, agent=HOSTILE, model=HOSTILE)
    return Session(
        *("s1", (message,), HOSTILE, f"/home/ana/{HOSTILE}", HOSTILE, f"/home/ana/{HOSTILE}"),
        updated=NOW,
        agent=HOSTILE,
    )


def test_what_an_mcp_client_gets() -> None:
    session, odd = hostile(), "x\u202ex\ufe0fx\u0600x"
    calls: list[tuple[str, dict[str, Any]]] = [
        ("recall", {"query": "gauge", "match": "smart", "expand": "message", "explain": True}),
        ("recall", {"query": odd, "title": odd}),
        ("recall_get", {"session_id": "s1", "message_id": "m1"}),
        ("recall_get", {"session_id": odd, "message_id": odd}),
        ("recall_messages", {"session_id": "s1"}),
        ("recall_messages", {"session_id": odd}),
        ("recall_sessions", {"scope": "global"}),
        ("recall", {odd: odd, "query": "gauge", "type": odd}),
    ]

    async def work(client: Any) -> list[str]:
        got: list[str] = []
        for name, args in calls:
            result = await client.session.call_tool(name, args)
            got += [result.content[0].text, orjson.dumps(result.structured_content).decode()]
        got.append((await client.list_resources()).model_dump_json())
        got.append((await client.read_resource("recall://session/s1")).contents[0].text)
        for uri in (f"recall://session/{odd}", odd):
            with pytest.raises(mcp.MCPError) as error:
                await client.read_resource(uri)
            got.append(str(error.value))
        return got

    async def run() -> list[str]:
        histories = BackgroundHistories(Recall([Invented(session)]))
        there = RecallServer(histories, host_options({}), Context(directory="/home/ana"))
        async with mcp.Client(there.server) as client:
            return await work(client)

    for text in anyio.run(run):
        assert shown(text, "\n\t") == []


def test_blocks_of_hooks() -> None:
    recall = Recall([Invented(hostile())])
    ask = "What did we decide last time about the gauge?"
    for block in (
        auto_recall(recall, ask, now=NOW, floor=0.0, budget_ms=60_000, chars=90_000),
        compaction_recall(recall, "s1", budget_ms=60_000, chars=90_000),
    ):
        assert block is not None
        assert shown(block) == []


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "history.jsonl"
    lines = (json.dumps(record, ensure_ascii=False) for record in history_lines(hostile()))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


COMMANDS: Final = (
    *("search gauge", "search gauge --explain --group session", "search gauge --json", "search gauge --project @"),
    *("get s1 m1", "get s1 m1 --json", "get @ m1", "get s1 @", "get @ @ --json", "context s1 m1", "messages s1"),
    *("messages s1 --json", "sessions", "sessions --json", "sources --verbose", "stats", "stats --json", "export s1"),
    *("export s1 --format html", "export s1 --format jsonl", "export @", "@", "search --@", "search --@=@ gauge"),
    *("search gauge --match @", "search gauge --since @", "search gauge --last @", "search gauge -n @", "sessions @"),
    *("help @", "search gauge --history @", "search @ --agent @", "search gauge --tool @", "search gauge --session @"),
)


@pytest.mark.parametrize("command", COMMANDS)
def test_commands(file: str, command: str) -> None:
    words = [word.replace("@", "x\u202ex\ufe0fx\u0600x\x9bx\ue000") for word in command.split()]
    more = [] if words[0] == "help" or words[0] not in cli.commands else ["--history", file]
    if words[0] in ("search", "get", "context", "messages", "sessions", "stats"):
        more.append("--no-cache")
    done = CliRunner().invoke(cli, [*words, *more])
    assert done.output
    assert shown(done.output) == []


def test_batches(file: str, tmp_path: Path) -> None:
    calls, out = tmp_path / "calls.jsonl", tmp_path / "answers.jsonl"
    asked = [("recall", {"query": "gauge"}), ("recall_get", {"session_id": "s1", "message_id": "m1"}), ("x\u202e", {})]
    lines = [json.dumps({"id": f"c\u202e{at}", "tool": tool, "args": args}) for at, (tool, args) in enumerate(asked)]
    calls.write_text("\n".join([*lines, '{"id": "\u202e", "tool": 5}']), encoding="utf-8")
    words = ["batch", "--history", file, "--no-cache", "--calls", str(calls), "--out", str(out)]
    done = CliRunner().invoke(cli, words)
    assert shown(done.output) == []
    text = out.read_text(encoding="utf-8")
    assert shown(text) == []
    answers = [json.loads(line) for line in text.splitlines()]
    assert answers[1]["output"]["parts"][0]["content"] == HOSTILE, "the values are those of the history"
    assert re.search(r"\\u202e", text)
