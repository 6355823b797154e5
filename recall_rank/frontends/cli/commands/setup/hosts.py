"""The commands `install`, `uninstall` and `hosts`: recall-rank in the programs in which coding agents run."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from recall_rank.frontends.cli.options.families import named_families
from recall_rank.frontends.cli.options.named_sources import every_store
from recall_rank.frontends.cli.options.output_file import refuse_in_store
from recall_rank.frontends.cli.output.console import HITS, NOT_WRITTEN, USAGE, fail, print_json, say
from recall_rank.frontends.display_text import counted, escape_lines, one_line
from recall_rank.frontends.tools.families import FAMILIES

if TYPE_CHECKING:
    from recall_rank.frontends.hosts.host import Host, HostPlace
    from recall_rank.frontends.hosts.install import InstallPlan, InstallState
    from recall_rank.frontends.hosts.probe import ProbeAnswer

_NAMES: Final = ("opencode", "claude-code", "codex", "gemini", "copilot", "cursor", "pi", "tallow", "hermes")
_SCOPES: Final = ("user", "project")
_HOST = click.argument("host", type=click.Choice(_NAMES), metavar="HOST")
_SCOPE = click.option(
    "--scope",
    type=click.Choice(_SCOPES),
    default="user",
    help="user: your own settings, for every project; project: the settings of the current folder. Default: user.",
)
_DRY = click.option("--dry-run", is_flag=True, help="Show the changes as a diff and make none.")
_FULL = click.option("--full", is_flag=True, help="Show new and removed files whole, too.")
_YES = click.option("--yes", is_flag=True, help="Make the changes that are shown without asking.")


@click.command(name="install", short_help="Install the recall tools into a host, such as codex.")
@_HOST
@_SCOPE
@_DRY
@click.option(
    "--tools",
    "families",
    default=None,
    callback=named_families,
    metavar="FAMILIES",
    help=f"Families of tools to offer, separated by commas: {', '.join(FAMILIES)}. Default: what the host is given.",
)
@click.option("--no-hooks", is_flag=True, help="Leave out what adds to a conversation unasked.")
@_FULL
@_YES
@click.pass_context
def install(
    ctx: click.Context,
    host: str,
    *,
    scope: str,
    dry_run: bool,
    families: tuple[str, ...],
    no_hooks: bool,
    full: bool,
    yes: bool,
) -> None:
    """Install recall-rank into HOST: opencode, claude-code, codex, gemini, copilot, cursor, pi, tallow or hermes.

    Shows what is changed and asks. `uninstall` undoes it exactly.
    """
    from recall_rank.frontends.hosts.file_parts import command_of
    from recall_rank.frontends.hosts.host import Launch
    from recall_rank.frontends.hosts.install import install as make
    from recall_rank.frontends.hosts.install import plan_install
    from recall_rank.frontends.hosts.launch import running_program

    launch = Launch(running_program(), families)
    chosen, place = _place(host, scope)
    if scope == "project":
        refuse_in_store(place.folder, every_store(()))
    plan = _done(lambda: plan_install(chosen, place, launch, _version(), hooks=not no_hooks))
    if not plan.changes:
        say(f"recall-rank is installed in {host} like this already: nothing was changed")
        ctx.exit(HITS)
    _confirm(plan, dry_run=dry_run, full=full, yes=yes)
    _done(lambda: make(plan))
    say(f"recall-rank is installed in {host}; it takes effect when {host} is started again")
    if command_of(chosen.entry(launch) or {}) and not _has_server():
        say("the MCP server needs the extra \"mcp\": pip install 'recall-rank[mcp]'", err=True)
    for remark in (
        *plan.remarks,
        *chosen.remarks,
        *(chosen.project_remarks if scope == "project" else ()),
        *(() if no_hooks else chosen.hook_remarks),
    ):
        say(one_line(remark), err=True)
    ctx.exit(HITS)


@click.command(name="uninstall", short_help="Undo what `install` put into a host.")
@_HOST
@_SCOPE
@_DRY
@_FULL
@_YES
@click.pass_context
def uninstall(ctx: click.Context, host: str, *, scope: str, dry_run: bool, full: bool, yes: bool) -> None:
    """Undo `install`: what it put into HOST goes, and what others changed since stays."""
    from recall_rank.frontends.hosts.install import plan_uninstall
    from recall_rank.frontends.hosts.install import uninstall as make

    chosen, place = _place(host, scope)
    plan = _done(lambda: plan_uninstall(chosen, place))
    if plan.changes or dry_run:
        _confirm(plan, dry_run=dry_run, full=full, yes=yes)
    changed = _done(lambda: make(plan))
    say(f"recall-rank is {'no longer' if changed else 'not'} installed in {host}")
    for remark in plan.remarks:
        say(one_line(remark), err=True)
    ctx.exit(HITS)


@click.command(name="hosts", short_help="Show the hosts of this machine and what is installed.")
@click.option("--check/--no-check", default=True, help="Whether what is installed is started and asked for its tools.")
@click.option("--json", "as_json", is_flag=True, help="Print the state as one line of JSON.")
@click.pass_context
def hosts(ctx: click.Context, check: bool, as_json: bool) -> None:
    """Show which hosts this machine has, what is installed in them and in which version, and whether it works."""
    ask = _asker() if check else None
    rows = [_row(name, ask) for name in _NAMES]
    if as_json:
        print_json({"ok": True, "hosts": [_row_to_dict(row) for row in rows]})
        ctx.exit(HITS)
    for row in rows:
        found = " and ".join(filter(None, ("program" if row.program else "", "settings" if row.settings else "")))
        say(f"{row.host.name}: {found + ' found' if found else 'not found on this machine'}")
        for scope, state, answer in row.scopes:
            _print_state(scope, state, answer)
    ctx.exit(HITS)


@dataclass(frozen=True, slots=True)
class HostRow:
    """A host on this machine: its program (None: not on PATH), whether its settings are there, and each scope's state
    with the answer of what is installed (None: nothing was started).
    """

    host: Host
    program: str | None
    settings: bool
    scopes: tuple[tuple[str, InstallState, ProbeAnswer | None], ...]


def _row(name: str, ask: Callable[[Host, InstallState], ProbeAnswer] | None) -> HostRow:
    import shutil

    from recall_rank.frontends.hosts.every_host import HOSTS
    from recall_rank.frontends.hosts.install import install_state

    host = HOSTS[name]
    found = next((path for program in host.programs if (path := shutil.which(program)) is not None), None)
    scopes = []
    here = _working_directory()
    for scope in _SCOPES:
        if scope == "project" and here in (None, Path.home()):
            continue
        place = host.place(scope, os.environ, Path.home(), here or Path.home())
        if place is None:
            continue
        state = install_state(host, place)
        scopes.append((scope, state, ask(host, state) if ask is not None and state.is_there else None))
    place = host.user(os.environ, Path.home())
    places = [*(place.folder / each for each in place.config), Path.home() / host.folder]
    settings = any(map(os.path.exists, places))  # False for what may not be looked at
    return HostRow(host, found, settings, tuple(scopes))


def _asker() -> Callable[[Host, InstallState], ProbeAnswer]:
    """Return a function that starts what is installed and returns what it answers, each command line once.

    Only a command that an install on this machine wrote is started: a project's file may come from anybody.
    """
    from functools import cache

    from recall_rank.frontends.hosts.file_parts import command_of
    from recall_rank.frontends.hosts.launch import running_program
    from recall_rank.frontends.hosts.probe import ProbeAnswer, probe_program, probe_server

    server, version = cache(probe_server), cache(probe_program)

    def ask(_: Host, state: InstallState) -> ProbeAnswer:
        recorded = state.record.program if state.record is not None else running_program()
        command = command_of(state.entry or {})
        if not command:  # a plugin
            return version(recorded)
        if not any(_is_server_of(command, program) for program in (recorded, running_program())):
            return ProbeAnswer(False, problem="not started: no install of this machine wrote its command")
        return server(command)

    return ask


def _is_server_of(command: Sequence[str], program: tuple[str, ...]) -> bool:
    """Return whether a command line is that of the MCP server of a program, as Launch.server writes it."""
    from recall_rank.frontends.hosts.host import Launch

    families = tuple(command[-1].split(",")) if command[-2:-1] == ("--tools",) else ()
    return set(families) <= set(FAMILIES) and tuple(command) == Launch(program, families).server


def _print_state(scope: str, state: InstallState, answer: ProbeAnswer | None) -> None:
    if state.is_there:
        version = state.record.version if state.record is not None else "of unknown version"
        say(f"  {scope}: installed {one_line(version)} in {one_line(str(state.folder))}")
        for name in state.files:
            say(f"    {one_line(name)}")
    if answer is not None:
        tools = f" with {', '.join(one_line(each) for each in answer.tools)}" if answer.tools else ""
        say(f"    works{tools}" if answer.works else f"    does not work: {one_line(answer.problem)}")
    for remark in state.remarks:
        say(f"  {scope}: {one_line(remark)}")


def _row_to_dict(row: HostRow) -> dict[str, Any]:
    scopes = [
        {
            "scope": scope,
            "folder": str(state.folder),
            "installed": state.is_there,
            "version": state.record.version if state.record is not None else None,
            "files": list(state.files),
            "works": None if answer is None else answer.works,
            "tools": None if answer is None else list(answer.tools),
            "problem": None if answer is None else answer.problem or None,
            "remarks": list(state.remarks),
        }
        for scope, state, answer in row.scopes
    ]
    return {"host": row.host.name, "program": row.program, "settings": row.settings, "scopes": scopes}


def _working_directory() -> Path | None:
    """Return the working directory; None when it was removed or cannot be read."""
    try:
        return Path.cwd()
    except OSError:
        return None


def _place(name: str, scope: str) -> tuple[Host, HostPlace]:
    from recall_rank.frontends.hosts.every_host import HOSTS

    host = HOSTS[name]
    here = _working_directory()
    if scope == "project" and here is None:
        fail("nothing was changed: the working directory was removed", USAGE, as_json=False)
    try:
        place = host.place(scope, os.environ, Path.home(), here or Path.home())
    except (OSError, RuntimeError) as error:
        fail(f"nothing was changed: {error}", USAGE, as_json=False)
    if place is None:
        fail(f"nothing was changed: {name} has no settings of a project", USAGE, as_json=False)
    if scope == "project" and here == Path.home():
        fail("nothing was changed: the home folder is no project", USAGE, as_json=False)
    return host, place


def _summary(plan: InstallPlan) -> Iterator[str]:
    """Yield what a plan does, a line for each file."""
    changes = plan.changes
    yield f"{counted(len(changes), 'file', 'files')} in {one_line(str(plan.folder))}:" if changes else "no file changes"
    for change in changes:
        name = one_line(change.file.name)
        before, after = ((data or b"").count(b"\n") for data in (change.file.data, change.after))
        if change.file.data is None:
            yield f"  new      {name} ({counted(after, 'line', 'lines')})"
        elif change.after is None:
            yield f"  removed  {name} ({counted(before, 'line', 'lines')})"
        else:
            yield f"  changed  {name} ({after - before:+,} lines)"


def _confirm(plan: InstallPlan, *, dry_run: bool, full: bool, yes: bool) -> None:
    """Show the changes of a plan, with `full` also whole files, and ask for consent. Ends the command without it, and
    after a dry run.
    """
    from recall_rank.frontends.file_edits.project_files import diff_lines

    for line in _summary(plan):
        say(line)
    shown = [each for each in plan.changes if full or (each.file.data is not None and each.after is not None)]
    for line in diff_lines(shown):
        click.echo(escape_lines(line))
    if len(shown) < len(plan.changes):
        say("--full also shows the new and removed files")
    if dry_run:
        raise click.exceptions.Exit(HITS)
    if yes:
        return
    if not sys.stdin.isatty():
        fail("nothing was changed: these changes need consent, on a terminal or by --yes", USAGE, as_json=False)
    click.confirm(f"Make these changes in {one_line(str(plan.folder))}?", abort=True)


def _done(act: Callable[[], Any]) -> Any:
    from recall_rank.frontends.file_edits.project_files import EditError

    try:
        return act()
    except EditError as error:
        fail(f"nothing was changed: {one_line(str(error))}", USAGE, as_json=False)
    except OSError as error:
        named = f" ({one_line(str(error.filename))})" if error.filename else ""
        fail(f"nothing was changed: {error.strerror or error}{named}", NOT_WRITTEN, as_json=False)


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("recall-rank")
    except PackageNotFoundError:
        return "unknown"


def _has_server() -> bool:
    from importlib.util import find_spec

    return find_spec("mcp") is not None
