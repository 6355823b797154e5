"""What the commands that read rather than search have in common: one call of a tool, shown and ended."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NoReturn

import click

from recall_rank.frontends.cli.options.histories import (
    context_of_working_directory,
    history_option,
    open_recall,
    read_with_progress,
)
from recall_rank.frontends.cli.output.outcome import (
    ALL_SOURCES_FAILED,
    HITS,
    NO_HITS,
    USAGE,
    every_source_failed,
    fail,
    print_json,
)

if TYPE_CHECKING:
    from recall_rank.frontends.cli.output.human import Line
    from recall_rank.recall import Recall

Lines = Callable[[Mapping[str, Any], int], "Iterator[Line]"]
"""The lines of an answer, at a present in epoch milliseconds."""

Completion = Callable[[dict[str, Any], "Recall"], None]

_ENDS: Final = {"message_not_found": NO_HITS, "other": NO_HITS, "list_failed": ALL_SOURCES_FAILED}
MOST: Final = 1000  # what an agent may ask for at once is a host's decision; a person decides for themselves


def reading_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds --history and --json."""
    as_json = click.option("--json", "as_json", is_flag=True, help="Print the answer as one line of JSON.")
    return history_option(as_json(command))


def answer(
    tool: str,
    args: Mapping[str, Any],
    histories: Sequence[str],
    *,
    as_json: bool,
    lines: Lines,
    found: str,
    complete: Completion | None = None,
) -> NoReturn:
    """Calls the tool, prints what it answers and ends: 0 when there is something under `found`, 1 when there is not.

    `complete` may add to the answer what a shell can use and an agent cannot.
    """
    from recall_rank.frontends.tools.dispatch import RecallTools
    from recall_rank.frontends.tools.host_options import HostOptions
    from recall_rank.model import Context

    options = HostOptions(max_messages=MOST, max_session_list=MOST, max_window=MOST)
    context = context_of_working_directory() or Context()
    with open_recall(histories, as_json=as_json, context=context) as recall:
        reports = read_with_progress(recall, index=False)
        now = int(time.time() * 1000)
        given = {name: value for name, value in args.items() if value is not None}
        output = RecallTools(recall, options=options, context=context).call(tool, given, now=now)
        if complete is not None and output["ok"]:
            complete(output, recall)
    if not output["ok"]:
        failed = every_source_failed(reports)
        code = ALL_SOURCES_FAILED if failed else _ENDS.get(output["error_category"], USAGE)
        fail(output["error"], code, as_json=as_json)
    if as_json:
        print_json(output)
    else:
        from recall_rank.frontends.cli.output.paint import paint

        paint(lines(output, now))
    raise click.exceptions.Exit(HITS if output[found] else NO_HITS)
