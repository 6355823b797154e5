"""Tables and notes are no wider than the terminal, and lose nothing; in a pipe they stand as they are."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest
from click import Context
from hypothesis import given
from hypothesis import strategies as st

from recall_rank.frontends.cli.main import cli
from recall_rank.frontends.cli.output.hit_layout import width
from recall_rank.frontends.cli.output.tables import bar_columns, table_lines
from recall_rank.frontends.demo.generate import history
from tests.frontends.conftest import Run
from tests.support.frontends.terminal import PersonAtTerminal, screen

HEAD = ("agent", "sessions", "parts", "location")
PATH = "/home/sam/.local/share/some-agent-with-a-long-name/histories/of/2026/sessions.db"
ROWS = [HEAD, ("opencode", "1,204", "99,321", PATH), ("codex", "3", "7", "/home/sam/.codex")]


def drawn(rows: list[tuple[str, ...]], columns: int | None, right: tuple[int, ...] = (1, 2)) -> list[str]:
    return ["".join(text for text, _ in line) for line in table_lines(rows, right, "bold", columns)]


def test_a_table_that_fits_or_goes_to_a_pipe_has_a_line_for_each_row() -> None:
    assert drawn(ROWS, None) == drawn(ROWS, 200) == [
        "agent     sessions   parts  location",
        f"opencode     1,204  99,321  {PATH}",
        "codex            3       7  /home/sam/.codex",
    ]  # fmt: skip


def test_the_last_column_is_wrapped_below_itself() -> None:
    assert drawn(ROWS, 80) == [
        "agent     sessions   parts  location",
        "opencode     1,204  99,321  /home/sam/.local/share/some-agent-with-a-long-name/",
        "                            histories/of/2026/sessions.db",
        "codex            3       7  /home/sam/.codex",
    ]


def test_the_last_column_goes_below_its_row_where_little_is_left() -> None:
    assert drawn(ROWS, 40) == [
        "agent     sessions   parts",
        "    location",
        "opencode     1,204  99,321",
        "    /home/sam/.local/share/",
        "    some-agent-with-a-long-name/",
        "    histories/of/2026/sessions.db",
        "codex            3       7",
        "    /home/sam/.codex",
    ]


def test_columns_that_do_not_fit_make_further_tables() -> None:
    rows = [("kind", "part@1", "part@10", "MRR"), ("all", ".1", ".2", ".3")]
    assert drawn(rows, 20, (1, 2, 3)) == [
        "kind  part@1",
        "all       .1",
        "",
        "kind  part@10  MRR",
        "all        .2   .3",
    ]


@given(
    st.integers(2, 6).flatmap(
        lambda many: st.lists(
            st.lists(st.text("ab/ 界-", max_size=30).map(str.strip), min_size=many, max_size=many).map(tuple),
            min_size=1,
            max_size=4,
        )
    ),
    st.integers(20, 120),
    st.booleans(),
)
def test_no_line_is_wider_and_no_letter_is_lost(rows: list[tuple[str, ...]], columns: int, text_last: bool) -> None:
    right = range(1, len(rows[0]) - text_last)
    lines = ["".join(text for text, _ in line) for line in table_lines(rows, right, "bold", columns)]
    cells = [cell for row in rows for cell in row]
    single = max(width(cell) for row in rows for cell in row[: len(row) - text_last])
    first = max(width(row[0]) for row in rows)
    assert max(map(width, lines)) <= max(columns, first + 2 + single)  # a cell of a number is never broken
    shown = "".join("".join(lines).split())
    for letter in "ab/界-":
        assert shown.count(letter) >= sum(cell.count(letter) for cell in cells)


@pytest.mark.parametrize(("columns", "bar"), [(None, 40), (200, 40), (80, 40), (60, 30), (20, 8)])
def test_bars_are_as_long_as_there_is_room(columns: int | None, bar: int) -> None:
    assert bar_columns(columns, 30) == bar


@pytest.fixture
def wide(tmp_path: Path) -> Path:
    """A history in a folder with a long name, with a torn line and a project of a long name."""
    folder = tmp_path / "a-folder-with-a-name-that-is-longer-than-others" / "and-another-one-below-it"
    folder.mkdir(parents=True)
    text = history().replace("/home/sam/harborline", "/home/sam/harborline-with-a-name-that-is-longer-than-a-bar")
    (folder / "history.jsonl").write_text(text + "{torn\n", encoding="utf-8")
    return folder / "history.jsonl"


QUERIES = '{"query": "token bucket", "relevant": [{"session": "demo-10"}], "kind": "decision"}\n{broken\n'


@pytest.mark.parametrize("columns", [40, 60, 80, 200])
def test_every_table_fits_the_terminal(tmp_path: Path, wide: Path, columns: int) -> None:
    (tmp_path / "queries.jsonl").write_text(QUERIES)
    commands = [
        ("sources", "--history", wide),
        ("sources", "--verbose", "--history", wide),
        ("stats", "--history", wide),
        ("refresh", "--history", wide),
        ("evaluate", "--queries", tmp_path / "queries.jsonl", "--against", "literal", "--history", wide),
    ]
    with PersonAtTerminal(columns, 60, tmp_path) as person:
        for words in commands:
            status, written = person.run(*words, env={"COLUMNS": str(columns)})
            assert status == 0, written
            rows = screen(re.sub(r"\x1b\[[0-9;]*m", "", written))
            assert max(map(width, rows)) <= columns, (words, rows)


def test_a_pipe_gets_what_it_got(run: Run, wide: Path) -> None:
    lines = run("sources", "--history", wide).stdout.splitlines()
    assert lines[1].endswith(str(wide))
    assert max(map(len, run("stats", "--history", wide).stdout.splitlines())) > 80


def test_folders_of_sources_begin_with_the_home(tmp_path: Path, wide: Path) -> None:
    with PersonAtTerminal(200, 60, tmp_path) as person:
        rows = screen(person.run("sources", "--history", wide)[1])
    assert any(row.rstrip().endswith(f"  ~/{wide.relative_to(tmp_path)}") for row in rows)


@pytest.mark.parametrize("name", [name for name in cli.list_commands(Context(cli)) if name != "notes"])
def test_every_command_with_a_pager_has_an_option_against_it(name: str) -> None:
    command = cli.get_command(Context(cli), name)
    assert command is not None
    assert command.callback is not None
    source = Path(inspect.getfile(inspect.unwrap(command.callback))).read_text()
    pages = re.search(r"render import .*\bshow\b", source) is not None
    assert pages == any("--no-pager" in option.opts for option in command.params)


def test_long_tables_go_to_the_pager(tmp_path: Path) -> None:
    with PersonAtTerminal(80, 12, tmp_path, PAGER=f"sh -c 'cat > {tmp_path}/paged'") as person:
        person.run("stats", "--history", "demo")
        assert "messages by agent" in (tmp_path / "paged").read_text()
        (tmp_path / "paged").unlink()
        person.run("stats", "--history", "demo", "--no-pager")
    assert not (tmp_path / "paged").exists()
