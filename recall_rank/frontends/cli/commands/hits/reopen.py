"""The command `reopen`: go on with a session in the agent that wrote it, after a question."""

from __future__ import annotations

import shutil
import subprocess
import sys

import click

from recall_rank.frontends.cli.options.completions import complete_sessions
from recall_rank.frontends.cli.options.histories import history_option, open_recall, read_with_progress
from recall_rank.frontends.cli.options.redact import redact_option
from recall_rank.frontends.cli.options.targets import target_of
from recall_rank.frontends.cli.output.console import HITS, NOT_THERE, USAGE, fail, fail_without_history
from recall_rank.frontends.transcripts.reopen import ReopenCommand, reopen_command, why_not_reopened


@click.command(name="reopen", short_help="Go on with the session of a hit in its agent.")
@click.argument("session", metavar="{NUMBER | SESSION}", shell_complete=complete_sessions)
@click.option("--yes", "-y", is_flag=True, help="Run the command without asking.")
@redact_option
@history_option
@click.pass_context
def reopen_session(ctx: click.Context, session: str, *, yes: bool, redact: bool, histories: tuple[str, ...]) -> None:
    """Print the command that reopens the session of a hit in its agent, ask, and run it.

    It is named by the number of a hit of the last search in this terminal, by an id or a beginning of it. Without a
    terminal to ask on, the command is printed and, unless --yes is given, not run.
    """
    target = target_of(session, None, histories)
    with open_recall(target.histories) as recall:
        fail_without_history(read_with_progress(recall, index=False), as_json=False)
        try:
            found = recall.session(target.session_id)
        except LookupError as error:
            fail(str(error.args[0]), NOT_THERE, as_json=False)
    command = reopen_command(found.source, found.id, found.directory, found.flags, found.places)
    if command is None:
        fail(f"no command reopens {found.id}: {why_not_reopened(found)}", USAGE, as_json=False)
    line = command.line
    if redact:
        from recall_rank.frontends.redaction.redact import redacted

        line = redacted(line)
    click.echo(line)
    if not yes and not (sys.stdin.isatty() and sys.stderr.isatty()):
        ctx.exit(HITS)
    if yes or click.confirm("Run it?", err=True):
        ctx.exit(run_reopening(command))
    ctx.exit(HITS)


def run_reopening(command: ReopenCommand) -> int:
    """Run the command in its folder, in this terminal, and return its exit status. No shell reads it."""
    program = shutil.which(command.words[0])
    if program is None:
        fail(f"{command.words[0]} is not installed here", USAGE, as_json=False)
    sys.stdout.flush()
    try:
        status = subprocess.run([program, *command.words[1:]], cwd=command.folder, check=False).returncode  # noqa: S603
    except OSError as error:
        fail(f"{command.words[0]} cannot be started: {error.strerror or error}", USAGE, as_json=False)
    return status if status >= 0 else 128 - status  # of a signal, as shells count
