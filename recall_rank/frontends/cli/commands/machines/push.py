"""The command `push`: the sessions of allowed projects into an index that several machines share."""

from __future__ import annotations

import getpass
import platform
import re
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from recall_rank.frontends.cli.options.cache_options import CacheOptions, not_empty
from recall_rank.frontends.cli.options.completions import complete_projects
from recall_rank.frontends.cli.options.histories import history_option
from recall_rank.frontends.cli.options.named_sources import every_store, named_sources
from recall_rank.frontends.cli.options.output_file import refuse_in_store
from recall_rank.frontends.cli.output.console import (
    NO_HISTORY,
    NOT_THERE,
    NOT_WRITTEN,
    USAGE,
    Line,
    fail,
    note_line,
    print_json,
    print_lines,
    progress_on_stderr,
)
from recall_rank.frontends.display_text import counted, one_line
from recall_rank.model.option_errors import error_text

if TYPE_CHECKING:
    from recall_rank.exchange.next_generation import PushReport
    from recall_rank.exchange.outgoing import MachineName
    from recall_rank.model import Source

_NONE_ALLOWED: Final = (
    "nothing is pushed by default: name the projects that may leave this machine with --project, or with `projects` in "
    "the section [push] of the settings"
)


@click.command(name="push", short_help="Share the sessions of some projects with other machines.")
@click.argument("url", callback=not_empty)
@click.option(
    "--project",
    "projects",
    multiple=True,
    metavar="PATTERN",
    callback=not_empty,
    shell_complete=complete_projects,
    help="A project that may leave: a name or shell pattern, of its folder too; repeatable. Default: the settings.",
)
@history_option
@click.option("--host", metavar="NAME", callback=not_empty, help="The name of this machine there. Default: its own.")
@click.option("--user", metavar="NAME", callback=not_empty, help="Your name there. Default: that of your account.")
@click.option("--dry-run", is_flag=True, help="Show which projects would leave this machine, and push nothing.")
@click.option("--withdraw", is_flag=True, help="Remove all that was pushed under this --host and --user.")
@click.option("--json", "as_json", is_flag=True, help="Print what was done as one line of JSON.")
def push(
    url: str,
    projects: tuple[str, ...],
    histories: tuple[str, ...],
    host: str | None,
    user: str | None,
    dry_run: bool,
    withdraw: bool,
    as_json: bool,
) -> None:
    """Make the index at URL, such as s3://bucket/prefix or a shared folder, hold the sessions of allowed projects,
    beside those of other machines; `search --index URL` finds them.

    Nothing is pushed unless --project or the settings allow it. Secrets are replaced before anything leaves this
    machine. A later push writes what changed, and removes what was deleted or forgotten, here or on another machine.
    """
    from recall_rank.exchange.outgoing import MachineName
    from recall_rank.exchange.push import UnreadHistoriesError
    from recall_rank.exchange.push import push as push_sessions
    from recall_rank.exchange.push import withdraw as withdraw_machine
    from recall_rank.frontends.redaction.redacted_answers import session_without_secrets
    from recall_rank.frontends.redaction.rules_digest import rules_digest
    from recall_rank.histories.ignore import Ignore
    from recall_rank.histories.settings import settings
    from recall_rank.index.errors import UnusableIndexError

    if dry_run and withdraw:
        fail("--dry-run and --withdraw exclude each other", USAGE, as_json=as_json)
    started = time.perf_counter()
    place = _place(url)
    if place.startswith("file://"):
        refuse_in_store(place.removeprefix("file://"), every_store(histories))
    try:
        machine = MachineName(host or platform.node() or "localhost", user or getpass.getuser())
        chosen, allowed = CacheOptions.known(), projects or settings().push_projects
        sources = [] if withdraw else _sources(histories)
        if dry_run:
            _show_projects(sources, allowed, chosen, url, as_json=as_json)
            return
        if withdraw:
            report = withdraw_machine(place, machine, cache=chosen.folder())
        else:
            with progress_on_stderr() as progress:
                report = push_sessions(
                    place,
                    sources,
                    machine,
                    _not_none(allowed),
                    session_without_secrets,
                    reading=rules_digest(),
                    cache=chosen.folder(),
                    ignore=chosen.ignore or Ignore(),
                    forgotten=chosen.told,
                    keep_vanished=bool(chosen.keep_vanished),
                    progress=progress,
                )
    except (_NoHistoryError, UnreadHistoriesError) as error:
        fail(error_text(error), NO_HISTORY, as_json=as_json)
    except LookupError as error:
        fail(str(error.args[0]), NOT_THERE, as_json=as_json)
    except (OSError, UnusableIndexError) as error:
        fail(error_text(error), NOT_WRITTEN, as_json=as_json)
    except (ValueError, RuntimeError) as error:
        fail(str(error), USAGE, as_json=as_json)
    took = (time.perf_counter() - started) * 1000
    if as_json:
        print_json(_told(report, machine, took))
    else:
        print_lines(_lines(report, machine, url, took, withdrawn=withdraw))


