"""The command `copy`: the text of a hit or a message, on the clipboard."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

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
from recall_rank.frontends.display_text import escaped, one_line, unsafe_in_lines

if TYPE_CHECKING:
    from recall_rank.model import Message, Part

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
    parts = [part for part in turn.message.parts if part.id == target.part_id] or list(_said(turn.message))
    text = "\n\n".join(text for part in parts if (text := _text(part)))
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
    tell(f"copied through {through}: {len(text):,} characters, {beginning}")
    ctx.exit(HITS)


def _said(message: Message) -> Iterator[Part]:
    """Yield the parts of a message that are prose; all of them when none is."""
    prose = [part for part in message.parts if part.type == "text"]
    yield from prose or message.parts


def _text(part: Part) -> str:
    """Return the text of a part; of a tool call its input, its output and its error."""
    from recall_rank.analysis.fields import Field, searchable_fields

    if part.type != "tool":
        return part.text or ""
    ours = (Field.INPUT, Field.OUTPUT, Field.ERROR)
    return "\n\n".join(text for field, text in searchable_fields(part) if field in ours)
