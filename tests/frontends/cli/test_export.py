"""Exported sessions: complete, escaped, and as history JSONL equal to what was read."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recall_rank.frontends.cli.output.export_formats import history_lines, html_lines, markdown_lines
from recall_rank.frontends.demo.generate import history
from recall_rank.loaders import open_source
from recall_rank.model import Flag, Message, Part, Session, Tokens
from tests.frontends.conftest import Run

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


@settings(max_examples=30)
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
    page = "\n".join(html_lines(full()))
    tags.feed(page)
    assert {tag for tag, _ in tags.found} == {
        *("html", "head", "meta", "title", "style", "body", "h1", "p", "article", "div", "strong", "span", "pre"),
    }
    assert not [name for _, attributes in tags.found for name in attributes if name in ("src", "href", "onerror")]
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
    assert result.exit_code == 1
    assert "nowhere" in result.stderr
    assert not target.exists()
    assert run("export", "demo-10", "--history", tmp_path / "missing.jsonl").exit_code == 3


def test_a_session_that_cannot_be_read(run: Run, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from recall_rank.recall import Recall

    def locked(*_: Any) -> None:
        raise OSError(5, "locked")

    monkeypatch.setattr(Recall, "transcript", locked)
    result = run("export", "demo-10", "--history", file)
    assert (result.exit_code, result.stderr) == (1, "recall-rank: session demo-10 cannot be read: locked\n")
