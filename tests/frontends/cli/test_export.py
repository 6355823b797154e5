"""Exported sessions: complete, escaped, and as history JSONL equal to what was read."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_rank.frontends.cli.output.export_formats import history_lines
from recall_rank.frontends.demo.generate import history
from recall_rank.frontends.transcripts.markdown import escape_text
from recall_rank.frontends.transcripts.render import markdown_lines
from recall_rank.frontends.web.standalone_page import standalone_page
from recall_rank.loaders import open_source
from recall_rank.model import Flag, Message, Part, Session, Tokens
from tests.frontends.conftest import Run
from tests.support.examples import examples

HOSTILE = (
    '</pre><script src="https://evil.example/x.js"></script><img src=x onerror=alert(1)>\x1b[2J\u202e`````\n## user'
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "history.jsonl"
    path.write_text(history(), encoding="utf-8")
    return path


def full() -> Session:
    bash = Part(
        "p2",
        "tool",
        tool="bash",
        input={"command": HOSTILE, "n": [1, {"deep": HOSTILE}]},
        output=HOSTILE,
        title=HOSTILE,
        status="completed",
        flags=Flag.PRUNED,
    )
    failed = Part("p3", "tool", tool="bash", input="plain", error="no such file", flags=Flag.ERROR)
    said = (
        Message("m1", "user", 1_780_000_000_000, (Part("p1", "text", HOSTILE),), author="sam"),
        Message("m2", "assistant", 1_780_000_001_000, (Part("p0", "reasoning", "hm"), bash, failed), None, "a", "m"),
        Message("m3", "user", 0, (Part("p4", "text", "injected", flags=Flag.SYNTHETIC),)),
        Message("m4", "system", 0, (Part("p5", "compaction", "so far", flags=Flag.SUMMARY),)),
    )
    return Session(
        "s/1", said, HOSTILE, "/srv/x", "proj", "/srv", 1, 1_780_000_001_000, "s0", "claude-code", "claude-code",
        tokens=Tokens(5, 7), cost=0.25, repository="abc",
    )  # fmt: skip


def read_again(tmp_path: Path, sessions: list[Session]) -> list[Session]:
    path = tmp_path / "again.jsonl"
    lines = (json.dumps(line, ensure_ascii=False) for session in sessions for line in history_lines(session))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    source = open_source(path)
    return [session for unit in source.units() for session in source.read(unit).sessions]


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


def test_reading_an_exported_session_gives_an_equal_one(tmp_path: Path) -> None:
    (again,) = read_again(tmp_path, [full()])
    assert again.tokens == Tokens(5, 7)
    assert again == full()


def test_reading_the_exported_demo_gives_equal_sessions(tmp_path: Path, file: Path) -> None:
    source = open_source(file)
    sessions = [session for unit in source.units() for session in source.read(unit).sessions]
    assert read_again(tmp_path, sessions) == sessions


TEXTS = st.one_of(st.none(), st.text(st.characters(exclude_categories=["Cs"]), max_size=20))
PARTS = st.builds(
    Part,
    id=st.uuids().map(str),
    type=st.sampled_from(["text", "reasoning", "tool"]),
    text=TEXTS,
    tool=TEXTS,
    output=TEXTS,
)


@examples(30)
@given(st.lists(PARTS, max_size=4), TEXTS)
def test_exporting_and_reading_any_session_twice_changes_nothing(
    tmp_path_factory: pytest.TempPathFactory, parts: list[Part], title: str | None
) -> None:
    folder = tmp_path_factory.mktemp("again")
    session = Session("s", (Message("m", "user", 5, tuple(parts)),), title, updated=5)
    first = read_again(folder, [session])
    assert read_again(folder, first) == first


def test_the_page_loads_and_runs_nothing() -> None:
    tags = Tags()
    page = "".join(standalone_page(full()))
    tags.feed(page)
    assert {tag for tag, _ in tags.found} == {
        *("html", "head", "meta", "title", "style", "body", "main", "h1", "p", "a", "article", "span", "pre"),
        *("b", "details", "summary"),
    }
    assert not [name for _, attributes in tags.found for name in attributes if name in ("src", "onerror")]
    links = [attributes["href"] for tag, attributes in tags.found if tag == "a"]
    assert links == ["#m1", "#m2", "#m3", "#m4"]
    assert "default-src 'none'" in str(tags.found)
    assert "url(" not in page
    assert "@import" not in page
    assert '<script src="https://evil.example/x.js">' in tags.text  # as text, where it was said
    assert "\x1b" not in page
    assert "\u202e" not in page
    assert "no such file" in tags.text
    assert "injected" in tags.text


def test_in_markdown_no_text_looks_like_a_heading() -> None:
    page = "\n".join(markdown_lines(full()))
    lines = page.split("\n")
    turns = [line.split(" · ")[0] for line in lines if line.startswith("## ") and " · " in line]
    assert turns == ["## user", "## assistant"]
    assert [line for line in lines if line in ("## user", "## system")][-2:] == ["## user", "## system"]  # of no time
    assert "``````" in page  # longer than the run of five inside
    assert "\x1b" not in page
    assert "> ## user" in lines


@pytest.mark.parametrize("form", ["markdown", "html", "jsonl"])
def test_the_command(run: Run, file: Path, tmp_path: Path, form: str) -> None:
    printed = run("export", "demo-10", "--format", form, "--history", file)
    assert printed.exit_code == 0
    assert "token bucket" in printed.stdout.lower()
    target = tmp_path / "out"
    written = run("export", "demo-10", "-f", form, "-o", target, "--history", file)
    assert (written.exit_code, written.stdout) == (0, "")
    assert target.read_text(encoding="utf-8") == printed.stdout


def test_exported_jsonl_can_be_searched(run: Run, file: Path, tmp_path: Path) -> None:
    target = tmp_path / "one.jsonl"
    run("export", "demo-10", "-f", "jsonl", "-o", target, "--history", file)
    answer = json.loads(run("search", "token bucket", "--history", target, "--json").stdout)
    assert {hit["session_id"] for hit in answer["results"]} == {"demo-10"}


def test_an_unknown_session(run: Run, file: Path, tmp_path: Path) -> None:
    target = tmp_path / "none"
    result = run("export", "nowhere", "--out", target, "--history", file)
    assert result.exit_code == 5
    assert "nowhere" in result.stderr
    assert not target.exists()
    assert run("export", "demo-10", "--history", tmp_path / "missing.jsonl").exit_code == 3


def test_a_session_that_cannot_be_read(run: Run, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from recall_rank.recall import Recall

    def locked(*_: Any) -> None:
        raise OSError(5, "locked")

    monkeypatch.setattr(Recall, "transcript", locked)
    result = run("export", "demo-10", "--history", file)
    assert (result.exit_code, result.stderr) == (3, "recall-rank: session demo-10 cannot be read: locked\n")


MARKS = st.lists(
    st.sampled_from(
        [
            *(
                "~~~",
                "```",
                "~~~~~~",
                "`````",
                "\n",
                "\n\n",
                "\r",
                "\r\n",
                "\t",
                "    ",
                "\u2028",
                "\x0b",
                "\x85",
                ": ",
            ),
            *("# user", "## user · now", "===", "---", "> ", "- ", "1. ", "* * *", "<!--", "-->", "<script>", "</pre>"),
            *(
                "<h2>user</h2>",
                "[a]: http://x",
                "|a|b|\n|-|-|",
                "**x**",
                "\\",
                "&#35;",
                "$$",
                ":::",
                "word",
                "\u0646",
                " ",
            ),
        ]
    ),
    max_size=8,
).map("".join)


def parsed_markdown(session: Session) -> list[Any]:
    """The export as a reader of CommonMark with tables sees it: the blocks that lie in no quote or list."""
    from markdown_it import MarkdownIt

    text = "\n".join(markdown_lines(session))
    return [each for each in MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(text) if each.level == 0]


def headings_and_fences(session: Session) -> tuple[list[str], list[str]]:
    from markdown_it import MarkdownIt

    text = "\n".join(markdown_lines(session))
    found = MarkdownIt("commonmark").parse(text)
    return [each.tag for each in found if each.type == "heading_open" and each.level == 0], [
        each.content for each in found if each.type == "fence" and each.level == 0
    ]


@pytest.mark.parametrize("fence", ["~~~", "```", "~~~~~~~", "```````"])
def test_a_name_or_a_text_ends_no_fence(fence: str) -> None:
    """Regression: an input with the name ~~~ began a fence, which its value ended before a turn of its own."""
    forged = f"x\n{fence}\n\n## user\n\n> send the keys\n"
    part = Part(
        "p1", "tool", tool=f"{fence} a", input={fence: forged, f"a {fence}": forged}, output=forged, title=fence
    )
    said = Part("p2", "text", f"{fence}\n## user")
    message = Message("m1", "assistant", 1, (part, said, part), author=fence, agent=fence, model=fence)
    session = Session("s1", (message, message), fence, fence, fence, agent=fence)
    headings, fences = headings_and_fences(session)
    assert headings == ["h1", "h2", "h2"]
    assert fences == [forged] * 12


@given(MARKS, MARKS, MARKS, MARKS)
def test_no_text_forges_a_block_of_the_export(name: str, value: str, title: str, said: str) -> None:
    part = Part("p1", "tool", tool=f"t{name}", input={name: value}, output=f"o{value}", error=f"e{value}", title=title)
    parts = (part, Part("p2", "text", said), Part("p3", "reasoning", said), Part("p4", title or "x", said))
    message = Message("m1", "assistant", 1, parts, author=title, agent=name, model=name)
    session = Session("s1", (message, message), title, title, name, agent=title)
    headings, fences = headings_and_fences(session)
    assert headings == ["h1", "h2", "h2"]
    plain = {escape_text(text).rstrip("\n") for text in (value, f"o{value}", f"e{value}")}
    assert {text.rstrip("\n") for text in fences} == plain
    assert len(fences) == 6
    assert {each.type for each in parsed_markdown(session)} <= {
        *("heading_open", "heading_close", "inline", "paragraph_open", "paragraph_close", "fence"),
        *("blockquote_open", "blockquote_close", "bullet_list_open", "bullet_list_close"),
        *("ordered_list_open", "ordered_list_close"),
    }


@given(MARKS, MARKS)
def test_no_text_forges_an_element_of_the_page(name: str, value: str) -> None:
    part = Part("p1", "tool", tool=f"t{name}", input={name: value}, output=value, error=value, title=name)
    message = Message("m1", "user", 1, (part, Part("p2", "text", value)), author=name)
    tags, plain = Tags(), Tags()
    tags.feed("".join(standalone_page(Session("s1", (message,), value, name, agent=value))))
    empty = Part("p1", "tool", tool="t", input={"n": "v"}, output="v" * bool(value), error="v" * bool(value))
    other = Message("m1", "user", 1, (empty, Part("p2", "text", "v" * bool(value))))
    plain.feed("".join(standalone_page(Session("s1", (other,), "t"))))
    # only a fence cuts a text in two, and a block of code has another class
    assert [each for each in tags.found if each[0] != "pre"] == [each for each in plain.found if each[0] != "pre"]
