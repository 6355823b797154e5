"""The command `pull`: copies of another machine's stores, which are searched beside those of this machine."""

from __future__ import annotations

import click

from recall_rank.frontends.cli.output.console import (
    HITS,
    NO_HISTORY,
    NOT_THERE,
    NOT_WRITTEN,
    USAGE,
    fail,
    print_json,
    say,
)
from recall_rank.frontends.display_text import counted, one_line
from recall_rank.model.option_errors import error_text


@click.command(name="pull", short_help="Copy another machine's histories, to search them too.")
@click.argument("where", required=False)
@click.option(
    "--name", metavar="NAME", help="What the machine is called here. Default: its host, or the folder's name."
)
@click.option("--list", "listed", is_flag=True, help="List the machines whose histories were copied.")
@click.option("--remove", is_flag=True, help="Delete the copy of the machine called WHERE.")
@click.option("--json", "as_json", is_flag=True, help="Print what was done as one line of JSON.")
@click.pass_context
def pull(ctx: click.Context, where: str | None, name: str | None, *, listed: bool, remove: bool, as_json: bool) -> None:
    """Copy the stores of coding agents from WHERE, or bring the copy up to date. Later searches find their sessions,
    with the machine's name; a session that two machines have is found once.

    WHERE is a host as ssh takes it, or a folder that is laid out as a home folder, such as a backup. Stores are copied
    by rsync, which both machines need; keys and settings of agents are not. Nothing is written there.
    """
    from recall_rank.exchange.pull import pull as pull_stores
    from recall_rank.exchange.pull import remove_pulled
    from recall_rank.exchange.pulled import machine_sources, pulled_machines

    if listed and (where or remove or name is not None):
        raise click.UsageError("--list takes no WHERE and no other option")
    if remove and name is not None:
        raise click.UsageError("--remove takes the name of the machine as WHERE, and no --name")
    if not listed and not where:
        raise click.UsageError("Missing argument 'WHERE'.")
    if listed:
        _tell_machines(pulled_machines(), as_json=as_json)
        return
    try:
        if remove:
            remove_pulled(where or "")
            told = {"ok": True, "removed": where}
            print_json(told) if as_json else say(f"the histories of {one_line(where or '')} were deleted here")
            return
        copy = pull_stores(where or "", name)
    except LookupError as error:
        fail(str(error.args[0]), NOT_THERE if remove else NO_HISTORY, as_json=as_json)
    except ValueError as error:
        fail(str(error), USAGE, as_json=as_json)
    except OSError as error:
        fail(error_text(error), NOT_WRITTEN, as_json=as_json)
    agents = list(dict.fromkeys(source.name for source in machine_sources(copy.name)))
    if as_json:
        problem: dict[str, object] = {"problem": copy.problem} if copy.problem else {}
        if copy.damaged:
            problem["damaged"] = copy.damaged
        made = {"host": copy.name, "agents": agents, "files": copy.files, "folder": copy.folder}
        print_json({"ok": True, **made, **problem})
    else:
        stores = f"{counted(copy.files, 'file', 'files')} of {', '.join(agents) or 'no agent'}"
        say(f"{copy.name}: {stores}, in {one_line(copy.folder)}")
        if copy.problem:
            say(f"note: some files could not be copied, and nothing was deleted: {one_line(copy.problem)}")
        for each in copy.damaged:
            say(f"note: a database cannot be read; what was copied of it before stays: {one_line(each)}")
    ctx.exit(HITS if agents else NO_HISTORY)


def _tell_machines(names: list[str], *, as_json: bool) -> None:
    if as_json:
        print_json({"ok": True, "machines": names})
    else:
        say("\n".join([*names, f"{counted(len(names), 'machine', 'machines')} copied"]))
