"""The filter options of the commands `search` and `demo`; their names are those of the parameters of the tool
`recall`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import click

from recall_rank.frontends.cli.options.completions import (
    complete_agents,
    complete_files,
    complete_folders,
    complete_projects,
    complete_sessions,
    complete_tools,
)
from recall_rank.frontends.cli.options.limit import limit_option
from recall_rank.frontends.cli.options.redact import redact_option

_TIME: Final = "TIME"
_FILTERS: Final[tuple[Callable[[Any], Any], ...]] = (
    click.option(
        "--match",
        "-m",
        type=click.Choice(["literal", "smart", "fuzzy", "regex"]),
        help="How words match. Default: smart.",
    ),
    click.option(
        "--scope", type=click.Choice(["session", "project", "global"]), help="What is searched at all. Default: global."
    ),
    click.option(
        "--group",
        type=click.Choice(["part", "session"]),
        help="part: one result for each hit, which is a piece of a message. session: one for each session. "
        "Default: part.",
    ),
    click.option(
        "--type", type=click.Choice(["text", "tool", "reasoning", "all"]), help="Kind of content. Default: all."
    ),
    click.option("--role", type=click.Choice(["user", "assistant", "all"]), help="Who said it. Default: all."),
    click.option("--session", "session_id", metavar="ID", shell_complete=complete_sessions, help="Only this session."),
    click.option("--session-prefix", metavar="TEXT", help="Only sessions whose id begins with this."),
    click.option("--title", metavar="TEXT", help="Only sessions whose title contains this."),
    click.option("--sessions", type=int, metavar="N", help="Only the newest N sessions."),
    limit_option("results", 10, "--results", "results"),
    click.option("--offset", type=int, metavar="N", help="How many results to leave out first. Default: 0."),
    click.option("--width", type=int, metavar="N", help="Characters a snippet. Default: 200."),
    click.option("--after", metavar=_TIME, help="As --since, without durations."),
    click.option("--before", metavar=_TIME, help="As --until, without durations."),
    click.option("--last", metavar=_TIME, help="Same as --since."),
    click.option(
        "--since",
        metavar=_TIME,
        help="Only what is newer than a date, a date-time, now, today, yesterday, epoch milliseconds, or a duration "
        "before now: 30m, 2h, 3d, 1w, 2mo, 1y.",
    ),
    click.option("--from", "from_", metavar=_TIME, help="Same as --since."),
    click.option("--until", metavar=_TIME, help="Only what is older than a time or duration, as --since takes them."),
    click.option("--to", metavar=_TIME, help="Same as --before."),
    click.option(
        "--directory",
        metavar="PATH",
        shell_complete=complete_folders,
        help="Only sessions that ran in or below this folder.",
    ),
    click.option("--fallback", is_flag=True, default=None, help="With --directory: other folders too, ranked after."),
    click.option(
        "--project",
        metavar="NAME",
        shell_complete=complete_projects,
        help="Only sessions of this project, as stats names it.",
    ),
    click.option(
        "--agent", metavar="NAME", shell_complete=complete_agents, help="Only sessions of this agent, such as codex."
    ),
    click.option("--host", metavar="NAME", help="Only sessions of this machine, in an index of several (push)."),
    click.option("--user", metavar="NAME", help="Only sessions of this account, in an index of several (push)."),
    click.option("--tool", "tool_name", metavar="NAME", shell_complete=complete_tools, help="Only calls of this tool."),
    click.option(
        "--file",
        "files",
        multiple=True,
        metavar="PATH",
        shell_complete=complete_files,
        help="Only what names this file.",
    ),
    click.option(
        "--exclude-session",
        "exclude_session_ids",
        multiple=True,
        metavar="ID",
        shell_complete=complete_sessions,
        help="Not this session.",
    ),
    click.option("--must", multiple=True, metavar="TEXT", help="Only results that contain this."),
    click.option("--must-not", multiple=True, metavar="TEXT", help="Only results that do not contain this."),
    click.option(
        "--syntax/--no-syntax",
        default=None,
        help="Whether operators in the query are read, such as tool:bash. Default: unless --match literal or regex.",
    ),
    click.option("--order", type=click.Choice(["relevance", "time"]), help="Order of results. Default: relevance."),
    click.option(
        "--fold/--no-fold",
        default=None,
        help="Whether hits that say the same take one place. Default: they do.",
    ),
    click.option("--budget-ms", type=int, metavar="MS", help="How long a search may take. Default: 2000."),
    click.option(
        "--explain", is_flag=True, default=None, help="Show what each stage did, and the summands of each score."
    ),
    redact_option,
)


OPTIONS: Final = {  # name in the library -> option of the command line
    **dict.fromkeys(("from_", "from"), "--from"),
    "tool_name": "--tool",
    "session_id": "--session",
    "session_prefix": "--session-prefix",
    "exclude_session_ids": "--exclude-session",
    "must_not": "--must-not",
    "budget_ms": "--budget-ms",
    "results": "--limit",
    **{name: f"--{name}" for name in ("offset", "width", "sessions", "title", "directory", "project", "agent")},
    **{name: f"--{name}" for name in ("host", "user")},
    "must": "--must",
    **{name: f"--{name}" for name in ("after", "before", "last", "since", "until", "to", "type", "scope")},
}


def filter_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add every filter option to a command; its function gets None or () for an option that is absent."""
    for option in reversed(_FILTERS):
        command = option(command)
    return command


def given_filters(filters: Mapping[str, Any], worktree: str | None = None) -> dict[str, Any]:
    """Return the filters that were given, as options of Index.search.

    --file becomes a text that results must contain: the path relative to `worktree`, which the absolute path ends
    with, too.
    """
    found = {name: value for name, value in filters.items() if value is not None and value != ()}
    if found.pop("redact", False):
        from recall_rank.frontends.redaction.redacted_answers import hidden

        found["redact"] = hidden
    files = found.pop("files", ())
    if files:
        found["must"] = (*found.get("must", ()), *(_below(path, worktree) for path in files))
    return found


def with_user_defaults(filters: Mapping[str, Any]) -> dict[str, Any]:
    """Return the filters with the results and the mode of the settings where the command line has none. Settings that
    cannot be read end the command.
    """
    from recall_rank.histories.settings import settings

    try:
        known = settings().defaults
    except ValueError as error:
        raise click.ClickException(str(error)) from error
    chosen = {"results": known.results, "match": known.match}
    return {**filters, **{name: value for name, value in chosen.items() if value and filters[name] is None}}


def _below(path: str, worktree: str | None) -> str:
    """Return a path relative to `worktree`, without a leading "./". The absolute form of the path ends with it."""
    root = f"{worktree.rstrip('/')}/" if worktree else ""
    short = path.removeprefix(root) if root and path.startswith(root) else path
    while short.startswith("./"):
        short = short[2:]
    return short or path
