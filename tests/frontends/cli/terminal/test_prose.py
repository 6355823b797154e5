"""Sentences on a terminal are wrapped between words, in errors, too; lines for other programs are not."""

from __future__ import annotations

from pathlib import Path

import click
import pytest

from recall_rank.frontends.cli.main import cli
from tests.frontends.conftest import Run
from tests.support.frontends.terminal import PersonAtTerminal, rows_of, screen

DEMO = ("--history", "demo")
COLUMNS = 60
COMMANDS = [
    ("serch", "rate", "limit"),
    ("search", "rate", "--limt", "3"),
    ("search", "deploy", "--role", "usr"),
    ("search",),
    ("search", "rate", "--scope", "session", *DEMO),
    ("search", "rate", "--file", "nope", "--must", "nothing-that-anybody-would-write", *DEMO),
    ("get", "77"),
    ("notes", "show"),
    ("notes", "suggest", "demo-10", *DEMO),
    ("hosts", "--no-check"),
    ("install", "codex"),
    ("uninstall", "codex"),
    ("compact", "status"),
    ("compact", "off"),
    ("forget", "--list"),
    ("forget", "nobody", *DEMO),
    ("purge",),
    ("sessions", "--scope", "project", *DEMO),
    ("ask", "rate", "limit", "--for", "the decision", *DEMO),
]


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_no_row_is_wider_than_the_terminal(tmp_path: Path, words: tuple[str, ...]) -> None:
    with PersonAtTerminal(COLUMNS, 50, tmp_path, COLUMNS=str(COLUMNS), PATH="/usr/bin:/bin") as person:
        _, written = person.run(*words, typed="n\n")
    rows = screen(written)
    assert rows
    others = [row for row in rows if not row.startswith(("+", "-", " ", "@")) and "[y/N]" not in row]  # diff, question
    assert all(len(row) <= COLUMNS for row in others), others


@pytest.mark.parametrize("form", ["--tsv", "-q"])
def test_lines_for_programs_stand_as_they_are_on_a_terminal(tmp_path: Path, run: Run, form: str) -> None:
    for command in (("search", "rate limit"), ("sessions",)):
        with PersonAtTerminal(COLUMNS, 4, tmp_path, PAGER="false") as person:
            person.run("sessions", *DEMO)  # is indexed then
            _, written = person.run(*command, form, *DEMO)
        shown = [row.rpartition("\r")[2] for row in rows_of(written) if row]  # behind a progress bar that is gone
        assert shown == run(*command, form, *DEMO).stdout.splitlines()


def test_notes_name_the_folder_that_has_none(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("notes", "show").stderr == f"there are no notes in {tmp_path}\n"


def groups(group: click.Group) -> list[click.Group]:
    inner = [group.get_command(click.Context(group), name) for name in group.list_commands(click.Context(group))]
    return [group, *(found for each in inner if isinstance(each, click.Group) for found in groups(each))]


def test_no_command_is_explained_by_half_a_sentence() -> None:
    for group in groups(cli):
        context = click.Context(group)
        for name in group.list_commands(context):
            command = group.get_command(context, name)
            assert command is not None
            assert command.get_short_help_str(limit=60).endswith("."), name


def test_a_project_without_sessions_is_named(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shown = run("sessions", "--scope", "project", *DEMO).stdout
    assert f"note: no session ran in {tmp_path} or below it, which is the project here" in shown
    assert "note" not in run("sessions", "--scope", "project", "-q", *DEMO).output
