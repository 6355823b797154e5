"""The commands that keep notes: `notes show`, `add`, `scan` and `suggest`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Final

import click

from recall_rank.frontends.cli.options.completions import complete_sessions
from recall_rank.frontends.cli.options.histories import history_option, open_recall, read_with_progress
from recall_rank.frontends.cli.options.named_sources import every_store
from recall_rank.frontends.cli.options.output_file import refuse_in_store
from recall_rank.frontends.cli.output.console import (
    HITS,
    NO_HISTORY,
    NO_HITS,
    NOT_THERE,
    NOT_WRITTEN,
    USAGE,
    fail,
    fail_without_history,
    note_line,
    print_json,
    print_lines,
    say,
)
from recall_rank.frontends.cli.output.display import given_display
from recall_rank.frontends.display_text import escape_lines, one_line
from recall_rank.model.agent_names import named_id

_SHOWN_CHARS: Final = 100  # of a note that was not appended


def folder_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --folder, the folder of NOTES.md and PROFILE.md, to a command."""
    return click.option(
        "--folder",
        type=click.Path(path_type=Path),
        default=".",
        metavar="FOLDER",
        help="The folder of NOTES.md and PROFILE.md. Default: the one you are in.",
    )(command)


json_option = click.option("--json", "as_json", is_flag=True, help="Print one line of JSON.")


@click.group(name="notes", short_help="Keep notes for later sessions.")
def notes() -> None:
    """Keep notes for later sessions, behind a scanner for injected instructions."""


@notes.command(name="show", short_help="Print profile and newest notes, for the start of a session.")
@folder_option
@click.option("--max-tokens", type=click.IntRange(400, 100_000), default=4_000, show_default=True, help="Its size.")
@json_option
@click.pass_context
def show(ctx: click.Context, folder: Path, max_tokens: int, *, as_json: bool) -> None:
    """Print PROFILE.md and the newest notes of NOTES.md as a block for the start of a session."""
    from recall_rank.frontends.notes.start_block import start_block

    if not folder.is_dir():
        fail(f"{folder}: there is no such folder", USAGE, as_json=as_json)
    block = start_block(folder, max_tokens)
    if as_json:
        print_json(
            {
                "ok": True,
                "text": block.text,
                "warnings": list(block.warnings),
                "tokens": block.tokens,
                "shown": block.shown,
                "left_out": block.left_out,
            }
        )
    elif block.text:
        click.echo(escape_lines(block.text))
    else:
        _tell(f"there are no notes in {given_display(sys.stderr).path(str(folder.absolute()))}")
    ctx.exit(HITS if block.text else NO_HITS)


@notes.command(name="add", short_help="Append a note, unless it seems to hold instructions.")
@click.argument("text")
@folder_option
@json_option
@click.pass_context
def add(ctx: click.Context, text: str, folder: Path, *, as_json: bool) -> None:
    """Append TEXT, or stdin for -, to NOTES.md with the date, unless it is there already or seems to hold injected
    instructions.
    """
    given = sys.stdin.buffer.read().decode("utf-8", "replace") if text == "-" else text
    ctx.exit(_append(folder, [given], as_json=as_json))


@notes.command(name="scan", short_help="Search a file for injected instructions.")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, allow_dash=True))
@json_option
@click.pass_context
def scan_file(ctx: click.Context, file: str, *, as_json: bool) -> None:
    """Search FILE, or stdin for -, for injected instructions. Ends with 0 when there are some, with 1 when not."""
    from recall_rank.frontends.notes.scanner import scan

    try:
        text = (sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()).decode("utf-8", "replace")
    except OSError as error:
        fail(f"{file}: {error.strerror or error}", USAGE, as_json=as_json)
    if file == "-" and not text:
        fail("stdin is empty or closed: nothing was scanned", USAGE, as_json=as_json)
    found = scan(text)
    if as_json:
        print_json(
            {
                "ok": True,
                "findings": [
                    {
                        "rule": each.rule,
                        "reason": each.reason,
                        "start": each.start,
                        "end": each.end,
                        "matched": each.matched,
                    }
                    for each in found
                ],
            }
        )
    else:
        for each in found:
            say(f"line {text.count(chr(10), 0, each.start) + 1}: {each.rule}: {each.matched}")
        if not found:
            _tell("the scanner has no finding")
    ctx.exit(HITS if found else NO_HITS)


