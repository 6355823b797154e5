"""The command group `compact`: turn compaction for Claude Code on or off in a project, and the hooks it names there."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from recall_rank.frontends.cli.options.cache_options import CacheOptions, not_empty
from recall_rank.frontends.cli.options.named_sources import every_store
from recall_rank.frontends.cli.options.output_file import refuse_in_store
from recall_rank.frontends.cli.output.console import HITS, NOT_WRITTEN, USAGE, fail, print_json, say
from recall_rank.frontends.display_text import escape_lines, one_line
from recall_rank.model.option_errors import error_text

if TYPE_CHECKING:
    from recall_rank.frontends.compaction.condensing import CondensedHistory
    from recall_rank.frontends.compaction.hook_machine import HookMachine
    from recall_rank.frontends.compaction.switch import Plan, ProjectState
    from recall_rank.frontends.transcripts.render import SessionTranscript

_PROJECT = click.option(
    "--project", default=".", metavar="DIR", callback=not_empty, help="The project's folder. Default: the current one."
)
_YES = click.option("--yes", is_flag=True, help="Make the edits that are shown without asking.")


@click.group(name="compact", short_help="Keep what a compaction of Claude Code would lose.")
def compact() -> None:
    """Keep what a compaction of Claude Code would lose: the newest exchanges, and a summary of older ones.

    `on` edits four files of a project, after it has shown how, and `off` undoes that exactly.
    """


@compact.command(name="on", short_help="Turn it on in a project.")
@_PROJECT
@_YES
@click.pass_context
def on(ctx: click.Context, project: str, yes: bool) -> None:
    """Turn it on in a project: a line of CLAUDE.md, the file it names, a line of .gitignore, hooks in settings.json."""
    from recall_rank.frontends.compaction.records import is_recorded
    from recall_rank.frontends.compaction.switch import idle_hooks, plan_on, turn_on

    refuse_in_store(project, every_store(()))
    plan = _planned(project, plan_on)
    if plan.changes:
        _confirm(plan, yes=yes)
        _write(lambda: turn_on(plan))
        say(f"compact is on in {one_line(str(plan.project))}")
    elif is_recorded(plan.project):
        say(f"compact is on in {one_line(str(plan.project))} already: nothing was changed")
    else:
        _write(lambda: turn_on(plan))
        say(f"compact is on in {one_line(str(plan.project))}: its edits were there, and count on this machine now")
    for remark in (*plan.remarks, *idle_hooks(plan.project)):
        say(one_line(remark), err=True)
    ctx.exit(HITS)


@compact.command(name="off", short_help="Undo `on` exactly.")
@_PROJECT
@_YES
@click.pass_context
def off(ctx: click.Context, project: str, yes: bool) -> None:
    """Undo `on`: what it put into the project goes, and what others changed since stays."""
    from recall_rank.frontends.compaction.switch import plan_off, turn_off

    plan = _planned(project, plan_off)
    if plan.changes:
        _confirm(plan, yes=yes)
    changed = _write(lambda: turn_off(plan))
    told = "compact is off in" if changed else "compact is off, nothing was changed in"
    say(f"{told} {one_line(str(plan.project))}")
    for remark in plan.remarks:
        say(one_line(remark), err=True)
    ctx.exit(HITS)


@compact.command(name="status", short_help="Show which of the edits are there.")
@_PROJECT
@click.option("--json", "as_json", is_flag=True, help="Print the state as one line of JSON.")
@click.pass_context
def status(ctx: click.Context, project: str, as_json: bool) -> None:
    """Show which of the edits are there, and which were changed since."""
    from recall_rank.frontends.compaction.switch import project_state
    from recall_rank.frontends.file_edits.project_files import EditError, project_folder

    try:
        state = project_state(project_folder(project))
    except EditError as error:
        fail(str(error), USAGE, as_json=as_json)
    if as_json:
        print_json(_state_to_dict(state))
    else:
        _print_state(state)
    ctx.exit(HITS)


@compact.group(name="hook", short_help="The commands that settings.json names.")
def hook() -> None:
    """The commands that settings.json names; Claude Code runs them and gives them JSON on stdin."""


@hook.command(name="pre-compact", short_help="Write the condensed session.")
def pre_compact() -> None:
    """Write the condensed session, before Claude Code compacts it. Ends with 0 whatever happens."""
    _run_hook("PreCompact")


@hook.command(name="session-start", short_help="Remind a compacted session of what was kept.")
def session_start() -> None:
    """Remind a compacted session of what was kept, and empty the shared file for others. Ends with 0 always."""
    _run_hook("SessionStart")


def _planned(project: str, plan: Callable[[Path], Plan]) -> Plan:
    from recall_rank.frontends.file_edits.project_files import EditError, project_folder

    try:
        return plan(project_folder(project))
    except EditError as error:
        fail(f"nothing was changed: {error}", USAGE, as_json=False)


def _confirm(plan: Plan, *, yes: bool) -> None:
    """Show the changes of a plan and ask for consent. Ends the command without it."""
    from recall_rank.frontends.compaction.edits import CONTEXT
    from recall_rank.frontends.file_edits.project_files import diff_lines

    for line in diff_lines([change for change in plan.changes if change.file.name != CONTEXT or change.after]):
        click.echo(escape_lines(line))
    if any(change.file.name == CONTEXT and not change.after for change in plan.changes):
        say(f"{CONTEXT} is removed")  # what it quotes is long, and not the user's own text
    if yes:
        return
    if not sys.stdin.isatty():
        fail("nothing was changed: these edits need consent, on a terminal or by --yes", USAGE, as_json=False)
    click.confirm(f"Make these edits in {one_line(str(plan.project))}?", abort=True)


def _write(act: Callable[[], Any]) -> Any:
    from recall_rank.frontends.file_edits.project_files import EditError

    try:
        return act()
    except EditError as error:
        fail(f"nothing was changed: {error}", USAGE, as_json=False)
    except OSError as error:
        named = f" ({one_line(str(error.filename))})" if error.filename else ""
        fail(f"nothing was changed: {error.strerror or error}{named}", NOT_WRITTEN, as_json=False)


def _state_to_dict(state: ProjectState) -> dict[str, Any]:
    from recall_rank.frontends.compaction.switch import WHAT

    edits = [
        {"file": each.file, "edit": WHAT[each.file], "there": each.there, "remark": each.remark or None}
        for each in state.edits
    ]
    about = {"ok": True, "project": str(state.project), "state": state.word, "recorded": state.recorded}
    return {**about, "edits": edits, "session_id": state.session_id, "remarks": list(state.remarks)}


def _print_state(state: ProjectState) -> None:
    from recall_rank.frontends.compaction.switch import WHAT

    say(f"compact is {state.word} in {one_line(str(state.project))}")
    for each in state.edits:
        remark = f" ({one_line(each.remark)})" if each.remark else ""
        say(f"  {'there' if each.there else 'missing'}: {WHAT[each.file]}, {each.file}{remark}")
    if state.session_id:
        say(f"  the shared file holds session {one_line(state.session_id)}")
    if state.word != "off" and not state.recorded:
        say("  this machine has no record of `compact on` here: no hook does anything until `on` makes one")
    for remark in state.remarks:
        say(f"  {one_line(remark)}")


def _run_hook(event: str) -> NoReturn:
    """Run a hook, print its answer and end with 0."""
    try:
        from recall_rank.frontends.compaction.claude_call import STDIN_BYTES
        from recall_rank.frontends.compaction.claude_hooks import answered

        answer = answered(event, lambda: sys.stdin.buffer.read(STDIN_BYTES + 1), _machine(), _condensed)
        if answer.stdout:
            click.echo(answer.stdout)
        for problem in answer.problems:
            say(f"recall-rank compact: {problem}", err=True)
    except Exception as error:  # noqa: BLE001 - the host must not fail, whatever happens here
        say(f"recall-rank compact: {one_line(error_text(error))[:300]}", err=True)
    raise click.exceptions.Exit(HITS)


def _condensed(transcript: SessionTranscript, homes: Sequence[str], /) -> CondensedHistory:
    from recall_rank.frontends.compaction.condensing import condensed_session

    return condensed_session(transcript, homes)


def _machine() -> HookMachine:
    """Return what the hooks know of this machine. Raises ValueError for settings that cannot be read: they may say that
    a session is never read.
    """
    import os

    from recall_rank.frontends.compaction.hook_machine import HookMachine
    from recall_rank.histories.cache.location import default_cache
    from recall_rank.histories.ignore import Ignore

    chosen = CacheOptions.known()
    cache = chosen.folder()
    return HookMachine(os.environ, Path.home(), cache, cache or default_cache(), chosen.ignore or Ignore())
