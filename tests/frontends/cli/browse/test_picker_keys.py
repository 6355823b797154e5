"""Every key of the picker, over the demo history, by Textual's pilot."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("textual")

from textual import events

from recall_rank import Recall
from recall_rank.frontends.cli.browse.keys import EVERYWHERE, LIST_KEYS, QUERY_KEYS, footer, help_lines
from recall_rank.frontends.cli.browse.outcome import Picked, Reopening
from recall_rank.frontends.cli.browse.screens import ChoiceScreen, ConfirmScreen, HelpScreen, PathScreen
from recall_rank.loaders import open_sources
from tests.support.frontends.own_history import write_own_history
from tests.support.frontends.picker import Desk, Driven, demo_recall, drive, open_picker


@pytest.fixture
def recall(tmp_path: Path) -> Iterator[Recall]:
    with demo_recall(tmp_path) as opened:
        yield opened


def test_an_empty_query_lists_the_newest_sessions(recall: Recall) -> None:
    async def test() -> None:
        async with open_picker(recall) as picker:
            assert picker.ids[0] == "demo-12"
            assert len(picker.ids) == 12
            assert "12 sessions, newest first" in picker.status
            assert picker.shows("sphagnum red")  # the preview of the first one
            assert picker.rows()[-1].startswith("↓ list")

    drive(test())


def test_results_follow_the_query_as_it_is_typed(recall: Recall) -> None:
    async def test() -> None:
        async with open_picker(recall) as picker:
            await picker.type("rate limit")
            assert picker.ids[0] == "demo-10"
            assert [entry.session_id for entry in picker.app.hit_list.entries] == [
                hit.session_id for hit in recall.search("rate limit", results=50).results
            ]
            await picker.press("backspace", "backspace", "backspace", "backspace", "backspace")
            await picker.answered("rate ")
            await picker.press("escape")  # clears the query
            await picker.answered("")
            assert len(picker.ids) == 12

    drive(test())


def test_keys_that_arrive_together_act_in_their_order(recall: Recall) -> None:
    """A pasted line, a slow connection or a script gives many keys at once; none acts on the list of an older query."""

    def send(picker: Driven, *keys: str) -> None:
        for key in keys:
            picker.app.post_message(events.Key(key, key if len(key) == 1 else None))

    async def test() -> None:
        desk = Desk()
        async with open_picker(recall, desk=desk) as picker:
            send(picker, *"burst", "tab", "m", "y", "question_mark", "escape", "a")
            await picker.until(lambda: desk.copied)
            assert picker.app.query_line.value == "burst"
            assert isinstance(picker.app.screen, ChoiceScreen)
            assert [entry.session_id for entry in picker.app.hit_list.marked.values()] == ["demo-10"]
            await picker.press("escape", "slash")
            send(picker, "escape", *"sphagnumx", "backspace", "home", "end")
            await picker.answered("sphagnum")
            picker.app.post_message(events.Paste(" red\nmoss"))
            await picker.answered("sphagnum red moss")
        async with open_picker(recall, picks=True) as picker:
            assert picker.ids[0] != "demo-10"
            send(picker, *"burst", "enter")
            await picker.until(lambda: not picker.app.is_running)
        outcome = picker.app.return_value
        assert isinstance(outcome, Picked)
        assert [entry.session_id for entry in outcome.entries] == ["demo-10"]

    drive(test())


def test_operators_in_the_query_narrow_it(recall: Recall) -> None:
    async def test() -> None:
        async with open_picker(recall, query="limit agent:codex") as picker:
            assert set(picker.ids) == {"demo-09"}

    drive(test())


def test_letters_are_text_in_the_query_and_commands_in_the_list(recall: Recall) -> None:
    async def test() -> None:
        async with open_picker(recall) as picker:
            await picker.press(*"qyomn?")
            await picker.answered("qyomn?")
            await picker.press("escape")
            await picker.answered("")
            await picker.press("down")
            assert picker.app.focused is picker.app.hit_list
            await picker.press("j", "j", "k")
            await picker.answered()
            assert picker.app.hit_list.cursor == 1
            assert picker.app.query_line.value == ""
            for back in ("slash", "escape"):
                await picker.press(back)
                assert picker.app.focused is picker.app.query_line
                await picker.press("tab")
                assert picker.app.focused is picker.app.hit_list
            await picker.press("tab")
            assert picker.app.focused is picker.app.pane
            await picker.press("tab")
            assert picker.app.focused is picker.app.query_line

    drive(test())


def test_moving_in_the_list(recall: Recall) -> None:
    async def test() -> None:
        async with open_picker(recall) as picker:
            hits = picker.app.hit_list
            await picker.press("down", "end")
            assert hits.cursor == 11
            await picker.press("home")
            assert hits.cursor == 0
            await picker.press("G", "g")
            assert hits.cursor == 0
            await picker.press("pagedown")
            assert hits.cursor == hits.size.height - 1
            await picker.press("pageup", "down", "up", "up")  # from the first entry to the query
            assert picker.app.focused is picker.app.query_line

    drive(test())


def test_next_and_previous_match_in_the_session(recall: Recall) -> None:
    async def test() -> None:
        async with open_picker(recall, query="burst") as picker:
            await picker.press("down", "g")
            await picker.answered()
            shown = picker.app.preview
            assert shown is not None
            places, ids = shown.matches.places, [each.id for each in shown.matches.session.messages]
            assert len(places) > 1
            hits = recall.search("burst", session_id=shown.entry.session_id, results=300).results
            assert [ids[place] for place in places] == sorted({hit.message_id for hit in hits}, key=ids.index)
            await picker.press("n", "n", "n", "n", "n")
            await picker.until(lambda: picker.app.preview is not None and picker.app.preview.place == places[-1])
            assert "last match" in picker.status
            assert picker.shows(f"match {len(places)} of {len(places)}")
            for place in reversed(places[:-1]):
                await picker.press("N")
                await picker.until(lambda place=place: picker.app.preview.place == place)  # type: ignore[misc,union-attr]
            await picker.press("N")
            await picker.until(lambda: "first match" in picker.status)

    drive(test())


def test_filters_by_keys(recall: Recall) -> None:
    async def test() -> None:
        async with open_picker(recall, query="limit") as picker:
            await picker.press("down")
            for key, name, chosen in (
                ("a", "agent", "codex"),
                ("p", "project", "kitewatch"),
                ("r", "role", "assistant"),
                ("c", "kind", "tool"),
                ("t", "last", "1y"),
            ):
                await picker.press(key)
                screen = picker.app.screen
                assert isinstance(screen, ChoiceScreen)
                steps = [value for value, _ in screen.values].index(chosen)
                await picker.press(*["down"] * steps, "enter")
                await picker.answered()
                assert getattr(picker.app.state, name) == chosen
            said = picker.status
            assert "agent codex · project kitewatch · role" in said
            expected = recall.search(
                "limit",
                agent="codex",
                project="kitewatch",
                role="assistant",
                type="tool",
                last="1y",
                now=picker.app.now,
            )
            assert picker.ids == [hit.session_id for hit in expected.results]
            await picker.press("x")
            await picker.answered()
            assert picker.app.state.filters == ()
            await picker.press("a", "escape")  # nothing is chosen
            assert picker.app.state.agent == ""
            await picker.press("a", "o", "enter")  # the letter goes to opencode
            await picker.answered()
            assert picker.app.state.agent == "opencode"
            await picker.press("a", "home", "enter")
            await picker.answered()
            assert picker.app.state.agent == ""

    drive(test())


def test_filters_of_sessions_hold_without_a_query(recall: Recall) -> None:
    async def test() -> None:
        async with open_picker(recall) as picker:
            await picker.press("down", "a", "c", "enter")
            await picker.answered()
            assert picker.app.state.agent == "claude-code"
            assert picker.ids == [each.id for each in recall.sessions(agent="claude-code")]
            await picker.press("t", "down", "enter")
            await picker.answered()
            assert picker.app.state.last == "1d"
            assert picker.ids == ["demo-12"]  # of 2026-11-20; the others are older than a day

    drive(test())


def test_sessions_or_parts_order_and_mode(recall: Recall) -> None:
    async def test() -> None:
        async with open_picker(recall, query="rate limit") as picker:
            await picker.press("down", "s")
            await picker.answered()
            assert len(set(picker.ids)) == len(picker.ids)
            assert "by session" in picker.status
            await picker.press("d")
            await picker.answered()
            times = [entry.time for entry in picker.app.hit_list.entries]
            assert times == sorted(times, reverse=True)
            for mode in ("fuzzy", "literal", "regex", "smart"):
                await picker.press("f")
                await picker.answered()
                assert picker.app.state.match == mode

    drive(test())


def test_marks_and_copy(recall: Recall) -> None:
    async def test() -> None:
        desk = Desk()
        async with open_picker(recall, query="burst", desk=desk) as picker:
            await picker.press("down", "y")
            await picker.until(lambda: "copied through xclip" in picker.status)
            first = picker.app.hit_list.entries[0]
            message = recall.get(first.session_id, first.message_id).message
            assert desk.copied == [next(part.text for part in message.parts if part.id == first.part_id)]
            await picker.press("m", "space")
            assert "2 marked" in picker.status
            assert [row.startswith("●") for row in picker.rows()[2:5]] == [True, True, False]
            await picker.press("y")
            await picker.until(lambda: len(desk.copied) == 2)
            assert desk.copied[1].startswith(desk.copied[0] + "\n\n")
            await picker.press("g", "m", "y")
            await picker.until(lambda: len(desk.copied) == 3)
            assert desk.copied[0] not in desk.copied[2]

    drive(test())


def test_copy_through_the_terminal(recall: Recall, monkeypatch: pytest.MonkeyPatch) -> None:
    async def test() -> None:
        async with open_picker(recall, query="burst", desk=Desk(program=None)) as picker:
            sent: list[str] = []
            monkeypatch.setattr(picker.app, "copy_to_clipboard", sent.append)
            await picker.press("down", "y")
            await picker.until(lambda: "copied through the terminal" in picker.status)
            assert len(sent) == 1
            picker.app._copied(("x" * 80_000, None))
            await picker.until(lambda: "more than terminals take" in picker.status)
            assert len(sent) == 1

    drive(test())


def test_open_in_the_pager(recall: Recall) -> None:
    async def test() -> None:
        desk = Desk()
        async with open_picker(recall, query="burst", desk=desk) as picker:
            await picker.press("down", "o")
            await picker.until(lambda: desk.paged)
            assert desk.paged[0][0] == "# Rate limiting for the booking API"

    drive(test())


def test_help_lists_every_key(recall: Recall) -> None:
    async def test() -> None:
        async with open_picker(recall, size=(100, 60)) as picker:
            await picker.press("down", "question_mark")
            await picker.until(lambda: isinstance(picker.app.screen, HelpScreen))
            await picker.pilot.pause()
            for key in (*QUERY_KEYS, *LIST_KEYS, *EVERYWHERE):
                assert picker.shows(f"{key.shown:<14} {key.does}"), key
            await picker.press("escape")
            assert not isinstance(picker.app.screen, HelpScreen)

    drive(test())


def test_every_key_of_the_table_is_pressed_here() -> None:
    """A key that no test presses could do nothing."""
    text = Path(__file__).read_text(encoding="utf-8")
    for key in (*QUERY_KEYS, *LIST_KEYS):
        assert any(f'"{name}"' in text for name in key.name.split(",")), key
    assert footer(LIST_KEYS, 20) == "Enter reopen  y copy"
    assert footer(LIST_KEYS, 12, picks=True) == "Enter pick"
    assert not any("reopen" in line for line in help_lines(picks=True))


def test_scrolling_the_preview(recall: Recall) -> None:
    async def test() -> None:
        async with open_picker(recall, query="burst", size=(60, 14)) as picker:
            await picker.press("down", "end")
            await picker.answered()
            pane = picker.app.pane
            before = pane.scroll_offset.y
            await picker.press("J", "shift+down")
            await picker.until(lambda: pane.scroll_offset.y > before)
            await picker.press("K", "shift+up")
            await picker.until(lambda: pane.scroll_offset.y == before)
            await picker.press("tab", "j")
            await picker.until(lambda: pane.scroll_offset.y > before)
            await picker.press("k", "slash")
            assert picker.app.focused is picker.app.query_line

    drive(test())


def test_export_writes_a_new_file_and_never_over_one(
    recall: Recall, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    out = tmp_path / "out"
    out.mkdir()

    async def test() -> None:
        async with open_picker(recall, query="burst") as picker:
            for name, begins in (("a.md", "# Rate limiting"), ("b.html", "<!doctype"), ("c.jsonl", "{")):
                await picker.press("tab" if picker.app.focused is picker.app.query_line else "g", "e")
                screen = picker.app.screen
                assert isinstance(screen, PathScreen)
                field = screen.query_one("Input")
                field.value = str(out / name)  # type: ignore[attr-defined]
                await picker.press("enter")
                await picker.until((out / name).exists)
                await picker.until(lambda: "wrote" in picker.status)
                assert (out / name).read_text(encoding="utf-8").lower().startswith(begins.lower())
            kept = (out / "a.md").read_bytes()
            picker.app._export(["demo-03"], str(out / "a.md"))
            await picker.until(lambda: "there is a file already" in picker.status)
            assert (out / "a.md").read_bytes() == kept
            await picker.press("e", "escape")
            await picker.press("slash", "escape")
            await picker.answered("")
            await picker.press("down", "m", "m", "e")
            screen = picker.app.screen
            assert isinstance(screen, PathScreen)
            screen.query_one("Input").value = str(out / "both")  # type: ignore[attr-defined]
            await picker.press("enter")
            await picker.until((out / "both" / "demo-11.md").exists)
            assert (out / "both" / "demo-12.md").exists()

    drive(test())


def test_enter_shows_the_command_before_it_reopens(tmp_path: Path) -> None:
    folder = tmp_path / "harbor line"
    path = write_own_history(tmp_path, folder)

    async def test() -> None:
        async with open_picker(Recall(open_sources(path), None), query="burst") as picker:
            await picker.press("enter")
            screen = picker.app.screen
            assert isinstance(screen, ConfirmScreen)
            assert screen.command == f"cd '{folder}' && opencode --session demo-10"
            await picker.press("escape")
            assert picker.app.is_running
            assert picker.app.return_value is None
            await picker.press("down", "enter", "enter")
        outcome = picker.app.return_value
        assert isinstance(outcome, Reopening)
        assert outcome.command.words == ("opencode", "--session", "demo-10")
        assert outcome.command.folder == str(folder)

    drive(test())


def test_enter_says_why_a_session_cannot_be_reopened(recall: Recall) -> None:
    async def test() -> None:
        async with open_picker(recall, query="burst") as picker:
            await picker.press("enter")
            await picker.until(lambda: "cannot reopen" in picker.status)

    drive(test())


def test_enter_picks_for_a_script(recall: Recall) -> None:
    async def test() -> None:
        async with open_picker(recall, query="burst", picks=True) as picker:
            await picker.press("enter")
        outcome = picker.app.return_value
        assert isinstance(outcome, Picked)
        assert [entry.session_id for entry in outcome.entries] == ["demo-10"]
        async with open_picker(recall, picks=True) as picker:
            await picker.press("down", "m", "m", "enter")
        outcome = picker.app.return_value
        assert isinstance(outcome, Picked)
        assert [entry.session_id for entry in outcome.entries] == ["demo-12", "demo-11"]

    drive(test())


@pytest.mark.parametrize("keys", [("escape",), ("ctrl+c",), ("down", "q"), ("ctrl+q",)])
def test_quitting_picks_nothing(recall: Recall, keys: tuple[str, ...]) -> None:
    async def test() -> None:
        async with open_picker(recall, picks=True) as picker:
            await picker.press(*keys)
            await picker.until(lambda: not picker.app.is_running)
        assert picker.app.return_value is None

    drive(test())


def test_the_mouse_selects_and_opens(recall: Recall) -> None:
    async def test() -> None:
        async with open_picker(recall, picks=True) as picker:
            await picker.pilot.click("#list", offset=(5, 2))
            await picker.answered()
            assert picker.app.hit_list.cursor == 2
            await picker.pilot.click("#list", offset=(5, 3), times=2)
        outcome = picker.app.return_value
        assert isinstance(outcome, Picked)
        assert [entry.session_id for entry in outcome.entries] == ["demo-09"]

    drive(test())
