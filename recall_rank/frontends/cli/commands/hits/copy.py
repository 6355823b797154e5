"""The command `copy`: the text of a hit or a message, on the clipboard."""

from __future__ import annotations

from typing import Final

import click

from recall_rank.frontends.cli.commands.transcripts import message_arguments
from recall_rank.frontends.cli.options.histories import history_option, open_recall, read_with_progress
from recall_rank.frontends.cli.options.redact import redact_option
from recall_rank.frontends.cli.options.targets import message_target
from recall_rank.frontends.cli.output.clipboard import ClipboardError, copy_to_clipboard
from recall_rank.frontends.cli.output.console import (
    HITS,
    NO_HISTORY,
    NOT_THERE,
    NOT_WRITTEN,
    fail,
    fail_without_history,
    tell,
)
from recall_rank.frontends.cli.output.copied_text import copied_text
from recall_rank.frontends.display_text import counted, escaped, one_line, unsafe_in_lines

_BEGINNING: Final = 40  # characters of what was copied that are shown


@click.command(name="copy", short_help="Copy the text of a hit to the clipboard.")
@message_arguments
@redact_option
@history_option
@click.pass_context
def copy(
    ctx: click.Context, session_id: str, message_id: str | None, *, redact: bool, histories: tuple[str, ...]
) -> None:
    """Copy the text of a hit to the clipboard: of the part that was found, or of a whole message that ids name.

    Control characters in it are written out, as on the terminal, so that pasting it starts nothing. The clipboard is
    reached by pbcopy, wl-copy, xclip, xsel or tmux, else through the terminal (OSC 52).
    """
    target = message_target(session_id, message_id, histories)
    with open_recall(target.histories) as recall:
        fail_without_history(read_with_progress(recall, index=False), as_json=False)
        try:
            turn = recall.get(target.session_id, target.message_id)
        except LookupError as error:
            fail(str(error.args[0]), NOT_THERE, as_json=False)
        except OSError as error:
            fail(f"{target.session_id} cannot be read: {error.strerror or error}", NO_HISTORY, as_json=False)
    text = copied_text(turn.message, target.part_id)
    if redact:
        from recall_rank.frontends.redaction.redact import redacted

        text = redacted(text)
    if not text:
        fail("the message has no text to copy", NOT_THERE, as_json=False)
    try:
        through = copy_to_clipboard(unsafe_in_lines().sub(escaped, text))
    except ClipboardError as error:
        fail(str(error), NOT_WRITTEN, as_json=False)
    beginning = one_line(text[:_BEGINNING]).strip() + ("…" if len(text) > _BEGINNING else "")
    tell(f"copied through {through}: {counted(len(text), 'character', 'characters')}, {beginning}")
    ctx.exit(HITS)
