"""The command `transcript`: one session as Markdown, tool calls in one line each."""

from __future__ import annotations

from typing import Any

import click

from recall_rank.frontends.cli.options.histories import history_option, open_recall, read_with_progress
from recall_rank.frontends.cli.output.console import HITS, NO_HISTORY, NOT_THERE, fail, fail_without_history


@click.command(name="transcript")
@click.argument("session", metavar="SESSION")
@click.option("--no-subagents", is_flag=True, help="Leave out the conversations of its subagents.")
@click.option("--redact", is_flag=True, help="Replace keys and passwords in it.")
@click.option("--out", "-o", type=click.File("wb", lazy=True), default="-", help="Where it goes; - is stdout.")
@history_option
@click.pass_context
def transcript(
    ctx: click.Context, session: str, *, no_subagents: bool, redact: bool, out: Any, histories: tuple[str, ...]
) -> None:
    """Write a session as a transcript: what was said in full, tool calls in one line each, with statistics.

    SESSION is an id, a beginning of it, or a title. `export` writes all of it, with every output.
    """
    from recall_rank.frontends.transcripts.gather import find_session, read_transcript
    from recall_rank.frontends.transcripts.homes import own_homes
    from recall_rank.frontends.transcripts.render import transcript_lines

    with open_recall(histories) as recall:
        fail_without_history(read_with_progress(recall, index=False), as_json=False)
        try:
            found = find_session(recall, session)
            read = read_transcript(recall, found, subagents=not no_subagents, changed=_redaction() if redact else None)
        except LookupError as error:
            fail(str(error.args[0]), NOT_THERE, as_json=False)
        except OSError as error:
            fail(f"session {session} cannot be read: {error.strerror or error}", NO_HISTORY, as_json=False)
    for line in transcript_lines(read, own_homes()):
        out.write(line.encode("utf-8", "replace") + b"\n")
    out.flush()
    ctx.exit(HITS)


def _redaction() -> Any:
    """Return the function that takes the secrets out of a session."""
    from recall_rank.frontends.redaction.redacted_answers import session_without_secrets

    return session_without_secrets
