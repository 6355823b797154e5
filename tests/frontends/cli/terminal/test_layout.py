"""Answers are laid out for the width and the height of a terminal, and stand as they are in a pipe."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from datetime import timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_rank.frontends.cli.output.display import Display, display_of
from recall_rank.frontends.cli.output.hit_layout import compact_lines, cut, laid_out, width
from recall_rank.frontends.cli.output.id_prefixes import LEAST, IdPrefixes
from recall_rank.frontends.cli.output.render import fits, rendered
from recall_rank.frontends.cli.output.search_lines import answer_lines
from recall_rank.frontends.cli.output.word_marks import MATCH_STYLE
from recall_rank.model import Span
from tests.frontends.conftest import Run
from tests.support.frontends.process import recall_rank
from tests.support.frontends.samples import NOW, hit, response
from tests.support.frontends.terminal import PersonAtTerminal, rows_of, screen

LOW = Display(80, 24)
WIDE = Display(200, 60)
WORDS = "The ferry leaves at nine, and the harbour master counts every passenger before the gate is closed again. " * 2


def ids() -> IdPrefixes:
    return IdPrefixes(["s1"], {"s1": ["m1"]})


def shown(lines: object, display: Display) -> list[str]:
    return list(rendered(lines, display))  # type: ignore[arg-type]


@pytest.mark.parametrize("columns", [80, 200])
def test_lines_are_wrapped_between_words_and_indented(columns: int) -> None:
    rows = shown([[("    ", ""), (WORDS, "")]], Display(columns))
    assert len(rows) > 1
    assert all(len(row) <= columns and row.startswith("    ") for row in rows)
    assert " ".join(row.strip() for row in rows).split() == WORDS.split()
    numbered = shown([[(" 7. ", "dim"), (WORDS, "")]], Display(columns))
    assert numbered[0].startswith(" 7. The ferry")
    assert numbered[1].startswith("    ")
    assert not numbered[1].startswith("     ")


def test_a_pipe_gets_lines_as_they_are() -> None:
    assert shown([[("    ", ""), (WORDS, "bold")]], Display()) == ["    " + WORDS]


@given(st.text(max_size=200), st.integers(20, 200))
def test_no_row_is_wider_than_the_terminal_and_no_letter_is_lost(text: str, columns: int) -> None:
    from recall_rank.frontends.display_text import one_line

    line = one_line(text)
    rows = shown([[("    ", ""), (line, "")]], Display(columns))
    assert all(width(row.rstrip()) <= columns for row in rows)
    assert "".join("".join(rows).split()) == "".join(line.split())


@given(st.text(max_size=60), st.integers(1, 40))
def test_a_cut_text_fits(text: str, columns: int) -> None:
    assert width(cut(text, columns)) <= max(columns, 1)
    assert cut(text, width(text) or 1) == text


def test_ten_hits_fit_on_a_low_terminal_and_are_full_on_a_high_one() -> None:
    answer = response([hit(snippet=WORDS, spans=()) for _ in range(10)])
    compact = laid_out(answer, NOW, 0, LOW, ids)
    assert fits(compact, LOW)
    rows = shown(compact, LOW)
    assert [row[:4] for row in rows[:20:2]] == [f"{number:>2}. " for number in range(1, 11)]
    assert all(len(row) <= 80 for row in rows)
    full = shown(laid_out(answer, NOW, 0, WIDE, ids), WIDE)
    assert sum("rate, limit in text · high confidence" in row for row in full) == 10
    assert len(full) < 60


def test_few_hits_are_full_on_a_low_terminal() -> None:
    answer = response([hit()] * 3)
    assert sum("limit in text · high confidence" in row for row in shown(laid_out(answer, NOW, 0, LOW, ids), LOW)) == 3


def test_explained_scores_are_always_full() -> None:
    answer = response([hit(explain={"evidence": 0.75})] * 30)
    assert sum("score 0.750 = " in row for row in shown(laid_out(answer, NOW, 0, LOW, ids), LOW)) == 30


def test_a_cut_snippet_has_its_first_match() -> None:
    text = "word " * 40 + "the rate limit is sixty"
    at = text.index("rate")
    answer = response([hit(snippet=text, spans=(Span(at, at + 4, 0, 0),))])
    (_, snippet, *_) = compact_lines(answer, NOW, 0, LOW)
    assert ("rate", MATCH_STYLE) in snippet
    row = "".join(text for text, _ in snippet)
    assert row.startswith("    …")
    assert len(row) <= 80


def test_a_match_inside_of_a_word_keeps_the_word() -> None:
    text = "a sentence that is longer than the line is wide, and ends with a call of refreshAccessToken() in a file"
    at = text.index("Token")
    answer = response([hit(snippet=text, spans=(Span(at, at + 5, 0, 0),))])
    row = shown(compact_lines(answer, NOW, 0, LOW), LOW)[1]
    assert row.startswith("    …")
    assert row.endswith("ends with a call of refreshAccessToken() in a file")
    assert 70 < len(row) <= 80


def test_a_wide_title_leaves_room_for_the_age() -> None:
    answer = response([hit(session_title="a long title " * 20)])
    row = shown(compact_lines(answer, NOW, 0, LOW), LOW)[0]
    assert len(row) <= 80
    assert "… · assistant · 2 h ago" in row


def test_a_folder_is_short_on_a_terminal_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "home", lambda: Path("/home/sam"))
    assert LOW.folder("/home/sam/harborline") == "~/harborline"
    assert LOW.folder("/home/sam") == "~"
    assert LOW.folder("/home/samuel/x") == "/home/samuel/x"
    assert LOW.folder("/home/sam/harborline/booking/services/limits") == "~/…/services/limits"
    assert Display().folder("/home/sam/harborline") == "/home/sam/harborline"


def test_times_are_local_on_a_terminal_and_utc_in_a_pipe() -> None:
    summer = timezone(timedelta(hours=5, minutes=30))
    assert Display(80, 24, zone=summer).minute(NOW) == "2026-05-29 01:56"
    assert Display().minute(NOW) == "2026-05-28 20:26 UTC"
    assert Display(80, 24, zone=summer).minute(0) == ""
    assert Display(80, 24, zone=summer).minute(10**18) == ""
    line = shown(answer_lines(response([hit()]), NOW, 0, replace(WIDE, zone=summer), ids()), WIDE)[0]
    assert "2 h ago (2026-05-28 23:56)" in line


def test_ids_are_shortened_to_what_is_unique() -> None:
    known = ["ses_00aa11bb22", "ses_00aa99cc33", "demo-1", "demo-10", "a-long-and-lonely-id"]
    short = IdPrefixes(known, {"demo-10": ["message-one", "message-other"]})
    assert [short.session(each) for each in known] == ["ses_00aa1", "ses_00aa9", "demo-1", "demo-10", "a-long-a"]
    assert short.message("demo-10", "message-other") == "message-ot"
    assert short.message("unknown", "message-other") == "message-other"


@given(st.sets(st.text("ab", min_size=1, max_size=14), min_size=1, max_size=30))
def test_a_short_id_means_one_id(ids: set[str]) -> None:
    short = IdPrefixes(ids, {})
    for each in ids:
        prefix = short.session(each)
        begun = [other for other in ids if other.startswith(prefix)]
        assert begun == [each] or prefix == each
        assert len(prefix) >= min(LEAST, len(each))


class Stream:
    def __init__(self, tty: bool) -> None:
        self.tty = tty

    def isatty(self) -> bool:
        return self.tty


@pytest.mark.parametrize(
    ("tty", "environ", "color", "colour"),
    [
        (True, {}, None, True),
        (False, {}, None, False),
        (True, {"NO_COLOR": "1"}, None, False),
        (True, {"NO_COLOR": "1"}, "always", True),
        (True, {"NO_COLOR": ""}, "auto", True),
        (True, {}, "never", False),
        (False, {}, "always", True),
        (True, {"TERM": "dumb"}, None, False),
    ],
)
def test_colour(tty: bool, environ: dict[str, str], color: str | None, colour: bool) -> None:
    assert display_of(Stream(tty), environ, color=color).colour == colour  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("environ", "pager"),
    [
        ({"RECALL_RANK_PAGER": "most -s", "PAGER": "more"}, ("most", "-s")),
        ({"PAGER": "more"}, ("more",)),
        ({"PAGER": "cat"}, ()),
        ({"PAGER": ""}, ()),
        ({"PAGER": "'"}, ()),
        ({"PAGER": "more", "TERM": "dumb"}, ()),
    ],
)
def test_the_pager(environ: dict[str, str], pager: tuple[str, ...]) -> None:
    assert display_of(Stream(True), environ).pager == pager  # type: ignore[arg-type]
    assert display_of(Stream(True), environ, paged=False).pager == ()  # type: ignore[arg-type]
    assert display_of(Stream(False), environ).pager == ()  # type: ignore[arg-type]


def test_columns_and_lines_of_the_environment_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "132")
    monkeypatch.setenv("LINES", "43")
    found = display_of(Stream(True), {})  # type: ignore[arg-type]
    assert (found.columns, found.rows) == (132, 43)
    monkeypatch.setenv("COLUMNS", "5")
    assert display_of(Stream(True), {}).columns is None  # type: ignore[arg-type]
    assert display_of(Stream(False), {}).columns is None  # type: ignore[arg-type]


# --- on a terminal of the system -------------------------------------------------------------------------------


@pytest.mark.parametrize(("columns", "rows"), [(80, 24), (200, 50)])
def test_the_demo_fits_on_the_screen(tmp_path: Path, columns: int, rows: int) -> None:
    with PersonAtTerminal(columns, rows, tmp_path) as person:
        status, written = person.run("demo", "rate limit")
    shown = rows_of(written)[:-1]
    assert status == 0
    assert len(shown) < rows
    assert max(map(len, shown)) <= columns
    assert shown[0].startswith(" 1. Rate limiting for the booking API")
    assert shown[-1] == "read on: recall-rank get 1; also context, open, copy, reopen"
    assert "\x1b[1;33mrate" in written
    assert (" in text · high confidence" in written) == (rows == 50)


def test_no_color_and_columns_are_respected(tmp_path: Path) -> None:
    with PersonAtTerminal(200, 50, tmp_path, NO_COLOR="1", COLUMNS="60") as person:
        _, written = person.run("demo", "rate limit", "-n", "2")
        assert "\x1b" not in written
        assert max(map(len, rows_of(written))) <= 60
        assert "\x1b[" in person.run("demo", "--color", "always")[1]
        status, told = person.run("get", "nobody", "message", "--history", tmp_path / ("x" * 20) / ("y" * 20))
    assert status == 3
    assert max(map(len, screen(told))) <= 60
    assert len(screen(told)) > 3


def test_a_pipe_is_neither_wrapped_nor_coloured_nor_paged(run: Run, tmp_path: Path) -> None:
    piped = recall_rank("demo", "rate limit", env={"COLUMNS": "40", "LINES": "5", "PAGER": "false"}).stdout
    assert max(map(len, piped.splitlines())) > 150
    assert "\x1b" not in piped
    assert "demo-10 · demo-10-m1" in piped
    assert "(2026-11-18 13:13 UTC) · /home/sam/harborline" in piped
    assert "recall-rank get 1" not in piped


# --- the pager ------------------------------------------------------------------------------------------------


def pager(folder: Path) -> str:
    """The command of a pager that copies what it gets, and shows that it ran."""
    return f"sh -c 'cat > {folder}/paged; echo paged'"


def test_a_longer_answer_goes_through_the_pager(tmp_path: Path) -> None:
    with PersonAtTerminal(80, 8, tmp_path, RECALL_RANK_PAGER=pager(tmp_path)) as person:
        status, written = person.run("demo", "rate limit")
        assert (status, rows_of(written)[0]) == (0, "paged")
        text = (tmp_path / "paged").read_text()
        assert rows_of(text)[0].startswith(" 1. Rate limiting")  # the best hit is at the top
        assert "\x1b[1;33m" in text
        assert rows_of(person.run("demo", "rate limit", "--no-pager")[1])[0].startswith(" 1. Rate")
        assert "paged" not in person.run("demo", "umlauts", "-n", "1", "--oneline")[1]
        assert screen(person.run("get", "demo-10", "demo-10-m2", "--history", "demo")[1]) == ["paged"]
        text = " ".join((tmp_path / "paged").read_text().split())
        assert "60 per minute with a burst of 10" in text


def test_a_pager_that_ends_early_or_is_not_there_is_no_error(tmp_path: Path) -> None:
    with PersonAtTerminal(80, 8, tmp_path) as person:
        assert person.run("demo", "the", "-n", "50", env={"PAGER": "true"}) == (0, "")
        status, written = person.run("demo", "rate limit", env={"PAGER": "/no/such/pager"})
    assert status == 0
    assert rows_of(written)[0] == "recall-rank: the pager /no/such/pager cannot be started: No such file or directory"
    assert rows_of(written)[1].startswith(" 1. Rate limiting")


def test_the_options_of_less_are_set_where_the_user_has_none(tmp_path: Path) -> None:
    script = f"sh -c 'echo $LESS > {tmp_path}/less; cat > /dev/null'"
    with PersonAtTerminal(80, 8, tmp_path, PAGER=script) as person:
        person.run("demo")
        assert (tmp_path / "less").read_text() == "FRX\n"
        person.run("demo", env={"LESS": "-S"})
        assert (tmp_path / "less").read_text() == "-S\n"


def test_rich_is_loaded_for_a_terminal_only() -> None:
    ended = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "recall_rank", "demo"], check=True, capture_output=True, text=True
    )
    assert "rich.text" not in ended.stderr