@notes.command(name="suggest", short_help="Print what of a session is worth a note.")
@click.argument("session", metavar="SESSION", shell_complete=complete_sessions)
@click.option("--add", "append", is_flag=True, help="Append them to NOTES.md.")
@folder_option
@json_option
@history_option
@click.pass_context
def suggest(
    ctx: click.Context, session: str, folder: Path, histories: tuple[str, ...], *, append: bool, as_json: bool
) -> None:
    """Print what of a session is worth a note: decisions, constraints, root causes, standing orders.

    SESSION is an id, a beginning of it, or a title.
    """
    from recall_rank.frontends.notes.worthy import suggested_notes
    from recall_rank.frontends.transcripts.gather import find_session

    with open_recall(histories, as_json=as_json) as recall:
        fail_without_history(read_with_progress(recall, index=False), as_json=as_json)
        try:
            found = find_session(recall, session)
            suggested = suggested_notes(recall.transcript(named_id(found.id, found.host)))
        except LookupError as error:
            fail(str(error.args[0]), NOT_THERE, as_json=as_json)
        except OSError as error:
            fail(f"session {session} cannot be read: {error.strerror or error}", NO_HISTORY, as_json=as_json)
    if append:
        ctx.exit(_append(folder, [each.text for each in suggested], as_json=as_json))
    if as_json:
        print_json(
            {
                "ok": True,
                "notes": [
                    {
                        "kind": each.kind,
                        "text": each.text,
                        "exchange": each.exchange,
                        "message_id": each.message_id,
                    }
                    for each in suggested
                ],
            }
        )
    else:
        for each in suggested:
            say(f"{each.kind} (exchange {each.exchange}): {one_line(each.text)}")
        if not suggested:
            _tell("nothing in this session is worth a note")
    ctx.exit(HITS if suggested else NO_HITS)


def _tell(line: str) -> None:
    """Write a line to stderr, where it does not mix with what the command was asked for."""
    say(one_line(line), err=True)


def _beginning(text: str) -> str:
    """Return a note on one line, cut to what a person needs to know it again."""
    line = one_line(text)
    return line if len(line) <= _SHOWN_CHARS else f"{line[: _SHOWN_CHARS - 3]}..."


def _append(folder: Path, texts: Iterable[str], *, as_json: bool) -> int:
    """Append notes, print which were and which were not, and return the exit status: 0 when one was."""
    from recall_rank.frontends.notes.notes_file import NOTES, NotesError, append_notes
    from recall_rank.frontends.notes.start_block import start_block

    refuse_in_store(folder, every_store(()))
    try:
        done = append_notes(folder, list(texts))
        skipped_files = start_block(folder).warnings if done.added else ()
    except NotesError as error:
        fail(f"{folder / NOTES}: {error}", NOT_WRITTEN, as_json=as_json)
    if as_json:
        skipped = [{"text": text, "reason": reason} for text, reason in done.skipped]
        print_json({"ok": True, "added": list(done.added), "skipped": skipped, "warnings": list(skipped_files)})
    else:
        for text in done.added:
            say(f"added: {one_line(text)}")
        print_lines(note_line(f"not added, {reason}: {_beginning(text)}") for text, reason in done.skipped)
        for warning in skipped_files:
            _tell(f"`notes show` leaves something out: {warning}")
        if not (done.added or done.skipped):
            _tell("nothing in this session is worth a note")
    return HITS if done.added else NO_HITS