def _place(url: str) -> str:
    """Return the URL of a store, or of a folder that is named by its path. Raises click.BadParameter."""
    from recall_rank.index.remote.store_url import is_store_url

    if is_store_url(url):
        if url.startswith("file://") and not url.removeprefix("file://").startswith("/"):
            raise click.BadParameter("a file URL names a folder by its full path: file:///srv/index")
        return url
    if re.match(r"[a-z][a-z0-9+.-]+:/", url):
        raise click.BadParameter(f"{url} is neither a URL, which has two slashes behind its colon, nor a folder")
    return f"file://{Path(url).expanduser().absolute()}"


def _not_none(allowed: Sequence[str]) -> Sequence[str]:
    """Return the allowed projects. Raises ValueError when there is none."""
    if not allowed:
        raise ValueError(_NONE_ALLOWED)
    return allowed


class _NoHistoryError(Exception):
    """Raised when there is nothing to push from."""


def _sources(histories: Sequence[str]) -> list[Source]:
    """Return the sources that are named, or all of this machine; copies of other machines' stores are not its own."""
    from recall_rank.loaders import discover

    found = named_sources(histories) if histories else discover()
    if not found:
        raise _NoHistoryError("no agent history was found on this machine: name one with --history PATH")
    return found


def _show_projects(
    sources: Sequence[Source], allowed: Sequence[str], chosen: CacheOptions, url: str, *, as_json: bool
) -> None:
    """Print the folders whose sessions may leave this machine, with their numbers, and how many sessions stay."""
    from recall_rank.exchange.outgoing import AllowedProjects
    from recall_rank.model.project_scope import normal_path, place_of
    from recall_rank.recall import Recall

    given = AllowedProjects(allowed) if allowed else None
    with Recall(sources, None, ignore=chosen.in_memory().ignore) as recall:
        sessions = recall.sessions()
    unmatched = () if given is None else given.unmatched(sessions)
    leaving: Counter[str] = Counter()
    staying: Counter[str] = Counter()
    for each in sessions:
        found = leaving if given is not None and given.allow(each) else staying
        found[normal_path(place_of(each)) or "no known project"] += 1
    if as_json:
        rows = [
            [{"project": place, "sessions": count} for place, count in found.most_common()]
            for found in (leaving, staying)
        ]
        print_json({"ok": True, "url": url, "projects": rows[0], "staying": rows[1], "unmatched": unmatched})
        return
    lines: list[Line] = []
    for told, found in (("would be pushed", leaving), ("stay here", staying)):
        lines.append([(f"{counted(found.total(), 'session', 'sessions')} {told}{':' if found else ''}", "")])
        lines += [[(f"{count:>6,}  {one_line(place)}", "")] for place, count in found.most_common()]
    lines += _unmatched_lines(unmatched)
    print_lines(lines)


def _told(report: PushReport, machine: MachineName, took: float) -> dict[str, object]:
    return {
        "ok": True,
        "host": machine.host,
        "user": machine.user,
        "sessions": report.sessions,
        "machines": report.machines,
        "all_sessions": report.all_sessions,
        "removed": report.removed,
        "copies": report.copies,
        "written": report.written,
        "changed": report.changed,
        "malformed": report.malformed,
        "unmatched": report.unmatched,
        "staying": report.staying,
        "errors": [str(each) for each in report.failures],
        "elapsed_ms": took,
    }


def _lines(report: PushReport, machine: MachineName, url: str, took: float, *, withdrawn: bool) -> list[Line]:
    if withdrawn:
        sessions, machines = counted(report.all_sessions, "session", "sessions"), report.machines
        left = f"{sessions} from {counted(machines, 'machine', 'machines')}"
        return [[(f"{one_line(str(machine))} was removed from {one_line(url)}, which has {left} now", "")]]
    own = f"{counted(report.sessions, 'session', 'sessions')} of {one_line(str(machine))} in {one_line(url)}"
    every = f"{report.all_sessions:,} from {counted(report.machines, 'machine', 'machines')} in all"
    done = f"{report.removed:,} removed, " if report.removed else "" if report.changed else "nothing had changed, "
    lines: list[Line] = [[(f"{own}, {every}; {done}in {took:,.0f} ms", "")], *_unmatched_lines(report.unmatched)]
    if report.staying:
        staying = counted(report.staying, "session", "sessions")
        lines.append(note_line(f"{staying} of projects that are not allowed, or not known, stay here"))
    if report.copies:
        copies = counted(report.copies, "further copy", "further copies")
        lines.append(note_line(f"{copies} of sessions that several machines have; searches find the newest"))
    if report.malformed:
        lines.append(note_line(f"{counted(report.malformed, 'record', 'records')} could not be read"))
    return [*lines, *(note_line(f"not read: {each}") for each in report.failures)]


def _unmatched_lines(unmatched: Sequence[str]) -> list[Line]:
    """Return a note for each pattern of projects that no session has."""
    return [note_line(f"no session is of a project that {each!r} names") for each in unmatched]
