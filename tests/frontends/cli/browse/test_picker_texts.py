"""What a history holds is shown as text: markup, control characters, marks of direction, wide and right-to-left
text.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

pytest.importorskip("textual")

from rich.cells import cell_len

from recall_rank import Message, Part, Recall, Session
from recall_rank.frontends.cli.browse.entries import entry_of_session, list_line
from recall_rank.frontends.cli.browse.preview import PART_CHARS, session_matches, wrapped_line
from recall_rank.frontends.cli.browse.screens import ChoiceScreen, ConfirmScreen
from recall_rank.frontends.cli.browse.state import SearchState
from recall_rank.frontends.demo import NOW
from tests.support.frontends.picker import Desk, drive, open_picker, recall_of

PLANTS = "lantern [bold]loud[/bold] [@click=app.leave]push[/] [link=https://example.org]x[/] [/nothing] \\[red]"
UNSAFE = "lantern \x1b[31mred\x1b]52;c;eA==\x07 \x9b2J \u202eevil\u202c \u2066x\u2069 \u200b \x00 \u200d\r over"
ARABIC = "lantern \u0645\u0631\u062d\u0628\u0627 \u0628\u0627\u0644\u0639\u0627\u0644\u0645 \u05e9\u05dc\u05d5\u05dd"
WIDE = "lantern 灯籠の明かりは夜の港を照らし続ける。" * 6 + " 🏮🏮🏮 👩‍👩‍👧‍👦 e\u0301"


def recall_with(folder: Path, *texts: str, title: str | None = None) -> Recall:
    messages = [
        Message(f"m{at}", "user", NOW - 60_000, (Part(f"p{at}", "text", text),)) for at, text in enumerate(texts)
    ]
    session = Session("s1", messages, title=title, project="[b]proj", updated=NOW, agent="[i]agent[/i]", source="x")
    return recall_of(folder, session)


def test_markup_in_recalled_text_is_text(tmp_path: Path) -> None:
    async def test() -> None:
        async with open_picker(recall_with(tmp_path, PLANTS, title=PLANTS), query="lantern", size=(150, 24)) as picker:
            whole = "\n".join(picker.rows())
            assert whole.count("[bold]loud[/bold]") >= 3  # title in the list, heading, message
            assert "[@click=app.leave]push[/]" in whole
            assert "[/nothing]" in whole
            await picker.press("down", "p")
            screen = picker.app.screen
            assert isinstance(screen, ChoiceScreen)
            await picker.until(lambda: picker.shows("[b]proj"))
            await picker.press("down", "enter")
            await picker.answered()
            assert "project [b]proj" in picker.status
            picker.app.push_screen(ConfirmScreen("cd '/[@click=app.leave]x[/]' && [bold]run"))
            await picker.until(lambda: picker.shows("cd '/[@click=app.leave]x[/]' && [bold]run"))
            await picker.press("escape", "end")
            for strip in picker.app.screen._compositor.render_strips():
                assert not any(
                    segment.style and (segment.style.meta.get("@click") or segment.style.link) for segment in strip
                )
            assert picker.app.is_running

    drive(test())


def test_markup_in_a_query_and_in_errors_is_text(tmp_path: Path) -> None:
    async def test() -> None:
        async with open_picker(recall_with(tmp_path, PLANTS), query="[bold]lantern [@click=app.leave]") as picker:
            assert "[bold]lantern [@click=app.leave]" in picker.rows()[0]
            picker.app._fail(ValueError("[bold]wrong[/bold] \x1b[2J [@click=app.leave]"))
            await picker.until(lambda: "[bold]wrong[/bold] \\x1b[2J [@click=app.leave]" in picker.status)

    drive(test())


def test_control_characters_and_marks_of_direction_are_escaped(tmp_path: Path) -> None:
    async def test() -> None:
        async with open_picker(recall_with(tmp_path, UNSAFE, title=UNSAFE), query="lantern", size=(220, 24)) as picker:
            whole = "\n".join(picker.rows())
            for unsafe in "\x1b\x07\x9b\u202e\u202c\u2066\u2069\u200b\x00\r":
                assert unsafe not in whole, repr(unsafe)
            for shown in ("\\x1b[31mred", "\\x9b2J", "\\u202eevil\\u202c", "\\u2066x\\u2069"):
                assert whole.count(shown) >= 2, shown

    drive(test())


def test_what_is_copied_cannot_act_when_it_is_pasted(tmp_path: Path) -> None:
    async def test() -> None:
        desk = Desk()
        async with open_picker(recall_with(tmp_path, f"{UNSAFE}\n\tnext"), query="lantern", desk=desk) as picker:
            await picker.press("down", "y")
            await picker.until(lambda: desk.copied)
            assert "\\x1b[31mred\\x1b]52;c;eA==" in desk.copied[0]
            assert desk.copied[0].endswith("\n\tnext")
            assert not any(unsafe in desk.copied[0] for unsafe in "\x1b\x07\x9b\u202e\x00\r")

    drive(test())


@pytest.mark.parametrize("text", [ARABIC, WIDE])
@pytest.mark.parametrize("size", [(80, 24), (41, 12), (151, 30), (20, 10)])
def test_wide_and_right_to_left_text_keeps_every_row_in_its_width(
    tmp_path: Path, text: str, size: tuple[int, int]
) -> None:
    async def test() -> None:
        async with open_picker(recall_with(tmp_path, text, text, title=text), query="lantern", size=size) as picker:
            await picker.press("down", "n")
            await picker.answered()
            strips = picker.app.screen._compositor.render_strips()
            assert {strip.cell_length for strip in strips} == {size[0]}
            assert all(cell_len(strip.text) == size[0] for strip in strips)
            assert picker.shows(text[:7])

    drive(test())


def test_the_line_above_the_preview_says_how_sure_the_hit_is(tmp_path: Path) -> None:
    async def test() -> None:
        async with open_picker(recall_with(tmp_path, "a brass lantern", "no lantern"), query="brass lantern") as picker:
            shown = picker.app.preview
            assert shown is not None
            said = re.fullmatch(r"message 1 of 2 · (high|medium|low) confidence", shown.heading)
            assert said is not None
            assert picker.shows(said[0])
            await picker.press("down", "n")
            await picker.until(lambda: picker.app.preview is not shown)
            assert picker.app.preview is not None
            assert picker.app.preview.heading == "message 2 of 2"  # another match, of which nothing is known

    drive(test())


def test_right_to_left_text_stays_in_its_order(tmp_path: Path) -> None:
    async def test() -> None:
        async with open_picker(recall_with(tmp_path, ARABIC), query="lantern", size=(80, 24)) as picker:
            assert sum(ARABIC in row for row in picker.rows()) >= 2  # in the list and in the preview

    drive(test())


def test_a_match_deep_in_a_long_message_is_in_the_preview(tmp_path: Path) -> None:
    long = "harbour " * 40_000
    recall = recall_with(tmp_path, f"{long}lantern{long}")

    async def test() -> None:
        async with open_picker(recall, query="lantern") as picker:
            shown = picker.app.preview
            assert shown is not None
            assert sum(len(text) for row in shown.rows for text, _ in row) < 2 * PART_CHARS
            assert any("lantern" in text and style == "bold yellow" for row in shown.rows for text, style in row)
            assert any("characters before" in text for row in shown.rows for text, _ in row)

    drive(test())


def test_matches_are_marked_in_the_preview_as_in_the_list(tmp_path: Path) -> None:
    recall = recall_with(tmp_path, "the lanterns hang there", "no light", "a Lantern")
    matches = session_matches(recall, "s1", SearchState("lantern"))
    assert matches is not None
    assert matches.places == (0, 2)
    assert matches.marks.marked([("the lanterns hang", "")]) == [
        ("the ", ""),
        ("lanterns", "bold yellow"),
        (" hang", ""),
    ]
    assert matches.place_of("m2") == 2
    assert matches.place_of("gone") == 0
    assert session_matches(recall, "nobody", SearchState("lantern")) is None


@pytest.mark.parametrize("columns", [1, 2, 7, 20, 80])
@pytest.mark.parametrize("text", ["", "   ", "a" * 50, "    in words of several letters", WIDE, ARABIC, "x y " * 30])
def test_wrapped_rows_hold_all_words_and_fit(text: str, columns: int) -> None:
    rows = ["".join(piece for piece, _ in row) for row in wrapped_line([(text[:9], "bold"), (text[9:], "")], columns)]
    assert all(cell_len(row) <= max(columns, 2) for row in rows)
    assert "".join("".join(rows).split()) == "".join(text.split())


@pytest.mark.parametrize("columns", [1, 5, 16, 24, 40, 200])
def test_a_row_of_the_list_fits(columns: int) -> None:
    for title in (WIDE, ARABIC, "a" * 300, ""):
        entry = entry_of_session(Session("s1", title=title, agent="agent", directory="/home/sam/harborline"))
        line = list_line(entry, NOW, columns, is_marked=True)
        assert cell_len("".join(text for text, _ in line)) <= columns


def test_redaction_leaves_no_secret_on_the_screen_on_the_clipboard_in_the_pager_and_in_exports(tmp_path: Path) -> None:
    secret = "sk-ant-api03-" + "Ab3dEf6hIj9kLm2nOp5q" * 4
    text = f"the lantern needs {secret} to shine"
    recall = recall_with(tmp_path, "before", text, f"{secret} behind", title=f"lantern {secret}")
    out = tmp_path / "out"
    out.mkdir()

    async def test(*, redact: bool) -> None:
        desk = Desk()
        async with open_picker(recall, query="lantern", size=(200, 40), desk=desk, redact=redact) as picker:
            await picker.press("down", "y", "o")
            await picker.until(lambda: desk.copied and desk.paged)
            name = f"{redact}.md"
            picker.app._export(["s1"], str(out / name))
            await picker.until(lambda: "wrote" in picker.status)
            exported = (out / name).read_text(encoding="utf-8")
            shown = ["\n".join(picker.rows()), desk.copied[0], "\n".join(desk.paged[0]), exported]
            assert all("lantern" in each for each in shown)
            assert [secret in each for each in shown] == [not redact] * 4
            await picker.press("slash", "escape")
            await picker.answered("")
            assert picker.shows(secret) is not redact  # in the titles of the newest sessions, and in the preview
            assert ("redacted" in picker.status) is redact

    drive(test(redact=False))
    drive(test(redact=True))


def test_the_first_match_of_a_message_is_on_the_screen(tmp_path: Path) -> None:
    lines = "\n".join(f"line {number}" for number in range(40))
    recall = recall_with(tmp_path, f"a lantern\n{lines}", f"{lines}\nthe lantern\n{lines}")

    async def test() -> None:
        async with open_picker(recall, query="lantern") as picker:
            await picker.press("down", "N", "N")
            await picker.until(lambda: "this is the first match" in picker.status)
            await picker.press("n")
            await picker.until(lambda: picker.shows("message 2 of 2"))
            await picker.until(lambda: any("the lantern" in row for row in picker.rows()[11:-1]))
            await picker.press("n")
            await picker.until(lambda: "this is the last match" in picker.status)
            await picker.press("N")
            await picker.until(lambda: "hits in" in picker.status)  # what was said of the last key is over

    drive(test())
